/**
 * Reads whole programs in AT-SPI's own terms, as used by test suites: including hidden elements, layout and
 * identifiers. `reader.ts` reads windows for people and agents.
 */

import { StateError } from "../../core/errors.ts";
import type {
  ElementDetails,
  ProgramElement,
  ProgramParts,
  ProgramRequest,
  ProgramTree,
  Region,
  WindowInfo,
} from "../../control/desktop/desktop.ts";
import { intersection } from "../../control/desktop/input.ts";
import { Bounds, LIMITS, POPPING, Reading } from "./reader.ts";
import { askCache, type Item, stateBits } from "./cache.ts";
import { ask, keyOf, objectOf, property, type Ref, refOf, refsOf, ROOT_PATH } from "./objects.ts";
import { useOwnSocket } from "./bus.ts";
import { isShown, mayBeClosed, type PlaceMap, PlacesAsked, type Toolkit, toolkitOf } from "./places.ts";
import { isTop, type Program, textOf } from "./programs.ts";
import type { WindowReader } from "./window_reader.ts";
import { has, roleIn, roleName, roleTag, statesOf, stateWords } from "./roles.ts";
import { askLabels, numberOf, textCall } from "./values.ts";

/** Maximum number of cached elements. */
const REMEMBERED = 40_000;
/** The depth of elements that may fill a window, below the program. */
const WINDOW_DEPTH = 2;
/** AtspiRole for password fields and for programs. */
const PASSWORD = 40, APPLICATION = 75;

/** An element in the program's terms. */
interface RawNode extends Ref {
  role: number;
  name: string;
  description: string;
  id: string;
  states: readonly number[];
  children: RawNode[];
  place?: Region;
}

function rawNode({ app, path }: Ref): RawNode {
  return { app, path, role: 0, name: "", description: "", id: "", states: [], children: [] };
}

/** Reads programs over a window reader's connection. */
export class ProgramReader {
  /** Identifiers by element key, since each takes a call: they stay the same while the element exists. */
  readonly #ids = new Map<string, string>();
  /** Roles by element key, each with the states and the name that the element had at the time. */
  readonly #roles = new Map<string, { role: number; had: string }>();
  /** Whether programs support identifiers, by bus name. Debian 12's toolkits do not. */
  readonly #haveIds = new Map<string, boolean>();

  constructor(readonly windows: WindowReader) {}

  /** Reads programs, as defined by `Elements.readPrograms`. */
  read(request: ProgramRequest): ProgramTree {
    const programs = this.windows.programs.of(request.pids ? new Set(request.pids) : 0);
    if (request.watched) this.windows.watches.retain(this.windows.programs.known(0));
    for (const { app, pid } of programs) {
      useOwnSocket(this.windows.calls, app, pid);
      if (request.watched) this.windows.watches.begin(app);
    }
    const walk = new Walk(this, request), roots = programs.map((program) => walk.begin(program));
    walk.bounds.await(this.windows.calls);
    const tree: ProgramTree = { elements: [], places: "none", isWhole: walk.bounds.isWhole };
    const isRelative = request.windows.some(({ width }) => !width);
    roots.forEach((root, i) => this.#list(programs[i], root, walk, tree.elements));
    if (request.places && tree.elements.some(({ place }) => place)) {
      tree.places = isRelative ? "window" : "screen";
    }
    return tree;
  }

  /** Whether watched programs have reported no change. */
  isQuiet(pids: readonly number[] | undefined): boolean {
    return this.windows.watches.isQuiet(this.windows.programs.known(pids ? new Set(pids) : 0));
  }

  /**
   * Reads one element, as defined by `Elements.describe`. One that its program has removed from its window,
   * but still holds, counts as gone.
   * @throws StateError if its program does not answer.
   */
  describe(key: string, window: WindowInfo | undefined, isBrief: boolean): ElementDetails | undefined {
    const { calls } = this.windows, node = rawNode(objectOf(key)), found = window && this.#foundIn(window);
    const toolkit = found?.toolkit ?? toolkitOf("", ""), top = found?.content ?? found?.ref;
    const places = new PlacesAsked(calls), details: { text?: string; value?: number } = {};
    const root: { place?: Region } = {};
    let isOut = false, selected: string | undefined;
    this.ask(node, { ids: true, descriptions: true });
    calls.add(ask(node, "Accessible", "GetRole", (role) => {
      node.role = Number(role ?? 0);
      this.askLabel(node, () => selected = node.name);
      if (node.role === PASSWORD || isBrief) return; // not even the length of its text leaves the program
      calls.add(textCall(node, toolkit.clipsText, (call) => calls.add(call), (text) => {
        if (text !== undefined) details.text = text.replaceAll("\ufffc", "");
      }));
    }));
    const value = property(node, "Value", "CurrentValue", (value) => {
      const number = numberOf(value);
      if (number !== undefined) details.value = number;
    });
    if (!isBrief) calls.add(value);
    calls.add(
      property(node, "Accessible", "Parent", (parent) => isOut = Array.isArray(parent) && !refOf(parent)),
    );
    places.of(node, (place) => node.place = place);
    if (top) places.of(top, (place) => root.place = place);
    const isWhole = calls.run(LIMITS.ms);
    if (!node.role || !node.states.length) {
      if (!isWhole) throw new StateError("the element's program does not answer");
      return undefined;
    }
    if (!isBrief && selected !== undefined) details.text ??= selected;
    if (isOut && node.role !== APPLICATION && !isShown(toolkit, node.states)) return undefined;
    const part = mayBeClosed(toolkit, roleName(node.role))
      ? new Reading(calls, toolkit, false).partShown(node)
      : node.place;
    delete node.place;
    if (part && part !== "closed") node.place = part;
    const map = window && this.windows.mapOf(window, root, toolkit);
    const { parent: _, ...described } = elementOf(node, -1, toolkit, map ?? identity(window));
    if (part === "closed") described.isShown = false;
    return { ...described, ...(window ? { windowId: window.id } : {}), ...details };
  }

  #foundIn(window: WindowInfo) {
    return this.windows.foundAs(window.id) ??
      this.windows.among(this.windows.programs.of(window.pid ?? 0), window);
  }

