/**
 * Records of the engines that deskhand has disabled, apart from the input method code, which is loaded late.
 */

import { LockedRecord } from "../../../core/process_record.ts";

/** The record for Fcitx 5, whose engine is the same on all displays. */
export const FCITX_RECORD = "fcitx5-engine.json";

/**
 * The record for a display's IBus.
 * @param display As returned by {@linkcode ibusNameOf}.
 */
export function ibusRecord(display: string): string {
  return `ibus-switch-${display.replace(/[^\w.-]/g, "_")}.json`;
}

/**
 * Whether a killed deskhand has left a person's engine disabled.
 * @param display The display's name: `:0` on X11, or a Wayland socket's `wayland-0`.
 */
export function isEngineLeft(display: string): boolean {
  return [FCITX_RECORD, ibusRecord(ibusNameOf(display))].some((name) => LockedRecord.isThere(name));
}

/**
 * IBus's name for a display on this machine.
 * @example
 * ibusNameOf("host:0.1"); // "0"
 * ibusNameOf("wayland-0"); // "wayland-0"
 */
export function ibusNameOf(display: string): string {
  return /:(\d+)/.exec(display)?.[1] ?? display;
}
