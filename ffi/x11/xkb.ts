/**
 * XKB's keyboard map: which symbol a key produces in which group with which modifiers (XKB protocol,
 * "Determining the KeySym Associated with a Key Event"). The core map shows only two of up to four groups.
 * Accessibility features (AccessX: XKB protocol, "Keyboard Controls"): Slow Keys accept a key only after it
 * has been held, Bounce Keys ignore rapid repeats of a key, and Sticky Keys turn off when two keys are
 * pressed at the same time. They apply to keys sent by programs, too.
 */

import { InputError } from "../../core/errors.ts";
import type { Connection } from "./connection.ts";

/** The keyboard that programs read, as an XKB device (XkbUseCoreKbd). */
export const USE_CORE_KEYBOARD = 0x100;
/** XkbKeyTypesMask, XkbKeySymsMask and XkbModifierMapMask (X11/extensions/XKB.h). */
const PARTS = 1 | 2 | 4;
const ALL_COMPONENTS = 0x7f;
/** Offsets in XkbDescRec, XkbClientMapRec, XkbKeyTypeRec, XkbKTMapEntryRec and XkbSymMapRec (X11/extensions/XKBstr.h). */
export const DESCRIPTION = { first: 12, last: 13, map: 32 } as const;
export const CLIENT_MAP = {
  typeCount: 1,
  types: 8,
  symbolCount: 18,
  symbols: 24,
  keys: 32,
  modifiers: 40,
} as const;
export const KEY_TYPE = { size: 40, mask: 0, entryCount: 5, entries: 8 } as const;
export const ENTRY = { size: 12, active: 0, level: 4, mask: 6 } as const;
export const KEY = { size: 8, types: 0, groupInfo: 4, width: 5, offset: 6 } as const;
/** Bits of group_info that define the effect of a key in a group that it does not have. */
const OUT_OF_RANGE = { mask: 0xc0, clamp: 0x40, redirect: 0x80 } as const;

/** ISO_Level3_Shift, ISO_Level5_Shift and Mode_switch (X11/keysymdef.h). */
const CHOOSING_KEYS = [0xfe03, 0xfe11, 0xff7e];

/** How modifiers select among the symbols of a group. */
interface KeyType {
  /** Modifiers that select levels. */
  mask: number;
  /** Levels by the modifiers that select them; all others select the first level, 0. */
  levels: ReadonlyMap<number, number>;
}

/** The map as it was when read. */
export class XkbMap {
  readonly #types: readonly KeyType[];
  readonly #keys: DataView;
  readonly #symbols: BigUint64Array;

  private constructor(
    /** First and last keycode. */
    readonly first: number,
    readonly last: number,
    /** The modifiers that each key is mapped to, as a mask, by keycode. */
    readonly modifiers: Uint8Array,
    parts: { types: KeyType[]; keys: Uint8Array; symbols: BigUint64Array },
  ) {
    this.#types = parts.types;
    this.#keys = new DataView(parts.keys.buffer);
    this.#symbols = parts.symbols;
    this.#completeModifiers();
  }

  /**
   * Reads the server's current map.
   * @throws DesktopUnavailableError if the server is gone.
   * @throws InputError if the server does not support XKB.
   */
  static read(connection: Connection): XkbMap {
    const description = readDescription(connection);
    const view = new Deno.UnsafePointerView(description);
    const first = view.getUint8(DESCRIPTION.first), last = view.getUint8(DESCRIPTION.last);
    const map = new Deno.UnsafePointerView(view.getPointer(DESCRIPTION.map)!);
    const copied = (offset: number, bytes: number) =>
      new Uint8Array(Deno.UnsafePointerView.getArrayBuffer(map.getPointer(offset)!, bytes).slice(0));
    const read = new XkbMap(first, last, copied(CLIENT_MAP.modifiers, last + 1), {
      types: keyTypes(map.getPointer(CLIENT_MAP.types)!, map.getUint8(CLIENT_MAP.typeCount)),
      keys: copied(CLIENT_MAP.keys, (last + 1) * KEY.size),
      symbols: new BigUint64Array(
        copied(CLIENT_MAP.symbols, map.getUint16(CLIENT_MAP.symbolCount) * 8).buffer,
      ),
    });
    freeDescription(connection, description);
    return read;
  }

