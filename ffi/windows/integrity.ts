/**
 * Integrity levels. User Interface Privilege Isolation drops the input that a program sends to a window of a higher
 * level, such as one started "as administrator", and reports nothing: SendInput counts it as sent. Therefore deskhand
 * first compares the level of the window that would get the input with its own.
 */

import type { Point } from "../../control/desktop.ts";
import { DesktopUnavailableError } from "../../core/errors.ts";
import type { Libraries } from "./libraries.ts";

const PROCESS_QUERY_LIMITED_INFORMATION = 0x1000;
const TOKEN_QUERY = 8;
/** TOKEN_INFORMATION_CLASS: TokenIntegrityLevel. */
const TOKEN_INTEGRITY_LEVEL = 25;

/** SECURITY_MANDATORY_*_RID of winnt.h, with the words people know. */
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
 * The integrity level of a process.
 * @returns A RID such as 0x2000, or undefined where Windows refuses (another user's process, a protected one).
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

/** Refuses input that Windows would drop without reporting it. */
export class IntegrityGuard {
  readonly #process = new Uint32Array(1);
  /** The level of deskhand's process, if it is known. */
  readonly ours: number | undefined;
  /** Levels of the processes seen, kept since asking takes about ten times as long as the rest of a key press. */
  readonly #levels = new Map<number, { level: number | undefined; until: number }>();

  constructor(readonly libraries: Libraries) {
    this.ours = processLevel(libraries, libraries.kernel32.GetCurrentProcessId());
  }

  /** The level of the window in front, if there is one and its level is known. */
  foreground(): number | undefined {
    return this.#levelOf(this.libraries.user32.GetForegroundWindow());
  }

  /**
   * Checks the window that gets the keyboard.
   * @throws DesktopUnavailableError if it is of a higher level.
   */
  checkKeyboard(): void {
    this.#check(this.libraries.user32.GetForegroundWindow(), "the window in front");
  }

  /**
   * Checks the window under the pointer, which gets buttons and wheel.
   * @throws DesktopUnavailableError if it is of a higher level.
   */
  checkPointer(point: Point): void {
    const packed = BigInt.asUintN(32, BigInt(point.x)) | BigInt.asUintN(32, BigInt(point.y)) << 32n;
    this.#check(this.libraries.user32.WindowFromPoint(packed), "the window under the pointer");
  }

  /**
   * Tells why Windows keeps deskhand from a window.
   * @returns The levels and the remedy, without a final full stop; undefined if Windows does not.
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
      `Windows drops input for ${which}: ${refusal}, or bring another window to the front`,
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
    this.#levels.set(process, { level, until: now + 1000 }); // for a second only, since Windows reuses process ids
    return level;
  }
}

/**
 * Tells whether input from a process of level `ours` is dropped by windows of level `theirs`; unknown levels are not.
 */
export function outranks(theirs: number | undefined, ours: number | undefined): boolean {
  return theirs !== undefined && ours !== undefined && theirs > ours;
}
