/**
 * Reads the elements of a window: from the program's cache where that is complete, and otherwise by calls. Hidden
 * elements are left out unless the caller wants them.
 */

import type { Region } from "../../control/desktop.ts";
import { isLayout, isText } from "../../control/elements/layout.ts";
import { askCache, type Item, statesOf } from "./cache.ts";
import type { Calls } from "./calls.ts";
import { ask, interfaceOf, property, type Ref, refsOf } from "./objects.ts";
import { PlacesAsked, SCREEN } from "./places_asked.ts";
import { roleIn, roleName } from "./roles.ts";
import { isShown, type Toolkit } from "./toolkits.ts";
import { isField, LONGEST_VALUE, numberCall, textCall } from "./values.ts";

/**
 * Limits of one reading: elements, depth, children of an element, rows of a list that are read one by one, characters
 * of a name or value and of all together, and milliseconds.
 */
const LIMITS = {
  elements: 20_000,
  depth: 100,
  children: 2000,
  rows: 500,
  characters: LONGEST_VALUE,
  allCharacters: 2_000_000,
  ms: 4000,
};
/** Elements up to this depth may fill the window, and always have their places read. */
const CONTENT_DEPTH = 1;
/** Pixels between the places at which the rows of a long list are asked for. */
const ROW_STEP = 12;

/** The role of password fields, whose text, and the text of elements in them, is never read. */
const PASSWORD = "password";
/** Roles whose name says all: the children of such elements are their label and picture. */
const SIMPLE = new Set(
  ("button,togglebutton,checkbox,radio,menuitem,menuitemcheckbox,menuitemradio,label,static,img,icon,separator," +
    "slider,switch,heading,cell,columnheader,rowheader,tooltip,progressbar").split(","),
);
/** Roles of elements that may have very many children. */
const LONG = new Set(["list", "listbox", "table", "tree", "treegrid", "spreadsheet", "document"]);
/** An element as it was read. */
export interface Node extends Ref {
  role: string;
  name: string;
  states: readonly number[];
  isShown: boolean;
  value?: string;
  /** The element's place as the program gives it. */
  place?: Region;
  children: Node[];
  /** The nearest listed element around it. */
  around?: Node;
  /** Texts in the element, while its value is not known, which they may repeat. */
  texts?: Node[];
  /** The number of children by the program's own count. */
  count?: number;
}

function nodeOf(ref: Ref): Node {
  return { ...ref, role: "", name: "", states: [], isShown: false, children: [] };
}

/** One reading. */
export class Reading {
  #count = 0;
  #characters = 0;
  #isWhole = true;
  readonly #seen = new Set<string>();
  readonly places: PlacesAsked;
  readonly #end = performance.now() + LIMITS.ms;

  /**
   * @param hidden Reads elements that are not shown, too.
   */
  constructor(readonly calls: Calls, readonly toolkit: Toolkit, readonly hidden: boolean) {
    this.places = new PlacesAsked(calls);
  }

