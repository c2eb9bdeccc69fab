/**
 * Symbols without a key, bound for a while to keycodes without a symbol, to type text beyond the keyboard's own
 * characters. A key takes several symbols, among which Shift and the modifier of the third level choose. A client
 * looks a key up in the map when it handles the key event, which may be late. Therefore a used key gets another
 * symbol, or none, only when programs have handled its events.
 */

import { delay } from "@std/async/delay";
import { InputError, StateError } from "../../core/errors.ts";
import { timeByLoad } from "../../core/proc.ts";
import { ProcessRecord } from "../../core/process_record.ts";
import { type Connection, MAPPING_NOTIFY } from "./connection.ts";
import { KeysHandled } from "./handled/mod.ts";
import { Keymap, type KeyState, type KeyStroke, readState } from "./keymap.ts";
import { selectMapChanges } from "./raw_selection.ts";
import { changeKeys, XkbMap } from "./xkb.ts";

// A record of the keys that a process has bound for a while: the server keeps the symbols of a killed
// program, and no key would be free any more.

/** Symbols by the keycodes that were given them. */
type GivenSymbols = ReadonlyMap<number, readonly number[]>;

/** The content of a file. */
interface Content {
  display: string;
  given: [keycode: number, symbols: readonly number[]][];
}

/** The record of one process and display. */
class BoundRecord {
  readonly #record = new ProcessRecord("bound-keys", contentOf);
  /** The name of the display, without the screen: all screens share the keyboard. */
  readonly #display: string;

  /** @param display The name of the display, such as `:0`. */
  constructor(display: string) {
    this.#display = display.replace(/\.\d+$/, "");
  }

  /** Writes the symbols that keys are about to get. */
  write(given: GivenSymbols): void {
    this.#record.write({ display: this.#display, given: [...given] });
  }

  /**
   * Takes the records of symbols that killed processes gave to keys of this display.
   * @param take Receives the symbols of a process.
   */
  takeLeft(take: (given: GivenSymbols) => void): void {
    this.#record.takeLeft(({ display }) => display === this.#display, ({ given }) => take(new Map(given)));
  }

