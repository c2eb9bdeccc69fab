/** An X server's keyboard map: which key produces a symbol or a character, with which modifiers. */

import type { Connection } from "./connection.ts";
import { noXkb, USE_CORE_KEYBOARD, XkbMap } from "./xkb.ts";

/** Caps Lock in a modifier mask (X11/X.h). */
export const LOCK_MASK = 2;
/** Offsets in XkbStateRec (X11/extensions/XKBstr.h). */
export const STATE = {
  size: 18,
  group: 0,
  lockedGroup: 1,
  baseMods: 7,
  latchedMods: 8,
  lockedMods: 9,
} as const;

/** Success (X11/X.h). */
const SUCCESS = 0;
const SHIFT_L = 0xffe1, LEVEL3_SHIFT = 0xfe03;
/** Control_L and _R, Meta, Alt, Super and Hyper (X11/keysymdef.h). */
const COMMAND_KEYS = [0xffe3, 0xffe4, 0xffe7, 0xffe8, 0xffe9, 0xffea, 0xffeb, 0xffec, 0xffed, 0xffee];
/** Keypad symbols, which also stand for digits but change their meaning with Num Lock. */
const isKeypad = (keysym: number) => keysym >= 0xff80 && keysym <= 0xffbd;

/** A key stroke: its keycode, and the keycodes of the modifiers to hold with it. */
export interface KeyStroke {
  keycode: number;
  modifiers: number[];
}

/** Modifiers and groups that select among a key's symbols. */
interface Levels {
  /** Index of such keys' type. */
  type: number;
  /** Keycodes to hold for each level, starting with the first level, which needs none. */
  chords: readonly (readonly number[])[];
}

/** XkbOneLevelIndex: the type of keys with one symbol, which every map contains. */
const ONE_LEVEL = 0;

/** An index of a map by symbol and by character. */
interface Index {
  /** Strokes by KeySym. */
  strokes: Map<number, KeyStroke>;
  /** Strokes by code point. */
  characters: Map<number, KeyStroke>;
  /** Keycodes without a symbol. */
  unused: number[];
}

/** A keyboard's group and locks. */
export interface KeyState {
  /** The effective group, counted from 0. */
  group: number;
  /** Modifiers that are locked, as a mask: {@linkcode LOCK_MASK} is Caps Lock. */
  lockedMods: number;
}

/** A keyboard's full state. */
export interface FullState extends KeyState {
  /** The group that is locked, counted from 0. */
  lockedGroup: number;
  /** Modifiers whose keys are down, as a mask. */
  baseMods: number;
  /** Modifiers that apply to the next key, as a mask: Sticky Keys latch them. */
  latchedMods: number;
}

/** The keyboard as it was when read. */
export class Keymap implements KeyState {
  readonly group: number;
  readonly lockedMods: number;
  #index: Index | undefined;
  #levels: Levels | undefined;
  /** The last result of {@linkcode without}. */
  #without: Keymap | undefined;

  constructor(
    readonly connection: Connection,
    readonly map: XkbMap,
    { group, lockedMods }: KeyState,
    /** Keys that count neither as unused nor as producing their symbols. */
    readonly excluded: ReadonlySet<number> = new Set(),
  ) {
    this.group = group;
    this.lockedMods = lockedMods;
  }

  /**
   * Reads the current keyboard.
   * @throws The errors of {@linkcode XkbMap.read}.
   */
  static read(connection: Connection): Keymap {
    const state = readState(connection);
    return new Keymap(connection, XkbMap.read(connection), state);
  }

