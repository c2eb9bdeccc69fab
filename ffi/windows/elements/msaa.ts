/**
 * MSAA elements, for windows whose programs do not support UI Automation: a window's controls, which are
 * themselves windows, and the elements within each control, such as list items.
 */

import type { ElementChange, ElementInfo, Region } from "../../../control/desktop/desktop.ts";
import {
  ComObject,
  type ElementLibraries,
  IID,
  integerVariant,
  type Ole,
  SLOTS,
  VARIANT_BYTES,
  variantType,
  variantValue,
  VT,
} from "./com.ts";
import type { Controls } from "./controls.ts";
import {
  childOf,
  FIELDS,
  fieldText,
  msaaFlags,
  type MsaaKey,
  msaaKey,
  MULTILINE_STYLE,
  nameOf,
  placeOf,
  PROTECTED,
  RANGES,
  roleOfClass,
  roleOfMsaa,
  statesOf,
  valueOf,
} from "./roles.ts";

// IAccessible, the interface of Microsoft Active Accessibility (MSAA): an object and its simple elements.

const { IAccessible: METHOD } = SLOTS;
/** OBJID_CLIENT and OBJID_MENU: the parts of a window to read. */
const PART = { client: 0xfffffffc, menu: 0xfffffffd } as const;
/** CHILDID_SELF. */
const SELF = 0;
/** SELFLAG_TAKEFOCUS. */
const TAKE_FOCUS = 1;
/** Maximum number of an element's children to read. */
const MOST = 500;

/** An element: an object, or one of an object's numbered simple elements. */
interface Accessible {
  object: ComObject;
  child: number;
}

/** Reads and changes elements; properties not reported by a program are undefined. */
export class AccessibleReader {
  constructor(readonly libraries: Pick<ElementLibraries, "oleacc" | "ole">) {}

  get #ole(): Ole {
    return this.libraries.ole;
  }

  /** The element for a part of a window. The caller releases its object. */
  ofWindow(window: bigint, part: number): Accessible | undefined {
    const out = new BigUint64Array(1);
    const result = this.libraries.oleacc.AccessibleObjectFromWindow(window, part, IID.IAccessible, out);
    const pointer = result < 0 ? null : Deno.UnsafePointer.create(out[0]);
    return pointer ? { object: new ComObject(pointer), child: SELF } : undefined;
  }

  /** An object's elements; those with their own object must be released. */
  childrenOf({ object, child }: Accessible): Accessible[] {
    const count = child === SELF ? Math.min(MOST, this.#number(object, METHOD.get_accChildCount)) : 0;
    if (count <= 0) return [];
    const items = new Uint8Array(count * VARIANT_BYTES), given = new Int32Array(1);
    this.libraries.oleacc.AccessibleChildren(object.pointer, 0, count, items, given);
    return Array.from({ length: given[0] }, (_, i) => this.#child(object, items, i * VARIANT_BYTES))
      .filter((child) => child !== undefined);
  }

  #child(parent: ComObject, items: Uint8Array<ArrayBuffer>, at: number): Accessible | undefined {
    const value = variantValue(items, this.#ole, at);
    if (variantType(items, at) === VT.i4) return { object: parent, child: value as number };
    const pointer = typeof value === "bigint" ? Deno.UnsafePointer.create(value) : null;
    if (!pointer) return undefined;
    const dispatch = new ComObject(pointer);
    try {
      const object = dispatch.as(IID.IAccessible);
      return object && { object, child: SELF };
    } finally {
      dispatch[Symbol.dispose]();
    }
  }

  #number(object: ComObject, slot: number): number {
    const out = new Int32Array(1);
    return object.call(slot, ["buffer"], out) < 0 ? 0 : out[0];
  }

  /** The role's number, as in oleacc.h. */
  roleOf(element: Accessible): number | undefined {
    return this.#variant(element, METHOD.get_accRole);
  }

  /** The state bits. */
  statesOf(element: Accessible): number {
    return this.#variant(element, METHOD.get_accState) ?? 0;
  }

  nameOf(element: Accessible): string | undefined {
    return this.#text(element, METHOD.get_accName);
  }

  valueOf(element: Accessible): string | undefined {
    return this.#text(element, METHOD.get_accValue);
  }

  /** The region on the screen, in pixels. */
  placeOf({ object, child }: Accessible): Region | undefined {
    const numbers = [0, 1, 2, 3].map(() => new Int32Array(1));
    const types = ["buffer", "buffer", "buffer", "buffer", "buffer"] as const;
    const result = object.call(METHOD.accLocation, types, ...numbers, integerVariant(child));
    return result < 0 ? undefined : placeOf(numbers.map(([number]) => number));
  }

  /** Requests the effect of a click from the program. */
  press({ object, child }: Accessible): boolean {
    return object.call(METHOD.accDoDefaultAction, ["buffer"], integerVariant(child)) === 0;
  }

  /** Asks the program to focus the element. */
  focus({ object, child }: Accessible): boolean {
    return object.call(METHOD.accSelect, ["i32", "buffer"], TAKE_FOCUS, integerVariant(child)) === 0;
  }

  /** Asks the program to set the value. */
  set({ object, child }: Accessible, text: string): boolean {
    const value = this.#ole.makeText(text);
    try {
      return object.call(METHOD.put_accValue, ["buffer", "usize"], integerVariant(child), value) === 0;
    } finally {
      this.#ole.freeText(value);
    }
  }

  #variant({ object, child }: Accessible, slot: number): number | undefined {
    const out = new Uint8Array(VARIANT_BYTES);
    if (object.call(slot, ["buffer", "buffer"], integerVariant(child), out) < 0) return undefined;
    const value = variantValue(out, this.#ole);
    this.#ole.clear(out);
    return typeof value === "number" ? value : undefined;
  }

  #text({ object, child }: Accessible, slot: number): string | undefined {
    const out = new BigUint64Array(1);
    if (object.call(slot, ["buffer", "buffer"], integerVariant(child), out) !== 0 || !out[0]) {
      return undefined;
    }
    const text = this.#ole.textAt(out[0]);
    this.#ole.freeText(out[0]);
    return text;
  }
}

