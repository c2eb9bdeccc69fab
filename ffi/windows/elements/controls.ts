/** Windows within windows: a program's controls, and its open menus and lists. */

import { timeByLoad } from "../../../core/proc.ts";
import type { Point } from "../../../control/desktop/desktop.ts";
import { sharingInput, SMTO_ABORTIFHUNG, topWindows, WM_NULL } from "../windows.ts";
import type { ElementLibraries } from "./com.ts";

/** GetWindow and GetAncestor. */
const GW_HWNDNEXT = 2, GW_HWNDPREV = 3, GW_CHILD = 5, GA_ROOT = 2;
/** GWLP_ID (WinUser.h). */
const GWLP_ID = -12;
const GWL_STYLE = -16;
const BM_GETCHECK = 0xf0, BM_CLICK = 0xf5;
/** Maximum time for a program to answer, in milliseconds; longer on a busy machine. */
const ANSWER_MS = 350;
/** GUITHREADINFO: its size, and the offset of the focused window. */
const GUI_THREAD_INFO = { size: 72, focus: 16 } as const;
/** Classes of the additional windows of a program's open menus and lists. */
const POPUPS = new Set(["#32768", "combolbox", "auto-suggest dropdown"]);
/** Maximum number of windows to read. */
const MOST = 5000;
const TEXT_UNITS = 256;

/** Reads programs' windows. A window that is gone has no class, no children and no thread. */
export class Controls {
  readonly #text = new Uint16Array(TEXT_UNITS);
  readonly #process = new Uint32Array(1);

  constructor(readonly libraries: ElementLibraries) {}

  /** A window's child windows, in creation order, from front to back. */
  childrenOf(window: bigint): bigint[] {
    const { user32 } = this.libraries.desktop, children: bigint[] = [];
    let child = user32.GetWindow(window, GW_CHILD);
    while (child && children.length < MOST) {
      children.push(child);
      child = user32.GetWindow(child, GW_HWNDNEXT);
    }
    return children;
  }

  /** The previous sibling of a window; 0n if it is the first. */
  before(window: bigint): bigint {
    return this.libraries.desktop.user32.GetWindow(window, GW_HWNDPREV);
  }

  /** The window's class; for a program's own class, the Windows class on which it is based. */
  classOf(window: bigint): string {
    const units = this.libraries.user32.RealGetWindowClassW(window, this.#text, TEXT_UNITS);
    return new TextDecoder("utf-16le").decode(this.#text.subarray(0, units));
  }

  styleOf(window: bigint): number {
    return Number(BigInt.asUintN(32, this.libraries.desktop.user32.GetWindowLongPtrW(window, GWL_STYLE)));
  }

  /** A control's identifier in its dialog, which UI Automation has as AutomationId; empty if it has none. */
  idOf(window: bigint): string {
    if (this.rootOf(window) === window) return "";
    const id = Number(BigInt.asIntN(32, this.libraries.desktop.user32.GetWindowLongPtrW(window, GWLP_ID)));
    return id > 0 ? String(id) : "";
  }

  isShown(window: bigint): boolean {
    return this.libraries.desktop.user32.IsWindowVisible(window) !== 0;
  }

  /** A window's process and thread; 0 if it is gone. */
  ownerOf(window: bigint): { process: number; thread: number } {
    this.#process[0] = 0;
    const thread = this.libraries.desktop.user32.GetWindowThreadProcessId(window, this.#process);
    return { process: this.#process[0], thread };
  }

  /** The top-level window that contains a window. */
  rootOf(window: bigint): bigint {
    return this.libraries.user32.GetAncestor(window, GA_ROOT);
  }

  /** The top-level window at a position on the screen. */
  rootAt({ x, y }: Point): bigint {
    const packed = BigInt.asUintN(32, BigInt(x)) | BigInt.asUintN(32, BigInt(y)) << 32n;
    return this.rootOf(this.libraries.desktop.user32.WindowFromPoint(packed));
  }

  /** The open menus and lists of a window's thread. */
  popupsOf(window: bigint): bigint[] {
    const { thread } = this.ownerOf(window);
    return topWindows(this.libraries.desktop.user32).filter((found) =>
      found !== window && this.isShown(found) && this.ownerOf(found).thread === thread &&
      POPUPS.has(this.classOf(found).toLowerCase())
    );
  }

  hasMenu(window: bigint): boolean {
    return this.libraries.user32.GetMenu(window) !== 0n;
  }

  /** Whether a window's program accepts messages: otherwise it would block this thread. */
  answers(window: bigint): boolean {
    return this.#send(window, WM_NULL) !== undefined;
  }

  /** A check box's or radio button's state: 1 is checked, 2 is mixed. */
  checkOf(window: bigint): number {
    return this.#send(window, BM_GETCHECK) ?? 0;
  }

  /** Makes a button act as if clicked; the button acts after this call. */
  press(window: bigint): boolean {
    return this.libraries.desktop.user32.PostMessageW(window, BM_CLICK, 0n, 0n) !== 0;
  }

  /** The focused window. */
  focused(): bigint {
    const info = new DataView(new ArrayBuffer(GUI_THREAD_INFO.size));
    info.setUint32(0, GUI_THREAD_INFO.size, true);
    if (!this.libraries.user32.GetGUIThreadInfo(0, info)) return 0n;
    return info.getBigUint64(GUI_THREAD_INFO.focus, true);
  }

  /** Asks Windows to focus a window, and to bring its top-level window to the front. */
  focus(window: bigint): void {
    // Only a thread that shares the program's input may choose which of its windows is focused.
    sharingInput(this.libraries.desktop, this.ownerOf(window).thread, () => {
      this.libraries.desktop.user32.SetForegroundWindow(this.rootOf(window));
      this.libraries.user32.SetFocus(window);
    });
  }

  /** Sends a message. Returns its result, or undefined if the program does not accept it. */
  #send(window: bigint, message: number): number | undefined {
    const result = new BigUint64Array(1);
    const isTaken = this.libraries.user32.SendMessageTimeoutW(
      window,
      message,
      0n,
      0n,
      SMTO_ABORTIFHUNG,
      timeByLoad(ANSWER_MS),
      result,
    );
    return isTaken ? Number(result[0]) : undefined;
  }
}
