/** The desktop's windows as shown by the accessibility bus: found, read, and placed on the desktop. */

import type {
  ElementDialog,
  ElementInfo,
  ElementTree,
  Region,
  WindowInfo,
} from "../../control/desktop/desktop.ts";
import { timeByLoad } from "../../core/proc.ts";
import { QUIRKS } from "../quirks.ts";
import { useOwnSocket } from "./bus.ts";
import type { Calls } from "./calls.ts";
import { ancestorsOf } from "./changes.ts";
import { ask, embeddedIn, idOf, objectOf, type Ref, refsOf } from "./objects.ts";
import { isShown, mayBeClosed, type PlaceMap, placeMap, type Toolkit } from "./places.ts";
import {
  type AccessibleWindow,
  isTop,
  menusIn,
  NO_ANSWER,
  notAnswering,
  openMenus,
  type Program,
  Programs,
  whyMissing,
  withoutWrongPlaces,
} from "./programs.ts";
import { flatten, infoOf, LIMITS, type Node, nodeAt, nodesIn, Reading } from "./reader.ts";
import { has } from "./roles.ts";
import { askCell, cellNamed } from "./sheets.ts";
import { Watches } from "./watch.ts";

/** The origin of a desktop's positions: on X11 they are relative to the screen, on Wayland to the window. */
export type Origin = "screen" | "window";

/** A found window. */
interface Found {
  ref: Ref;
  toolkit: Toolkit;
  pid: number;
  /** The program's open menus and lists, which are separate from its windows. */
  popups: Ref[];
  /** The menus, lists and popovers that were open at the last reading, unless it was late, with what opens them. */
  open?: readonly Ref[];
  /** Its title, if the desktop and the program agree on it. */
  title?: string | undefined;
  /** The spreadsheets visited by the last reading. */
  sheets?: readonly Ref[];
  /** The element that fills the window, if the window's own element has no position, as in Java. */
  content?: Ref;
}

/** A window that may be the one sought. */
interface Candidate {
  program: Program;
  ref: AccessibleWindow;
}

/** The elements whose positions a reading needed, and whether it included hidden elements. */
interface Placed {
  refs: readonly Ref[];
  hidden: boolean;
}

/** Maximum number of windows whose positions are cached. */
const REMEMBERED = 8;

/** A window as described by its program, for desktops that do not list windows. */
export interface ListedAccessible {
  /** Identifies the window in place of the desktop's number. */
  id: string;
  title: string;
  /** The program's name. */
  class: string;
  pid: number;
  isActive: boolean;
  /** The element's region as reported by the program: the size is correct, the position may not be. */
  place?: Region;
}

/** Maximum distance in pixels between the corner of a window with its frame and that of its element. */
const FRAME = 80;
/** Maximum time for a cell by name, or a program's windows, in milliseconds; longer on a busy machine. */
const NAMED_MS = 2000;
/** How deep in a browser's dialog its name and its message may be. */
const NAME_DEPTH = 3, BOX_DEPTH = 5;

/** Reads windows over one connection. */
export class WindowReader {
  readonly #found = new Map<string, Found>();
  /** Windows whose identity has been checked. */
  readonly #followed = new Set<string>();
  /** The dialog of Chromium that was last seen, and when first. */
  #opened: { path: string; at: number } | undefined;
  /** The page of Firefox that was last looked at, by path, and the part of the window that holds it. */
  #pane: { page: string; ref: Ref | undefined } | undefined;
  /** The positions of the newest readings, by window number. */
  readonly #placed = new Map<string, Placed>();
  readonly watches: Watches;
  readonly programs: Programs;
  /** Desktop pixels per program pixel. */
  scale = 1;

  constructor(readonly calls: Calls, readonly origin: Origin) {
    this.watches = new Watches(calls);
    this.programs = new Programs(calls);
  }