  /** Removes the file, when nothing is bound. Safe to call twice. */
  clear(): void {
    this.#record.clear();
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
// map of the text before it.

/** The keyboard as it is at each reading. */
export class KeptKeymap {
  #last: Keymap | undefined;
  /** The number of changes of the map when it was read last. */
  #changes = 0;
  /** Type of the events of XKB; undefined before the first reading. */
  #event: number | undefined;

  constructor(readonly connection: Connection) {}

  /**
   * Reads the keyboard as it is now. The server sends events and answers in the order in which it made them: with the
   * answer of {@linkcode readState}, the events of all earlier changes of the map have arrived. Without such an event,
   * the kept map is as new as that answer.
   * @returns The same object as long as nothing changes.
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
    return this.connection.extension("XKEYBOARD")?.firstEvent ?? MAPPING_NOTIFY;
  }

  /** The number of changes of the map that the server has reported; it reports nothing else by events of XKB. */
  #countChanges(): number {
    const { connection } = this;
    connection.drainEvents();
    return connection.eventCount(this.#event!) + connection.eventCount(MAPPING_NOTIFY);
  }
}

function isSame(one: KeyState, other: KeyState): boolean {
  return one.group === other.group && one.lockedMods === other.lockedMods;
}

/** The time that clients take to learn of a new map before keys are pressed, in milliseconds; longer on a busy machine. */
const MAP_PROPAGATION_MS = 40;
/**
 * The time after the last use at which all bindings are undone, in milliseconds: each change costs every program some
 * time.
 */
const IDLE_MS = 10_000;
/** The longest time that a call blocks its thread to wait for programs, in milliseconds. */
const BLOCKING_MS = 300;

/** A level of a key, from 0. */
interface Slot {
  keycode: number;
  level: number;
}

/** The bindings of one connection. */
export class TemporaryKeyBindings {
  /** Bound slots by symbol; the slot that was used last comes last. */
  readonly #bound = new Map<number, Slot>();
  /** Whether programs have handled the keys that were noted there. */
  readonly handled: KeysHandled;
  /**
   * The symbols that this process, or one that was killed, has given each keycode, now and the time before. A key
   * that gives only these symbols is free to be bound, even if another program has rearranged them.
   */
  readonly #given = new Map<number, readonly number[]>();
  /** Keycodes that still give their former symbol, and are not in {@linkcode #bound}. */
  #left = new Set<number>();
  readonly #record: BoundRecord;
  readonly #keymap: KeptKeymap;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Counts uses, so that the timer that undoes the bindings can tell whether they were used since. */
  #uses = 0;

  constructor(readonly connection: Connection) {
    this.handled = new KeysHandled(connection);
    this.#record = new BoundRecord(connection.name);
    this.#keymap = new KeptKeymap(connection);
  }

  /** Reads the present map of deskhand's own keyboard, without the keys that are bound here. */
  readMap(): Keymap {
    useOwnKeyboard(this.connection);
    const keymap = this.#keymap.read();
    for (const [keysym, { keycode, level }] of this.#bound) {
      // False if another program has given the key another symbol, or loaded another map.
      const isOurs = level < keymap.levels.chords.length && keymap.symbolAt(keycode, level) === keysym;
      if (!isOurs) this.#bound.delete(keysym);
    }
    this.#left = new Set(
      [...this.#given.keys()].filter((keycode) => this.#isLeft(keymap.map.symbolsOf(keycode), keycode)),
    );
    return keymap.without(this.#keycodes());
  }

  /** Gives the stroke for a symbol that is bound. */
  stroke(keysym: number, { levels }: Keymap): KeyStroke | undefined {
    const slot = this.#bound.get(keysym);
    return slot && { keycode: slot.keycode, modifiers: [...levels.chords[slot.level]] };
  }

  /**
   * The number of symbols that can be bound at once.
   * @param keymap From {@linkcode readMap}.
   */
  capacity(keymap: Keymap): number {
    return (keymap.unused.length + this.#keycodes().size) * keymap.levels.chords.length;
  }

  /**
   * Binds symbols at least until {@linkcode touch} is called. If other symbols have to make room, programs handle
   * their keys first.
   * @param keysyms Distinct symbols, at most {@linkcode capacity} of them.
   * @param signal Ends the wait for programs.
   * @returns Once the keys can be pressed.
   * @throws InputError if another program has taken keycodes since; the errors of
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
   * Binds a symbol as {@linkcode bind} does, without running other work on this thread.
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

  /** Notes that bindings were used just now: they are undone after ten seconds without use. */
  touch(): void {
    this.#use();
    if (!this.#keycodes().size) return this.handled.forgetBus();
    const uses = this.#uses;
    const undo = async () => {
      try {
        await this.connection.answering(); // what follows waits on this thread
        await this.handled.wait();
        await this.connection.answering();
        if (uses === this.#uses) this.#free();
      } catch {
        // Keeps the bindings while a program hangs, which may still handle its keys. If the server is gone, no
        // binding is left.
        if (uses === this.#uses && this.connection.isOpen && !this.connection.isLost) this.touch();
      }
    };
    this.#timer = setTimeout(undo, IDLE_MS);
    Deno.unrefTimer(this.#timer as unknown as number);
  }

  /** Takes the symbols from keys that a killed process has bound. @returns Whether there were such keys. */
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

  /** Undoes all bindings once programs have handled their keys. */
  async unbind(): Promise<void> {
    this.#use();
    if (!this.#keycodes().size) return;
    await this.handled.wait();
    this.#free();
  }

  /**
   * Undoes all bindings, which blocks until programs have handled their keys, or for 0.3 s. Never throws: a server that
   * is gone has no map.
   */
  close(): void {
    this.#use();
    try {
      if (this.#keycodes().size) {
        this.connection.check();
        if (!this.#isHandled()) this.connection.libraries.c.usleep(BLOCKING_MS * 1000);
        this.#free();
      }
    } catch {
      // The server is gone.
    }
    this.#bound.clear();
    this.#record.clear();
    this.handled.close();
  }

  #isHandled(): boolean {
    try {
      return this.handled.waitBlocking(BLOCKING_MS);
    } catch {
      return false;
    }
  }

  #use(): void {
    clearTimeout(this.#timer);
    this.#uses++;
  }

  #keycodes(): Set<number> {
    return new Set([...this.#bound.values()].map(({ keycode }) => keycode)).union(this.#left);
  }

  /** Whether a key gives only the symbols that deskhand gave it. */
  #isLeft(symbols: readonly number[], keycode: number): boolean {
    const given = this.#given.get(keycode);
    return symbols.length > 0 && given !== undefined && symbols.every((symbol) => given.includes(symbol));
  }

  /** Whether symbols can be bound while all others stay. */
  #fits(keysyms: readonly number[]): boolean {
    const wanted = keysyms.filter((keysym) => !this.#bound.has(keysym));
    return wanted.length + this.#bound.size <= this.capacity(this.readMap());
  }

  /** Binds symbols, instead of those that were used longest ago. @returns Whether the map was changed. */
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

  /** Writes the symbols that keys are bound to, and no symbols to keys without a binding. */
  #write({ levels }: Keymap, keycodes: Iterable<number>): void {
    const keys = [...keycodes].map((keycode) => {
      const own = [...this.#bound].filter(([, slot]) => slot.keycode === keycode);
      // Fills levels without a symbol of their own with the first one, since Shift may be held.
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

/** The lowest keycode of the protocol (X11 protocol, section 5), which X.Org gives to no key. */
const NO_KEY = 8;

/**
 * Each keyboard has a map of its own, and programs see that of the keyboard used last: a person's may be German while the
 * XTEST keyboard, through which deskhand's keys go, is American.
 * Makes the XTEST keyboard the one used last, so that the map that is read next is the one by which its keys are looked
 * up. A release of a key that is up does that, and reaches no program; the server handles it before the requests behind
 * it, so that nothing has to wait.
 */
function useOwnKeyboard({ libraries: { xtst }, display }: Connection): void {
  xtst.XTestFakeKeyEvent(display, NO_KEY, 0, 0n);
}