  /** Returns the same keyboard with other {@linkcode excluded} keys. */
  without(keycodes: ReadonlySet<number>): Keymap {
    const isSame = ({ excluded }: Keymap) => excluded.size === keycodes.size && excluded.isSubsetOf(keycodes);
    if (isSame(this)) return this;
    if (this.#without && isSame(this.#without)) return this.#without;
    return this.#without = new Keymap(this.connection, this.map, this, new Set(keycodes));
  }

  /** Keycodes without any symbol. */
  get unused(): readonly number[] {
    return this.#indexed().unused;
  }

  /** Finds the stroke for a symbol (KeySym), if a key has it in the effective group. */
  stroke(keysym: number): KeyStroke | undefined {
    return this.#indexed().strokes.get(keysym);
  }

  /** Finds the stroke for a character (code point), if a key has it in the effective group. */
  character(codePoint: number): KeyStroke | undefined {
    return this.#indexed().characters.get(codePoint);
  }

  /**
   * The symbol that a key produces on its own, in the effective group and with the current Num Lock state; 0
   * if the key has no symbol.
   */
  plainSymbol(keycode: number): number {
    return this.map.symbol(keycode, this.group, this.#locked);
  }

  /**
   * The symbol that a key produces while others are down, in the effective group and with the current locks;
   * 0 if the key has no symbol.
   * @param down Keycodes.
   */
  typedSymbol(keycode: number, down: Iterable<number>): number {
    let modifiers = this.lockedMods;
    for (const other of down) modifiers |= this.map.modifiers[other];
    return this.map.symbol(keycode, this.group, modifiers);
  }

  /**
   * The modifiers that turn keys into commands (Control, Alt, Meta, Super, Hyper), not symbols, as a mask.
   */
  get commandMods(): number {
    let mask = 0;
    for (let keycode = this.map.first; keycode <= this.map.last; keycode++) {
      const keysym = this.isModifier(keycode) ? this.map.symbol(keycode, this.group, 0) : 0;
      if (COMMAND_KEYS.includes(keysym)) mask |= this.map.modifiers[keycode];
    }
    return mask & ~this.#maskOf(this.#chords().flat()) & ~LOCK_MASK;
  }

  /** The modifiers that keys are mapped to, as a mask. */
  modsOf(keycodes: readonly number[]): number {
    return this.#maskOf(keycodes);
  }

  /** Whether a key is a modifier. */
  isModifier(keycode: number): boolean {
    return this.map.modifiers[keycode] > 0;
  }

  /** The levels available to keys without symbols, selected by Shift and the third-level modifier. */
  get levels(): Levels {
    return this.#levels ??= this.#findLevels();
  }

  /** The symbol of a key at one of {@linkcode levels}; 0 if the key has no symbol there. */
  symbolAt(keycode: number, level: number): number {
    return this.map.symbol(keycode, this.group, this.#maskOf(this.levels.chords[level]));
  }

  /** Built on first use: callers that only look up symbols of keycodes do not need it. */
  #indexed(): Index {
    if (this.#index) return this.#index;
    const { xkbcommon } = this.connection.libraries;
    const index: Index = this.#index = { strokes: new Map(), characters: new Map(), unused: [] };
    const chords = this.#chords().map((modifiers) => ({
      modifiers,
      mask: this.#maskOf(modifiers) | this.#locked,
    }));
    for (let keycode = this.map.first; keycode <= this.map.last; keycode++) {
      if (this.excluded.has(keycode)) continue;
      if (!this.map.symbolsOf(keycode).length) {
        if (!this.isModifier(keycode)) index.unused.push(keycode);
        continue;
      }
      for (const { modifiers, mask } of chords) {
        const keysym = this.map.symbol(keycode, this.group, mask);
        // Num Lock, not Shift, must select between the two symbols of a keypad key.
        if (!keysym || isKeypad(keysym) && modifiers.length) continue;
        const stroke = { keycode, modifiers };
        setCheapest(index.strokes, keysym, stroke);
        const codePoint = isKeypad(keysym) ? 0 : xkbcommon.xkb_keysym_to_utf32(keysym);
        if (codePoint) setCheapest(index.characters, codePoint, stroke);
      }
    }
    return index;
  }

  /**
   * The modifiers that select among the symbols of keys, as far as the keyboard has them: none, Shift, the
   * third-level modifier, both.
   */
  #chords(): number[][] {
    const shift = this.#modifierOf(SHIFT_L), level3 = this.#modifierOf(LEVEL3_SHIFT);
    return [[], [shift], [level3], [shift, level3]].filter((chord): chord is number[] =>
      !chord.includes(undefined)
    );
  }

  #findLevels(): Levels {
    const all = this.#chords();
    for (const count of [4, 2]) {
      const chords = all.slice(0, count);
      const type = chords.length === count && this.map.typeOf(chords.map((chord) => this.#maskOf(chord)));
      if (typeof type === "number") return { type, chords };
    }
    return { type: ONE_LEVEL, chords: [[]] };
  }

  /** The modifiers that keys are mapped to, as a mask. */
  #maskOf(keycodes: readonly number[]): number {
    return keycodes.reduce((all, keycode) => all | this.map.modifiers[keycode], 0);
  }

  /** Locked modifiers without Caps Lock, which capitalizes letters but does not change which key has them. */
  get #locked(): number {
    return this.lockedMods & ~LOCK_MASK;
  }

  /** A modifier's keycode; undefined if no key is this modifier. */
  #modifierOf(keysym: number): number | undefined {
    for (let keycode = this.map.first; keycode <= this.map.last; keycode++) {
      if (this.isModifier(keycode) && this.map.symbol(keycode, this.group, 0) === keysym) return keycode;
    }
    return undefined;
  }
}

/**
 * Queries the server for the effective group and locks (XkbGetState(3)). When it answers, the events of all
 * earlier changes have arrived.
 * @throws DesktopUnavailableError if the server is gone.
 * @throws InputError if the server does not support XKB.
 */
export function readState(connection: Connection): FullState {
  const { libraries: { x11 }, display } = connection, state = new Uint8Array(STATE.size);
  if (x11.XkbGetState(display, USE_CORE_KEYBOARD, state) !== SUCCESS) throw noXkb(connection);
  const { size: _, ...fields } = STATE;
  return Object.fromEntries(
    Object.entries(fields).map(([name, at]) => [name, state[at]]),
  ) as unknown as FullState;
}

/** The first key with the fewest modifiers wins. */
function setCheapest(map: Map<number, KeyStroke>, key: number, stroke: KeyStroke) {
  const known = map.get(key);
  if (!known || known.modifiers.length > stroke.modifiers.length) map.set(key, stroke);
}
