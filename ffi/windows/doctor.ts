/** Checks of this Windows system, for `deskhand doctor`. */

import type { Finding } from "../permission.ts";
import { declareDpiAwareness, Displays, dpiAwareness, ScreenCapture, virtualScreen } from "./screen.ts";
import { Automation } from "./elements/automation.ts";
import { createObject, openElementLibraries } from "./elements/com.ts";
import {
  elsewhereReason,
  inspectSession,
  IntegrityGuard,
  levelWords,
  noDesktopReason,
  outranks,
} from "./session.ts";
import { type Libraries, openLibraries } from "./symbols.ts";

/** SM_REMOTESESSION. */
const SM_REMOTESESSION = 0x1000;
/** MDT_EFFECTIVE_DPI; 96 is 100 %. */
const MDT_EFFECTIVE_DPI = 0;
const KEYBOARD_LAYOUT_NAME_UNITS = 9;

/**
 * Checks everything that controlling a Windows desktop needs. Moves and presses nothing, and never throws.
 */
export function inspectWindows(): Finding[] {
  if (Deno.build.os !== "windows") {
    return [{ name: "Windows", ok: false, detail: `this is ${Deno.build.os}` }];
  }
  try {
    const libraries = openLibraries();
    declareDpiAwareness(libraries);
    return [
      { name: "Windows", ok: true, detail: Deno.osRelease() },
      ...CHECKS.map(([name, check]) => {
        try {
          return { name, ...check(libraries) };
        } catch (error) {
          return { name, ok: false, detail: (error as Error).message };
        }
      }),
    ];
  } catch (error) {
    return [{ name: "libraries", ok: false, detail: (error as Error).message }];
  }
}

type Check = (libraries: Libraries) => Omit<Finding, "name">;

const CHECKS: readonly [name: string, check: Check][] = [
  ["DPI mode", dpiAwareness],
  ["session", (libraries) => {
    const session = inspectSession(libraries);
    const remote = libraries.user32.GetSystemMetrics(SM_REMOTESESSION) !== 0 ? ", over Remote Desktop" : "";
    const where = `session ${session.id ?? "?"}, window station ${session.station ?? "?"}${remote}`;
    const reason = noDesktopReason(session);
    return { ok: reason === undefined, detail: reason ?? where };
  }],
  ["input desktop", (libraries) => {
    const { desktop, inputDesktop } = inspectSession(libraries);
    const reason = elsewhereReason(desktop, inputDesktop);
    return { ok: reason === undefined, detail: reason ?? desktop! };
  }],
  ["monitors", (libraries) => {
    const displays = new Displays(libraries);
    try {
      const monitors = displays.monitors().map(({ display, handle }) => {
        const { name, width, height, x, y, primary } = display;
        const place = `${name} ${width}x${height} at ${x},${y}`;
        return `${place}${scale(libraries, handle)}${primary ? ", primary" : ""}`;
      });
      return { ok: monitors.length > 0, detail: monitors.join("; ") || "none" };
    } finally {
      displays[Symbol.dispose]();
    }
  }],
  ["capture", (libraries) => {
    using capture = new ScreenCapture(libraries);
    const { x, y } = virtualScreen(libraries.user32);
    const frame = capture.take({ x, y, width: 1, height: 1 }, false);
    return { ok: frame !== undefined, detail: frame ? "BitBlt, 32 bits a pixel" : "BitBlt is refused" };
  }],
  ["integrity level", (libraries) => {
    const guard = new IntegrityGuard(libraries);
    const front = guard.foreground();
    const ours = guard.ours === undefined ? "unknown" : levelWords(guard.ours);
    return outranks(front, guard.ours)
      ? {
        ok: false,
        detail: `${ours}; the window in front is ${levelWords(front!)}: it takes no input from deskhand`,
      }
      : { ok: true, detail: ours };
  }],
  ["keyboard layout", ({ user32 }) => {
    const name = new Uint16Array(KEYBOARD_LAYOUT_NAME_UNITS);
    const ok = user32.GetKeyboardLayoutNameW(name) !== 0;
    return { ok, detail: ok ? String.fromCharCode(...name).replace(/\0.*$/s, "") : "Windows names none" };
  }],
  ["elements", () => {
    const libraries = openElementLibraries();
    const automation = Automation.open(createObject.bind(undefined, libraries), libraries.ole);
    automation?.[Symbol.dispose]();
    return {
      ok: true,
      detail: automation
        ? "by UI Automation, and by MSAA where a program shows it only windows"
        : "by MSAA, since UI Automation gives no trees here: controls by their class, and few items of lists",
    };
  }],
];

/** The monitor's scaling, if Windows reports it (8.1 and later). */
function scale({ shcore }: Libraries, monitor: Deno.PointerValue): string {
  const x = new Uint32Array(1);
  const y = new Uint32Array(1);
  if (!shcore || shcore.GetDpiForMonitor(monitor, MDT_EFFECTIVE_DPI, x, y) !== 0) return "";
  return ` (${Math.round(x[0] * 100 / 96)} %)`;
}
