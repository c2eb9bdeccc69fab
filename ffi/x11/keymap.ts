/**
 * The keyboard map of an X server: which key, with which modifiers, gives which symbol.
 *
 * The core map of a keycode has columns: levels 1 and 2 of the first group, the same of the second, then
 * levels 3 and 4 of the first and of the second (XKB protocol, "Core Keyboard Mapping to XKB").
 */

import type { Connection } from "./connection.ts";

/** Bits of the modifier state (X11/X.h). */
export const LOCK_MASK = 2;
/** Num Lock, by convention of every map in use. */
const MOD2_MASK = 0x10;
const USE_CORE_KEYBOARD = 0x100;
/** Offsets in XkbStateRec (X11/extensions/XKBstr.h). */
const STATE = { size: 18, group: 0, lockedMods: 9 } as const;
/** XModifierKeymap: max_keypermod 0 (int), modifiermap 8 (KeyCode *). */
const MODIFIER_MAP = { perModifier: 0, codes: 8 } as const;
const MODIFIER_COUNT = 8;

const SHIFT_L = 0xffe1, LEVEL3_SHIFT = 0xfe03;
/** Symbols of the number pad, which stand for digits too but change their meaning with Num Lock. */
const isKeypad = (keysym: number) => keysym >= 0xff80 && keysym <= 0xffbd;

/** How to press something: a keycode, and the keycodes of modifiers to hold meanwhile. */
export interface Stroke {
  keycode: number;
  modifiers: number[];
}

/** What is looked up in a map. */
interface Index {
  strokes: Map<number, Stroke>;
  characters: Map<number, Stroke>;
  spare: number[];
}

/** The map as it was when it was read. */
export class Keymap {
  /** Keycodes of modifiers. */
  readonly modifierCodes: ReadonlySet<number>;
  #leftOut: ReadonlySet<number> = new Set();
  #index: Index | undefined;

  private constructor(
    readonly connection: Connection,
    /** First keycode of the map. */
    readonly first: number,
    /** Symbols of each keycode in turn. */
    readonly symbols: BigUint64Array,
    /** Symbols a keycode. */
    readonly width: number,
    /** The group in force, counted from 0. */
    readonly group: number,
    /** Modifiers that are locked, as a mask: {@linkcode LOCK_MASK} is Caps Lock. */
    readonly lockedMods: number,
  ) {
    this.modifierCodes = modifierCodes(connection);
  }

  /** Reads the map of the server as it is now. */
  static read(connection: Connection): Keymap {
    const { libraries: { x11 }, display } = connection;
    const range = new Int32Array(2), width = new Int32Array(1);
    x11.XDisplayKeycodes(display, range.subarray(0, 1), range.subarray(1, 2));
    const count = range[1] - range[0] + 1;
    const state = new Uint8Array(STATE.size);
    x11.XkbGetState(display, USE_CORE_KEYBOARD, state);
    const map = x11.XGetKeyboardMapping(display, range[0], count, width);
    if (!map) {
      connection.check();
      return new Keymap(connection, range[0], new BigUint64Array(), 0, 0, 0);
    }
    const bytes = Deno.UnsafePointerView.getArrayBuffer(map, count * width[0] * 8);
    const symbols = new BigUint64Array(bytes.slice(0));
    x11.XFree(map);
    return new Keymap(connection, range[0], symbols, width[0], state[STATE.group], state[STATE.lockedMods]);
  }

  /** Leaves keys out from now on: they are neither spare nor do they give anything. */
  leaveOut(keycodes: Iterable<number>): void {
    this.#leftOut = new Set(keycodes);
    this.#index = undefined;
  }

  /** Keycodes without any symbol, which may be given one. */
  get spare(): readonly number[] {
    return this.#indexed().spare;
  }

  /** How to press a symbol (KeySym), if a key has it in the group in force. */
  stroke(keysym: number): Stroke | undefined {
    return this.#indexed().strokes.get(keysym);
  }

