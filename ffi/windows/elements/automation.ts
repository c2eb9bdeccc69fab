/**
 * UI Automation: the elements of a window with all listed properties, by one call to its program. Later reads use
 * this process's own copy (a cache request with the subtree).
 */

import { checked, ComError, type ComObject } from "./com.ts";
import { AUTOMATION_CLASSES, CACHED, IID, SCOPE, SLOTS } from "./interfaces.ts";
import { integersAt, type Ole, VARIANT_BYTES, type VariantValue, variantValue } from "./variant.ts";

/** Bounds of one reading: elements and depth. */
const LIMITS = { elements: 20_000, depth: 100 };
/** The time that a program may take to answer, in milliseconds. */
const ANSWER_MS = 2000;

const { IUIAutomation, IUIAutomation2, IUIAutomationCacheRequest, IUIAutomationElement } = SLOTS;
const ARRAY = SLOTS.IUIAutomationElementArray;

/** A property that is cached. */
export type Property = keyof typeof CACHED;
/** The properties of an element; those that it lacks are missing. */
export type Properties = Partial<Record<Property, VariantValue>>;

/** An element as it was read. */
export interface AutomationNode {
  element: ComObject;
  /** Names the element while it exists. */
  id: string;
  properties: Properties;
  children: AutomationNode[];
}

/** Gives the class of UI Automation; undefined where there is none. */
export type MakeAutomation = (
  classId: Uint8Array<ArrayBuffer>,
  interfaceId: Uint8Array<ArrayBuffer>,
) => ComObject | undefined;

/** UI Automation, by its COM interfaces. */
export class Automation implements Disposable {
  readonly #tree: ComObject;
  readonly #one: ComObject;
  /** Elements that have no identifier get a number, which never comes again. */
  #unnamed = 0;

  private constructor(readonly automation: ComObject, readonly ole: Ole) {
    using limits = automation.as(IID.IUIAutomation2);
    limits?.call(IUIAutomation2.put_ConnectionTimeout, ["u32"], ANSWER_MS);
    limits?.call(IUIAutomation2.put_TransactionTimeout, ["u32"], ANSWER_MS);
    this.#one = this.#request();
    this.#tree = this.#request();
    checked(this.#tree.call(IUIAutomationCacheRequest.put_TreeScope, ["i32"], SCOPE.subtree));
  }

  /**
   * Opens UI Automation.
   * @returns undefined if it is missing, or cannot cache a subtree, as in Wine 10.
   */
  static open(make: MakeAutomation, ole: Ole): Automation | undefined {
    for (const id of AUTOMATION_CLASSES) {
      const automation = make(id, IID.IUIAutomation);
      if (!automation) continue;
      try {
        return new Automation(automation, ole);
      } catch (error) {
        automation[Symbol.dispose]();
        if (!(error instanceof ComError)) throw error;
      }
    }
    return undefined;
  }

  /** A request for the properties. An older Windows refuses the newest of them; those stay unknown. */
  #request(): ComObject {
    const request = this.automation.object(IUIAutomation.CreateCacheRequest)!;
    for (const id of Object.values(CACHED)) {
      request.call(IUIAutomationCacheRequest.AddProperty, ["i32"], id);
    }
    return request;
  }

  /**
   * Reads the elements of a window.
   * @returns The window's own element, and whether all was read; undefined if the window shows none.
   * @throws ComError if the window's program does not answer.
   */
  read(window: bigint): { root: AutomationNode; isWhole: boolean } | undefined {
    const element = this.automation.object(
      IUIAutomation.ElementFromHandleBuildCache,
      ["usize", "pointer"],
      window,
      this.#tree.pointer,
    );
    if (!element) return undefined;
    const count = { left: LIMITS.elements - 1, isWhole: true };
    const root = this.#node(element);
    this.#readChildren(root, 1, count);
    return { root, isWhole: count.isWhole };
  }

  #readChildren(node: AutomationNode, depth: number, count: { left: number; isWhole: boolean }): void {
    using children = node.element.object(IUIAutomationElement.GetCachedChildren);
    const length = children?.integer(ARRAY.get_Length) ?? 0;
    for (let i = 0; i < length; i++) {
      if (!count.left || depth > LIMITS.depth) {
        count.isWhole = false;
        return;
      }
      const element = children!.object(ARRAY.GetElement, ["i32"], i);
      if (!element) continue;
      count.left--;
      const child = this.#node(element);
      node.children.push(child);
      this.#readChildren(child, depth + 1, count);
    }
  }

  /**
   * Reads an element again.
   * @returns undefined if it is gone.
   */
  reread(element: ComObject): AutomationNode | undefined {
    try {
      const updated = element.object(
        IUIAutomationElement.BuildUpdatedCache,
        ["pointer"],
        this.#one.pointer,
      );
      return updated && this.#node(updated);
    } catch (error) {
      if (error instanceof ComError) return undefined;
      throw error;
    }
  }

  /**
   * Asks an element's program for a property that is not cached.
   * @param id Its number.
   * @returns undefined if the program does not give it.
   */
  current(element: ComObject, id: number): VariantValue {
    return this.#value(element, IUIAutomationElement.GetCurrentPropertyValue, id);
  }

  #node(element: ComObject): AutomationNode {
    const properties: Properties = {};
    for (const [name, id] of Object.entries(CACHED)) {
      const value = this.#value(element, IUIAutomationElement.GetCachedPropertyValue, id);
      if (value !== undefined) properties[name as Property] = value;
    }
    const cached = properties.RuntimeId;
    const id = Array.isArray(cached) && cached.length ? cached : this.#runtimeId(element);
    return { element, id: id.join(".") || `-${++this.#unnamed}`, properties, children: [] };
  }

  #value(element: ComObject, slot: number, id: number): VariantValue {
    const variant = new Uint8Array(VARIANT_BYTES);
    if (element.call(slot, ["i32", "buffer"], id, variant) < 0) return undefined;
    try {
      return variantValue(variant, this.ole);
    } finally {
      this.ole.clear(variant);
    }
  }

  [Symbol.dispose](): void {
    for (const object of [this.#one, this.#tree, this.automation]) object[Symbol.dispose]();
  }

  #runtimeId(element: ComObject): number[] {
    const out = new BigUint64Array(1);
    if (element.call(IUIAutomationElement.GetRuntimeId, ["buffer"], out) < 0) return [];
    try {
      return integersAt(out[0]);
    } finally {
      this.ole.freeArray(out[0]);
    }
  }
}

/** Gives back the elements of a tree. */
export function releaseTree({ element, children }: AutomationNode): void {
  element[Symbol.dispose]();
  children.forEach(releaseTree);
}