  /**
   * The symbol that a key produces.
   * @param group Counted from 0; a key without this group defines which group replaces it.
   * @param modifiers The effective modifiers, as a mask.
   * @returns 0 if the key produces no symbol.
   */
  symbol(keycode: number, group: number, modifiers: number): number {
    const key = keycode * KEY.size;
    const own = this.#groupOf(this.#keys.getUint8(key + KEY.groupInfo), group);
    if (own === undefined) return 0;
    const type = this.#types[this.#keys.getUint8(key + KEY.types + own)];
    const level = type.levels.get(modifiers & type.mask) ?? 0;
    const { width, offset } = this.#rowOf(key);
    return Number(this.#symbols[offset + own * width + level] ?? 0n);
  }

  /**
   * Finds the key type whose levels are selected by exactly these modifiers.
   * @param modifiers Modifier masks of the levels, from the first level up.
   * @returns The type's index; undefined if the map has no such type.
   */
  typeOf(modifiers: readonly number[]): number | undefined {
    const mask = modifiers.reduce((all, one) => all | one, 0);
    const index = this.#types.findIndex((type) =>
      type.mask === mask && modifiers.every((one, level) => (type.levels.get(one) ?? 0) === level)
    );
    return index < 0 ? undefined : index;
  }

  /** All symbols that a key produces, in any group with any modifiers. */
  symbolsOf(keycode: number): number[] {
    const key = keycode * KEY.size;
    const { width, offset } = this.#rowOf(key);
    const groups = this.#keys.getUint8(key + KEY.groupInfo) & 0xf;
    return Array.from(this.#symbols.subarray(offset, offset + groups * width), Number).filter(Boolean);
  }

  /**
   * Adds the modifiers of keys that are modifiers only through an XKB action, such as the right Alt in many
   * maps, whose modifier the core map assigns to another key with the same symbol.
   */
  #completeModifiers(): void {
    const known = new Map<number, number>(), unknown: [keycode: number, keysym: number][] = [];
    for (let keycode = this.first; keycode <= this.last; keycode++) {
      const keysym = this.symbol(keycode, 0, 0);
      if (!CHOOSING_KEYS.includes(keysym)) continue;
      if (this.modifiers[keycode]) known.set(keysym, this.modifiers[keycode]);
      else unknown.push([keycode, keysym]);
    }
    for (const [keycode, keysym] of unknown) this.modifiers[keycode] = known.get(keysym) ?? 0;
  }

  #rowOf(key: number): { width: number; offset: number } {
    return {
      width: this.#keys.getUint8(key + KEY.width),
      offset: this.#keys.getUint16(key + KEY.offset, true),
    };
  }

  /** The group that a key uses in place of a given group; undefined if the key has no groups. */
  #groupOf(info: number, group: number): number | undefined {
    const count = info & 0xf;
    if (group < count) return group;
    if (!count) return undefined;
    const way = info & OUT_OF_RANGE.mask;
    if (way === OUT_OF_RANGE.clamp) return count - 1;
    if (way !== OUT_OF_RANGE.redirect) return group % count;
    const other = (info >> 4) & 3;
    return other < count ? other : 0;
  }
}

/**
 * Requests the server's map.
 * @returns An XkbDescRec, which the caller frees with XkbFreeKeyboard.
 * @throws DesktopUnavailableError if the server is gone.
 * @throws InputError if it does not support XKB.
 */
function readDescription(connection: Connection): Deno.PointerObject {
  const { libraries: { x11 }, display } = connection;
  const description = x11.XkbGetMap(display, PARTS, USE_CORE_KEYBOARD);
  if (description) return description;
  throw noXkb(connection);
}

/**
 * The error for an XKB request without a reply.
 * @throws DesktopUnavailableError if the server is gone.
 */
export function noXkb(connection: Connection): InputError {
  connection.check();
  return new InputError("the X server lacks the XKB extension, which deskhand needs to type");
}

/** Frees the description returned by {@linkcode readDescription}. */
function freeDescription(connection: Connection, description: Deno.PointerObject): void {
  connection.libraries.x11.XkbFreeKeyboard(description, ALL_COMPONENTS, 1);
}

function keyTypes(list: Deno.PointerObject, count: number): KeyType[] {
  const view = new Deno.UnsafePointerView(list);
  return Array.from({ length: count }, (_, i) => {
    const type = i * KEY_TYPE.size;
    const entries = view.getPointer(type + KEY_TYPE.entries);
    return {
      mask: view.getUint8(type + KEY_TYPE.mask),
      levels: entries ? levels(entries, view.getUint8(type + KEY_TYPE.entryCount)) : new Map(),
    };
  });
}

function levels(list: Deno.PointerObject, count: number): Map<number, number> {
  const view = new Deno.UnsafePointerView(list);
  const found = new Map<number, number>();
  for (let entry = 0; entry < count * ENTRY.size; entry += ENTRY.size) {
    // The entry is inactive: no key is mapped to a modifier that it needs.
    if (!view.getInt32(entry + ENTRY.active)) continue;
    found.set(view.getUint8(entry + ENTRY.mask), view.getUint8(entry + ENTRY.level));
  }
  return found;
}

// Changes to the XKB map: any number of keys in one request, so that programs are notified of one change.

/** XkbKeySymsMask and XkbGroup1Mask (X11/extensions/XKB.h). */
const KEY_SYMBOLS = 2, FIRST_GROUP = 1;
/** Bits of group_info that count a key's groups (XkbNumGroups, X11/extensions/XKB.h). */
const GROUP_COUNT = 0xf;
/** Offsets in XkbMapChangesRec (X11/extensions/XKBstr.h). */
export const MAP_CHANGES = { size: 22, changed: 0, firstKey: 6, keyCount: 7 } as const;

