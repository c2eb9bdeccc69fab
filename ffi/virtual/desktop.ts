/**
 * The virtual desktop: a screen in memory, for trying deskhand, for dry runs and for tests. Clicks, keys and text
 * leave marks on it, and a log keeps every action in order.
 */

import type { Desktop, LivePicture, LoggedAction, Player } from "../../control/desktop/desktop.ts";
import { liveOfFrames } from "../live/of_frames.ts";
import { playOnThread } from "../playback/on_thread.ts";
import { VirtualClipboard, VirtualKeyboard, VirtualPointer } from "./keyboard.ts";
import { VirtualScreen, type VirtualWindows } from "./screen.ts";
import { VirtualObserver } from "./watch.ts";

/** A desktop in this thread's memory. */
export class VirtualDesktop implements Desktop {
  readonly kind = "virtual";
  readonly screen: VirtualScreen = new VirtualScreen();
  readonly observer: VirtualObserver = new VirtualObserver();
  readonly pointer: VirtualPointer = new VirtualPointer(this.screen, this.observer);
  readonly keyboard: VirtualKeyboard = new VirtualKeyboard(this.screen, this.observer);
  readonly playback: Player = playOnThread(this);
  readonly live: LivePicture = liveOfFrames(this.screen);
  readonly windows: VirtualWindows = this.screen.windows;
  readonly clipboard: VirtualClipboard = new VirtualClipboard();

  /** The last actions, at most 10,000. */
  get log(): readonly LoggedAction[] {
    return this.observer.log;
  }

  close(): void {
    this.observer.close();
  }
}