  /** Reads a window, and its program's open menus and lists. */
  read(window: WindowInfo, hidden: boolean): ElementTree {
    const early = this.#readEarly(window, hidden), found = early?.found ?? this.#find(window);
    if (typeof found === "string") return { elements: [], places: "none", isWhole: true, silent: found };
    const { ref, toolkit, popups } = found,
      { reading, root } = early ?? this.#readFound(window, found, hidden);
    if (!root.role) {
      return { elements: [], places: "none", isWhole: false, isLate: true, silent: NO_ANSWER };
    }
    if (toolkit.popover) withoutWrongPlaces(root);
    const filling = root.place ? root : root.children.find(({ place }) => place) ?? root;
    found.content = filling;
    found.sheets = reading.sheets;
    this.#remember(window.id, { refs: reading.places.needed, hidden });
    const view = { toolkit, map: this.mapOf(window, filling, toolkit) }, elements: ElementInfo[] = [];
    flatten(root, 0, view, elements);
    const menus = menusIn(reading, popups);
    for (const menu of menus) flatten(menu, 1, view, elements);
    found.open = reading.isLate ? undefined : openMenus([root, ...menus], toolkit);
    if (this.#followed.has(window.id)) this.watches.seen(window.id, ref.app, nodesIn(root));
    const { isWhole, isLate } = reading, late = isLate ? { isLate } : {}, isEmpty = !root.children.length;
    const none = isWhole ? toolkit.silence ?? "its program has reported none" : NO_ANSWER;
    const silent = isEmpty ? none : undefined;
    const places = this.#placesOf(window, elements);
    return { elements, places, isWhole, ...late, ...(silent ? { silent } : {}) };
  }

  /**
   * Reads a window where it was last found, together with the program's windows, which show whether it is
   * still the same window. The registry is not asked, since that would take longer than a small window.
   * @returns undefined if it is not, or its program does not answer.
   */
  #readEarly(window: WindowInfo, hidden: boolean) {
    const last = this.#found.get(window.id);
    if (!last) return undefined;
    this.#prepare(window, last);
    const programs = this.programs.beginKnown(last.ref.app), read = this.#readFound(window, last, hidden);
    const found = this.#find(window, programs), { ref } = last;
    if (typeof found === "string" || found.ref.app !== ref.app || found.ref.path !== ref.path) {
      return undefined;
    }
    return read.root.role ? { found, ...read } : undefined;
  }

