/** IAccessible, the interface of Microsoft Active Accessibility (MSAA): an object and the simple elements in it. */

import type { Region } from "../../../control/desktop.ts";
import { ComObject } from "./com.ts";
import { IID, SLOTS } from "./interfaces.ts";
import type { ElementLibraries } from "./libraries.ts";
import { placeOf } from "./states.ts";
import { integerVariant, type Ole, VARIANT_BYTES, variantType, variantValue, VT } from "./variant.ts";

const { IAccessible: METHOD } = SLOTS;
/** OBJID_CLIENT and OBJID_MENU: the parts of a window that are read. */
export const PART = { client: 0xfffffffc, menu: 0xfffffffd } as const;
/** CHILDID_SELF. */
const SELF = 0;
/** SELFLAG_TAKEFOCUS. */
const TAKE_FOCUS = 1;
/** Children of one element that are read. */
const MOST = 500;

/** An element: an object, or one of the simple elements that an object has by number. */
export interface Accessible {
  object: ComObject;
  child: number;
}

/** Reads and changes elements; properties that a program does not report are undefined. */
export class AccessibleReader {
  constructor(readonly libraries: Pick<ElementLibraries, "oleacc" | "ole">) {}

  get #ole(): Ole {
    return this.libraries.ole;
  }

  /** The element of a part of a window. The caller releases its object. */
  ofWindow(window: bigint, part: number): Accessible | undefined {
    const out = new BigUint64Array(1);
    const result = this.libraries.oleacc.AccessibleObjectFromWindow(window, part, IID.IAccessible, out);
    const pointer = result < 0 ? null : Deno.UnsafePointer.create(out[0]);
    return pointer ? { object: new ComObject(pointer), child: SELF } : undefined;
  }

  /** The elements of an object; elements with an object of their own must be released. */
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

  /** The number of the role, of those of oleacc.h. */
  roleOf(element: Accessible): number | undefined {
    return this.#variant(element, METHOD.get_accRole);
  }

  /** The bits of the states. */
  statesOf(element: Accessible): number {
    return this.#variant(element, METHOD.get_accState) ?? 0;
  }

  nameOf(element: Accessible): string | undefined {
    return this.#text(element, METHOD.get_accName);
  }

  valueOf(element: Accessible): string | undefined {
    return this.#text(element, METHOD.get_accValue);
  }

  /** The place on the screen, in pixels. */
  placeOf({ object, child }: Accessible): Region | undefined {
    const numbers = [0, 1, 2, 3].map(() => new Int32Array(1));
    const types = ["buffer", "buffer", "buffer", "buffer", "buffer"] as const;
    const result = object.call(METHOD.accLocation, types, ...numbers, integerVariant(child));
    return result < 0 ? undefined : placeOf(numbers.map(([number]) => number));
  }

  /** Asks the program for the effect of a click. */
  press({ object, child }: Accessible): boolean {
    return object.call(METHOD.accDoDefaultAction, ["buffer"], integerVariant(child)) === 0;
  }

  /** Asks the program to give the element the keyboard focus. */
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