  /** Tells whether all that was asked for was read. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /**
   * Reads a window, or a menu that belongs to it.
   * @param expected Elements whose places are asked for at once, while the program's cache is still on its way.
   * @returns The window's or menu's own element.
   */
  window(ref: Ref, expected: readonly Ref[] = []): Node {
    const root = nodeOf(ref);
    if (!this.#take(root)) return root;
    this.calls.add(askCache(ref.app, (items) => this.#fromCache(root, items)));
    this.places.expect(expected);
    if (!this.calls.run(this.#end - performance.now())) this.#isWhole = false;
    root.isShown = true;
    return root;
  }

  /** Reads elements without their children; undefined for each that is gone. */
  some(refs: readonly Ref[]): (Node | undefined)[] {
    const nodes = refs.map(nodeOf);
    for (const node of nodes) this.#describe(node, () => this.#details(node, 0));
    if (!this.calls.run(LIMITS.ms)) this.#isWhole = false;
    return nodes.map((node) => node.role !== "" && node.states.length > 0 ? node : undefined);
  }

  /** The places of elements now, as their program gives them. */
  placesOf(nodes: readonly Node[]): (Region | undefined)[] {
    const places: (Region | undefined)[] = nodes.map(() => undefined);
    nodes.forEach((node, i) => this.places.of(node, (place) => places[i] = place));
    this.calls.run(LIMITS.ms);
    return places;
  }

  #fromCache(root: Node, items: Item[]): void {
    const nodes = new Map<string, Node>([[root.path, root]]), children = new Map<string, [number, Node][]>();
    for (const { path, parent, index, count, name, role, states } of items) {
      const node = nodes.get(path) ?? nodeOf({ app: root.app, path });
      nodes.set(path, node);
      node.name = this.#text(name);
      node.role = roleName(role);
      node.states = states;
      node.count = count;
      node.isShown = isShown(this.toolkit, states);
      const siblings = children.get(parent) ?? [];
      children.set(parent, siblings);
      siblings.push([index, node]);
    }
    if (!root.role) return this.#read(root, 0); // Qt's cache has not even the window
    root.isShown = true;
    this.#attach(root, children, 0);
  }

  #attach(node: Node, children: ReadonlyMap<string, [number, Node][]>, depth: number): void {
    if (!node.isShown && !this.hidden || depth > LIMITS.depth) return;
    this.#details(node, depth);
    if (node.role === PASSWORD) return;
    const own = (children.get(node.path) ?? []).sort(([a], [b]) => a - b);
    for (const [, child] of own) {
      if (!this.#take(child)) continue;
      addChild(node, child, depth);
      this.#attach(child, children, depth + 1);
    }
    // A program's cache has only the children that the program has visited; the count is -1 where rows are made on
    // demand.
    const { count = 0 } = node, isWhole = count >= 0 && count <= node.children.length;
    if (!isWhole && !isSimple(node)) this.#readChildren(node, depth);
  }

  /** Counts an element that was not met yet. Returns false for one that was, and at the limit. */
  #take({ app, path }: Ref): boolean {
    const key = app + path;
    if (this.#seen.has(key)) return false;
    if (this.#count >= LIMITS.elements) return this.#isWhole = false;
    this.#seen.add(key);
    this.#count++;
    return true;
  }

  #read(node: Node, depth: number): void {
    this.#describe(node, () => {
      if (depth === 0) node.isShown = true;
      if (!node.isShown && !this.hidden) return;
      this.#details(node, depth);
      if (!isSimple(node) && node.role !== PASSWORD) this.#readChildren(node, depth);
    });
  }

  /** Reads role, name and states. */
  #describe(node: Node, then: () => void): void {
    let missing = 3;
    const known = () => {
      if (!--missing) then();
    };
    this.calls.add(ask(node, "Accessible", "GetState", (value) => {
      node.states = statesOf(value);
      node.isShown = isShown(this.toolkit, node.states);
      known();
    }));
    this.calls.add(ask(node, "Accessible", "GetRole", (value) => {
      node.role = typeof value === "number" ? roleName(value) : "";
      known();
    }));
    this.calls.add(property(node, "Accessible", "Name", (value) => {
      node.name = this.#text(value);
      known();
    }));
  }

  #readChildren(node: Node, depth: number): void {
    if (depth >= LIMITS.depth) return;
    if (!LONG.has(node.role)) return this.#askChildren(node, depth);
    this.calls.add(property(node, "Accessible", "ChildCount", (count) => {
      if (Number(count) > LIMITS.rows) this.#askRows(node, depth);
      else if (Number(count)) this.#askChildren(node, depth);
    }));
  }

  #askChildren(node: Node, depth: number): void {
    this.calls.add(ask(node, "Accessible", "GetChildren", (value) => this.#add(node, refsOf(value), depth)));
  }

  #add(node: Node, refs: Ref[], depth: number): void {
    if (refs.length > LIMITS.children) this.#isWhole = false;
    for (const ref of refs.slice(0, LIMITS.children)) {
      if (!this.#take(ref)) continue;
      const child = nodeOf(ref);
      addChild(node, child, depth);
      this.#read(child, depth + 1);
    }
  }

  /** Reads the rows on the screen of a list with very many rows: asks for the elements at places of the list. */
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

  /** Reads place and value. A password is asked for no text: not even its length leaves the program. */
  #details(node: Node, depth: number): void {
    this.#place(node, depth);
    const number = numberCall(node, node.role, (value) => node.value = value);
    if (number) this.calls.add(number);
    if (!isField(node.role)) return;
    node.texts = [];
    this.calls.add(textCall(node, this.toolkit.clipsText, (call) => this.calls.add(call), (text) => {
      if (text !== undefined) node.value = this.#cut(text).replaceAll("\ufffc", "");
      const texts = node.texts!;
      delete node.texts;
      for (const one of texts) this.#place(one, depth + 1);
    }));
  }

  /** Reads the place of an element, if the element will be listed. */
  #place(node: Node, depth: number): void {
    const { around } = node;
    if (around?.texts && isText(node)) around.texts.push(node);
    else if (depth <= CONTENT_DEPTH || !isUnlisted(node, depth)) {
      this.places.of(node, (place) => node.place = place);
    }
  }

  #text(value: unknown): string {
    return typeof value === "string" ? this.toolkit.name(this.#cut(value)) : "";
  }

  /** The beginning of a text: all texts of a reading have a bound. */
  #cut(text: string): string {
    const most = Math.min(LIMITS.characters, LIMITS.allCharacters - this.#characters);
    this.#characters += Math.min(most, text.length);
    if (most < LIMITS.characters && text.length > most) this.#isWhole = false;
    return text.slice(0, most);
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

function isSimple({ role, name }: Node): boolean {
  return SIMPLE.has(role) && name !== "";
}