  /**
   * Requests the properties of an element that no cache contains.
   * @param item The element as in the program's cache.
   * @param then Called when the states are known.
   */
  ask(node: RawNode, { ids, descriptions }: ProgramParts, item?: Item, then = () => {}): void {
    const { calls } = this.windows, key = keyOf(node);
    if (item) {
      then();
    } else {
      calls.add(property(node, "Accessible", "Name", (name) => node.name = textOf(name)));
      calls.add(ask(node, "Accessible", "GetState", (states) => {
        node.states = stateBits(states);
        then();
      }));
      if (descriptions) {
        calls.add(property(node, "Accessible", "Description", (text) => node.description = textOf(text)));
      }
    }
    if (!ids || this.#haveIds.get(node.app) === false) return;
    const known = this.#ids.get(key);
    if (known !== undefined) return void (node.id = known);
    calls.add(property(node, "Accessible", "AccessibleId", (id) => {
      if (id === undefined) return;
      node.id = textOf(id);
      remember(this.#ids, key, node.id);
    }));
  }

  /**
   * Requests the role of an element whose name and states are known. If they are the same as at the last
   * request, so is the role; a field switches to showing a password without changing either.
   */
  askRole(node: RawNode): void {
    const key = keyOf(node), had = `${node.states} ${node.name}`, last = this.#roles.get(key);
    if (last?.had === had) {
      node.role = last.role;
      return this.askLabel(node);
    }
    this.windows.calls.add(ask(node, "Accessible", "GetRole", (role) => {
      node.role = Number(role ?? 0);
      this.askLabel(node);
      if (node.role && !has(node.states, "editable")) remember(this.#roles, key, { role: node.role, had });
    }));
  }

  /**
   * Requests the label that names a field, as GTK 3 does not itself; GTK names a combo box after its selection.
   * @param then Called before the label becomes the name.
   */
  askLabel(node: RawNode, then = () => {}): void {
    const role = roleIn(roleName(node.role), node.states), name = role === "combobox" ? "" : node.name;
    askLabels(this.windows.calls, { ...node, role, name }, (label) => {
      then();
      node.name = label;
    });
  }

  /**
   * Determines from a program's first window whether the program supports identifiers, and then continues.
   */
  learnIds({ app, windows: [first] }: Program, then: () => void): void {
    if (!first || this.#haveIds.has(app)) return then();
    this.windows.calls.add(property(first, "Accessible", "AccessibleId", (id) => {
      this.#haveIds.set(app, id !== undefined);
      then();
    }));
  }

  /** Adds a program's elements in document order, each with its window and position. */
  #list(program: Program, root: RawNode, { parts, places }: Walk, into: ProgramElement[]): void {
    const { toolkit } = program, tops = new Map<string, { id: string; map: PlaceMap | undefined }>();
    for (const window of parts.windows) {
      if (window.pid !== undefined && window.pid !== program.pid) continue;
      const found = this.windows.among([program], window);
      const own = found && root.children.find(({ path }) => path === found.ref.path);
      if (!own || tops.has(own.path)) continue;
      const filling = own.place ? own : own.children.find(({ place }) => place) ?? own;
      found.content = filling;
      tops.set(own.path, { id: window.id, map: this.windows.mapOf(window, filling, toolkit) });
    }
    const [front] = tops.values();
    const add = (node: RawNode, parent: number, top: typeof front | undefined, part?: Region | "closed") => {
      const role = roleName(node.role), { place } = node, isClosed = part === "closed";
      const left = isClosed || !place || !part ? undefined : intersection(place, part);
      const { place: _, ...bare } = node, seen = part ? { ...bare, ...(left ? { place: left } : {}) } : node;
      const element = elementOf(seen, parent, toolkit, top ? top.map : identity(undefined));
      if (isClosed) element.isShown = false;
      const at = into.push(top ? { ...element, windowId: top.id } : element) - 1;
      const isOptions = toolkit.keepsOptions && parts.places && role === "list" && !place;
      const isNothing = isClosed || isOptions || toolkit.keepsClosed && places.nothing.has(node.path);
      const isPane = toolkit.keepsClosed && role === "scroll pane";
      const within = isNothing ? "closed" : POPPING.has(role) ? undefined : isPane ? left ?? place : part;
      for (const child of node.children) add(child, at, top, within);
    };
    const at = into.push(elementOf(root, -1, toolkit, undefined)) - 1;
    // Open menus and lists belong to a window, which the program does not name.
    root.children.forEach((top, i) =>
      add(top, at, tops.get(top.path) ?? (isTop(program.windows[i]) ? undefined : front))
    );
  }
}

function remember<T>(all: Map<string, T>, key: string, value: T): void {
  if (all.size >= REMEMBERED) all.clear();
  all.set(key, value);
}

/** One reading of programs. */
class Walk {
  readonly bounds = new Bounds();
  readonly places: PlacesAsked;

  constructor(readonly reader: ProgramReader, readonly parts: ProgramRequest) {
    this.places = new PlacesAsked(reader.windows.calls);
  }

  /** Adds the calls that read a program. */
  begin(program: Program): RawNode {
    const { app, name, toolkit } = program, { ids = false, descriptions = false } = this.parts;
    const root: RawNode = { ...rawNode({ app, path: ROOT_PATH }), role: APPLICATION, name };
    const readWindows = (items: Item[]) => {
      const cached = new Cached(items);
      for (const window of program.windows) {
        const node = rawNode(window);
        if (!this.bounds.take(node)) continue;
        root.children.push(node);
        this.#read(node, 1, cached, toolkit);
      }
    };
    const read = () => this.reader.windows.calls.add(askCache(app, readWindows, descriptions));
    if (this.parts.isShallow || toolkit.isUncached) readWindows([]);
    else if (ids) this.reader.learnIds(program, read);
    else read();
    return root;
  }

  #read(node: RawNode, depth: number, cached: Cached, toolkit: Toolkit): void {
    const { calls } = this.reader.windows, item = cached.items.get(node.path);
    if (item) {
      node.role = item.role;
      node.name = this.bounds.cut(item.name);
      node.states = item.states;
      node.description = this.bounds.cut(item.description ?? "");
    }
    this.reader.ask(node, this.parts, item, () => {
      if (item) this.reader.askLabel(node);
      else this.reader.askRole(node);
      // A window's position is the origin of all others.
      if (!this.parts.places || depth > WINDOW_DEPTH && !isShown(toolkit, node.states)) return;
      this.places.of(node, (place) => node.place = place);
    });
    if (this.parts.isShallow) return;
    const children = cached.children.get(node.path) ?? [];
    const isKnown = item !== undefined && item.count >= 0 && item.count <= children.length;
    const attach = (refs: Ref[]) => this.#attach(node, refs, depth, cached, toolkit);
    if (isKnown) return attach(children.map(({ path }) => ({ app: node.app, path })));
    calls.add(ask(node, "Accessible", "GetChildren", (value) => attach(refsOf(value))));
  }

  #attach(node: RawNode, refs: Ref[], depth: number, cached: Cached, toolkit: Toolkit): void {
    if (refs.length > LIMITS.children.shown || depth >= LIMITS.depth && refs.length) {
      this.bounds.isWhole = false;
    }
    if (depth >= LIMITS.depth) return;
    for (const ref of refs.slice(0, LIMITS.children.shown)) {
      const child = rawNode(ref);
      if (!this.bounds.take(child)) continue;
      node.children.push(child);
      this.#read(child, depth + 1, cached, toolkit);
    }
  }
}

/** A program's cache, by element path; empty for a toolkit without one. */
class Cached {
  readonly items: ReadonlyMap<string, Item>;
  readonly children = new Map<string, Item[]>();

