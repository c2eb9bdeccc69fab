/**
 * The place of the process: the session, the window station and the input desktop. A service, and a program started
 * over SSH, has a window station that no person sees; a locked screen and the UAC question stand on a desktop of their
 * own, which no ordinary program may touch.
 */

import type { Libraries } from "./libraries.ts";

/** GetUserObjectInformationW: UOI_FLAGS and UOI_NAME. */
const UOI_FLAGS = 1;
const UOI_NAME = 2;
/** Offset in USEROBJECTFLAGS (winuser.h), and its bit for a window station with a screen. */
const DW_FLAGS = 8;
const WSF_VISIBLE = 1;
/** OpenInputDesktop: DESKTOP_READOBJECTS. */
const DESKTOP_READOBJECTS = 1;

/** The place of the process in Windows' sessions. */
export interface Session {
  /** Terminal services session; 0 is the session of services. */
  id: number | undefined;
  /** Name of the window station, `WinSta0` on a person's desktop. */
  station: string | undefined;
  /** Tells whether the window station has a screen. */
  interactive: boolean;
  /** Name of the desktop on which this process runs, normally `Default`. */
  desktop: string | undefined;
  /** Name of the desktop that gets input now (`Default`, `Winlogon`, `Screen-saver`); undefined where it is refused. */
  inputDesktop: string | undefined;
}

/** Asks Windows where this process runs and which desktop gets input at this moment. */
export function inspectSession({ user32, kernel32 }: Libraries): Session {
  const id = new Uint32Array(1);
  const known = kernel32.ProcessIdToSessionId(kernel32.GetCurrentProcessId(), id);
  const station = user32.GetProcessWindowStation();
  const flags = station && objectInformation(user32, station, UOI_FLAGS);
  return {
    id: known ? id[0] : undefined,
    station: station ? objectName(user32, station) : undefined,
    interactive: flags ? (flags.getUint32(DW_FLAGS, true) & WSF_VISIBLE) !== 0 : false,
    desktop: ownDesktop(user32, kernel32),
    inputDesktop: inputDesktop(user32),
  };
}

function ownDesktop(user32: Libraries["user32"], kernel32: Libraries["kernel32"]): string | undefined {
  const desktop = user32.GetThreadDesktop(kernel32.GetCurrentThreadId()); // a handle that is not to be closed
  return desktop ? objectName(user32, desktop) : undefined;
}

/** The name of the desktop that gets input now, or undefined where Windows refuses it: a locked screen, UAC. */
function inputDesktop(user32: Libraries["user32"]): string | undefined {
  const desktop = user32.OpenInputDesktop(0, 0, DESKTOP_READOBJECTS);
  if (!desktop) return undefined;
  try {
    return objectName(user32, desktop);
  } finally {
    user32.CloseDesktop(desktop);
  }
}

function objectName(user32: Libraries["user32"], object: Deno.PointerObject): string | undefined {
  const view = objectInformation(user32, object, UOI_NAME);
  return view && new TextDecoder("utf-16le").decode(view).replace(/\0.*$/s, "");
}

function objectInformation(
  user32: Libraries["user32"],
  object: Deno.PointerObject,
  index: number,
): DataView | undefined {
  const bytes = new Uint8Array(512);
  const needed = new Uint32Array(1);
  if (!user32.GetUserObjectInformationW(object, index, bytes, bytes.length, needed)) return undefined;
  return new DataView(bytes.buffer, 0, Math.min(needed[0], bytes.length));
}