// MSAA elements in deskhand's format.

/** ROLE_SYSTEM_WINDOW and ROLE_SYSTEM_CLIENT: these roles do not reveal the kind of control. */
const VAGUE = new Set([9, 10]);
/** Class of dialog windows. */
const DIALOG = "#32770";
/** ES_PASSWORD. */
const PASSWORD_STYLE = 0x20;
/** Results of BM_GETCHECK. */
const CHECKED = 1, MIXED = 2;

/** The data for describing controls. */
interface Means {
  controls: Controls;
  accessibles: AccessibleReader;
}

/** Describes a control, which is a window or a window within it. */
function controlInfo(
  { controls, accessibles }: Means,
  window: bigint,
  element: Accessible,
  depth: number,
): ElementInfo {
  const number = accessibles.roleOf(element), isVague = number === undefined || VAGUE.has(number);
  const className = controls.classOf(window), style = controls.styleOf(window);
  const known = isVague
    ? roleOfClass(className, style) ?? windowRole(controls, window, className)
    : roleOfMsaa(number);
  const bits = accessibles.statesOf(element), isField = FIELDS.has(known);
  const isPassword = (bits & PROTECTED) !== 0 || known === "textbox" && (style & PASSWORD_STYLE) !== 0;
  const role = isPassword ? "password" : known;
  // If MSAA knows nothing about a field, its name is its text.
  const name = isVague && isField ? labelOf(controls, accessibles, window) : accessibles.nameOf(element);
  const value = isPassword ? undefined : valueIn(accessibles, element, role, isVague);
  const check = isVague && (role === "checkbox" || role === "radio") ? controls.checkOf(window) : 0;
  const flags = msaaFlags(bits), place = accessibles.placeOf(element);
  const { process } = controls.ownerOf(window);
  return {
    key: msaaKey({ window, process, part: PART.client, path: [] }),
    role,
    name: nameOf(name ?? ""),
    ...(value === undefined ? {} : { value: valueOf(value) }),
    states: statesOf(role, {
      ...flags,
      isOn: flags.isOn || check === CHECKED,
      isMixed: flags.isMixed || check === MIXED,
      isHidden: flags.isHidden || !controls.isShown(window),
      isReadOnly: flags.isReadOnly && isField,
      isMultiline: /edit/i.test(className) && (style & MULTILINE_STYLE) !== 0,
    }),
    depth,
    ...(place ? { place } : {}),
    ...{ className, id: controls.idOf(window) },
  };
}

