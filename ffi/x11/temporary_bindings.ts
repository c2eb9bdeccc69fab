/**
 * Symbols without a key, temporarily bound to keycodes without a symbol, to type text beyond the keyboard's
 * own characters. A key holds several symbols, selected by Shift and the third-level modifier. A client looks
 * up a key in the map when it handles the key event, which may be late. Therefore a used key gets another
 * symbol, or none, only after programs have handled its events.
 */

import { delay } from "@std/async/delay";
import { attempt, InputError, StateError } from "../../core/errors.ts";
import { timeByLoad } from "../../core/proc.ts";
import { ProcessRecord } from "../../core/process_record.ts";
import type { Connection } from "./connection.ts";
import { KeysHandled } from "./handled/mod.ts";
import { Keymap, type KeyState, type KeyStroke, readState } from "./keymap.ts";
import { selectMapChanges } from "./raw_selection.ts";
import { EVENT } from "./xcb_connection.ts";
import { changeKeys, XkbMap } from "./xkb.ts";

// A record of the keys that a process has temporarily bound: the server keeps a killed program's symbols, and
// eventually no key would be free.

/** Symbols by the keycodes that they were given to. */
type GivenSymbols = ReadonlyMap<number, readonly number[]>;

/** A file's content. */
interface Content {
  display: string;
  given: [keycode: number, symbols: readonly number[]][];
}

/** The record of one process and display. */
class BoundRecord {
  readonly #record = new ProcessRecord("bound-keys", contentOf);
  /** The display's name without the screen: all screens share the keyboard. */
  readonly #display: string;

  /** @param display The name of the display, such as `:0`. */
  constructor(display: string) {
    this.#display = display.replace(/\.\d+$/, "");
  }

  /** Writes the symbols that keys are about to receive. */
  write(given: GivenSymbols): void {
    this.#record.write({ display: this.#display, given: [...given] });
  }

  /**
   * Takes the records of symbols that killed processes bound on this display.
   * @param take Receives a process's symbols.
   */
  takeLeft(take: (given: GivenSymbols) => void): void {
    this.#record.takeLeft(({ display }) => display === this.#display, ({ given }) => take(new Map(given)));
  }

  /** Removes the file when nothing is bound. Safe to call twice. */
  clear(): void {
    this.#record.clear();
  }

  /** Leaves the symbols to the next {@linkcode takeLeft}. Safe to call twice. */
  leave(): void {
    this.#record.leave();
  }
}

function contentOf(json: string): Content {
  const { display, given } = JSON.parse(json);
  return { display, given: given.filter(isGiven) };
}

function isGiven(value: unknown): value is [number, number[]] {
  return Array.isArray(value) && value.length === 2 && Number.isInteger(value[0]) &&
    Array.isArray(value[1]) && value[1].every(Number.isInteger);
}

// The keyboard map of one connection, which is read again only after a change: nearly every text finds the
// map of the previous text.

/** The keyboard, cached between readings. */
export class KeptKeymap {
  #last: Keymap | undefined;
  /** The number of map changes at the last reading. */
  #changes = 0;
  /** XKB's event type; undefined before the first reading. */
  #event: number | undefined;

  constructor(readonly connection: Connection) {}

  /**
   * Reads the current keyboard. The server sends events and replies in the order in which it created them:
   * with the reply to {@linkcode readState}, the events of all earlier map changes have arrived. If there is
   * no such event, the cached map is as recent as that reply.
   * @returns The same object until something changes.
   * @throws The errors of {@linkcode XkbMap.read}.
   */
  read(): Keymap {
    this.#event ??= this.#select();
    const state = readState(this.connection), changes = this.#countChanges();
    const map = changes === this.#changes ? this.#last?.map : undefined;
    this.#changes = changes;
    if (map && isSame(state, this.#last!)) return this.#last!;
    this.#last = undefined;
    return this.#last = new Keymap(this.connection, map ?? XkbMap.read(this.connection), state);
  }

  #select(): number {
    selectMapChanges(this.connection);
    return this.connection.extension("XKEYBOARD")?.firstEvent ?? EVENT.mappingNotify;
  }

  /** The number of map changes that the server has reported; its only XKB events are those. */
  #countChanges(): number {
    const { connection } = this;
    connection.drainEvents();
    return connection.eventCount(this.#event!) + connection.eventCount(EVENT.mappingNotify);
  }
}

function isSame(one: KeyState, other: KeyState): boolean {
  return one.group === other.group && one.lockedMods === other.lockedMods;
}

/**
 * Time for clients to learn of a new map before keys are pressed, in milliseconds; longer on a busy machine.
 */
const MAP_PROPAGATION_MS = 40;
/** Idle time after which all bindings are undone, in milliseconds: each change costs every program time. */
const IDLE_MS = 10_000;
/** Maximum time that a call blocks its thread to wait for programs, in milliseconds. */
const BLOCKING_MS = 300;

/** A key's level, from 0. */
interface Slot {
  keycode: number;
  level: number;
}

/** The bindings of one connection. */
export class TemporaryKeyBindings {
  /** Bound slots by symbol, the most recently used one last. */
  readonly #bound = new Map<number, Slot>();
  /** Whether programs have handled the keys recorded there. */
  readonly handled: KeysHandled;
  /**
   * The symbols that this process, or a killed one, has given each keycode, currently and the time before. A
   * key with only these symbols is free to be bound, even if another program has rearranged them.
   */
  readonly #given = new Map<number, readonly number[]>();
  /** Keycodes that still have their former symbol, and are not in {@linkcode #bound}. */
  #left = new Set<number>();
  readonly #record: BoundRecord;
  readonly #keymap: KeptKeymap;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Counts uses, so that the timer that undoes the bindings can detect whether they have been used since. */
  #uses = 0;

