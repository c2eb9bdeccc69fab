/** COM objects: a pointer to a table of functions, which are called by their place in it. */

/** The type of an argument. A BOOL is `i32`; a structure of more than 8 bytes goes by its address, as `buffer`. */
export type ArgumentType = "pointer" | "buffer" | "i32" | "u32" | "u64" | "usize";
/** An argument. */
export type Argument = number | bigint | BufferSource | Deno.PointerValue;

/** Places in every table (IUnknown, unknwn.h). */
const UNKNOWN = { queryInterface: 0, release: 2 } as const;
const POINTER_BYTES = 8;

interface Method {
  call(...values: (Argument | Deno.PointerObject)[]): number;
}

/** Functions by address and types: objects of one kind share them. */
const METHODS = new Map<string, Method>();

/** A call that failed. */
export class ComError extends Error {
  override readonly name = "ComError";

  /**
   * @param code The HRESULT, a negative number.
   */
  constructor(readonly code: number) {
    super(`COM call failed with 0x${(code >>> 0).toString(16)}`);
  }
}

/** An object that this process holds a reference to. `using` gives the reference back. */
export class ComObject implements Disposable {
  #isHeld = true;

  constructor(readonly pointer: Deno.PointerObject) {}

  /**
   * Calls a method.
   * @param slot Its place in the table, from 0.
   * @param types Those of its arguments, without the object itself.
   * @returns The HRESULT; negative if it failed.
   */
  call(slot: number, types: readonly ArgumentType[] = [], ...values: Argument[]): number {
    const table = new Deno.UnsafePointerView(this.pointer).getPointer()!;
    const address = new Deno.UnsafePointerView(table).getPointer(slot * POINTER_BYTES)!;
    return methodAt(address, types).call(this.pointer, ...values);
  }

  /**
   * Calls a method whose last parameter gets an object.
   * @returns undefined if the method gives no object.
   * @throws ComError if the method fails.
   */
  object(slot: number, types: readonly ArgumentType[] = [], ...values: Argument[]): ComObject | undefined {
    const out = new BigUint64Array(1);
    checked(this.call(slot, [...types, "buffer"], ...values, out));
    const pointer = Deno.UnsafePointer.create(out[0]);
    return pointer ? new ComObject(pointer) : undefined;
  }

  /**
   * Calls a method whose last parameter gets a number of 32 bits.
   * @throws ComError if the method fails.
   */
  integer(slot: number): number {
    const out = new Int32Array(1);
    checked(this.call(slot, ["buffer"], out));
    return out[0];
  }

  /** Asks for another interface of the object; undefined if the object does not have it. */
  as(id: Uint8Array<ArrayBuffer>): ComObject | undefined {
    try {
      return this.object(UNKNOWN.queryInterface, ["buffer"], id);
    } catch {
      return undefined;
    }
  }

  [Symbol.dispose](): void {
    if (this.#isHeld) this.call(UNKNOWN.release);
    this.#isHeld = false;
  }
}

function methodAt(address: Deno.PointerObject, types: readonly ArgumentType[]): Method {
  const key = `${Deno.UnsafePointer.value(address)} ${types}`, known = METHODS.get(key);
  if (known) return known;
  const definition: Deno.ForeignFunction = { parameters: ["pointer", ...types], result: "i32" };
  const method = new Deno.UnsafeFnPointer(
    address as Deno.PointerObject<typeof definition>,
    definition,
  ) as unknown as Method;
  METHODS.set(key, method);
  return method;
}

/**
 * Checks the result of a call.
 * @throws ComError if it is negative.
 */
export function checked(result: number): void {
  if (result < 0) throw new ComError(result);
}

/**
 * A GUID as it stands in memory: three numbers, the lowest byte first, and eight bytes.
 * @param text Such as `30cbe57d-d9d0-452a-ab13-7ac5ac4825ee`.
 */
export function guid(text: string): Uint8Array<ArrayBuffer> {
  const bytes = Uint8Array.fromHex(text.replaceAll("-", ""));
  bytes.subarray(0, 4).reverse();
  bytes.subarray(4, 6).reverse();
  bytes.subarray(6, 8).reverse();
  return bytes;
}
