/**
 * Elements of windows, through UI Automation
 * (https://learn.microsoft.com/windows/win32/winauto/entry-uiauto-win32), and through MSAA for programs that
 * do not support UI Automation.
 */

import type {
  ElementChange,
  ElementInfo,
  Elements,
  ElementTree,
  Point,
  WindowInfo,
} from "../../../control/desktop/desktop.ts";
import { CallWorker } from "../../../core/worker.ts";
import { BusyError, on } from "../../../core/errors.ts";

/** Messages to the Worker. */
export type ElementsCall =
  | { type: "read"; window: WindowInfo; hidden: boolean }
  | { type: "reread"; key: string }
  | { type: "hits"; key: string; point: Point }
  | { type: "change"; key: string; change: ElementChange };

/** The Worker's answer. */
export type ElementsAnswer = ElementTree | ElementInfo | undefined | boolean;

/** How long the idle Worker stays, and the maximum time for a program to block a call, in milliseconds. */
const IDLE_MS = 60_000, LIMIT_MS = 8000;
/** The calls that may wait for their turn. */
const MOST_WAITING = 64;

/** The elements of this desktop's windows. Nothing is loaded or opened before the first call. */
export class WindowsElements implements Elements {
  readonly #worker = new CallWorker<ElementsCall, ElementsAnswer>({
    url: new URL("./worker.ts", import.meta.url),
    idleMs: IDLE_MS,
    limitMs: LIMIT_MS,
    mostWaiting: MOST_WAITING,
  });

  readonly tellsLines = true;

  /** Treats a program that hangs while it is read like a program that does not answer. */
  async read(window: WindowInfo, hidden: boolean, signal?: AbortSignal): Promise<ElementTree> {
    const none = { elements: [], places: "none", isWhole: false, silent: "its program does not answer" };
    const tree = this.#worker.call({ type: "read", window, hidden }, [], signal);
    return await tree.catch(on(BusyError, none)) as ElementTree;
  }

  async reread(_window: WindowInfo, key: string, signal?: AbortSignal): Promise<ElementInfo | undefined> {
    return await this.#worker.call({ type: "reread", key }, [], signal) as ElementInfo | undefined;
  }

  async hits(key: string, point: Point): Promise<boolean> {
    return await this.#worker.call({ type: "hits", key, point }) as boolean;
  }

  async change(key: string, change: ElementChange, signal?: AbortSignal): Promise<boolean> {
    return await this.#worker.call({ type: "change", key, change }, [], signal) as boolean;
  }

  close(): void {
    this.#worker.close();
  }
}
