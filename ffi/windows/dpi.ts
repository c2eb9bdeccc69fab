/**
 * DPI awareness. A process that declares none gets scaled coordinates and scaled pictures, while hooks and absolute
 * moves are in real pixels: its replays would act at other places than it recorded. Therefore deskhand declares DPI
 * awareness before any other call of user32 or gdi32, and for the whole process, since Workers and other threads
 * inherit only that.
 */

import type { Libraries } from "./libraries.ts";

/** DPI_AWARENESS_CONTEXT_PER_MONITOR_AWARE_V2, winuser.h. */
const PER_MONITOR_AWARE_V2 = -4n;
/** PROCESS_PER_MONITOR_DPI_AWARE, shellscalingapi.h. */
const PROCESS_PER_MONITOR_DPI_AWARE = 2;
/** The DPI_AWARENESS_CONTEXT values, whether with them every monitor is seen in real pixels, and a description. */
const CONTEXTS: readonly [value: bigint, ok: boolean, detail: string][] = [
  [PER_MONITOR_AWARE_V2, true, "per monitor, version 2"],
  [-3n, true, "per monitor"],
  [-2n, false, "system-wide only: other monitors are scaled"],
  [-5n, false, "none: all coordinates are scaled (GDI scaling)"],
  [-1n, false, "none: all coordinates are scaled"],
];

/**
 * Makes the process see real pixels on every monitor, by the newest function that this Windows has. The awareness can
 * be set once in the life of a process; a later call has no effect.
 */
export function declareDpiAwareness({ user32, shcore }: Libraries): void {
  if (user32.SetProcessDpiAwarenessContext?.(PER_MONITOR_AWARE_V2)) return;
  if (shcore?.SetProcessDpiAwareness(PROCESS_PER_MONITOR_DPI_AWARE) === 0) return;
  user32.SetProcessDPIAware();
}

/**
 * The awareness in force, as this thread sees it.
 * @returns Words for a person, and whether every monitor is seen in real pixels.
 */
export function dpiAwareness({ user32 }: Libraries): { ok: boolean; detail: string } {
  const context = user32.GetThreadDpiAwarenessContext?.();
  if (context === undefined || context === null) {
    return { ok: true, detail: "set; this Windows cannot tell which one is in force" };
  }
  const isInForce = (value: bigint) => Boolean(user32.AreDpiAwarenessContextsEqual?.(context, value));
  const [, ok, detail] = CONTEXTS.find(([value]) => isInForce(value)) ?? [context, false, "unknown"];
  return { ok, detail };
}
