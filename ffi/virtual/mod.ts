/** Opens virtual desktops. */

import {
  contains,
  type Desktop,
  type ElementChange,
  type ElementInfo,
  type Elements,
  type ElementTree,
  type LivePicture,
  type LoggedAction,
  type OwnPrograms,
  type Player,
  type Point,
  type WindowInfo,
} from "../../control/desktop/desktop.ts";
import { UsageError } from "../../core/errors.ts";
import { liveOfFrames, playOnThread } from "../on_thread.ts";
import { VirtualClipboard, VirtualKeyboard, VirtualObserver, VirtualPointer } from "./keyboard.ts";
import { Desk, isReactive, PROGRAM_NAMES } from "./desk.ts";
import { DEFAULT_SIZE, VirtualScreen } from "./screen.ts";
import type { DeskWindow, VirtualWindows } from "./windows.ts";
import type { Widget } from "./widgets.ts";

// The virtual desktop: a small desk in memory, for trying deskhand, for dry runs and for tests. Its programs
// react to input like real ones, and a log records every action in order.

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

  /** Does nothing, since the desk is only memory. */
  close(): void {}
}

/**
 * The desk's clock: the machine's, or one that stands still at DESKHAND_CLOCK, such as `2026-01-15T09:41`, so
 * that pictures of the desk are reproducible.
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

// The elements of the desk's windows, which are its widgets.

/** Reads and changes widgets; a key consists of the window's id and the widget's key. */
class VirtualElements implements Elements {
  readonly isUnobtrusive = true;
  readonly tellsLines = true;

  constructor(readonly desk: Desk) {}

  /** Also lists rows scrolled out of view, so that a caller can choose them. */
  read({ id }: WindowInfo, hidden: boolean): Promise<ElementTree> {
    const window = this.#window(id), elements = window ? elementsOf(window, hidden) : [];
    return Promise.resolve({ elements, places: "screen", isWhole: true });
  }

  reread({ id }: WindowInfo, key: string): Promise<ElementInfo | undefined> {
    const window = this.#window(id);
    return Promise.resolve(window && elementsOf(window, true).find((element) => element.key === key));
  }

  change(key: string, change: ElementChange): Promise<boolean> {
    const { window, widget } = this.#find(key);
    if (!window || !widget || !isReactive(widget) || this.desk.windows.dialogOf(window)) {
      return Promise.resolve(false);
    }
    const done = changed(window, widget, change);
    this.desk.revision++;
    return Promise.resolve(done);
  }

  hits(key: string, point: Point): Promise<boolean> {
    return Promise.resolve(this.desk.windowAt(point) === this.#find(key).window);
  }

  close(): void {}

  #window(id: string): DeskWindow | undefined {
    return this.desk.windows.all.find((window) => window.id === id);
  }

  #find(key: string): { window?: DeskWindow; widget?: Widget } {
    const cut = key.indexOf("/"), window = this.#window(key.slice(0, cut));
    const widget = window && widgetsOf(window, true).find((widget) => widget.key === key.slice(cut + 1));
    return { ...(window ? { window } : {}), ...(widget ? { widget } : {}) };
  }
}

/** @param hidden Whether to include the options of closed lists. */
function widgetsOf(window: DeskWindow, hidden: boolean): Widget[] {
  const isClosed = ({ key }: Widget) => window.open?.opener !== key;
  return window.view().flatMap((
    widget,
  ) => [widget, ...(hidden && isClosed(widget) && widget.options?.() || [])]);
}

function elementsOf(window: DeskWindow, hidden: boolean): ElementInfo[] {
  const { id, region, owner, program: { title } } = window;
  const root = {
    key: `${id}/`,
    role: owner ? "dialog" : "window",
    name: title,
    states: [],
    depth: 0,
    place: region,
  };
  const waits = window.stack.dialogOf(window) !== undefined;
  return [root, ...widgetsOf(window, hidden).map((widget) => elementOf(window, widget, waits))];
}

/** @param waits Whether the window is blocked by a dialog, so that nothing in it reacts. */
function elementOf(window: DeskWindow, widget: Widget, waits: boolean): ElementInfo {
  const { role, name, value, place, clip, depth = 1, states: own = [] } = widget;
  const states = waits && isReactive(widget) ? [...own, "disabled" as const] : own;
  const middle = { x: place.x + (place.width >> 1), y: place.y + (place.height >> 1) };
  const isHidden = clip !== undefined && !contains(clip, middle);
  const isFocused = widget.key === window.focused && window === window.stack.active;
  return {
    ...{ key: `${window.id}/${widget.key}`, role, name, depth, place: window.toScreen(place) },
    states: [
      ...states,
      ...(isFocused ? ["focused" as const] : []),
      ...(widget.field?.isMultiline ? ["multiline" as const] : []),
      ...(isHidden ? ["hidden" as const] : []),
    ],
    ...(value === undefined ? {} : { value }),
  };
}

/** Requests a change from a widget, as its program would make it. */
function changed(window: DeskWindow, widget: Widget, change: ElementChange): boolean {
  switch (change.type) {
    case "press":
    case "trigger":
    case "choose":
    case "select":
      widget.click?.();
      return widget.click !== undefined;
    case "focus":
      if (!widget.isFocusable) return false;
      window.stack.apply(window, { to: "active" });
      window.focused = widget.key;
      return true;
    case "scroll":
      widget.reveal?.();
      return widget.reveal !== undefined;
    case "set":
      return widget.set?.(change.text) ?? false;
    case "value":
      return widget.set?.(String(change.value)) ?? false;
  }
}
