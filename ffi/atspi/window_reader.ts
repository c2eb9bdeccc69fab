/** Windows of the desktop as the accessibility bus shows them: found, read, and placed on the desktop. */

import { StateError } from "../../core/errors.ts";
import type { ElementInfo, ElementTree, Region, WindowInfo } from "../../control/desktop.ts";
import type { Calls } from "./calls.ts";
import type { Ref } from "./objects.ts";
import { type PlaceMap, screenMap, windowMap } from "./places.ts";
import { type AccessibleWindow, type Program, programsOf } from "./programs.ts";
import { type Node, Reading } from "./reader.ts";
import { roleIn, statesOf } from "./roles.ts";
import type { Toolkit } from "./toolkits.ts";
import { Watches } from "./watch.ts";

/** The origin of a desktop's places: X11 knows those of the screen, Wayland those of the window alone. */
export type Origin = "screen" | "window";

/** A window that was found. */
interface Found {
  ref: Ref;
  toolkit: Toolkit;
  /** Menus and lists that the program has open beside its windows. */
  popups: Ref[];
}

/** Reads windows over one connection. */
export class WindowReader {
  readonly #found = new Map<string, Found>();
  /** Windows about which it was asked whether they are the same. */
  readonly #followed = new Set<string>();
  readonly #watches: Watches;

  constructor(readonly calls: Calls, readonly origin: Origin) {
    this.#watches = new Watches(calls);
  }

  /** Reads a window and what its program has open beside it. */
  read(window: WindowInfo, hidden: boolean): ElementTree {
    const found = this.#find(window);
    if (typeof found === "string") return { elements: [], places: "none", isWhole: true, silent: found };
    const isFollowed = this.#followed.has(window.id);
    if (isFollowed) this.#watches.begin(found.ref.app);
    const { ref, toolkit, popups } = found, reading = new Reading(this.calls, toolkit, hidden);
    const root = reading.window(ref);
    const map = this.#mapOf(window, root, toolkit), elements: ElementInfo[] = [];
    flatten(root, 0, map, elements);
    for (const popup of popups) {
      const menu = reading.window(popup);
      if (menu.children.some(({ isShown }) => isShown)) flatten(menu, 1, map, elements);
    }
    if (isFollowed) this.#watches.seen(window.id, ref.app, nodesIn(root));
    const isEmpty = !root.children.length;
    const silent = isEmpty ? toolkit.silence ?? "its program has told of none" : undefined;
    const { isWhole } = reading;
    return { elements, places: this.#placesOf(window, elements), isWhole, ...(silent ? { silent } : {}) };
  }

  /**
   * Reads one element of a window again; undefined if it is gone.
   * @throws StateError if its program does not answer.
   */
  reread(window: WindowInfo, key: string): ElementInfo | undefined {
    const found = this.#found.get(window.id) ?? this.#find(window);
    if (typeof found === "string") return undefined;
    const { toolkit, ref } = found, reading = new Reading(this.calls, toolkit, false);
    const [node, root] = reading.some([objectOf(key), ref]);
    if (node && root) return infoOf(node, 0, this.#mapOf(window, root, toolkit));
    if (!reading.isWhole) {
      throw new StateError(`the program of ${JSON.stringify(window.title)} does not answer`);
    }
    return undefined;
  }

  /**
   * Tells whether a window is as it was when it was read last. The first question about a window is answered by no, and its
   * program is watched from the next reading on.
   */
  isSame(window: WindowInfo): boolean {
    const found = this.#found.get(window.id);
    if (found && this.#followed.has(window.id)) {
      return this.#watches.isSame(
        window.id,
        (nodes) => new Reading(this.calls, found.toolkit, false).places(nodes),
      );
    }
    this.#followed.add(window.id);
    return false;
  }

  #find(window: WindowInfo): Found | string {
    const programs = programsOf(this.calls, window.pid ?? 0);
    const candidates = programs.flatMap((program) =>
      program.windows.filter(isTop).map((ref) => ({ program, ref }))
    );
    const match = candidates.find(({ ref: { title } }) => title !== "" && title === window.title) ??
      (window.pid !== undefined && candidates.length === 1 ? candidates[0] : undefined);
    if (!match) return whyMissing(window, programs);
    const { program: { windows, toolkit }, ref } = match;
    const found = { ref, toolkit, popups: windows.filter((window) => !isTop(window)) };
    this.#found.set(window.id, found);
    return found;
  }

  #mapOf(window: WindowInfo, root: Node, toolkit: Toolkit): PlaceMap {
    if (!root.place || !window.width) return (place) => place;
    const isRelative = this.origin === "window" || toolkit.isRelative;
    return isRelative ? windowMap(window, root.place) : screenMap(window, root.place);
  }

  #placesOf(window: WindowInfo, elements: readonly ElementInfo[]): ElementTree["places"] {
    if (!elements.some(({ place }) => place)) return "none";
    return window.width ? "screen" : "window";
  }
}

/** Names an element: neither a unique name nor a path has a space. */
const keyOf = ({ app, path }: Ref) => `${app} ${path}`;

/** The object that a key names. */
export function objectOf(key: string): Ref {
  const [app, path] = key.split(" ");
  return { app, path };
}

/** Tells whether a window of a program is one of the desktop's, and no menu or list that is open. */
function isTop({ role }: AccessibleWindow): boolean {
  return role !== "window" && role !== "popup menu" && role !== "tooltip";
}

function whyMissing({ title, pid }: WindowInfo, programs: readonly Program[]): string {
  if (programs.some(({ windows }) => windows.length)) {
    return `none of its program's windows has the title ${title}`;
  }
  return pid === undefined || !programs.length
    ? "its program is not on the accessibility bus: a program of Qt must be started with " +
      "QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1, others may have no elements"
    : "its program does not answer";
}

function flatten(node: Node, depth: number, map: PlaceMap, into: ElementInfo[]): void {
  into.push(infoOf(node, depth, map));
  for (const child of node.children) {
    if (child.role) flatten(child, depth + 1, map, into);
  }
}

/** An element and all in it that were read. */
function nodesIn(node: Node): Node[] {
  return [node, ...node.children.flatMap(nodesIn)];
}

function infoOf(node: Node, depth: number, map: PlaceMap): ElementInfo {
  const { role, name, value, states, isShown, place } = node;
  return {
    key: keyOf(node),
    role: roleIn(role, states),
    name,
    ...(value === undefined ? {} : { value }),
    states: statesOf(states, isShown),
    depth,
    ...(place ? { place: map(place) satisfies Region } : {}),
  };
}