  /** How to type a character (code point), if a key has it in the group in force. */
  character(codePoint: number): Stroke | undefined {
    return this.#indexed().characters.get(codePoint);
  }

  /** The symbol of a key without modifiers, in the group in force; 0 if it has none. */
  plainSymbol(keycode: number): number {
    return this.#symbol(keycode, this.#column(0)) || this.#symbol(keycode, 0);
  }

  /** Gives a spare keycode a symbol (0: none), twice: the server would expand the cases of a single one. */
  bind(keycode: number, keysym: number): void {
    const { libraries: { x11 }, display } = this.connection;
    const symbols = new BigUint64Array([BigInt(keysym), BigInt(keysym)]);
    x11.XChangeKeyboardMapping(display, keycode, symbols.length, symbols, 1);
  }

  /** Made when it is first asked for: who only wants symbols of keycodes does without. */
  #indexed(): Index {
    if (this.#index) return this.#index;
    const { xkbcommon } = this.connection.libraries;
    const index: Index = this.#index = { strokes: new Map(), characters: new Map(), spare: [] };
    const numLock = this.lockedMods & MOD2_MASK ? 1 : 0;
    const shift = this.#keycodeOf(SHIFT_L), level3 = this.#keycodeOf(LEVEL3_SHIFT);
    const levels = [[], [shift], [level3], [shift, level3]];
    const end = this.first + (this.width ? this.symbols.length / this.width : 0);
    for (let keycode = this.first; keycode < end; keycode++) {
      if (this.#leftOut.has(keycode)) continue;
      if (this.#isEmpty(keycode) && !this.modifierCodes.has(keycode)) index.spare.push(keycode);
      levels.forEach((modifiers, level) => {
        const keysym = this.#symbol(keycode, this.#column(level));
        if (!keysym || modifiers.includes(0)) return;
        if (isKeypad(keysym)) {
          // Num Lock, not Shift, chooses between the two symbols of the number pad.
          if (level === numLock) setCheapest(index.strokes, keysym, { keycode, modifiers: [] });
          return;
        }
        const stroke = { keycode, modifiers };
        setCheapest(index.strokes, keysym, stroke);
        const codePoint = xkbcommon.xkb_keysym_to_utf32(keysym);
        if (codePoint) setCheapest(index.characters, codePoint, stroke);
      });
    }
    return index;
  }

  /** The column of a level (0 to 3) of the group in force. Groups past the second are not in the core map. */
  #column(level: number): number {
    const group = this.group === 1 ? 1 : 0;
    return level < 2 ? group * 2 + level : 4 + group * 2 + level - 2;
  }

  #symbol(keycode: number, column: number): number {
    if (column >= this.width) return 0;
    return Number(this.symbols[(keycode - this.first) * this.width + column] ?? 0n);
  }

  #isEmpty(keycode: number): boolean {
    const start = (keycode - this.first) * this.width;
    return this.symbols.subarray(start, start + this.width).every((symbol) => symbol === 0n);
  }

  /** 0 if no key has it. */
  #keycodeOf(keysym: number): number {
    const at = this.symbols.indexOf(BigInt(keysym));
    return at < 0 ? 0 : this.first + Math.floor(at / this.width);
  }
}

/** The first key with the fewest modifiers wins. */
function setCheapest(map: Map<number, Stroke>, key: number, stroke: Stroke) {
  const known = map.get(key);
  if (!known || known.modifiers.length > stroke.modifiers.length) map.set(key, stroke);
}

function modifierCodes({ libraries: { x11 }, display }: Connection): Set<number> {
  const map = x11.XGetModifierMapping(display);
  if (!map) return new Set();
  const view = new Deno.UnsafePointerView(map);
  const count = view.getInt32(MODIFIER_MAP.perModifier) * MODIFIER_COUNT;
  const codes = new Uint8Array(count);
  new Deno.UnsafePointerView(view.getPointer(MODIFIER_MAP.codes)!).copyInto(codes);
  x11.XFreeModifiermap(map);
  return new Set([...codes].filter((code) => code !== 0));
}