function windowRole(controls: Controls, window: bigint, className: string): string {
  if (controls.rootOf(window) !== window) return "panel";
  return className === DIALOG ? "dialog" : "frame";
}

/** The text of the label before a control, if there is one. */
function labelOf(controls: Controls, accessibles: AccessibleReader, window: bigint): string | undefined {
  const label = controls.before(window);
  if (!label || roleOfClass(controls.classOf(label), controls.styleOf(label)) !== "label") return undefined;
  const element = accessibles.ofWindow(label, PART.client);
  using _element = element?.object;
  return element && accessibles.nameOf(element);
}

function valueIn(
  accessibles: AccessibleReader,
  element: Accessible,
  role: string,
  isVague: boolean,
): string | undefined {
  if (FIELDS.has(role)) {
    return isVague ? accessibles.nameOf(element) ?? "" : accessibles.valueOf(element) ?? "";
  }
  return RANGES.has(role) ? accessibles.valueOf(element) : undefined;
}

/** An element within a control, such as a list item. */
function itemInfo(
  accessibles: AccessibleReader,
  element: Accessible,
  key: MsaaKey,
  depth: number,
): ElementInfo {
  const bits = accessibles.statesOf(element), isPassword = (bits & PROTECTED) !== 0;
  const known = roleOfMsaa(accessibles.roleOf(element) ?? -1), role = isPassword ? "password" : known;
  const name = nameOf(accessibles.nameOf(element) ?? ""), place = accessibles.placeOf(element);
  const isRead = !isPassword && (FIELDS.has(role) || RANGES.has(role));
  const value = isRead ? accessibles.valueOf(element) : undefined, flags = msaaFlags(bits);
  return {
    key: msaaKey({ ...key, identity: `${role} ${name}` }),
    role,
    name,
    ...(value === undefined ? {} : { value: valueOf(value) }),
    states: statesOf(role, { ...flags, isReadOnly: flags.isReadOnly && FIELDS.has(role) }),
    depth,
    ...(place ? { place } : {}),
  };
}

/** Limits of one reading: number of elements, and nesting depth of windows and items. */
const LIMITS = { elements: 20_000, depth: 50 };
/** ROLE_SYSTEM_WINDOW: a control, which is read as a window. */
const WINDOW_ROLE = 9;

/** One reading. */
interface Reading {
  hidden: boolean;
  elements: ElementInfo[];
  /** The threads of windows inside this window, and whether each thread answers. */
  threads: Map<number, boolean>;
  isWhole: boolean;
}

/** Reads and changes elements through MSAA. */
export class MsaaReader {
  constructor(readonly controls: Controls, readonly accessibles: AccessibleReader) {}

  /**
   * Reads the elements of a window whose program answers.
   * @param hidden Whether to include elements that are not shown.
   * @param depth The depth of the window's own element.
   */
  read(window: bigint, hidden: boolean, depth = 0): { elements: ElementInfo[]; isWhole: boolean } {
    const threads = new Map([[this.controls.ownerOf(window).thread, true]]);
    const reading: Reading = { hidden, elements: [], threads, isWhole: true };
    this.#readWindow(window, depth, reading);
    return { elements: reading.elements, isWhole: reading.isWhole };
  }

