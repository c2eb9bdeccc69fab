/** The elements of the desk's windows: its widgets. */

import {
  contains,
  type ElementChange,
  type ElementInfo,
  type Elements,
  type ElementTree,
  type Point,
  type WindowInfo,
} from "../../control/desktop/desktop.ts";
import { type Desk, isReactive } from "./desk.ts";
import type { Widget } from "./widgets.ts";
import type { DeskWindow } from "./windows.ts";

/** Reads and changes widgets; keys are the window's id and the widget's key. */
export class VirtualElements implements Elements {
  readonly isUnobtrusive = true;

  constructor(readonly desk: Desk) {}

  /** Rows that are scrolled out of their list are listed too, so that a caller can choose them. */
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

/** @param hidden Whether the options of closed lists are among them. */
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
  return [root, ...widgetsOf(window, hidden).map((widget) => elementOf(window, widget))];
}

function elementOf(window: DeskWindow, widget: Widget): ElementInfo {
  const { role, name, value, place, clip, depth = 1, states = [] } = widget;
  const middle = { x: place.x + (place.width >> 1), y: place.y + (place.height >> 1) };
  const isHidden = clip !== undefined && !contains(clip, middle);
  const isFocused = widget.key === window.focused && window === window.stack.active;
  return {
    ...{ key: `${window.id}/${widget.key}`, role, name, depth, place: window.toScreen(place) },
    states: [...states, ...(isFocused ? ["focused" as const] : []), ...(isHidden ? ["hidden" as const] : [])],
    ...(value === undefined ? {} : { value }),
  };
}

/** Asks a widget for a change, as its program would do it. */
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
