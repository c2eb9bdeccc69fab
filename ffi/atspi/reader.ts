/**
 * Reads a window's elements: from the program's cache if that is complete, otherwise with calls. Hidden
 * elements are omitted unless the caller requests them.
 */

import type { Calls } from "./calls.ts";
import { ask, interfaceOf, keyOf, property, type Ref, refOf, refsOf, ROOT_PATH } from "./objects.ts";
import type { ElementInfo, Region } from "../../control/desktop/desktop.ts";
import { extentsCall, isShown, type PlaceMap, PlacesAsked, SCREEN, type Toolkit } from "./places.ts";
import { has, roleIn, roleName, statesOf } from "./roles.ts";
import { askCache, type Item, stateBits } from "./cache.ts";
import { intersection } from "../../control/desktop/input.ts";
import { isLayout, isText } from "../../control/desktop/elements.ts";
import { askCellText, askFormula, askShownCells, cellNamed, isSheet } from "./sheets.ts";
import { askChoice, askLabels, askNumber, isField, LONGEST_VALUE, numberCall, textCall } from "./values.ts";

/**
 * Limits of one reading: elements, depth, children of an element, rows of a list that are read one by one
 * (including hidden ones, if the caller requests them), characters of a name or value and of all together,
 * and milliseconds.
 */
export const LIMITS = {
  elements: 20_000,
  depth: 100,
  children: { shown: 2000, hidden: 20_000 },
  rows: { shown: 500, hidden: 4000 },
  characters: LONGEST_VALUE,
  allCharacters: 2_000_000,
  ms: 4000,
};
/** Elements up to this depth may fill the window, so their positions are always read. */
const CONTENT_DEPTH = 1;
/** Distance in pixels between the positions at which a long list's rows are requested. */
const ROW_STEP = 12;

/** Roles of elements that may contain their popovers. */
export const POPPING: ReadonlySet<string> = new Set([
  "button",
  "combobox",
  "menu",
  "menubutton",
  "togglebutton",
]);
/** States of which one is set while the menu of such an element, or in Qt of an entry, is open. */
const OPENED = ["checked", "pressed", "expanded"] as const, IN_USE = ["focused"] as const;
/** The role of password fields, whose text, like that of elements in them, is never read. */
const PASSWORD = "password";
/** Roles whose name says everything: the children of such elements are their label and picture. */
const SIMPLE = new Set(
  ("button,togglebutton,checkbox,radio,menuitem,menuitemcheckbox,menuitemradio,label,static,img,icon,separator," +
    "slider,switch,heading,cell,columnheader,rowheader,tooltip,progressbar").split(","),
);
/** Roles of such elements that may hold controls in a web page, such as a label around its field. */
const HOLDING = new Set(["label", "heading", "cell", "columnheader", "rowheader"]);
/** Roles of elements that may have a very large number of children. */
const LONG = new Set(["list", "listbox", "table", "tree", "treegrid", "spreadsheet", "document"]);
/** An element as read. */
export interface Node extends Ref {
  role: string;
  name: string;
  states: readonly number[];
  isShown: boolean;
  value?: string;
  /** A cell's formula. */
  formula?: string;
  /** The element's region as reported by the program. */
  place?: Region;
  children: Node[];
  /** The nearest listed ancestor. */
  around?: Node;
  /** Texts in the element, until its value is known, which they may repeat. */
  texts?: Node[];
  /** The number of children according to the program. */
  count?: number;
  /** Whether it holds what an open popover shows. */
  isPopover?: boolean;
}

/** An element about which nothing is known yet. */
export function nodeAt({ app, path }: Ref): Node {
  return { app, path, role: "", name: "", states: [], isShown: false, children: [] };
}

/** The limits of one reading: it visits each element once, and reads texts up to a maximum length. */
export class Bounds {
  /** Whether nothing was omitted. */
  isWhole = true;
  /** Whether a program did not answer in time. */
  isLate = false;
  #characters = 0;
  readonly #seen = new Set<string>();
  readonly #end = performance.now() + LIMITS.ms;