/** A key's symbols. */
interface KeySymbols {
  keycode: number;
  /** The symbols from the first level up, one for each level of the type; empty to remove all symbols. */
  symbols: readonly number[];
  /** Index of the key's type in the map, as returned by {@linkcode XkbMap.typeOf}. */
  type: number;
}

/**
 * Gives keys one group of symbols each, in one request (XkbSetMap). The request must also send the unchanged
 * symbols of the keys in between; the server is locked during the change, so that no other program's change
 * is undone.
 * @throws The errors of {@linkcode readDescription}.
 */
export function changeKeys(connection: Connection, keys: readonly KeySymbols[]): void {
  if (!keys.length) return;
  const { libraries: { x11 }, display } = connection;
  x11.XGrabServer(display);
  try {
    const description = readDescription(connection);
    try {
      for (const key of keys) setSymbols(connection, description, key);
      const codes = keys.map(({ keycode }) => keycode), first = Math.min(...codes);
      const changes = new DataView(new ArrayBuffer(MAP_CHANGES.size));
      changes.setUint16(MAP_CHANGES.changed, KEY_SYMBOLS, true);
      changes.setUint8(MAP_CHANGES.firstKey, first);
      changes.setUint8(MAP_CHANGES.keyCount, Math.max(...codes) - first + 1);
      x11.XkbChangeMap(display, description, new Uint8Array(changes.buffer));
    } finally {
      freeDescription(connection, description);
    }
  } finally {
    x11.XUngrabServer(display);
    x11.XFlush(display);
  }
}

/**
 * Changes a key only in a description. A key that loses its symbols keeps its type, with symbols that type
 * nothing: removing a key's type with XkbChangeTypesOfKey ends the process in libX11 1.8.12.
 */
function setSymbols(
  { libraries: { x11 } }: Connection,
  description: Deno.PointerObject,
  { keycode, symbols, type }: KeySymbols,
): void {
  if (symbols.length) {
    x11.XkbChangeTypesOfKey(description, keycode, 1, FIRST_GROUP, Int32Array.of(type), null);
  }
  const map = new Deno.UnsafePointerView(
    new Deno.UnsafePointerView(description).getPointer(DESCRIPTION.map)!,
  );
  const keys = new Deno.UnsafePointerView(map.getPointer(CLIENT_MAP.keys)!), key = keycode * KEY.size;
  const groups = keys.getUint8(key + KEY.groupInfo) & GROUP_COUNT, width = keys.getUint8(key + KEY.width);
  if (!groups || !width) return; // the key has no symbols
  const all = map.getPointer(CLIENT_MAP.symbols)!;
  const own = Deno.UnsafePointer.offset(all, keys.getUint16(key + KEY.offset) * 8)!;
  const row = new BigUint64Array(Deno.UnsafePointerView.getArrayBuffer(own, groups * width * 8));
  row.fill(0n);
  row.set(symbols.map(BigInt));
}

/** XkbSlowKeysMask, XkbBounceKeysMask and XkbStickyKeysMask (X11/extensions/XKB.h). */
export const AIDS = { slow: 1 << 1, bounce: 1 << 2, sticky: 1 << 3 } as const;
/** XkbControlsEnabledMask (X11/extensions/XKB.h). */
const ENABLED = 1n << 31n;
/** Offsets in XkbDescRec and XkbControlsRec (X11/extensions/XKBstr.h). */
export const CONTROLS = { inDescription: 16, enabled: 12 } as const;

/**
 * The enabled features, as a mask of {@linkcode AIDS}.
 * @throws DesktopUnavailableError if the server is gone; InputError if it does not support XKB.
 */
export function aidsOn(connection: Connection): number {
  const { libraries: { x11 }, display } = connection, description = x11.XkbAllocKeyboard();
  if (!description) throw new Error("out of memory");
  try {
    if (x11.XkbGetControls(display, ENABLED, description) !== 0) throw noXkb(connection);
    const controls = new Deno.UnsafePointerView(description).getPointer(CONTROLS.inDescription)!;
    const enabled = new Deno.UnsafePointerView(controls).getUint32(CONTROLS.enabled);
    return enabled & (AIDS.slow | AIDS.bounce | AIDS.sticky);
  } finally {
    x11.XkbFreeKeyboard(description, ALL_COMPONENTS, 1);
  }
}

/** Turns accessibility features on or off. @param aids A mask of {@linkcode AIDS}. */
export function switchAids({ libraries: { x11 }, display }: Connection, aids: number, on: boolean): void {
  if (aids) x11.XkbChangeEnabledControls(display, USE_CORE_KEYBOARD, aids, on ? aids : 0);
}
