/**
 * Values of PipeWire as bytes (SPA POD, docs.pipewire.org/page_spa_pod.html): 32 bits of size, 32 bits of type, the
 * value, and zeros up to a multiple of 8. Pure.
 */

/** Numbers of types (spa/utils/type.h). */
const TYPE = { id: 3, int: 4, rectangle: 10, fraction: 11, object: 15, choice: 19 } as const;
const HEADER_BYTES = 8;
/** `struct spa_pod_object_body` and, of each property, its key and flags. */
const OBJECT_BYTES = 8, PROPERTY_BYTES = 8;
/** `struct spa_pod_choice_body` up to its values: the kind, flags, and the values' own size and type. */
const CHOICE_BYTES = 16;
const CHOICE_RANGE = 1;

/** A value: a number of an enumeration, a whole number, a size, a fraction. */
export type PodValue =
  | { type: "id" | "int"; value: number }
  | { type: "rectangle" | "fraction"; value: readonly [number, number] };

/** An offered value: a fixed value, or a range with a default. */
export type PodOffer = PodValue | { default: PodValue; least: PodValue; most: PodValue };

/** An object: values by their keys. */
export interface PodObject<V> {
  /** The number of the object's type. */
  type: number;
  /** The parameter (enum spa_param_type). */
  id: number;
  properties: ReadonlyMap<number, V>;
}

/**
 * Writes an object.
 * @example
 * encodeObject({ type: 0x40004, id: 5, properties: new Map([[6, { type: "int", value: 4 }]]) }).length; // 40
 */
export function encodeObject({ type, id, properties }: PodObject<PodOffer>): Uint8Array<ArrayBuffer> {
  const body = [...properties].flatMap(([key, offer]) => [...words(key, 0), ...encoded(offer)]);
  return Uint8Array.from(pod(TYPE.object, [...words(type, id), ...body]));
}

/**
 * Reads an object.
 * @param bytes The object's bytes, perhaps with more bytes after them.
 * @returns The object's values: of a choice the first value, which is the chosen one; properties of other types are
 * left out. undefined if the bytes are no object.
 */
export function decodeObject(bytes: Uint8Array): PodObject<PodValue> | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (bytes.length < HEADER_BYTES + OBJECT_BYTES || view.getUint32(4, true) !== TYPE.object) return undefined;
  const end = HEADER_BYTES + view.getUint32(0, true);
  if (end > bytes.length) return undefined;
  const properties = new Map<number, PodValue>();
  for (let at = HEADER_BYTES + OBJECT_BYTES; at + PROPERTY_BYTES + HEADER_BYTES <= end;) {
    const value = at + PROPERTY_BYTES, size = view.getUint32(value, true);
    if (value + HEADER_BYTES + size > end) return undefined;
    const decoded = decodeValue(view, value);
    if (decoded) properties.set(view.getUint32(at, true), decoded);
    at = value + HEADER_BYTES + padded(size);
  }
  return { type: view.getUint32(8, true), id: view.getUint32(12, true), properties };
}

function encoded(offer: PodOffer): number[] {
  if ("type" in offer) return pod(TYPE[offer.type], bodyOf(offer));
  const { default: first, least, most } = offer, one = bodyOf(first);
  return pod(TYPE.choice, [
    ...words(CHOICE_RANGE, 0, one.length, TYPE[first.type]),
    ...[first, least, most].flatMap(bodyOf),
  ]);
}

function bodyOf({ value }: PodValue): number[] {
  return typeof value === "number" ? words(value) : words(...value);
}

function decodeValue(view: DataView, at: number): PodValue | undefined {
  const size = view.getUint32(at, true), type = view.getUint32(at + 4, true), body = at + HEADER_BYTES;
  if (type !== TYPE.choice) return bare(view, type, body, size);
  if (size < CHOICE_BYTES) return undefined;
  const childSize = view.getUint32(body + 8, true), childType = view.getUint32(body + 12, true);
  return bare(view, childType, body + CHOICE_BYTES, Math.min(childSize, size - CHOICE_BYTES));
}

/** A value without its header. */
function bare(view: DataView, type: number, at: number, size: number): PodValue | undefined {
  if ((type === TYPE.id || type === TYPE.int) && size >= 4) {
    return { type: type === TYPE.id ? "id" : "int", value: view.getUint32(at, true) };
  }
  if ((type === TYPE.rectangle || type === TYPE.fraction) && size >= 8) {
    const value = [view.getUint32(at, true), view.getUint32(at + 4, true)] as const;
    return { type: type === TYPE.rectangle ? "rectangle" : "fraction", value };
  }
  return undefined;
}

function pod(type: number, body: readonly number[]): number[] {
  const padding = new Array<number>(padded(body.length) - body.length).fill(0);
  return [...words(body.length, type), ...body, ...padding];
}

/** Encodes 32-bit numbers as bytes, in little endian. */
function words(...numbers: number[]): number[] {
  return numbers.flatMap((n) => [n & 0xff, (n >>> 8) & 0xff, (n >>> 16) & 0xff, n >>> 24]);
}

function padded(size: number): number {
  return (size + 7) & ~7;
}
