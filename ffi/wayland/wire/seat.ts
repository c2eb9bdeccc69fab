/** The seat of a connection, as programs see it (wl_seat, wl_keyboard). */

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

/** The first seat. After a round trip it is known which devices the seat has. */
export class Seat {
  /** The seat's number on this connection. */
  readonly object: number;
  #capabilities = 0;
  /** The number of times that a keyboard has come. */
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
   * The number of the seat's keyboard. After a time without a keyboard, the next one has a new number and sends its
   * map again.
   */
  get keyboard(): number | undefined {
    return this.hasKeyboard ? this.#keyboards : undefined;
  }

  /** Whether the seat has a keyboard, as far as events have been read. */
  get hasKeyboard(): boolean {
    return (this.#capabilities & SEAT.hasKeyboard) !== 0;
  }

  /**
   * Asks for the keyboard's maps; call this only if the seat has a keyboard.
   * @param take Gets each map as text (XKB text format, version 1).
   * @returns A function that ends the reading.
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

// Programs that carry out a shortcut only after the keys that have come by then. Wayland does not tell
// whether a program has handled its events, so that its process is watched.

/** The names of the processes, as the system stores them. */
const NAMES: ReadonlySet<string> = new Set(QUIRKS.lateCommands.processes);
/** The time for which the list of the processes counts, in milliseconds. */
const KNOWN_MS = 2000;
/** How often a process is looked at: a new one may not have become its program yet (execve(2)). */
const LOOKS = 2;
/** The time for which the main thread of a process that waits for events does nothing, in milliseconds: on an idle machine, and at most. */
const QUIET_MS = { idle: 16, most: 100 };
/** The longest wait, in milliseconds: a program that loads a document never rests. */
const LONGEST_MS = 3000;

/** The programs of this user. */
export class LateCommands {
  #pids: readonly number[] = [];
  /** How often each process was found to be another program's. */
  #others = new Map<number, number>();
  #lookedAt = -Infinity;

  /**
   * Waits until the programs have handled the events that the compositor has sent them, and wait for others.
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

// The engine of a person's input method, such as Pinyin, on a desktop where the compositor passes all keys to
// the input method, or programs do. The engine is switched off while a text is typed.

/** A keyboard that sends keys. */
export interface SentKeys {
  /** The number of presses and releases that were sent so far. */
  readonly sent: number;
  /** Resolves when the compositor has handled what was sent. */
  flush(): Promise<void>;
}

/** The engine of one session. */
export class PersonEngine {
  #methods: InputMethods | undefined;
  #isClosed = false;

  /** Switches an engine on again that a killed deskhand left switched off. */
  constructor(readonly session: Pick<Session, "socket" | "buses">) {
    if (isEngineLeft(this.#display)) void this.#recover();
  }

  /** Loads the code that {@linkcode without} needs. */
  async prepare(): Promise<void> {
    await this.#load();
  }

  /**
   * Types a text while the person's engine is off.
   * @param type Types the text by `keys`.
   * @throws StateError naming an engine that cannot be switched off; the errors of `type`.
   */
  async without(keys: SentKeys, type: () => Promise<void>): Promise<void> {
    const engine = await (await this.#load())?.suspend();
    if (!engine) return await type();
    const { sent } = keys;
    try {
      await type();
    } finally {
      try {
        // The compositor answers the second time after it has sent all that the keys caused.
        for (let i = 0; i < 2; i++) await keys.flush();
      } finally {
        await engine.resume(keys.sent - sent);
      }
    }
  }

  /** Switches the engine on again, also in the middle of a text. Never throws. */
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