  /** Counts an element that has not been visited. Returns false for one that has, and at the limit. */
  take({ app, path }: Ref): boolean {
    const key = app + path;
    if (this.#seen.has(key)) return false;
    if (this.#seen.size >= LIMITS.elements) return this.isWhole = false;
    this.#seen.add(key);
    return true;
  }

  /** The beginning of a text, since a reading's texts are limited. */
  cut(text: string): string {
    const most = Math.min(LIMITS.characters, LIMITS.allCharacters - this.#characters);
    this.#characters += Math.min(most, text.length);
    if (most < LIMITS.characters && text.length > most) this.isWhole = false;
    return text.slice(0, most);
  }

  /** Waits for the answers to calls. */
  await(calls: Calls): void {
    if (!calls.run(this.#end - performance.now())) this.isLate = true;
    this.isWhole &&= !this.isLate;
  }
}

/** One reading of a window. */
export class Reading {
  readonly #bounds = new Bounds();
  readonly places: PlacesAsked;
  /** The spreadsheets visited. */
  readonly sheets: Ref[] = [];

  /** @param hidden Whether to read hidden elements as well. */
  constructor(readonly calls: Calls, readonly toolkit: Toolkit, readonly hidden: boolean) {
    this.places = new PlacesAsked(calls);
  }

  /** Whether everything requested was read. */
  get isWhole(): boolean {
    return this.#bounds.isWhole;
  }

  /** Whether the program did not answer in time. */
  get isLate(): boolean {
    return this.#bounds.isLate;
  }

  /**
   * Reads a window, or a menu that belongs to it.
   * @param expected Elements whose positions are requested immediately, while the program's cache is still in
   * flight.
   * @returns The window's or menu's own element.
   */
  window(ref: Ref, expected: readonly Ref[] = []): Node {
    const root = nodeAt(ref);
    if (!this.#bounds.take(root)) return root;
    if (this.toolkit.isUncached) this.#read(root, 0);
    else this.calls.add(askCache(ref.app, (items) => this.#fromCache(root, items)));
    this.places.expect(expected);
    this.#bounds.await(this.calls);
    root.isShown = true;
    return root;
  }

  /** Reads elements without their children; undefined for each that is gone. */
  some(refs: readonly Ref[]): (Node | undefined)[] {
    const nodes = refs.map(nodeAt);
    for (const node of nodes) this.#describe(node, () => this.#details(node, 0));
    if (!this.calls.run(LIMITS.ms)) this.#bounds.isWhole = false;
    return nodes.map((node) => node.role !== "" && node.states.length > 0 ? node : undefined);
  }

  /**
   * The part of an element's place that its containers show: `closed` if one has no size, such as a closed popover
   * of GTK 4.8, whose contents keep their positions and states; undefined if it is scrolled out of view.
   */
  partShown(ref: Pick<Node, "app" | "path" | "place">): Region | "closed" | undefined {
    const { toolkit: { popover } } = this;
    const around: { role: string; extents: number[] }[] = [];
    let isInPopover = false;
    const climb = (from: Ref, left: number) =>
      this.calls.add(property(from, "Accessible", "Parent", (value) => {
        const parent = refOf(value), one = { role: "", extents: [] as number[] };
        if (!parent || parent.app !== ref.app || parent.path === ROOT_PATH || !left) return;
        around.push(one);
        this.calls.add(extentsCall(parent, (extents) => one.extents = extents));
        this.calls.add(ask(parent, "Accessible", "GetRole", (role) => one.role = roleName(Number(role))));
        if (popover) {
          this.calls.add(property(parent, "Accessible", "Name", (it) => isInPopover ||= it === popover));
        }
        climb(parent, left - 1);
      }));
    climb(ref, LIMITS.depth);
    this.calls.run(LIMITS.ms);
    if (around.some(({ extents: [, , width, height] }) => width === 0 && height === 0)) return "closed";
    let part = isInPopover ? undefined : ref.place;
    for (const { role, extents: [x, y, width, height] } of around) {
      if (POPPING.has(role) || !part) break; // a popover extends beyond what its button is scrolled in
      if (this.toolkit.keepsClosed && role === "scroll pane") {
        part = intersection(part, { x, y, width, height });
      }
    }
    return part;
  }

  /** The elements' current regions, as reported by their program. */
  placesOf(nodes: readonly Node[]): (Region | undefined)[] {
    const places: (Region | undefined)[] = nodes.map(() => undefined);
    nodes.forEach((node, i) => this.places.of(node, (place) => places[i] = place));
    this.calls.run(LIMITS.ms);
    return places;
  }

  #fromCache(root: Node, items: Item[]): void {
    const nodes = new Map<string, Node>([[root.path, root]]), children = new Map<string, [number, Node][]>();
    for (const { path, parent, index, count, name, role, states } of items) {
      const node = nodes.get(path) ?? nodeAt({ app: root.app, path });
      nodes.set(path, node);
      this.#name(node, name);
      node.role = roleName(role);
      node.states = states;
      node.count = count;
      node.isShown = isShown(this.toolkit, states);
      const siblings = children.get(parent) ?? [];
      children.set(parent, siblings);
      siblings.push([index, node]);
    }
    if (!root.role) return this.#read(root, 0); // Qt's cache does not even contain the window
    root.isShown = true;
    this.#attach(root, children, 0);
    if (this.toolkit.hasInnerDialogs) this.#askChildren(root, 0);
  }

  #attach(node: Node, children: ReadonlyMap<string, [number, Node][]>, depth: number): void {
    if (!node.isShown && !this.hidden || depth > LIMITS.depth) return;
    this.#details(node, depth);
    if (node.role === PASSWORD) return;
    // A cache counts the children neither of a spreadsheet nor of a GTK 3 list: the table itself does.
    if (isSheet(node.role, node.count ?? 0)) return this.#readChildren(node, depth);
    const own = (children.get(node.path) ?? []).sort(([a], [b]) => a - b);
    // GTK 4.8 keeps a closed popover in its cache, behind the children that its button has.
    const { count: said = -1 } = node, most = this.toolkit.keepsClosed && said >= 0 ? said : Infinity;
    for (const [index, child] of own) {
      if (index >= most || !this.#bounds.take(child)) continue;
      addChild(node, child, depth);
      this.#attach(child, children, depth + 1);
    }
    // A program's cache contains only the children that the program has visited; the count is -1 if rows are
    // created on demand.
    const { count = 0 } = node, isWhole = count >= 0 && count <= node.children.length;
    if (!isWhole && !this.#isSimple(node)) this.#readChildren(node, depth);
  }

  #read(node: Node, depth: number): void {
    this.#describe(node, () => {
      if (depth === 0) node.isShown = true;
      if (!node.isShown && !this.hidden) return;
      this.#details(node, depth);
      if (!this.#isSimple(node) && node.role !== PASSWORD) this.#readChildren(node, depth);
    });
  }

  /** Reads role, name and states. */
  #describe(node: Node, then: () => void): void {
    let missing = 3;
    const known = () => {
      if (!--missing) then();
    };
    this.calls.add(ask(node, "Accessible", "GetState", (value) => {
      node.states = stateBits(value);
      node.isShown = isShown(this.toolkit, node.states);
      known();
    }));
    this.calls.add(ask(node, "Accessible", "GetRole", (value) => {
      node.role = typeof value === "number" ? roleName(value) : "";
      known();
    }));
    this.calls.add(property(node, "Accessible", "Name", (value) => {
      this.#name(node, value);
      known();
    }));
  }

  #readChildren(node: Node, depth: number): void {
    if (depth >= LIMITS.depth) return;
    if (!LONG.has(node.role)) return this.#askChildren(node, depth);
    this.calls.add(property(node, "Accessible", "ChildCount", (count) => {
      if (isSheet(node.role, Number(count))) this.#readSheet(node, depth);
      else if (Number(count) > LIMITS.rows[this.hidden ? "hidden" : "shown"]) this.#askRows(node, depth);
      else if (Number(count)) this.#askChildren(node, depth);
    }));
  }

  #askChildren(node: Node, depth: number): void {
    this.calls.add(ask(node, "Accessible", "GetChildren", (value) => {
      const refs = refsOf(value), isPartKnown = node.children.length > 0;
      this.#add(node, refs, depth);
      if (!isPartKnown) return;
      const order = new Map(refs.map(({ path }, i) => [path, i]));
      node.children.sort((a, b) => (order.get(a.path) ?? -1) - (order.get(b.path) ?? -1));
    }));
  }

  #add(node: Node, refs: Ref[], depth: number): void {
    const most = LIMITS.children[this.hidden ? "hidden" : "shown"];
    if (refs.length > most) this.#bounds.isWhole = false;
    for (const ref of refs.slice(0, most)) {
      if (!this.#bounds.take(ref)) continue;
      const child = nodeAt(ref);
      addChild(node, child, depth);
      this.#read(child, depth + 1);
    }
  }

  /** Reads the spreadsheet cells that are on the screen and have a text. */
  #readSheet(node: Node, depth: number): void {
    this.sheets.push({ app: node.app, path: node.path });
    this.places.of(
      node,
      (place) => askShownCells(this.calls, node, place, (ref) => this.#add(node, [ref], depth)),
    );
  }

  /** Reads the visible rows of a very long list, by requesting the elements at positions in the list. */
  #askRows(node: Node, depth: number): void {
    this.places.of(node, ({ x, y, width, height }) => {
      for (let at = ROW_STEP / 2; at < Math.min(height, 4000); at += ROW_STEP) {
        this.calls.add({
          object: interfaceOf(node, "Component"),
          member: "GetAccessibleAtPoint",
          signature: "iiu",
          args: [x + Math.min(30, width >> 1), y + Math.round(at), SCREEN],
          then: (values) => this.#add(node, refsOf(values), depth),
        });
      }
    });
  }

  /**
   * Reads position and value. No text is requested for a password: not even its length leaves the program.
   */
  #details(node: Node, depth: number): void {
    this.#place(node, depth);
    const role = roleIn(node.role, node.states);
    askLabels(this.calls, { ...node, role }, (name) => node.name = this.#text(name));
    const number = numberCall(node, node.role, (value) => node.value = value);
    if (number) this.calls.add(number);
    if (node.role === "cell" && cellNamed(node.name)) {
      askCellText(this.calls, node, (text) => node.value = this.#bounds.cut(text));
      askFormula(this.calls, node, (formula) => {
        if (formula !== undefined) node.formula = this.#bounds.cut(formula);
      });
    }
    if (!isField(node.role)) return;
    node.texts = [];
    // LibreOffice, which reports itself as GTK 3, does not clip a paragraph's text.
    const isClipped = this.toolkit.clipsText && node.role !== "paragraph";
    this.calls.add(textCall(node, isClipped, (call) => this.calls.add(call), (text) => {
      if (text !== undefined) node.value = this.#bounds.cut(text).replaceAll("\ufffc", "");
      // Chromium reports no text for the parts of a date.
      const isPart = node.value === "" && node.role === "spinbutton" && !has(node.states, "editable");
      if (isPart) this.calls.add(askNumber(node, (value) => node.value = value));
      if (!node.value && node.role === "combobox") {
        askChoice(this.calls, node, (name) => node.value = this.#text(name));
      }
      const texts = node.texts!;
      delete node.texts;
      for (const one of texts) this.#place(one, depth + 1);
    }));
  }

  /** Reads an element's position, if the element will be listed. */
  #place(node: Node, depth: number): void {
    const { around } = node;
    if (around?.texts && isText(node)) around.texts.push(node);
    else if (depth <= CONTENT_DEPTH || !isUnlisted(node, depth)) {
      this.places.of(node, (place) => node.place = place);
    }
  }

  /** Whether an element's children are only its label and picture. */
  #isSimple({ role, name, states }: Node): boolean {
    const opened = role === "menuitem" ? IN_USE : POPPING.has(role) ? OPENED : [];
    if (this.toolkit.showsMenus && opened.some((state) => has(states, state))) return false;
    return SIMPLE.has(role) && name !== "" && !(this.toolkit.isWeb && HOLDING.has(role));
  }

  #name(node: Node, value: unknown): void {
    node.name = this.#text(value);
    if (value !== undefined && value === this.toolkit.popover) node.isPopover = true;
  }

  #text(value: unknown): string {
    return typeof value === "string" ? this.toolkit.name(this.#bounds.cut(value)) : "";
  }
}

function addChild(node: Node, child: Node, depth: number): void {
  node.children.push(child);
  child.around = isUnlisted(node, depth) ? node.around : node;
}

function isUnlisted(node: Node, depth: number): boolean {
  const { role, states, name, value, around } = node;
  return isLayout(
    { role: roleIn(role, states), name, ...(value === undefined ? {} : { value }), depth },
    around,
  );
}

// Elements in the form in which callers receive them.

/** The data for describing a program's elements: its toolkit, and their positions. */
interface View {
  toolkit: Toolkit;
  map: PlaceMap | undefined;
}

/** An element and all its descendants that were read. */
export function nodesIn(node: Node): Node[] {
  return [node, ...node.children.flatMap(nodesIn)];
}

/** Adds an element and its descendants to a list. @param depth The element's depth in its window. */
export function flatten(node: Node, depth: number, view: View, into: ElementInfo[]): void {
  into.push(infoOf(node, depth, view));
  const isClosed = view.toolkit.keepsOptions && node.role === "list" && !node.place;
  for (const child of node.children) {
    if (isClosed) child.isShown = false;
    if (isClosed) delete child.place;
    if (child.role && !isGhost(child, view)) flatten(child, depth + 1, view, into);
  }
}

/**
 * Whether a menu bar takes up no space: LibreOffice has such a bar in addition to its real one, with menus
 * that overlap its toolbars (7.4, GTK 3).
 */
function isGhost({ role, place }: Node, { map }: View): boolean {
  return role === "menubar" && !place && map !== undefined;
}

/** Describes an element. @param depth Its depth in its window. */
export function infoOf(node: Node, depth: number, { map, toolkit: { usable, unplaced } }: View): ElementInfo {
  const { name, value, formula, states, isShown, place } = node, role = roleIn(node.role, states);
  return {
    key: keyOf(node),
    role,
    name,
    ...(value === undefined ? {} : { value }),
    ...(formula === undefined || formula === value ? {} : { formula }),
    states: statesOf(states, isShown, usable).filter((state) => state !== "multiline" || role === "textbox"),
    depth,
    ...(place && map && !unplaced?.has(node.role) ? { place: map(place) satisfies Region } : {}),
  };
}
