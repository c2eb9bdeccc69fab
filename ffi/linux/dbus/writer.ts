/** Values of D-Bus as bytes (its specification, "Marshaling"), in little endian. Pure: descriptors travel beside the bytes. */

import { aligned, ALIGNMENT, ARRAY_LIMIT, DEPTH_LIMIT } from "./layout.ts";
import { MarshalError, parseSignature, parseSingleType, type Type } from "./signature.ts";
import { type Sent, Variant } from "./values.ts";

const UTF8 = new TextEncoder();
/** A path of an object, and what names a type. */
const OBJECT_PATH = /^\/$|^(\/[A-Za-z0-9_]+)+$/;

/** Whole numbers: how many bytes and which values. */
const INTEGERS: Record<string, { bytes: number; least: bigint; most: bigint }> = {
  y: { bytes: 1, least: 0n, most: 0xffn },
  n: { bytes: 2, least: -0x8000n, most: 0x7fffn },
  q: { bytes: 2, least: 0n, most: 0xffffn },
  i: { bytes: 4, least: -0x80000000n, most: 0x7fffffffn },
  u: { bytes: 4, least: 0n, most: 0xffffffffn },
  x: { bytes: 8, least: -(1n << 63n), most: (1n << 63n) - 1n },
  t: { bytes: 8, least: 0n, most: (1n << 64n) - 1n },
};

/** Values one after the other. */
export class ValueWriter {
  #bytes = new Uint8Array(256);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;
  /** The file descriptors among the values. */
  readonly descriptors: number[] = [];

  /** The bytes written so far. */
  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.#length);
  }

  /**
   * Writes the values of a signature.
   * @throws MarshalError if they do not fit it.
   */
  writeAll(signature: string, values: readonly Sent[]): void {
    this.#writeFields(parseSignature(signature), values, 0);
  }

  /** Pads with zeros to a multiple of bytes. */
  align(alignment: number): void {
    const end = aligned(this.#length, alignment);
    this.#reserve(end - this.#length);
    this.#length = end; // the memory is zero
  }

  #write(type: Type, value: Sent, depth: number): void {
    if (depth > DEPTH_LIMIT) throw new MarshalError("a value is nested too deeply");
    this.align(ALIGNMENT[type.code]);
    if (type.code in INTEGERS) return this.#integer(type.code, value);
    switch (type.code) {
      case "b":
        if (typeof value !== "boolean") throw unfit(type, value);
        return this.#number(value ? 1n : 0n, 4);
      case "d":
        return this.#double(type, value);
      case "h":
        if (typeof value !== "number" || value < 0) throw unfit(type, value);
        return this.#number(BigInt(this.descriptors.push(value) - 1), 4);
      case "v":
        if (!(value instanceof Variant)) throw unfit(type, value);
        this.#text({ code: "g", parts: [] }, value.signature);
        return this.#write(parseSingleType(value.signature), value.value, depth + 1);
      case "a":
        return this.#array(type, value, depth + 1);
      case "(":
      case "{":
        if (!Array.isArray(value)) throw unfit(type, value);
        return this.#writeFields(type.parts, value, depth + 1);
    }
    this.#text(type, value);
  }

  #writeFields(types: readonly Type[], values: readonly Sent[], depth: number): void {
    if (types.length !== values.length) {
      throw new MarshalError(`${values.length} values do not fit ${types.length} types`);
    }
    types.forEach((type, i) => this.#write(type, values[i], depth));
  }

  #integer(code: string, value: Sent): void {
    const { bytes, least, most } = INTEGERS[code];
    const isWhole = typeof value === "bigint" || (typeof value === "number" && Number.isInteger(value));
    if (!isWhole || BigInt(value) < least || BigInt(value) > most) throw unfit({ code, parts: [] }, value);
    this.#number(BigInt(value), bytes);
  }

  #number(value: bigint, bytes: number): void {
    this.#reserve(8);
    // The bytes above those of the number are overwritten by what follows, or lie behind the end.
    this.#view.setBigInt64(this.#length, BigInt.asIntN(64, value), true);
    this.#length += bytes;
    this.#bytes.fill(0, this.#length, this.#length + 8);
  }

  #double(type: Type, value: Sent): void {
    if (typeof value !== "number") throw unfit(type, value);
    this.#reserve(8);
    this.#view.setFloat64(this.#length, value, true);
    this.#length += 8;
  }

  /** Text, path or signature: its length, its bytes, a zero. */
  #text(type: Type, value: Sent): void {
    if (typeof value !== "string" || value.includes("\0")) throw unfit(type, value);
    if (type.code === "o" && !OBJECT_PATH.test(value)) throw unfit(type, value);
    if (type.code === "g") parseSignature(value);
    const utf8 = UTF8.encode(value);
    this.#number(BigInt(utf8.length), type.code === "g" ? 1 : 4);
    this.#append(utf8);
    this.#number(0n, 1);
  }

  #array(type: Type, value: Sent, depth: number): void {
    const [item] = type.parts, lengthAt = this.#length;
    this.#number(0n, 4);
    this.align(ALIGNMENT[item.code]);
    const start = this.#length;
    if (item.code === "y" && value instanceof Uint8Array) this.#append(value);
    else for (const part of itemsOf(type, value)) this.#write(item, part, depth);
    if (this.#length - start > ARRAY_LIMIT) throw new MarshalError("an array is too long");
    this.#view.setUint32(lengthAt, this.#length - start, true);
  }

  #append(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** Makes room for more bytes, and for a number behind them. */
  #reserve(count: number): void {
    const needed = this.#length + count + 8;
    if (needed <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(needed, 2 * this.#bytes.length));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
    this.#view = new DataView(larger.buffer);
  }
}

/** The items of an array; those of a dictionary are pairs. */
function itemsOf(type: Type, value: Sent): Iterable<Sent> {
  if (Array.isArray(value)) return value;
  if (type.parts[0].code !== "{" || typeof value !== "object") throw unfit(type, value);
  if (value instanceof Map) return value as Map<Sent, Sent> & Iterable<Sent>;
  if (value instanceof Variant || value instanceof Uint8Array) throw unfit(type, value);
  return Object.entries(value);
}

function unfit(type: Type, value: unknown): MarshalError {
  return new MarshalError(`${Deno.inspect(value, { depth: 1 })} is no value of the type ${type.code}`);
}
