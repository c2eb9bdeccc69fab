/** A connection's seat, as seen by programs (wl_seat, wl_keyboard). */

import { basename } from "../../../core/path.ts";
import { numbersIn, readProc, timeByLoad } from "../../../core/proc.ts";
import type { InputMethods } from "../../linux/input_method/input_methods.ts";
import { isEngineLeft } from "../../linux/input_method/engine_records.ts";
import { readMemory } from "../../linux/libc.ts";
import { threadsRest } from "../../linux/threads.ts";
import { QUIRKS } from "../../quirks.ts";
import type { Session } from "../way.ts";
import type { Connection, Registry } from "./connection.ts";
import { KEYBOARD, SEAT } from "./wire.ts";

/** The first seat. After a round trip, the seat's devices are known. */
export class Seat {
  /** The seat's number on this connection. */
  readonly object: number;
  #capabilities = 0;
  /** The number of times that a keyboard has appeared. */
  #keyboards = 0;

  /** @throws DesktopUnavailableError if the compositor offers no seat. */
  constructor(readonly connection: Connection, registry: Registry) {
    this.object = registry.bindFirst("wl_seat", 5, (opcode, args) => {
      if (opcode !== SEAT.capabilities) return;
      const had = this.hasKeyboard;
      this.#capabilities = args.uint();
      if (this.hasKeyboard && !had) this.#keyboards++;
    });
  }

  /** Whether the seat has a pointer, as far as events have been read. */
  get hasPointer(): boolean {
    return (this.#capabilities & SEAT.hasPointer) !== 0;
  }

  /**
   * The number of the seat's keyboard. After a time without a keyboard, the next one has a new number and
   * sends its map again.
   */
  get keyboard(): number | undefined {
    return this.hasKeyboard ? this.#keyboards : undefined;
  }

  /** Whether the seat has a keyboard, as far as events have been read. */
  get hasKeyboard(): boolean {
    return (this.#capabilities & SEAT.hasKeyboard) !== 0;
  }

  /**
   * Requests the keyboard's maps; call this only if the seat has a keyboard.
   * @param take Receives each map as text (XKB text format, version 1).
   * @returns A function that stops reading.
   */
  readKeymaps(take: (text: string) => void): () => void {
    const keyboard = this.connection.newId((opcode, args) => {
      if (opcode !== KEYBOARD.keymap) return;
      const format = args.uint(), fd = args.descriptor(), size = args.uint();
      const bytes = readMemory(this.connection.c, fd, size);
      if (format === KEYBOARD.xkbV1 && bytes) take(new TextDecoder().decode(bytes).replace(/\0+$/, ""));
    });
    this.connection.request(this.object, SEAT.getKeyboard, keyboard);
    return () => this.connection.request(keyboard, KEYBOARD.release);
  }
}

// Programs that execute a shortcut only after the keys that have arrived by then. Wayland does not report
// whether a program has handled its events, so its process is watched.

/** Process names, as the system stores them. */
const NAMES: ReadonlySet<string> = new Set(QUIRKS.lateCommands.processes);
/** How long the list of processes is cached, in milliseconds. */
const KNOWN_MS = 2000;
/** How often a process is checked: a new one may not have become its program yet (execve(2)). */
const LOOKS = 2;
/**
 * How long a process's main thread must be idle to count as waiting for events, in milliseconds: on an idle
 * machine, and at most.
 */
const QUIET_MS = { idle: 16, most: 100 };
/** Maximum wait, in milliseconds: a program that loads a document is never idle. */
const LONGEST_MS = 3000;

/** This user's programs. */
export class LateCommands {
  #pids: readonly number[] = [];
  /** How often each process was found to be another program. */
  #others = new Map<number, number>();
  #lookedAt = -Infinity;

  /**
   * Waits until the programs have handled the events sent by the compositor, and wait for more.
   * @param signal Ends the wait; the promise then rejects with the signal's reason.
   */
  async handled(signal?: AbortSignal): Promise<void> {
    const quietMs = timeByLoad(QUIET_MS.idle, QUIET_MS.most), pids = this.#present();
    if (pids.length) await threadsRest(pids.map(String), { quietMs, mostMs: LONGEST_MS }, signal);
  }

  #present(): readonly number[] {
    if (performance.now() > this.#lookedAt + KNOWN_MS) {
      this.#lookedAt = performance.now();
      const present = numbersIn(""), before = this.#others;
      this.#pids = present.filter((pid) =>
        (before.get(pid) ?? 0) < LOOKS && NAMES.has(readProc(`${pid}/comm`).trimEnd())
      );
      const found = new Set(this.#pids);
      this.#others = new Map(
        present.filter((pid) => !found.has(pid)).map((pid) => [pid, (before.get(pid) ?? 0) + 1]),
      );
    }
    return this.#pids;
  }
}

// The engine of a person's input method, such as Pinyin, on a desktop where the compositor or programs pass
// all keys to the input method. The engine is disabled while a text is typed.

/** A keyboard that sends keys. */
export interface SentKeys {
  /** The number of presses and releases sent so far. */
  readonly sent: number;
  /** Resolves when the compositor has handled everything sent. */
  flush(): Promise<void>;
}

/** The engine of one session. */
export class PersonEngine {
  #methods: InputMethods | undefined;
  #isClosed = false;

  /** Enables an engine that a killed deskhand left disabled. */
  constructor(readonly session: Pick<Session, "socket" | "buses">) {
    if (isEngineLeft(this.#display)) void this.#recover();
  }

  /** Loads the code that {@linkcode without} needs. */
  async prepare(): Promise<void> {
    await this.#load();
  }

  /**
   * Types a text while the person's engine is disabled.
   * @param type Types the text with `keys`.
   * @throws StateError naming an engine that cannot be disabled; the errors of `type`.
   */
  async without(keys: SentKeys, type: () => Promise<void>): Promise<void> {
    const engine = await (await this.#load())?.suspend();
    if (!engine) return await type();
    const { sent } = keys;
    try {
      await type();
    } finally {
      try {
        // The compositor's second answer comes after it has sent everything that the keys caused.
        for (let i = 0; i < 2; i++) await keys.flush();
      } finally {
        await engine.resume(keys.sent - sent);
      }
    }
  }

  /** Enables the engine again, even in the middle of a text. Never throws. */
  close(): void {
    this.#isClosed = true;
    this.#methods?.close();
    this.#methods = undefined;
  }

  async #recover(): Promise<void> {
    await (await this.#load())?.recover();
  }

  /** @returns undefined after the end. */
  async #load(): Promise<InputMethods | undefined> {
    const { InputMethods } = await import("../../linux/input_method/input_methods.ts");
    if (this.#isClosed) return undefined;
    return this.#methods ??= new InputMethods({ display: this.#display, buses: this.session.buses });
  }

  get #display(): string {
    return basename(this.session.socket);
  }
}
