/** The texts of windows. */

import { type Libraries, openLibraries } from "./libraries.ts";
import type { WindowAtoms } from "./window_atoms.ts";
import type { Property, XcbConnection } from "./xcb_connection.ts";

/** XTextProperty of Xutil.h: value, encoding, format, nitems. */
export const TEXT_PROPERTY = { size: 32, encoding: 8, format: 16, items: 24 };

/** Decodes a text of one of the two simple types: UTF-8, or Latin-1 for STRING (ICCCM section 2.7.1). */
export function decodeTitle({ type, data }: Property, atoms: Pick<WindowAtoms, "UTF8_STRING">): string {
  const end = data.indexOf(0);
  const text = end < 0 ? data : data.subarray(0, end);
  return new TextDecoder(type === atoms.UTF8_STRING ? "utf-8" : "latin1").decode(text);
}

/** The title of a window as a message names it. */
export function titleOf(xcb: XcbConnection, atoms: WindowAtoms, window: number): string {
  const name = xcb.property(xcb.askProperty(window, atoms._NET_WM_NAME)) ??
    xcb.property(xcb.askProperty(window, atoms.WM_NAME));
  return name ? decodeTitle(name, atoms) : "without a title";
}

/**
 * Decodes a text of any type, COMPOUND_TEXT too (Xutf8TextPropertyToTextList(3)).
 * @param display An open `Display *`.
 */
export function decodeAnyTitle(property: Property, atoms: WindowAtoms, display: Deno.PointerObject): string {
  if (property.format !== 8) return "";
  if (property.type === atoms.UTF8_STRING || property.type === atoms.STRING) {
    return decodeTitle(property, atoms);
  }
  const { x11 } = openLibraries();
  const value = new Uint8Array(property.data.length + 1);
  value.set(property.data);
  const text = new DataView(new ArrayBuffer(TEXT_PROPERTY.size));
  text.setBigUint64(0, Deno.UnsafePointer.value(Deno.UnsafePointer.of(value)), true);
  text.setBigUint64(TEXT_PROPERTY.encoding, BigInt(property.type), true);
  text.setInt32(TEXT_PROPERTY.format, 8, true);
  text.setBigUint64(TEXT_PROPERTY.items, BigInt(property.data.length), true);
  const list = new BigUint64Array(1), count = new Int32Array(1);
  const status = x11.Xutf8TextPropertyToTextList(display, new Uint8Array(text.buffer), list, count);
  return status < 0 || !count[0] ? "" : firstOf(list[0], x11);
}

/** The first string of a list, which is freed. */
function firstOf(address: bigint, x11: Libraries["x11"]): string {
  const list = Deno.UnsafePointer.create(address)!;
  try {
    const first = Deno.UnsafePointer.create(new Deno.UnsafePointerView(list).getBigUint64());
    return first ? Deno.UnsafePointerView.getCString(first) : "";
  } finally {
    x11.XFreeStringList(list);
  }
}
