/** COM objects: a pointer to a table of functions, which are called by their place in it. */

/** The type of an argument. A BOOL is `i32`; a structure of more than 8 bytes goes by its address, as `buffer`. */
export type ArgumentType = "pointer" | "buffer" | "i32" | "u32" | "u64" | "usize";
/** An argument. */
type Argument = number | bigint | BufferSource | Deno.PointerValue;

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

// Values of OLE Automation: VARIANT, BSTR and SAFEARRAY (oaidl.h, wtypes.h; the layouts of 64 bits).

/** The functions of OLE Automation that values need. */
export interface Ole {
  /** Copies the text of a BSTR; "" for none. */
  textAt(address: bigint): string;
  /** Frees a BSTR. */
  freeText(address: bigint): void;
  /** Makes a BSTR. */
  makeText(text: string): bigint;
  /** Frees a SAFEARRAY; nothing for 0. */
  freeArray(address: bigint): void;
  /** Frees the content of a VARIANT, and empties it. */
  clear(variant: Uint8Array<ArrayBuffer>): void;
}

/** A value that a VARIANT holds. */
export type VariantValue = number | boolean | string | number[] | bigint | undefined;

/** sizeof(VARIANT), and where its value is. */
export const VARIANT_BYTES = 24;
const VALUE = 8;

/** VARTYPE (wtypes.h). */
export const VT = {
  i4: 3,
  r8: 5,
  bstr: 8,
  dispatch: 9,
  bool: 11,
  unknown: 13,
  ui4: 19,
  array: 0x2000,
} as const;

/** SAFEARRAY: where the address of its elements and their number are. */
const SAFEARRAY = { data: 16, count: 24 } as const;
/** Elements of an array that are read. */
const MOST = 64;

/** The type of a VARIANT. */
export function variantType(variant: Uint8Array<ArrayBuffer>, at = 0): number {
  return new DataView(variant.buffer, variant.byteOffset + at).getUint16(0, true);
}

/**
 * Reads a VARIANT.
 * @param at Its place in the bytes.
 * @returns undefined for types that are not read. An object is the number of its address.
 */
export function variantValue(variant: Uint8Array<ArrayBuffer>, ole: Ole, at = 0): VariantValue {
  const view = new DataView(variant.buffer, variant.byteOffset + at, VARIANT_BYTES);
  const type = view.getUint16(0, true);
  if (type & VT.array) return arrayValues(view.getBigUint64(VALUE, true), type & ~VT.array);
  if (type === VT.i4) return view.getInt32(VALUE, true);
  if (type === VT.ui4) return view.getUint32(VALUE, true);
  if (type === VT.r8) return view.getFloat64(VALUE, true);
  if (type === VT.bool) return view.getInt16(VALUE, true) !== 0;
  if (type === VT.bstr) return ole.textAt(view.getBigUint64(VALUE, true));
  if (type === VT.dispatch) return view.getBigUint64(VALUE, true);
  return undefined;
}

/** The numbers of an array with one dimension. */
function arrayValues(address: bigint, type: number): number[] | undefined {
  const pointer = Deno.UnsafePointer.create(address);
  if (!pointer || type !== VT.i4 && type !== VT.r8) return undefined;
  const array = new Deno.UnsafePointerView(pointer), data = array.getPointer(SAFEARRAY.data);
  if (!data) return [];
  const values = new Deno.UnsafePointerView(data), length = Math.min(MOST, array.getUint32(SAFEARRAY.count));
  return Array.from(
    { length },
    (_, i) => type === VT.i4 ? values.getInt32(i * 4) : values.getFloat64(i * 8),
  );
}

/** The numbers of a SAFEARRAY of 32-bit integers. */
export function integersAt(address: bigint): number[] {
  return arrayValues(address, VT.i4) ?? [];
}

/** A VARIANT with a 32-bit number. */
export function integerVariant(value: number): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(VARIANT_BYTES));
  view.setUint16(0, VT.i4, true);
  view.setInt32(VALUE, value, true);
  return new Uint8Array(view.buffer);
}
