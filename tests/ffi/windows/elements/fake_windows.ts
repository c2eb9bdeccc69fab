/** A fake Windows with windows, UI Automation elements and MSAA elements, with the headers' method tables. */

import { CACHED, type ElementLibraries, PATTERN, VALUE_VALUE } from "../../../../ffi/windows/elements/com.ts";
import { E_NOTIMPL, FakeCom, type Method, type Pointer, writable } from "./fake_com.ts";

const E_FAIL = 0x80004005 | 0;

/** A UI Automation element. */
export interface FakeElement {
  id: number[];
  properties: Partial<Record<keyof typeof CACHED, unknown>>;
  children?: FakeElement[];
  /** The element's text. */
  value?: string;
  /** Patterns by name; each call of a pattern is recorded. */
  patterns?: (keyof typeof PATTERN)[];
  isGone?: boolean;
  /** Whether the program fails to report the children. */
  hidesChildren?: boolean;
}

/** An MSAA element. */
interface FakeAccessible {
  role: number;
  name?: string;
  value?: string;
  states?: number;
  place?: [number, number, number, number];
  /** Children; those with `isSimple` have no object of their own. */
  children?: (FakeAccessible & { isSimple?: boolean })[];
}

/** A window. */
export interface FakeWindow {
  handle: bigint;
  parent?: bigint;
  className: string;
  style?: number;
  process?: number;
  isHidden?: boolean;
  isHung?: boolean;
  accessible?: FakeAccessible;
  automation?: FakeElement;
}

/** The fake. `using` frees it. */
export class FakeWindows implements Disposable {
  readonly com = new FakeCom();
  /** Recorded requests to programs. */
  readonly calls: string[] = [];
  /** Whether UI Automation caches subtrees. */
  cachesTrees = true;

  constructor(readonly windows: FakeWindow[]) {}