  constructor(readonly connection: Connection) {
    this.handled = new KeysHandled(connection);
    this.#record = new BoundRecord(connection.name);
    this.#keymap = new KeptKeymap(connection);
  }

  /** Reads the current map of deskhand's own keyboard, without the keys bound here. */
  readMap(): Keymap {
    useOwnKeyboard(this.connection);
    const keymap = this.#keymap.read();
    for (const [keysym, { keycode, level }] of this.#bound) {
      // False if another program has given the key another symbol, or has loaded another map.
      const isOurs = level < keymap.levels.chords.length && keymap.symbolAt(keycode, level) === keysym;
      if (!isOurs) this.#bound.delete(keysym);
    }
    this.#left = new Set(
      [...this.#given.keys()].filter((keycode) => this.#isLeft(keymap.map.symbolsOf(keycode), keycode)),
    );
    return keymap.without(this.#keycodes());
  }

  /** Returns the stroke for a bound symbol. */
  stroke(keysym: number, { levels }: Keymap): KeyStroke | undefined {
    const slot = this.#bound.get(keysym);
    return slot && { keycode: slot.keycode, modifiers: [...levels.chords[slot.level]] };
  }

  /**
   * The number of symbols that can be bound at the same time.
   * @param keymap From {@linkcode readMap}.
   */
  capacity(keymap: Keymap): number {
    return (keymap.unused.length + this.#keycodes().size) * keymap.levels.chords.length;
  }

  /**
   * Binds symbols at least until {@linkcode touch} is called. If other symbols must make room, programs
   * handle their keys first.
   * @param keysyms Distinct symbols, at most {@linkcode capacity} of them.
   * @param signal Ends the wait for programs.
   * @returns When the keys can be pressed.
   * @throws InputError if another program has since taken keycodes; the errors of
   * {@linkcode KeysHandled.wait}.
   */
  async bind(keysyms: readonly number[], signal?: AbortSignal): Promise<void> {
    this.#use();
    if (!this.#fits(keysyms)) await this.handled.wait(signal);
    if (this.#give(keysyms)) {
      await Promise.all([delay(timeByLoad(MAP_PROPAGATION_MS)), this.handled.learnt(signal)]);
    }
    this.connection.check();
  }

  /**
   * Binds a symbol as {@linkcode bind} does, without letting other work run on this thread.
   * @throws StateError if programs do not handle their keys within 0.3 s.
   */
  bindBlocking(keysym: number): void {
    this.#use();
    if (!this.#fits([keysym]) && !this.handled.waitBlocking(BLOCKING_MS)) {
      throw new StateError(
        "no unused key is left for these characters, since a program has not processed the earlier text yet",
      );
    }
    if (this.#give([keysym])) this.connection.libraries.c.usleep(timeByLoad(MAP_PROPAGATION_MS) * 1000);
  }

  /** Records that bindings were just used: they are undone after ten seconds without use. */
  touch(): void {
    this.#use();
    if (!this.#keycodes().size) return this.handled.forgetBus();
    const uses = this.#uses;
    const undo = async () => {
      try {
        await this.connection.answering(); // the rest blocks this thread
        await this.handled.wait();
        await this.connection.answering();
        if (uses === this.#uses) this.#free();
      } catch {
        // Keeps the bindings while a program hangs, since it may still handle its keys. If the server is
        // gone, no binding is left.
        if (uses === this.#uses && this.connection.isOpen && !this.connection.isLost) this.touch();
      }
    };
    this.#timer = setTimeout(undo, IDLE_MS);
    Deno.unrefTimer(this.#timer as unknown as number);
  }

  /** Removes the symbols from keys that a killed process has bound. @returns Whether there were such keys. */
  freeLeft(): boolean {
    let isFreed = false;
    this.#record.takeLeft((given) => {
      for (const [keycode, symbols] of given) {
        this.#given.set(keycode, [...this.#given.get(keycode) ?? [], ...symbols]);
      }
      const keymap = this.readMap(), left = [...given.keys()].filter((keycode) => this.#left.has(keycode));
      this.#write(keymap, left);
      isFreed ||= left.length > 0;
    });
    return isFreed;
  }

  /** Undoes all bindings after programs have handled their keys. */
  async unbind(): Promise<void> {
    this.#use();
    if (!this.#keycodes().size) return;
    await this.handled.wait();
    this.#free();
  }

  /**
   * Undoes all bindings; blocks until programs have handled their keys, for at most 0.3 s. Never throws: a
   * server that is gone has no map, and if the connection alone is gone, the next one undoes them.
   */
  close(): void {
    this.#use();
    try {
      if (this.#keycodes().size) {
        this.connection.check();
        const isHandled = attempt(() => this.handled.waitBlocking(BLOCKING_MS), false);
        if (!isHandled) this.connection.libraries.c.usleep(BLOCKING_MS * 1000);
        this.#free();
      }
      this.#record.clear();
    } catch {
      this.#record.leave();
    }
    this.#bound.clear();
    this.handled.close();
  }

  #use(): void {
    if (this.#timer !== undefined) clearTimeout(this.#timer); // see `deadline` for the cost of a first timer
    this.#uses++;
  }

  #keycodes(): Set<number> {
    return new Set([...this.#bound.values()].map(({ keycode }) => keycode)).union(this.#left);
  }

  /** Whether a key has only the symbols that deskhand gave it. */
  #isLeft(symbols: readonly number[], keycode: number): boolean {
    const given = this.#given.get(keycode);
    return symbols.length > 0 && given !== undefined && symbols.every((symbol) => given.includes(symbol));
  }

  /** Whether symbols can be bound while all others stay. */
  #fits(keysyms: readonly number[]): boolean {
    const wanted = keysyms.filter((keysym) => !this.#bound.has(keysym));
    return wanted.length + this.#bound.size <= this.capacity(this.readMap());
  }

  /** Binds symbols, replacing the least recently used ones. @returns Whether the map was changed. */
  #give(keysyms: readonly number[]): boolean {
    const keymap = this.readMap(), wanted = keysyms.filter((keysym) => !this.#bound.has(keysym));
    for (const keysym of keysyms) this.#markUsed(keysym);
    if (!wanted.length) return false;
    const before = this.#keycodes();
    const free = this.#freeSlots(keymap);
    for (const [keysym, slot] of this.#bound) {
      if (free.length >= wanted.length) break;
      if (keysyms.includes(keysym)) continue;
      this.#bound.delete(keysym);
      free.push(slot);
    }
    // Levels that need no modifier first; some programs ignore the lowest keycodes.
    free.sort((one, other) => one.level - other.level || other.keycode - one.keycode);
    for (const [i, keysym] of wanted.entries()) {
      if (!free[i]) throw new InputError("another program has taken the last free key");
      this.#bound.set(keysym, free[i]);
    }
    this.#write(keymap, before.union(this.#keycodes()));
    return true;
  }

  #markUsed(keysym: number): void {
    const slot = this.#bound.get(keysym);
    if (!slot) return;
    this.#bound.delete(keysym);
    this.#bound.set(keysym, slot);
  }

  #freeSlots(keymap: Keymap): Slot[] {
    const taken = new Set([...this.#bound.values()].map(nameOf));
    return [...keymap.unused, ...this.#keycodes()].flatMap((keycode) =>
      keymap.levels.chords.map((_, level) => ({ keycode, level }))
    ).filter((slot) => !taken.has(nameOf(slot)));
  }

  #free(): void {
    const keymap = this.readMap(), keycodes = this.#keycodes();
    this.#bound.clear();
    this.#write(keymap, keycodes);
    this.#given.clear();
    this.#record.clear();
    this.handled.forgetBus();
  }

  /** Writes the symbols that keys are bound to, and clears keys without a binding. */
  #write({ levels }: Keymap, keycodes: Iterable<number>): void {
    const keys = [...keycodes].map((keycode) => {
      const own = [...this.#bound].filter(([, slot]) => slot.keycode === keycode);
      // Fills levels without their own symbol with the first one, since Shift may be held.
      const symbols = own.length ? levels.chords.map(() => own[0][0]) : [];
      for (const [keysym, { level }] of own) symbols[level] = keysym;
      return { keycode, symbols, type: levels.type };
    });
    for (const { keycode, symbols } of keys) {
      const before = this.#given.get(keycode)?.slice(0, levels.chords.length) ?? [];
      this.#given.set(keycode, [...symbols, ...before]);
    }
    this.#record.write(this.#given);
    changeKeys(this.connection, keys);
    this.connection.sync();
  }
}

function nameOf({ keycode, level }: Slot): number {
  return level << 8 | keycode;
}

/** The lowest keycode in the protocol (X11 protocol, section 5), which X.Org assigns to no key. */
const NO_KEY = 8;

/**
 * Each keyboard has its own map, and programs see that of the keyboard used last: a person's may be German
 * while the XTEST keyboard, which sends deskhand's keys, is American. Makes the XTEST keyboard the one used
 * last, so that the map read next is the one in which its keys are looked up. Releasing a key that is up does
 * that, and no program sees it; the server handles it before the requests after it, so there is no need to
 * wait.
 */
function useOwnKeyboard({ libraries: { xtst }, display }: Connection): void {
  xtst.XTestFakeKeyEvent(display, NO_KEY, 0, 0n);
}
