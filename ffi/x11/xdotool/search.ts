/** The search for windows by libxdo. */

import { cString, openLibc } from "../../linux/libc.ts";
import type { XdoSession } from "./session.ts";

/** The filters of `search`. */
export interface WindowSearch {
  /** A regular expression for the texts that are chosen below. */
  pattern?: string;
  name: boolean;
  class: boolean;
  className: boolean;
  pid?: number;
  desktop?: number;
  screen?: number;
  isVisible: boolean;
  /** Tells whether all conditions must be met, rather than any. */
  isAll: boolean;
  /** -1 is any. */
  depth: number;
  /** The most windows that are found; 0 is no limit. */
  limit: number;
}

/** Bits of xdo_search_t.searchmask (xdo.h). */
const MASK = { class: 2, name: 4, pid: 8, visible: 16, screen: 32, className: 64, desktop: 128 };
/** The number of bytes allocated for an xdo_search_t, which is smaller. */
const SIZE = 128;

/** Offsets of xdo_search_t (xdo.h); since 3.20210804 a pattern for the role stands behind the one for the name. */
function layout(version: string) {
  const behind = Number(/^\d+\.(\d{8})/.exec(version)?.[1]) >= 20210804 ? 40 : 32;
  return {
    class: 8,
    className: 16,
    name: 24,
    pid: behind,
    depth: behind + 8,
    isVisible: behind + 16,
    screen: behind + 20,
    isAll: behind + 24,
    mask: behind + 28,
    desktop: behind + 32,
    limit: behind + 40,
  };
}

/** Searches, from the root window down. */
export function searchWindows(session: XdoSession, search: WindowSearch): number[] {
  const at = layout(session.version), view = new DataView(new ArrayBuffer(SIZE));
  const pattern = cString(search.pattern ?? "");
  const address = Deno.UnsafePointer.value(Deno.UnsafePointer.of(pattern));
  let mask = 0;
  for (const name of ["class", "className", "name"] as const) {
    if (!search[name]) continue;
    mask |= MASK[name];
    view.setBigUint64(at[name], address, true);
  }
  const set = (bit: number, isSet: boolean) => mask |= isSet ? bit : 0;
  set(MASK.pid, search.pid !== undefined);
  set(MASK.visible, search.isVisible);
  set(MASK.screen, search.screen !== undefined);
  set(MASK.desktop, search.desktop !== undefined);
  view.setInt32(at.pid, search.pid ?? 0, true);
  view.setBigInt64(at.depth, BigInt(search.depth), true);
  view.setInt32(at.isVisible, Number(search.isVisible), true);
  view.setInt32(at.screen, search.screen ?? 0, true);
  view.setInt32(at.isAll, Number(search.isAll), true);
  view.setUint32(at.mask, mask, true);
  view.setBigInt64(at.desktop, BigInt(search.desktop ?? 0), true);
  view.setUint32(at.limit, search.limit, true);
  const list = new BigUint64Array(1), count = new Uint32Array(1);
  session.libraries.xdo.xdo_search_windows(session.xdo, new Uint8Array(view.buffer), list, count);
  const pointer = Deno.UnsafePointer.create(list[0]);
  if (!pointer) return [];
  const bytes = new Deno.UnsafePointerView(pointer).getArrayBuffer(count[0] * 8);
  const windows = Array.from(new BigUint64Array(bytes), Number);
  openLibc().free(pointer);
  return windows;
}