  #readWindow(window: bigint, depth: number, reading: Reading): void {
    if (!this.#mayRead(depth, reading) || !reading.hidden && !this.controls.isShown(window)) return;
    if (!this.#answers(window, reading)) return;
    const client = this.accessibles.ofWindow(window, PART.client);
    using _client = client?.object;
    if (client) {
      this.#add(controlInfo(this, window, client, depth), reading);
      if (depth === 0 && this.controls.hasMenu(window)) this.#readMenu(window, reading);
      const key = { window, process: this.controls.ownerOf(window).process, part: PART.client, path: [] };
      this.#readItems(client, key, depth + 1, reading);
    }
    for (const child of this.controls.childrenOf(window)) this.#readWindow(child, depth + 1, reading);
  }

  #readMenu(window: bigint, reading: Reading): void {
    const menu = this.accessibles.ofWindow(window, PART.menu);
    using _menu = menu?.object;
    const { process } = this.controls.ownerOf(window);
    if (menu) this.#readItems(menu, { window, process, part: PART.menu, path: [] }, 1, reading);
  }

  #readItems(parent: Accessible, key: MsaaKey, depth: number, reading: Reading): void {
    if (!this.#mayRead(depth, reading)) return;
    this.accessibles.childrenOf(parent).forEach((item, i) => {
      using _own = item.object === parent.object ? undefined : item.object;
      const role = this.accessibles.roleOf(item);
      if (role === undefined || role === WINDOW_ROLE) return;
      const own = childOf(key, i);
      this.#add(itemInfo(this.accessibles, item, own, depth), reading);
      this.#readItems(item, own, depth + 1, reading);
    });
  }

  /** Whether another element may be read. */
  #mayRead(depth: number, reading: Reading): boolean {
    if (depth <= LIMITS.depth && reading.elements.length < LIMITS.elements) return true;
    return reading.isWhole = false;
  }

  #add(info: ElementInfo, { elements, hidden }: Reading): void {
    if (hidden || !info.states.includes("hidden")) elements.push(info);
  }

  /** Whether a window's thread answers; each is asked once. */
  #answers(window: bigint, reading: Reading): boolean {
    const { thread } = this.controls.ownerOf(window), known = reading.threads.get(thread);
    const answers = known ?? this.controls.answers(window);
    reading.threads.set(thread, answers);
    if (!answers) reading.isWhole = false;
    return answers;
  }

  /** Reads an element again; undefined if the element is gone, or replaced by another one. */
  reread(key: MsaaKey): ElementInfo | undefined {
    return this.#with(
      key,
      (element) =>
        key.path.length
          ? itemInfo(this.accessibles, element, key, 0)
          : controlInfo(this, key.window, element, 0),
    );
  }

  /**
   * Requests a change from an element's program.
   * @returns Whether the program reports success.
   */
  change(key: MsaaKey, change: ElementChange): boolean {
    return this.#with(key, (element) => {
      const isControl = key.path.length === 0;
      if (change.type === "press") {
        return this.accessibles.press(element) || isControl && this.#pressButton(key.window);
      }
      if (change.type === "set") return this.accessibles.set(element, fieldText(change.text));
      if (change.type === "value") return this.accessibles.set(element, String(change.value));
      if (change.type !== "focus") return false; // MSAA has no requests for other changes
      if (isControl) this.controls.focus(key.window);
      return isControl || this.accessibles.focus(element);
    }) ?? false;
  }

  #pressButton(window: bigint): boolean {
    return this.controls.classOf(window).toLowerCase() === "button" && this.controls.press(window);
  }

  /** Uses a key's element, if it is still the same. */
  #with<T>(key: MsaaKey, use: (element: Accessible) => T): T | undefined {
    if (this.controls.ownerOf(key.window).process !== key.process) return undefined;
    const part = this.accessibles.ofWindow(key.window, key.part);
    using _part = part?.object;
    return part && this.#within(part, key, 0, use);
  }

  #within<T>(
    parent: Accessible,
    key: MsaaKey,
    level: number,
    use: (element: Accessible) => T,
  ): T | undefined {
    if (level === key.path.length) {
      const isSame = !key.path.length || msaaKey(key) === itemInfo(this.accessibles, parent, key, 0).key;
      return isSame ? use(parent) : undefined;
    }
    const children = this.accessibles.childrenOf(parent), child = children[key.path[level]];
    try {
      return child && this.#within(child, key, level + 1, use);
    } finally {
      for (const { object } of children) if (object !== parent.object) object[Symbol.dispose]();
    }
  }
}