  #window(handle: bigint): FakeWindow | undefined {
    return this.windows.find((window) => window.handle === handle);
  }

  get libraries(): ElementLibraries {
    const childrenOf = (parent: bigint) => this.windows.filter((window) => window.parent === parent);
    const siblings = (handle: bigint) => childrenOf(this.#window(handle)?.parent ?? 0n);
    const beside = (handle: bigint, step: number) => {
      const all = siblings(handle), at = all.findIndex((window) => window.handle === handle);
      return all[at + step]?.handle ?? 0n;
    };
    const user32 = {
      GetWindow: (handle: bigint, which: number) =>
        which === 5 ? childrenOf(handle)[0]?.handle ?? 0n : beside(handle, which === 2 ? 1 : -1),
      GetWindowLongPtrW: (handle: bigint) => BigInt(this.#window(handle)?.style ?? 0),
      IsWindowVisible: (handle: bigint) => Number(this.#window(handle)?.isHidden !== true),
      GetWindowThreadProcessId(handle: bigint, out: Uint32Array) {
        out[0] = processOf(handle);
        return out[0];
      },
      EnumWindows: () => 1,
      PostMessageW: (handle: bigint, message: number) => this.#note(`message ${handle} ${message}`),
    };
    const processOf = (handle: bigint) => {
      const window = this.#window(handle);
      return window ? window.process ?? 7 : 0;
    };
    return {
      desktop: { user32, kernel32: { GetCurrentProcessId: () => 1, OpenProcess: () => null } },
      ole: this.com.ole,
      ole32: {
        CoCreateInstance: (...[, , , , out]: [unknown, unknown, unknown, unknown, BigUint64Array]) => {
          this.com.references++;
          out[0] = Deno.UnsafePointer.value(this.#automation());
          return 0;
        },
      },
      user32: {
        GetAncestor: (handle: bigint) => this.#window(handle)?.parent ?? handle,
        GetMenu: () => 0n,
        RealGetWindowClassW: (handle: bigint, text: Uint16Array) => {
          const name = this.#window(handle)?.className ?? "";
          text.set(Array.from(name, (unit) => unit.charCodeAt(0)));
          return name.length;
        },
        SendMessageTimeoutW: (handle: bigint) => this.#window(handle)?.isHung ? 0n : 1n,
      },
      oleacc: {
        AccessibleObjectFromWindow: (handle: bigint, part: number, _: unknown, out: BigUint64Array) => {
          const accessible = this.#window(handle)?.accessible;
          if (!accessible || part !== 0xfffffffc) return E_NOTIMPL;
          this.com.references++;
          out[0] = Deno.UnsafePointer.value(this.#accessible(accessible));
          return 0;
        },
        AccessibleChildren: (
          parent: Pointer,
          _: number,
          count: number,
          items: Uint8Array,
          given: Int32Array,
        ) => {
          const view = new DataView(items.buffer, items.byteOffset);
          const children = this.#parents.get(Deno.UnsafePointer.value(parent))?.children ?? [];
          children.slice(0, count).forEach((child, i) => {
            view.setUint16(24 * i, child.isSimple ? 3 : 9, true);
            if (child.isSimple) return view.setInt32(24 * i + 8, i + 1, true);
            this.com.references++;
            view.setBigUint64(24 * i + 8, Deno.UnsafePointer.value(this.#accessible(child)), true);
          });
          given[0] = children.length;
          return 0;
        },
      },
    } as unknown as ElementLibraries;
  }

  readonly #parents = new Map<bigint, FakeAccessible>();

  #note(call: string): number {
    this.calls.push(call);
    return 1;
  }

  #automation(): Pointer {
    const { com } = this;
    const request = () =>
      com.object({
        3: [["i32"], () => 0],
        7: [["i32"], (scope: number) => this.cachesTrees && scope === 7 ? 0 : E_NOTIMPL],
      });
    const automation: Pointer = com.object({
      10: [["usize", "pointer", "buffer"], (handle: bigint, _: Pointer, out: Pointer) => {
        const element = this.#window(handle)?.automation;
        return element ? com.give(out, this.#element(element)) : E_FAIL;
      }],
      20: [["buffer"], (out: Pointer) => com.give(out, request())],
    });
    return automation;
  }

  #element(element: FakeElement): Pointer {
    const { com } = this, { children = [], properties, patterns = [] } = element;
    const value = (id: number): unknown => {
      if (id === VALUE_VALUE) return element.value;
      const [name] = Object.entries(CACHED).find(([, number]) => number === id) ?? [];
      if (name === "RuntimeId") return Int32Array.from(element.id);
      return properties[name as keyof typeof CACHED];
    };
    const array = () =>
      com.object({
        3: [["buffer"], (out: Pointer) => (writable(out, 4).setInt32(0, children.length, true), 0)],
        4: [["i32", "buffer"], (i: number, out: Pointer) => com.give(out, this.#element(children[i]))],
      });
    const named = `${properties.Name}`;
    return com.object({
      3: [[], () => (this.#note(`focus ${named}`), 0)],
      9: [
        ["pointer", "buffer"],
        (_: Pointer, out: Pointer) => element.isGone ? E_FAIL : com.give(out, this.#element(element)),
      ],
      10: [["i32", "buffer"], (id: number, out: Pointer) => {
        this.#note(`asked ${named} for ${id}`);
        return com.giveValue(out, value(id));
      }],
      12: [["i32", "buffer"], (id: number, out: Pointer) => com.giveValue(out, value(id))],
      16: [["i32", "buffer"], (id: number, out: Pointer) => {
        const pattern = patterns.find((name) => PATTERN[name] === id);
        return com.give(out, pattern ? this.#pattern(pattern, element) : null);
      }],
      19: [
        ["buffer"],
        (out: Pointer) => element.hidesChildren ? E_FAIL : com.give(out, children.length ? array() : null),
      ],
    });
  }

  #pattern(pattern: keyof typeof PATTERN, element: FakeElement): Pointer {
    const name = `${element.properties.Name}`;
    const act = (slot: number): Method => [[], () => (this.#note(`${pattern} ${slot} ${name}`), 0)];
    if (pattern !== "Value") return this.com.object({ 3: act(3), 4: act(4) });
    return this.com.object({
      3: [["pointer"], (text: Pointer) => {
        element.value = this.com.ole.textAt(Deno.UnsafePointer.value(text));
        return 0;
      }],
    });
  }

  #accessible(accessible: FakeAccessible): Pointer {
    const { com } = this;
    const at = (variant: Pointer) => {
      const child = new Deno.UnsafePointerView(variant).getInt32(8);
      return child ? accessible.children![child - 1] : accessible;
    };
    const text = (read: (of: FakeAccessible) => string | undefined): Method => [
      ["buffer", "buffer"],
      (variant: Pointer, out: Pointer) => {
        const found = read(at(variant));
        writable(out, 8).setBigUint64(0, found === undefined ? 0n : com.ole.makeText(found), true);
        return found === undefined ? 1 : 0;
      },
    ];
    const number = (read: (of: FakeAccessible) => number): Method => [
      ["buffer", "buffer"],
      (variant: Pointer, out: Pointer) => com.giveValue(out, read(at(variant))),
    ];
    const pointer: Pointer = com.object({
      0: [["pointer", "buffer"], (_: Pointer, out: Pointer) => com.give(out, pointer)],
      8: [
        ["buffer"],
        (out: Pointer) => (writable(out, 4).setInt32(0, accessible.children?.length ?? 0, true), 0),
      ],
      10: text(({ name }) => name),
      11: text((of) => (this.#note(`value of ${of.name}`), of.value)),
      13: number(({ role }) => role),
      14: number(({ states = 0 }) => states),
      22: [["buffer", "buffer", "buffer", "buffer", "buffer"], (...values: Pointer[]) => {
        const place = at(values[4]).place ?? [0, 0, 0, 0];
        place.forEach((value, i) => writable(values[i], 4).setInt32(0, value, true));
        return 0;
      }],
      25: [["buffer"], (variant: Pointer) => (this.#note(`press ${at(variant).name}`), 0)],
      27: [["buffer", "usize"], (variant: Pointer, value: bigint) => {
        at(variant).value = com.ole.textAt(value);
        return 0;
      }],
    });
    this.#parents.set(Deno.UnsafePointer.value(pointer), accessible);
    return pointer;
  }

  [Symbol.dispose](): void {
    this.com[Symbol.dispose]();
  }
}
