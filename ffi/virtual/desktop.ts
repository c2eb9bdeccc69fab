/**
 * The virtual desktop: a small desk in memory, for trying deskhand, for dry runs and for tests. Its programs react to
 * input as real ones do, and a log keeps every action in order.
 */

import type {
  Desktop,
  Elements,
  LivePicture,
  LoggedAction,
  OwnPrograms,
  Player,
} from "../../control/desktop/desktop.ts";
import { UsageError } from "../../core/errors.ts";
import { liveOfFrames } from "../live/of_frames.ts";
import { playOnThread } from "../playback/on_thread.ts";
import { VirtualClipboard, VirtualKeyboard, VirtualPointer } from "./keyboard.ts";
import { Desk, PROGRAM_NAMES } from "./desk.ts";
import { VirtualElements } from "./elements.ts";
import { DEFAULT_SIZE, VirtualScreen } from "./screen.ts";
import type { VirtualWindows } from "./windows.ts";
import { VirtualObserver } from "./watch.ts";

/** A desktop in this thread's memory. */
export class VirtualDesktop implements Desktop {
  readonly kind = "virtual";
  readonly clipboard: VirtualClipboard = new VirtualClipboard();
  readonly desk: Desk;
  readonly screen: VirtualScreen;
  readonly observer: VirtualObserver = new VirtualObserver();
  readonly pointer: VirtualPointer;
  readonly keyboard: VirtualKeyboard;
  readonly playback: Player = playOnThread(this);
  readonly live: LivePicture;
  readonly windows: VirtualWindows;
  readonly elements: Elements;
  readonly programs: OwnPrograms = {
    names: PROGRAM_NAMES,
    start: (name) => this.desk.start(name).program.title,
    use: (folder) => this.windows.shared.files = folder,
  };

  /** @param size In pixels. */
  constructor({ width, height } = DEFAULT_SIZE) {
    this.desk = new Desk({ x: 0, y: 0, width, height }, this.clipboard, deskClock());
    this.screen = new VirtualScreen(this.desk);
    this.pointer = new VirtualPointer(this.desk, this.observer);
    this.keyboard = new VirtualKeyboard(this.desk, this.observer);
    this.live = liveOfFrames(this.screen);
    this.windows = this.desk.windows;
    this.elements = new VirtualElements(this.desk);
  }

  /** The last actions, at most 10,000. */
  get log(): readonly LoggedAction[] {
    return this.observer.log;
  }

  state(): string {
    return this.desk.state();
  }

  close(): void {
    this.observer.close();
  }
}

/**
 * The clock of the desk: the machine's, or one that stands at DESKHAND_CLOCK, such as `2026-01-15T09:41`, so that
 * pictures of the desk repeat.
 */
function deskClock(): () => Date {
  const text = Deno.env.get("DESKHAND_CLOCK");
  if (!text) return () => new Date();
  const fixed = new Date(text);
  if (Number.isNaN(fixed.getTime())) {
    throw new UsageError(
      `DESKHAND_CLOCK must be a time such as 2026-01-15T09:41, not ${JSON.stringify(text)}`,
    );
  }
  return () => fixed;
}
