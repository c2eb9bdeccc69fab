/** Values of OLE Automation: VARIANT, BSTR and SAFEARRAY (oaidl.h, wtypes.h; the layouts of 64 bits). */

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
