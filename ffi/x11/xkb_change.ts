/** Changes of the map that XKB keeps: any number of keys by one request, so that programs hear of one change. */

import type { Connection } from "./connection.ts";
import { CLIENT_MAP, DESCRIPTION, freeDescription, KEY, readDescription } from "./xkb.ts";

/** XkbKeySymsMask and XkbGroup1Mask (X11/extensions/XKB.h). */
const KEY_SYMBOLS = 2, FIRST_GROUP = 1;
/** Bits of group_info that count the groups of a key (XkbNumGroups, X11/extensions/XKB.h). */
const GROUP_COUNT = 0xf;
/** Offsets in XkbMapChangesRec (X11/extensions/XKBstr.h). */
export const MAP_CHANGES = { size: 22, changed: 0, firstKey: 6, keyCount: 7 } as const;

/** A key's symbols. */
export interface KeySymbols {
  keycode: number;
  /**
   * The symbols from the first level up, as many as the type has levels; an empty list takes all symbols from the
   * key.
   */
  symbols: readonly number[];
  /** Index of the key's type in the map, as {@linkcode XkbMap.typeOf} gives it. */
  type: number;
}

/**
 * Gives keys one group of symbols each, by one request (XkbSetMap). The request also has to send the unchanged
 * symbols of the keys in between; the server is locked during the change, so that no change of another program is
 * undone.
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
 * Changes a key in a description alone. A key that loses its symbols keeps its type, with symbols that type nothing: to
 * take the type from a key by XkbChangeTypesOfKey ends the process with libX11 1.8.12.
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
