/**
 * Where the process runs: the session, the window station and the input desktop. A service, or a program
 * started over SSH, has a window station that nobody sees; a locked screen and the UAC prompt are on their
 * own desktop, which no ordinary program may access.
 */

import type { Point } from "../../control/desktop/desktop.ts";
import { DesktopUnavailableError } from "../../core/errors.ts";
import type { Libraries } from "./symbols.ts";

/** GetUserObjectInformationW: UOI_FLAGS and UOI_NAME. */
const UOI_FLAGS = 1;
const UOI_NAME = 2;
/** The flags' offset in USEROBJECTFLAGS (winuser.h), and the bit for a window station with a screen. */
const DW_FLAGS = 8;
const WSF_VISIBLE = 1;
/** OpenInputDesktop: DESKTOP_READOBJECTS. */
const DESKTOP_READOBJECTS = 1;

/** Where the process runs in Windows's sessions. */
interface Session {
  /** The Terminal Services session; 0 is the session for services. */
  id: number | undefined;
  /** The window station's name, `WinSta0` on a user's desktop. */
  station: string | undefined;
  /** Whether the window station has a screen. */
  interactive: boolean;
  /** The name of the desktop on which this process runs, normally `Default`. */
  desktop: string | undefined;
  /**
   * The desktop that receives input (`Default`, `Winlogon`, `Screen-saver`); undefined if Windows refuses it.
   */
  inputDesktop: string | undefined;
}

/** Queries where this process runs and which desktop currently receives input. */
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
  const desktop = user32.GetThreadDesktop(kernel32.GetCurrentThreadId()); // a handle that must not be closed
  return desktop ? objectName(user32, desktop) : undefined;
}

/** The name of the desktop that receives input; undefined if Windows refuses it (locked screen, UAC). */
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

// Integrity levels. User Interface Privilege Isolation silently drops input that a program sends to a window
// of a higher level, such as one started "as administrator": SendInput counts it as sent. Therefore deskhand
// first compares the level of the window that would receive the input with its own.

const PROCESS_QUERY_LIMITED_INFORMATION = 0x1000;
const TOKEN_QUERY = 8;
/** TOKEN_INFORMATION_CLASS: TokenIntegrityLevel. */
const TOKEN_INTEGRITY_LEVEL = 25;

/** SECURITY_MANDATORY_*_RID in winnt.h, with their familiar names. */
const LEVELS: readonly [rid: number, words: string][] = [
  [0x4000, "system"],
  [0x3000, "high: runs as administrator"],
  [0x2000, "medium: an ordinary program"],
  [0x1000, "low: a sandbox"],
  [0, "untrusted"],
];

/** A level in words. */
export function levelWords(level: number): string {
  return LEVELS.find(([rid]) => level >= rid)![1];
}

/**
 * The level in a TOKEN_MANDATORY_LABEL: the last sub-authority of its SID. The SID follows the 16 bytes of
 * SID_AND_ATTRIBUTES (revision 0, number of sub-authorities 1, authority 2, sub-authorities from 8).
 */
export function decodeMandatoryLabel(label: DataView): number {
  const sid = 16;
  return label.getUint32(sid + 8 + 4 * (label.getUint8(sid + 1) - 1), true);
}

/**
 * A process's integrity level.
 * @returns A RID such as 0x2000; undefined if Windows refuses (another user's process, a protected one).
 */
function processLevel({ kernel32, advapi32 }: Libraries, process: number): number | undefined {
  const handle = kernel32.OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, 0, process);
  if (!handle) return undefined;
  try {
    const out = new BigUint64Array(1);
    if (!advapi32.OpenProcessToken(handle, TOKEN_QUERY, out)) return undefined;
    const token = Deno.UnsafePointer.create(out[0]);
    try {
      const label = new Uint8Array(128);
      const needed = new Uint32Array(1);
      if (!advapi32.GetTokenInformation(token, TOKEN_INTEGRITY_LEVEL, label, label.length, needed)) {
        return undefined;
      }
      return decodeMandatoryLabel(new DataView(label.buffer));
    } finally {
      kernel32.CloseHandle(token);
    }
  } finally {
    kernel32.CloseHandle(handle);
  }
}

/** Refuses input that Windows would silently drop. */
export class IntegrityGuard {
  readonly #process = new Uint32Array(1);
  /** The level of deskhand's own process, if known. */
  readonly ours: number | undefined;
  /** Cached process levels, since querying one takes about ten times as long as the rest of a key press. */
  readonly #levels = new Map<number, { level: number | undefined; until: number }>();