  #readFound(window: WindowInfo, found: Found, hidden: boolean): { reading: Reading; root: Node } {
    this.#prepare(window, found);
    const reading = new Reading(this.calls, found.toolkit, hidden);
    const placed = this.#placed.get(window.id), expected = placed?.hidden === hidden ? placed.refs : [];
    return { reading, root: reading.window(found.ref, expected) };
  }

  #remember(id: string, placed: Placed): void {
    this.#placed.delete(id); // the newest is last
    this.#placed.set(id, placed);
    if (this.#placed.size > REMEMBERED) this.#placed.delete(this.#placed.keys().next().value!);
  }

  /** Has a program watched, if necessary, and called over its own socket. */
  #prepare({ id }: WindowInfo, { ref: { app }, pid }: Found): void {
    if (this.#followed.has(id)) this.watches.begin(app);
    useOwnSocket(this.calls, app, pid);
  }

  /**
   * Reads one element of a window again; undefined if it is gone.
   * @throws StateError if its program does not answer.
   */
  reread(window: WindowInfo, key: string): ElementInfo | undefined {
    const found = this.#found.get(window.id) ?? this.#find(window);
    if (typeof found === "string") return undefined;
    const { toolkit, ref, content = ref } = found, reading = new Reading(this.calls, toolkit, false);
    const [node, root] = reading.some([objectOf(key), content]);
    if (node && mayBeClosed(toolkit, node.role)) {
      const part = reading.partShown(node);
      delete node.place;
      if (part === "closed") node.isShown = false;
      else if (part) node.place = part;
    }
    if (node && root) return infoOf(node, 0, { toolkit, map: this.mapOf(window, root, toolkit) });
    if (!reading.isWhole) {
      throw notAnswering(window);
    }
    return undefined;
  }

  /** Reads a cell of a window's spreadsheets, even off the screen; undefined if none has that name. */
  named(window: WindowInfo, name: string): ElementInfo | undefined {
    const found = this.#found.get(window.id), cell = cellNamed(name);
    if (!found || !cell) return undefined;
    const { toolkit, ref, content = ref, sheets = [] } = found, refs: Ref[] = [];
    for (const sheet of sheets) askCell(this.calls, sheet, cell, (ref) => ref && refs.push(ref));
    this.calls.run(timeByLoad(NAMED_MS));
    const [root, ...nodes] = new Reading(this.calls, toolkit, true).some([content, ...refs]);
    const node = nodes.find((node) => node?.name.toUpperCase() === name.toUpperCase());
    return node && root && infoOf(node, 0, { toolkit, map: this.mapOf(window, root, toolkit) });
  }

  /**
   * Whether a window has not changed since the last reading. The first answer for a window is false, and its
   * program is watched from the next reading on.
   */
  isSame(window: WindowInfo): boolean {
    const found = this.#found.get(window.id);
    if (found && this.#followed.has(window.id)) {
      return this.watches.isSame(
        window.id,
        (nodes) => new Reading(this.calls, found.toolkit, false).placesOf(nodes),
      );
    }
    this.#followed.add(window.id);
    return false;
  }

  /** Whether a menu takes an element's presses, as defined by `Elements.isUnderMenu`. */
  isUnderMenu(window: WindowInfo, key: string, isRead: boolean): boolean {
    const last = this.#found.get(window.id);
    if (!last?.toolkit.showsMenus || last.toolkit.isUncached) return false;
    const open = isRead && last.open || this.#openNow(window, last);
    if (!open.length) return false;
    const own = objectOf(key), around = [own, ...ancestorsOf(this.calls, own, LIMITS.depth)];
    return !open.some(({ path }) => around.some((one) => one.path === path));
  }

  /** The menus, lists and popovers that are open now. The reading is not one that a watch compares with. */
  #openNow(window: WindowInfo, { ref, toolkit }: Found): readonly Ref[] {
    const programs = this.programs.beginKnown(ref.app), reading = new Reading(this.calls, toolkit, false);
    const root = reading.window(ref), { popups = [] } = this.among(programs, window) ?? {};
    const open = openMenus([root, ...menusIn(reading, popups)], toolkit);
    if (reading.isLate) {
      throw notAnswering(window);
    }
    return open;
  }

  /** Finds the dialog that blocks a window, as defined by `Elements.dialogOver`. */
  dialogOver(window: WindowInfo, isAlone: boolean, key?: string): ElementDialog | undefined {
    const last = this.#found.get(window.id), inner = last && this.#innerDialog(last, key);
    if (!last || inner || isAlone) return inner;
    const [program] = this.programs.beginKnown(last.ref.app);
    if (!program || !this.calls.run(timeByLoad(NAMED_MS))) return undefined;
    const found = this.among([program], window), { toolkit } = program;
    const shown = program.windows.filter((one) => isTop(one) && isShown(toolkit, one.states));
    const others = shown.filter(({ path }) => path !== found?.ref.path);
    const isOne = shown.length === 2 && others.length === 1;
    return isOne && has(others[0].states, "modal") ? { title: others[0].title } : undefined;
  }

  /**
   * Finds a modal popover of GTK 3 in a window, or a browser's dialog. The dialog has no window of its own, is not
   * reported as modal, and blocks only the page, except for one that Firefox shows over the whole window.
   */
  #innerDialog({ ref, toolkit }: Found, key: string | undefined): ElementDialog | undefined {
    if (!toolkit.isWeb && !toolkit.hasInnerPopovers) return undefined;
    const { calls } = this;
    let page: Ref | undefined, dialog: Node | undefined, dialogs: Node[] = [];
    calls.add(ask(ref, "Accessible", "GetRelationSet", (relations) => page = embeddedIn(relations)));
    const own = this.#childrenOf([ref]);
    let area = page;
    if (toolkit.hasInnerDialogs) {
      dialogs = this.#shown(own, toolkit).filter(({ role }) => role === "dialog");
      // Bubbles, such as the one that adds a bookmark, block nothing.
      dialog = dialogs.find((one) => this.#ofClass("MessageBoxView", [one], BOX_DEPTH).length);
    } else if (page) {
      area = this.#paneOf(page);
      const beside = area ? this.#childrenOf([area]) : [];
      if (beside.length > 1) dialog = this.#shown(this.#ofClass("dialogFrame", beside), toolkit).at(-1);
    } else {
      dialog = this.#shown(own, toolkit).find(({ states }) => has(states, "modal"));
    }
    if (!dialog && !dialogs.length) return undefined;
    const around = key === undefined ? [] : ancestorsOf(calls, objectOf(key), LIMITS.depth);
    const isIn = (one: Ref) => around.some(({ path }) => path === one.path);
    const held = dialogs.find(isIn);
    if (held) return this.#ignoring(held);
    if (!dialog || key !== undefined && (isIn(dialog) || area && !isIn(area))) return undefined;
    return { title: this.#nameIn(dialog, toolkit), isPopover: !toolkit.isWeb };
  }

  /** How long a dialog still ignores presses; undefined if it accepts them. */
  #ignoring({ path, name }: Node): ElementDialog | undefined {
    const now = performance.now();
    if (this.#opened?.path !== path) this.#opened = { path, at: now };
    const ignoresMs = this.#opened.at + QUIRKS.ignoredPresses.ms - now;
    return ignoresMs > 0 ? { title: name, ignoresMs } : undefined;
  }

  /** The children of elements. Calls that were added before are sent with theirs. */
  #childrenOf(refs: readonly Ref[]): Ref[] {
    const children: Ref[][] = refs.map(() => []);
    refs.forEach((ref, i) =>
      this.calls.add(ask(ref, "Accessible", "GetChildren", (value) => {
        children[i] = refsOf(value, LIMITS.children.shown);
      }))
    );
    this.calls.run(timeByLoad(NAMED_MS));
    return children.flat();
  }

  #shown(refs: readonly Ref[], toolkit: Toolkit): Node[] {
    return new Reading(this.calls, toolkit, false).some(refs).filter((node) => node?.isShown) as Node[];
  }

  /** The elements of a class, as browsers report it, among elements and their descendants. */
  #ofClass(name: string, refs: readonly Ref[], depth = 0): Ref[] {
    const found: Ref[] = [];
    for (const ref of refs) {
      this.calls.add(ask(ref, "Accessible", "GetAttributes", (value) => {
        if (value instanceof Map && value.get("class") === name) found.push(ref);
      }));
    }
    const children = this.#childrenOf(depth ? refs : []);
    return found.length || !children.length ? found : this.#ofClass(name, children, depth - 1);
  }

  /** The part of Firefox's window that holds a page and the dialogs over it. */
  #paneOf(page: Ref): Ref | undefined {
    if (this.#pane?.page !== page.path) {
      this.#pane = { page: page.path, ref: ancestorsOf(this.calls, page, 2)[1] };
    }
    return this.#pane.ref;
  }

  /** The name of a dialog, or of the first element in it that has one. */
  #nameIn(dialog: Node, toolkit: Toolkit): string {
    for (let node: Node | undefined = dialog, depth = 0; node && depth < NAME_DEPTH; depth++) {
      if (node.name) return node.name;
      [node] = this.#shown(this.#childrenOf([node]), toolkit);
    }
    return "";
  }

  /** The windows that programs expose. A program that does not answer has those that it had last. */
  windows(): ListedAccessible[] {
    return this.programs.of(0).flatMap(({ name, pid, toolkit, windows }) => {
      const shown = windows.filter((window) => isTop(window) && isShown(toolkit, window.states));
      const roots = new Reading(this.calls, toolkit, false).some(shown);
      return shown.map((window, i): ListedAccessible => ({
        id: idOf(window),
        title: window.title,
        class: name,
        pid,
        isActive: has(window.states, "active"),
        ...(roots[i]?.place ? { place: roots[i].place } : {}),
      }));
    });
  }

  /** @returns The reason in words if the window is not found. */
  #find(window: WindowInfo, programs = this.programs.of(window.pid ?? 0)): Found | string {
    return this.among(programs, window) ?? whyMissing(window, programs, this.calls.silent);
  }

  /** Finds a window among those of recently read programs; undefined if it is none of them. */
  among(programs: readonly Program[], window: WindowInfo): Found | undefined {
    const candidates = programs.flatMap((program) =>
      program.windows.filter(isTop).map((ref) => ({ program, ref }))
    );
    const titled = candidates.filter(({ ref: { title } }) => title !== "" && title === window.title);
    const free = candidates.filter(({ ref }) => !this.#isOther(ref, window));
    const isAlike = ({ ref: { states } }: Candidate) => has(states, "active") === window.active;
    const match = candidates.find(({ ref }) => idOf(ref) === window.id) ??
      titled.find((one) => free.includes(one) && isAlike(one)) ??
      (titled.length ? this.#amongTitled(window, titled, free) : undefined) ??
      (window.pid !== undefined && free.length === 1 ? free[0] : undefined) ??
      this.#untitled(window, free);
    if (!match) return undefined;
    const { program: { windows, toolkit, pid }, ref } = match;
    const popups = windows.filter((window) => !isTop(window));
    const title = ref.title === window.title ? ref.title : undefined;
    const found: Found = { ref, toolkit, pid, popups, title };
    this.#found.set(window.id, found);
    return found;
  }

  /**
   * Whether a program's window was last found, by its title, as another one: a dialog may reach the bus late.
   */
  #isOther({ app, path, title }: AccessibleWindow, { id }: WindowInfo): boolean {
    return this.#found.entries().some(([other, found]) =>
      other !== id && found.title === title && found.ref.app === app && found.ref.path === path
    );
  }

  /**
   * The program's window with the title of the desktop's window, although one is active and the other is not,
   * or it was last found as another one. A question may have the title of its dialog on the desktop, but not
   * on the bus.
   */
  #amongTitled(
    window: WindowInfo,
    titled: readonly Candidate[],
    free: readonly Candidate[],
  ): Candidate | undefined {
    const [there] = this.#at(window, titled);
    return there ?? this.#untitled(window, free.filter((one) => !titled.includes(one))) ?? titled[0];
  }

  /**
   * The program's window at the desktop window's position, under another name: GTK message dialogs are called
   * "Question" or "Warning". If positions do not reveal it, the active window, if the desktop's window is
   * active.
   */
  #untitled(window: WindowInfo, candidates: readonly Candidate[]): Candidate | undefined {
    if (window.pid === undefined || !candidates.length) return undefined;
    const shown = candidates.filter(({ program, ref }) => isShown(program.toolkit, ref.states));
    const there = this.#at(window, shown);
    if (there.length === 1) return there[0];
    const active = (there.length ? there : shown).filter(({ ref }) => has(ref.states, "active"));
    return window.active && active.length === 1 ? active[0] : undefined;
  }

  /** The program's windows at the desktop window's position; none where programs do not know positions. */
  #at(window: WindowInfo, candidates: readonly Candidate[]): Candidate[] {
    if (this.origin !== "screen") return [];
    const places = candidates.map(({ program, ref }) =>
      new Reading(this.calls, program.toolkit, false).placesOf([nodeAt(ref)])[0]
    );
    const isAt = (place: Region | undefined) =>
      place !== undefined &&
      placeMap({ window, root: place, isRelative: false, scale: this.scale }) !== undefined &&
      Math.abs(place.x - window.x) <= FRAME && Math.abs(place.y - window.y) <= FRAME;
    return candidates.filter((_, i) => isAt(places[i]));
  }

  /** The window last found for one of the desktop's window numbers. */
  foundAs(id: string): Found | undefined {
    return this.#found.get(id);
  }

  /** @returns undefined if the positions of elements cannot be known. */
  mapOf(window: WindowInfo, root: Pick<Node, "place">, toolkit: Toolkit): PlaceMap | undefined {
    if (!window.width) return (place) => place;
    const isRelative = this.origin === "window" || toolkit.isRelative, { scale } = this;
    return root.place && placeMap({ window, root: root.place, isRelative, scale });
  }

  #placesOf(window: WindowInfo, elements: readonly ElementInfo[]): ElementTree["places"] {
    if (!elements.some(({ place }) => place)) return "none";
    return window.width ? "screen" : "window";
  }
}
