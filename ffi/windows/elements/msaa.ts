/**
 * Elements by MSAA, for windows whose programs do not support UI Automation: the controls of a window, which are
 * windows themselves, and the elements within each, such as the items of a list.
 */

import type { ElementChange, ElementInfo } from "../../../control/desktop.ts";
import { type Accessible, type AccessibleReader, PART } from "./accessible.ts";
import type { Controls } from "./controls.ts";
import { childOf, type MsaaKey, msaaKey } from "./keys.ts";
import { controlInfo, itemInfo } from "./msaa_info.ts";
import { fieldText } from "./states.ts";

/** Bounds of one reading: elements, and how deep windows and items are nested. */
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

/** Reads and changes elements by MSAA. */
export class MsaaReader {
  constructor(readonly controls: Controls, readonly accessibles: AccessibleReader) {}

  /**
   * Reads the elements of a window whose program answers.
   * @param hidden Includes elements that are not shown.
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

  /** Tells whether there is room for a further element. */
  #mayRead(depth: number, reading: Reading): boolean {
    if (depth <= LIMITS.depth && reading.elements.length < LIMITS.elements) return true;
    return reading.isWhole = false;
  }

  #add(info: ElementInfo, { elements, hidden }: Reading): void {
    if (hidden || !info.states.includes("hidden")) elements.push(info);
  }

  /** Tells whether a window's thread answers; each is asked once. */
  #answers(window: bigint, reading: Reading): boolean {
    const { thread } = this.controls.ownerOf(window), known = reading.threads.get(thread);
    const answers = known ?? this.controls.answers(window);
    reading.threads.set(thread, answers);
    if (!answers) reading.isWhole = false;
    return answers;
  }

  /** Reads an element again; undefined if the element is gone, or another one is in its place. */
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
   * Asks an element's program for a change.
   * @returns Whether the program reports success.
   */
  change(key: MsaaKey, change: ElementChange): boolean {
    return this.#with(key, (element) => {
      const isControl = key.path.length === 0;
      if (change.type === "press") {
        return this.accessibles.press(element) || isControl && this.#pressButton(key.window);
      }
      if (change.type === "set") return this.accessibles.set(element, fieldText(change.text));
      if (change.type === "scroll") return false; // MSAA has no request for scrolling
      if (isControl) this.controls.focus(key.window);
      return isControl || this.accessibles.focus(element);
    }) ?? false;
  }

  #pressButton(window: bigint): boolean {
    return this.controls.classOf(window).toLowerCase() === "button" && this.controls.press(window);
  }

  /** Uses the element of a key, if it is still the same. */
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
