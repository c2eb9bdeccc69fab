/**
 * Elements of the desktop's windows: through UI Automation if programs support it, otherwise through MSAA.
 */

import type {
  ElementChange,
  ElementInfo,
  ElementTree,
  Point,
  WindowInfo,
} from "../../../control/desktop/desktop.ts";
import { attempt, StateError } from "../../../core/errors.ts";
import { timeByLoad } from "../../../core/proc.ts";
import { until } from "../../../core/until.ts";
import { IntegrityGuard } from "../session.ts";
import { AccessibleReader, MsaaReader } from "./msaa.ts";
import {
  Automation,
  type AutomationNode,
  changeByAutomation,
  infoOf,
  isBare,
  releaseTree,
} from "./automation.ts";
import { ComError, type ComObject, createObject, type ElementLibraries } from "./com.ts";
import { Controls } from "./controls.ts";
import { type AutomationKey, parseKey } from "./roles.ts";

/**
 * Maximum time for fields' texts, and for an element to be focused, longer on a busy machine, in
 * milliseconds.
 */
const VALUES_MS = 4000, FOCUS_MS = 500;
const LOOK_MS = 10;
/** Maximum number of windows whose elements are cached. */
const WINDOWS_HELD = 8;

type Read = Pick<ElementTree, "elements" | "isWhole">;

/** Reads windows, on one thread. */
export class WindowReader {
  readonly #controls: Controls;
  readonly #msaa: MsaaReader;
  readonly #automation: Automation | undefined;
  readonly #guard: IntegrityGuard;
  /** The last elements read from UI Automation, by window and identifier. */
  readonly #held = new Map<bigint, Map<string, ComObject>>();

  constructor(readonly libraries: ElementLibraries) {
    this.#controls = new Controls(libraries);
    this.#msaa = new MsaaReader(this.#controls, new AccessibleReader(libraries));
    const make = createObject.bind(undefined, libraries);
    this.#automation = Automation.open(make, libraries.ole);
    this.#guard = new IntegrityGuard(libraries.desktop);
  }

  /** Reads a window, and its open menus and lists. */
  read(window: WindowInfo, hidden: boolean): ElementTree {
    const handle = BigInt(window.id);
    if (!this.#controls.answers(handle)) return silentTree("its program does not answer");
    if (window.state === "minimized") return silentTree("it is minimized");
    const read = this.#read(handle, hidden, 0);
    for (const popup of this.#controls.popupsOf(handle)) {
      const { elements, isWhole } = this.#read(popup, hidden, 1);
      read.elements.push(...elements);
      read.isWhole &&= isWhole;
    }
    const isSilent = read.elements.length <= 1;
    const silent = isSilent ? this.#guard.refusal(handle) ?? "its program has reported none" : undefined;
    const places = read.elements.some(({ place }) => place) ? "screen" as const : "none" as const;
    return { ...read, places, ...(silent ? { silent } : {}) };
  }

  /** Tries UI Automation first; a window that it shows as bare may have MSAA elements. */
  #read(window: bigint, hidden: boolean, depth: number): Read {
    const tree = this.#tree(window);
    if (!tree) return this.#msaa.read(window, hidden, depth);
    const older = isBare(tree.root) ? this.#msaa.read(window, hidden, depth) : undefined;
    if (older && older.elements.length > 1) {
      releaseTree(tree.root);
      return older;
    }
    const listed = this.#listed(window, tree, hidden, depth);
    this.#hold(window, tree.root);
    return listed;
  }

  #tree(window: bigint): { root: AutomationNode; isWhole: boolean } | undefined {
    return attempt(() => this.#automation?.read(window), undefined, ComError); // the program reports none
  }

