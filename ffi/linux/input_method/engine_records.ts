/** Records of the engines that deskhand has switched off, apart from the code of input methods, which is loaded late. */

import { LockedRecord } from "../../../core/process_record.ts";

/** The record of Fcitx 5, whose engine is the same on all displays. */
export const FCITX_RECORD = "fcitx5-engine.json";

/**
 * The record of a display's IBus.
 * @param display As {@linkcode ibusNameOf} returns it.
 */
export function ibusRecord(display: string): string {
  return `ibus-switch-${display.replace(/[^\w.-]/g, "_")}.json`;
}

/**
 * Whether a killed deskhand has left a person's engine switched off.
 * @param display The name of the display: `:0` of X11, or a Wayland socket's `wayland-0`.
 */
export function isEngineLeft(display: string): boolean {
  return [FCITX_RECORD, ibusRecord(ibusNameOf(display))].some((name) => LockedRecord.isThere(name));
}

/**
 * The name of a display on this machine, as IBus has it.
 * @example
 * ibusNameOf("host:0.1"); // "0"
 * ibusNameOf("wayland-0"); // "wayland-0"
 */
export function ibusNameOf(display: string): string {
  return /:(\d+)/.exec(display)?.[1] ?? display;
}