  constructor(items: readonly Item[]) {
    this.items = new Map(items.map((item) => [item.path, item]));
    for (const item of items) {
      const siblings = this.children.get(item.parent) ?? [];
      siblings.push(item);
      this.children.set(item.parent, siblings);
    }
    for (const siblings of this.children.values()) siblings.sort((a, b) => a.index - b.index);
  }
}

function elementOf(
  { app, path, role, name, description, id, states, place }: RawNode,
  parent: number,
  toolkit: Toolkit,
  map: PlaceMap | undefined,
): ProgramElement {
  const aria = roleIn(roleName(role), states), shown = isShown(toolkit, states);
  const own = place && !toolkit.unplaced?.has(aria) ? map?.(place) : undefined;
  return {
    key: keyOf({ app, path }),
    parent,
    tag: roleTag(role),
    role: aria,
    name: toolkit.name(name),
    description,
    id,
    className: "",
    states: stateWords(states),
    isShown: has(states, "visible") && shown,
    isEnabled: !statesOf(states, shown, toolkit.usable).includes("disabled"),
    ...(own ? { place: own } : {}),
  };
}

/** Positions in a window that the desktop does not list are screen positions if the program says so. */
function identity(window: WindowInfo | undefined): PlaceMap | undefined {
  return window ? undefined : (place) => place;
}