  constructor(readonly libraries: Libraries) {
    this.ours = processLevel(libraries, libraries.kernel32.GetCurrentProcessId());
  }

  /** The foreground window's level, if there is one and its level is known. */
  foreground(): number | undefined {
    return this.#levelOf(this.libraries.user32.GetForegroundWindow());
  }

  /**
   * Checks the focused window.
   * @throws DesktopUnavailableError if its level is higher.
   */
  checkKeyboard(): void {
    this.#check(this.libraries.user32.GetForegroundWindow(), "the window in front");
  }

  /**
   * Checks the window below the pointer, which receives buttons and wheel.
   * @throws DesktopUnavailableError if its level is higher.
   */
  checkPointer(point: Point): void {
    const packed = BigInt.asUintN(32, BigInt(point.x)) | BigInt.asUintN(32, BigInt(point.y)) << 32n;
    this.#check(this.libraries.user32.WindowFromPoint(packed), "the window under the pointer");
  }

  /**
   * Why Windows does not let deskhand send input to a window.
   * @returns The levels and the remedy, without a final period; undefined if Windows allows it.
   */
  refusal(window: bigint): string | undefined {
    const level = this.#levelOf(window);
    if (!outranks(level, this.ours)) return undefined;
    return `its integrity level is ${levelWords(level!)}, deskhand's is ${levelWords(this.ours!)}. ` +
      "Start deskhand as administrator";
  }

  #check(window: bigint, which: string): void {
    const refusal = this.refusal(window);
    if (!refusal) return;
    throw new DesktopUnavailableError(
      `Windows discards input to ${which}: ${refusal}, or bring another window to the front`,
    );
  }

  #levelOf(window: bigint): number | undefined {
    if (!window) return undefined;
    this.libraries.user32.GetWindowThreadProcessId(window, this.#process);
    const process = this.#process[0];
    const known = this.#levels.get(process);
    const now = performance.now();
    if (known && now < known.until) return known.level;
    if (this.#levels.size > 100) this.#levels.clear();
    const level = processLevel(this.libraries, process);
    this.#levels.set(process, { level, until: now + 1000 }); // briefly: Windows reuses process ids
    return level;
  }
}

/** Whether windows of level `theirs` drop input from a process of level `ours`; false for unknown levels. */
export function outranks(theirs: number | undefined, ours: number | undefined): boolean {
  return theirs !== undefined && ours !== undefined && theirs > ours;
}

// Why Windows refuses a call, and the user's remedies. Pure.

/**
 * Why there is no desktop for this process.
 * @returns undefined if there is one.
 */
export function noDesktopReason(session: Session): string | undefined {
  if (session.interactive) return undefined;
  const where = session.id === 0
    ? "it runs in session 0, that of services and of programs started over SSH"
    : `its window station ${session.station ?? "(none)"} has no screen`;
  return `No desktop to control: ${where}. Start deskhand from the desktop of the person who is logged on ` +
    "(or by a scheduled task that runs only when the user is logged on), or use --desktop virtual";
}

/**
 * Why a call was refused.
 * @param call The refused call, e.g. `SendInput`.
 * @param session Where the process runs and which desktop receives input.
 * @param elevated Whether the foreground window has a higher integrity level than deskhand.
 */
export function refusalReason(call: string, session: Session, elevated: boolean): string {
  const reason = noDesktopReason(session) ?? inputReason(session, elevated);
  return `Windows refuses ${call}: ${reason}`;
}

function inputReason({ desktop, inputDesktop }: Session, elevated: boolean): string {
  const elsewhere = elsewhereReason(desktop, inputDesktop);
  if (elsewhere) return `${elsewhere}, then try again`;
  if (elevated) {
    return "the window in front runs as administrator. Start deskhand as administrator, or bring another window to the front";
  }
  return "another program blocks input (BlockInput). Try again";
}

/**
 * Why this process's desktop does not receive input.
 * @param own That desktop's name.
 * @param input The name of the desktop that receives input; undefined if Windows does not report it.
 * @returns The cause and the remedy, without a final period; undefined if this process's desktop receives
 * input.
 */
export function elsewhereReason(own: string | undefined, input: string | undefined): string | undefined {
  if (input === undefined || input === "Winlogon") {
    return "the screen is locked, or a question for administrator rights is open. Unlock it or answer it";
  }
  if (input === "Screen-saver") return "the screen saver is on. End it";
  return input === own
    ? undefined
    : `the desktop ${input} is shown, and deskhand runs on ${own}. Switch to that`;
}