  #listed(
    window: bigint,
    { root, isWhole }: { root: AutomationNode; isWhole: boolean },
    hidden: boolean,
    depth: number,
  ): Read {
    const elements: ElementInfo[] = [], end = performance.now() + VALUES_MS;
    const styleOf = (control: bigint) => this.#controls.styleOf(control);
    let isInTime = true;
    const visit = (node: AutomationNode, depth: number) => {
      isInTime &&= performance.now() < end;
      const isShown = node.properties.IsOffscreen !== true;
      if (isShown || hidden) {
        elements.push(infoOf(this.#automation!, node, { window, depth, isInTime, styleOf }));
      }
      for (const child of node.children) visit(child, depth + 1);
    };
    visit(root, depth);
    return { elements, isWhole: isWhole && isInTime };
  }

  /** Caches a tree's elements, so that later requests can go directly to each element. */
  #hold(window: bigint, root: AutomationNode): void {
    this.#release(window);
    const held = new Map<string, ComObject>();
    const visit = ({ id, element, children }: AutomationNode) => {
      held.get(id)?.[Symbol.dispose]();
      held.set(id, element);
      children.forEach(visit);
    };
    visit(root);
    this.#held.set(window, held);
    if (this.#held.size > WINDOWS_HELD) this.#release(this.#held.keys().next().value!);
  }

  #release(window: bigint): void {
    for (const element of this.#held.get(window)?.values() ?? []) element[Symbol.dispose]();
    this.#held.delete(window);
  }

  /**
   * Reads one element again.
   * @returns undefined if it is gone.
   * @throws StateError if its program does not answer.
   */
  reread(key: string): ElementInfo | undefined {
    const parsed = this.#parsed(key);
    if (!parsed) return undefined;
    if (parsed.kind === "msaa") return this.#msaa.reread(parsed);
    return this.#withElement(
      parsed,
      (node) =>
        infoOf(this.#automation!, node, {
          window: parsed.window,
          depth: 1,
          isInTime: true,
          styleOf: (control) => this.#controls.styleOf(control),
        }),
    );
  }

  /**
   * Requests a change from an element's program. After a focus request, the element must be focused.
   * @returns Whether the program reports success.
   * @throws StateError if the program does not answer.
   */
  async change(key: string, change: ElementChange): Promise<boolean> {
    const parsed = this.#parsed(key);
    if (!parsed) return false;
    const isDone = parsed.kind === "msaa"
      ? this.#msaa.change(parsed, change)
      : this.#withElement(parsed, ({ element }) => changeByAutomation(element, change, this.libraries.ole)) ??
        false;
    return isDone && (change.type !== "focus" || await this.#hasKeyboard(key));
  }

  async #hasKeyboard(key: string): Promise<boolean> {
    const isFocused = () => this.reread(key)?.states.includes("focused");
    return await until(isFocused, { ms: timeByLoad(FOCUS_MS), every: LOOK_MS }) ?? false;
  }

  /** Whether a click at a position on the screen reaches an element's window. */
  hits(key: string, point: Point): boolean {
    const parsed = parseKey(key);
    return parsed !== undefined && this.#controls.rootAt(point) === this.#controls.rootOf(parsed.window);
  }

  #parsed(key: string): ReturnType<typeof parseKey> {
    const parsed = parseKey(key);
    if (!parsed || !this.#controls.ownerOf(parsed.window).thread) return undefined;
    if (this.#controls.answers(parsed.window)) return parsed;
    throw new StateError("the element's program does not answer");
  }

  /**
   * Uses an element in its current state, if it still exists; looks it up in its window if it is not cached.
   */
  #withElement<T>({ window, id }: AutomationKey, use: (node: AutomationNode) => T): T | undefined {
    const automation = this.#automation;
    if (!this.#held.get(window)?.has(id)) {
      const tree = this.#tree(window);
      if (tree) this.#hold(window, tree.root);
    }
    const held = this.#held.get(window)?.get(id), node = held && automation?.reread(held);
    using _element = node?.element;
    return node && node.id === id ? use(node) : undefined;
  }
}

function silentTree(silent: string): ElementTree {
  return { elements: [], places: "none", isWhole: true, silent };
}
