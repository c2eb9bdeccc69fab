/** Calls on a desktop: this process makes them, or a running deskhand does. */

import type {
  Direction,
  Held,
  Point,
  Region,
  ScreenLayout,
  WindowInfo,
} from "../../control/desktop/desktop.ts";

/** Changes of a window. */
export type WindowCall = "activate" | "minimize" | "maximize" | "fullscreen" | "restore" | "close";

/** The calls. Each rejects with an `ExpectedError` where it fails. */
export interface Calls {
  position(): Promise<Point>;
  move(point: Point): Promise<void>;
  press(held: Held): Promise<void>;
  release(held: Held): Promise<void>;
  scroll(direction: Direction): Promise<void>;
  type(text: string): Promise<void>;
  screen(): Promise<ScreenLayout>;
  /** The windows, the front one first. */
  windows(): Promise<WindowInfo[]>;
  changeWindow(id: string, change: WindowCall): Promise<void>;
  placeWindow(id: string, region: Partial<Region>): Promise<void>;
  close(): Promise<void>;
}
