/** Calls on a desktop that this process opens. */

import type { Desktop, Direction, Held, Point, Region, WindowState } from "../../control/desktop/desktop.ts";
import { Operator } from "../../control/operator/operator.ts";
import { ExpectedError } from "../../core/errors.ts";
import { changeWindow } from "../../control/windows/change.ts";
import { listWindows } from "../../control/windows/list.ts";
import type { Calls, WindowCall } from "./desktop_target.ts";

/** Maximum time for a window change, in milliseconds. */
const TIMEOUT_MS = 2000;

const STATES: Record<WindowCall, WindowState | "active" | "closed"> = {
  activate: "active",
  minimize: "minimized",
  maximize: "maximized",
  fullscreen: "fullscreen",
  restore: "normal",
  close: "closed",
};

/** An opened desktop. Anything still held at the end is released. */
export class CallsHere implements Calls {
  readonly #operator: Operator;

  constructor(readonly desktop: Desktop) {
    this.#operator = new Operator(desktop);
  }

  position = () => this.#operator.position();
  move = (point: Point) => this.#operator.move(point);
  press = (held: Held) => this.#operator.press(held);
  release = (held: Held) => this.#operator.release(held);
  scroll = (direction: Direction) => this.#operator.scroll(direction, 1);
  type = (text: string) => this.#operator.type(text);
  screen = () => Promise.resolve(this.#operator.screen());
  windows = () => listWindows(this.#operator);

  async changeWindow(id: string, change: WindowCall): Promise<void> {
    await changeWindow(this.#operator, {
      query: { id },
      change: { to: STATES[change] },
      timeoutMs: TIMEOUT_MS,
      signal: new AbortController().signal,
    });
  }

  async placeWindow(id: string, region: Partial<Region>): Promise<void> {
    await changeWindow(this.#operator, {
      query: { id },
      change: { to: "placed", region },
      timeoutMs: TIMEOUT_MS,
      signal: new AbortController().signal,
    });
  }

  async letGo(continued: Promise<void>): Promise<void> {
    await this.#operator.letGo(continued);
  }

  async close(): Promise<void> {
    try {
      await this.desktop.keyboard.restore();
    } catch (error) {
      if (!(error instanceof ExpectedError)) throw error; // the desktop has ended; its last command said so
    }
    this.#operator.close();
    this.desktop.close();
  }
}
