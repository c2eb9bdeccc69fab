/** COM objects made of callbacks, as callers see them: function tables in memory with reference counts. */

import type { ArgumentType, Ole } from "../../../../ffi/windows/elements/com.ts";

export const E_NOTIMPL = 0x80004001 | 0, E_NOINTERFACE = 0x80004002 | 0;

/** A method: its argument types without the object itself, and its action, which returns an HRESULT. */
export type Method = readonly [types: readonly ArgumentType[], act: (...values: never[]) => number];

/** A pointer as a callback receives it. */
export type Pointer = Deno.PointerObject;

type Callback = Deno.UnsafeCallback<Deno.UnsafeCallbackDefinition>;

/** Memory of a test's objects and values. `using` frees their callbacks. */
export class FakeCom implements Disposable {
  readonly #callbacks: Callback[] = [];
  readonly #kept: BufferSource[] = [];
  readonly #texts = new Map<bigint, string>();
  #lastText = 0x1000n;
  /** Number of references that callers hold. */
  references = 0;

  /** Values whose texts are stored in this object: a number stands for the address of a BSTR. */
  readonly ole: Ole = {
    textAt: (address) => this.#texts.get(address) ?? "",
    freeText: (address) => void this.#texts.delete(address),
    makeText: (text) => {
      this.#texts.set(this.#lastText += 16n, text);
      return this.#lastText;
    },
    freeArray: () => {},
    clear: (variant) => {
      const view = new DataView(variant.buffer);
      if (view.getUint16(0, true) === 8) this.#texts.delete(view.getBigUint64(8, true));
      variant.fill(0);
    },
  };

  /** Texts that have not been freed yet. */
  get texts(): string[] {
    return [...this.#texts.values()];
  }

  /**
   * Creates an object.
   * @param methods By index in the table; missing ones are not implemented.
   */
  object(methods: Readonly<Record<number, Method>>): Pointer {
    const all: Record<number, Method> = {
      0: [["pointer", "buffer"], () => E_NOINTERFACE],
      2: [[], () => --this.references],
      ...methods,
    };
    const missing = this.#callback([[], () => E_NOTIMPL]);
    const size = 1 + Math.max(...Object.keys(all).map(Number));
    const table = BigUint64Array.from({ length: size }, (_, slot) => {
      return Deno.UnsafePointer.value(all[slot] ? this.#callback(all[slot]) : missing);
    });
    const object = BigUint64Array.of(this.addressOf(table));
    this.#kept.push(object);
    return Deno.UnsafePointer.of(object)!;
  }

  #callback([types, act]: Method): Pointer {
    const parameters = ["pointer", ...types.map((type) => type === "buffer" ? "pointer" : type)] as const;
    const callback = new Deno.UnsafeCallback(
      { parameters, result: "i32" } as Deno.UnsafeCallbackDefinition,
      ((_: unknown, ...values: never[]) => act(...values)) as never,
    );
    this.#callbacks.push(callback as Callback);
    return callback.pointer;
  }

  /** The address of bytes, which stay in place for the lifetime of this object. */
  addressOf(bytes: BufferSource): bigint {
    this.#kept.push(bytes);
    return Deno.UnsafePointer.value(Deno.UnsafePointer.of(bytes as Uint8Array<ArrayBuffer>));
  }

  /** Passes an object to a caller, which then holds a reference. */
  give(out: Pointer, object: Pointer | null): number {
    if (object) this.references++;
    writable(out, 8).setBigUint64(0, Deno.UnsafePointer.value(object), true);
    return 0;
  }

  /** Writes a VARIANT. */
  giveValue(out: Pointer, value: unknown): number {
    const view = writable(out, 24);
    if (typeof value === "number") this.#write(view, 3, () => view.setInt32(8, value, true));
    else if (typeof value === "boolean") this.#write(view, 11, () => view.setInt16(8, value ? -1 : 0, true));
    else if (typeof value === "string") {
      this.#write(view, 8, () => view.setBigUint64(8, this.ole.makeText(value), true));
    } else if (value instanceof Int32Array) {
      this.#write(view, 0x2003, () => view.setBigUint64(8, this.#array(value), true));
    } else if (value instanceof Float64Array) {
      this.#write(view, 0x2005, () => view.setBigUint64(8, this.#array(value), true));
    } else view.setUint16(0, 0, true);
    return 0;
  }

  #write(view: DataView, type: number, write: () => void): void {
    view.setUint16(0, type, true);
    write();
  }

  #array(given: Int32Array | Float64Array): bigint {
    const values = given.slice();
    const array = new DataView(new ArrayBuffer(32));
    array.setUint16(0, 1, true);
    array.setBigUint64(16, this.addressOf(values), true);
    array.setUint32(24, values.length, true);
    return this.addressOf(array);
  }

  [Symbol.dispose](): void {
    for (const callback of this.#callbacks) callback.close();
  }
}

/** A caller's memory, for writing. */
export function writable(pointer: Pointer, bytes: number): DataView {
  return new DataView(Deno.UnsafePointerView.getArrayBuffer(pointer, bytes));
}
