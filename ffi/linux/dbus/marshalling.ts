/** D-Bus values as bytes, and bytes as values (its specification, "Marshaling"). Pure. */

import {
  aligned,
  ALIGNMENT,
  ARRAY_LIMIT,
  decodeText,
  DEPTH_LIMIT,
  encodeText,
  MarshalError,
  parseSignature,
  parseSingleType,
  type Sent,
  type Type,
  Variant,
} from "./values.ts";

/** Reads a message's values in sequence. */
export class ValueReader {
  readonly #view: DataView;

  /**
   * @param bytes The bytes, which begin at a multiple of 8 in their message.
   * @param isLittle Whether numbers are little-endian.
   * @param descriptors The file descriptors that came with the message.
   * @param at The offset of the first value.
   */
  constructor(
    readonly bytes: Uint8Array,
    readonly isLittle: boolean,
    readonly descriptors: readonly number[] = [],
    public at = 0,
  ) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /**
   * Reads the values of a signature.
   * @throws MarshalError if the bytes do not fit the signature.
   */
  readAll(signature: string): unknown[] {
    return this.#fields(parseSignature(signature), 0);
  }

  /** Reads a variant: a signature, and then a value of that type. */
  readVariant(signature: string): unknown {
    return this.#read(parseSingleType(signature), 0);
  }

  /** Reads an 8-bit number. */
  readByte(): number {
    return this.#view.getUint8(this.#take(1));
  }

  /** Reads a 32-bit unsigned integer. */
  readUint(): number {
    this.align(4);
    return this.#view.getUint32(this.#take(4), this.isLittle);
  }

  /** Reads a 32-bit signed integer. */
  readInt(): number {
    this.align(4);
    return this.#view.getInt32(this.#take(4), this.isLittle);
  }

  /** Reads a string or a path. */
  readText(): string {
    return this.#text(this.readUint());
  }

  /** Skips a string or a path. */
  skipText(): void {
    this.#take(this.readUint() + 1);
  }

  /**
   * Moves to the first item of an array.
   * @param alignment The alignment of its items.
   * @returns Where the array ends.
   * @throws MarshalError if it is too long, or the bytes end before it does.
   */
  readArray(alignment: number): number {
    const length = this.readUint();
    if (length > ARRAY_LIMIT) throw new MarshalError("the array is too long");
    this.align(alignment);
    if (length > this.bytes.length - this.at) throw new MarshalError("the message ends within an array");
    return this.at + length;
  }

  /** Reads a string of at most 255 bytes, such as a signature. */
  readShortText(): string {
    return this.#text(this.readByte());
  }

  /**
   * Reads a signature of one character.
   * @returns The character's code; 0, without reading anything, if the signature is a different one.
   */
  readOneType(): number {
    const { bytes, at } = this;
    if (bytes[at] !== 1 || bytes[at + 2] !== 0) return 0;
    this.at += 3;
    return bytes[at + 1];
  }

  /** @throws MarshalError if bytes are left. */
  expectEnd(): void {
    if (this.at !== this.bytes.length) throw new MarshalError("the message has extra bytes after its values");
  }

  #read(type: Type, depth: number): unknown {
    if (depth > DEPTH_LIMIT) throw new MarshalError("the value is nested too deeply");
    this.align(ALIGNMENT[type.code]);
    const view = this.#view, little = this.isLittle;
    switch (type.code) {
      case "s":
      case "o":
        return this.readText();
      case "u":
        return view.getUint32(this.#take(4), little);
      case "i":
        return view.getInt32(this.#take(4), little);
      case "a":
        return this.#array(type.parts[0], depth + 1);
      case "(":
      case "{":
        return this.#fields(type.parts, depth + 1);
      case "v":
        return this.#read(parseSingleType(this.readShortText()), depth + 1);
      case "g":
        return this.readShortText();
      case "b":
        return this.#boolean();
      case "h":
        return this.#descriptor();
      case "y":
        return this.readByte();
      case "n":
        return view.getInt16(this.#take(2), little);
      case "q":
        return view.getUint16(this.#take(2), little);
      case "x":
        return view.getBigInt64(this.#take(8), little);
      case "t":
        return view.getBigUint64(this.#take(8), little);
    }
    return view.getFloat64(this.#take(8), little);
  }

  #fields(types: readonly Type[], depth: number): unknown[] {
    const values: unknown[] = [];
    for (const type of types) values.push(this.#read(type, depth));
    return values;
  }

  #boolean(): boolean {
    const value = this.readUint();
    if (value !== 0 && value !== 1) throw new MarshalError("a boolean is neither 0 nor 1");
    return value === 1;
  }

  #descriptor(): number {
    const fd = this.descriptors[this.readUint()];
    if (fd === undefined) throw new MarshalError("the message lacks its file descriptor");
    return fd;
  }

  /** Decodes some bytes, followed by a zero. */
  #text(length: number): string {
    const at = this.#take(length + 1), end = at + length;
    if (this.bytes[end] !== 0) throw new MarshalError("a string has an invalid length");
    return decodeText(this.bytes, at, end);
  }

  #array(item: Type, depth: number): unknown {
    const end = this.readArray(ALIGNMENT[item.code]);
    if (item.code === "y") return this.bytes.slice(this.#take(end - this.at), end);
    const items: unknown[] = [];
    while (this.at < end) items.push(this.#read(item, depth));
    if (this.at !== end) throw new MarshalError("an array has an invalid length");
    return item.code === "{" ? new Map(items as [unknown, unknown][]) : items;
  }

  /**
   * Moves to a multiple of `alignment`.
   * @throws MarshalError if the bytes end before that.
   */
  align(alignment: number): void {
    const at = aligned(this.at, alignment);
    if (at > this.bytes.length) throw new MarshalError("the message ends before its values");
    this.at = at;
  }

  #take(length: number): number {
    const at = this.at;
    if (length > this.bytes.length - at) throw new MarshalError("the message ends within a value");
    this.at += length;
    return at;
  }
}

// D-Bus values as bytes (its specification, "Marshaling"), little-endian. Pure: file descriptors travel
// separately from the bytes.

/** The pattern of an object path. */
const OBJECT_PATH = /^\/$|^(\/[A-Za-z0-9_]+)+$/;

/** Integers, with their minimum and maximum values. */
const INTEGERS: Record<string, readonly [least: number, most: number]> = {
  y: [0, 0xff],
  n: [-0x8000, 0x7fff],
  q: [0, 0xffff],
  i: [-0x80000000, 0x7fffffff],
  u: [0, 0xffffffff],
};
/** 64-bit integers, with their minimum and maximum values. */
const LONG_INTEGERS: Record<string, readonly [least: bigint, most: bigint]> = {
  x: [-(1n << 63n), (1n << 63n) - 1n],
  t: [0n, (1n << 64n) - 1n],
};

/** Writes a message's values in sequence. */
export class ValueWriter {
  #bytes = new Uint8Array(256);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;
  /** The offset of the message's start, relative to which values are aligned. */
  #start = 0;
  /** The file descriptors among the values. */
  readonly descriptors: number[] = [];

  /** The bytes written so far, valid until more are written. */
  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.#length);
  }

  /** The number of bytes written. */
  get length(): number {
    return this.#length;
  }

  /** Begins a message after those already written. */
  begin(): void {
    this.#start = this.#length;
  }

  /**
   * Drops the most recently written values.
   * @param length The number of bytes to keep.
   * @param descriptors The number of descriptors to keep.
   */
  cut(length = 0, descriptors = 0): void {
    this.#length = this.#start = length;
    this.descriptors.length = descriptors;
  }

  /**
   * Writes the values of a signature.
   * @throws MarshalError if the values do not fit the signature.
   */
  writeAll(signature: string, values: readonly Sent[]): void {
    this.#writeFields(parseSignature(signature), values, 0);
  }

  /** Writes 8-bit numbers. */
  writeBytes(...values: number[]): void {
    this.#reserve(values.length);
    for (const value of values) this.#bytes[this.#length++] = value;
  }

  /** Writes a 32-bit unsigned integer. */
  writeUint(value: number): void {
    this.align(4);
    this.#reserve(4);
    this.#view.setUint32(this.#length, value, true);
    this.#length += 4;
  }

  /** Overwrites a 32-bit number. */
  setUint(at: number, value: number): void {
    this.#view.setUint32(at, value, true);
  }

  /** Writes a variant: a signature, and then a value of that type. */
  writeVariant(signature: string, value: Sent): void {
    const type = parseSingleType(signature);
    if (signature.length === 1) this.writeBytes(1, signature.charCodeAt(0), 0);
    else this.#text("g", signature);
    this.#write(type, value, 1);
  }

  /** Pads with zeros to a multiple of `alignment`. */
  align(alignment: number): void {
    const end = this.#start + aligned(this.#length - this.#start, alignment);
    this.#reserve(end - this.#length);
    while (this.#length < end) this.#bytes[this.#length++] = 0;
  }

  #write(type: Type, value: Sent, depth: number): void {
    if (depth > DEPTH_LIMIT) throw new MarshalError("the value is nested too deeply");
    const { code } = type;
    this.align(ALIGNMENT[code]);
    switch (code) {
      case "s":
      case "o":
      case "g":
        return this.#text(code, value);
      case "b":
        if (typeof value !== "boolean") throw unfit(code, value);
        return this.writeUint(value ? 1 : 0);
      case "x":
      case "t":
        return this.#long(code, value);
      case "d":
        return this.#double(value);
      case "h":
        if (typeof value !== "number" || value < 0) throw unfit(code, value);
        return this.writeUint(this.descriptors.push(value) - 1);
      case "v":
        if (!(value instanceof Variant)) throw unfit(code, value);
        this.#text("g", value.signature);
        return this.#write(parseSingleType(value.signature), value.value, depth + 1);
      case "a":
        return this.#array(type, value, depth + 1);
      case "(":
      case "{":
        if (!Array.isArray(value)) throw unfit(code, value);
        return this.#writeFields(type.parts, value, depth + 1);
    }
    this.#integer(code, value);
  }

  #writeFields(types: readonly Type[], values: readonly Sent[], depth: number): void {
    if (types.length !== values.length) {
      throw new MarshalError(`${values.length} values do not match ${types.length} types`);
    }
    for (let i = 0; i < types.length; i++) this.#write(types[i], values[i], depth);
  }

  #integer(code: string, value: Sent): void {
    const [least, most] = INTEGERS[code], number = typeof value === "bigint" ? Number(value) : value;
    const fits = typeof number === "number" && Number.isInteger(number) && number >= least && number <= most;
    if (!fits) throw unfit(code, value);
    this.#reserve(4);
    const at = this.#length, bytes = ALIGNMENT[code]; // integers are aligned to their sizes
    if (bytes === 1) this.#bytes[at] = number;
    else if (bytes === 2) this.#view.setInt16(at, number, true);
    else this.#view.setInt32(at, number, true);
    this.#length += bytes;
  }

  #long(code: string, value: Sent): void {
    const isWhole = typeof value === "bigint" || (typeof value === "number" && Number.isInteger(value));
    const [least, most] = LONG_INTEGERS[code];
    if (!isWhole || BigInt(value) < least || BigInt(value) > most) throw unfit(code, value);
    this.#reserve(8);
    this.#view.setBigInt64(this.#length, BigInt.asIntN(64, BigInt(value)), true);
    this.#length += 8;
  }

  #double(value: Sent): void {
    if (typeof value !== "number") throw unfit("d", value);
    this.#reserve(8);
    this.#view.setFloat64(this.#length, value, true);
    this.#length += 8;
  }

  /** Writes a string, path or signature: its length, its bytes, a zero. */
  #text(code: "s" | "o" | "g", value: Sent): void {
    if (typeof value !== "string" || value.includes("\0")) throw unfit(code, value);
    if (code === "o" && !OBJECT_PATH.test(value)) throw unfit(code, value);
    if (code === "g") parseSignature(value);
    this.#reserve(4 + 3 * value.length + 1);
    const at = this.#length, start = at + (code === "g" ? 1 : 4), end = encodeText(value, this.#bytes, start);
    if (code === "g") this.#bytes[at] = end - start;
    else this.setUint(at, end - start);
    this.#bytes[end] = 0;
    this.#length = end + 1;
  }

  #array(type: Type, value: Sent, depth: number): void {
    const [item] = type.parts, lengthAt = this.#length;
    this.writeUint(0);
    this.align(ALIGNMENT[item.code]);
    const start = this.#length;
    if (item.code === "y" && value instanceof Uint8Array) this.#append(value);
    else for (const part of itemsOf(type, value)) this.#write(item, part, depth);
    if (this.#length - start > ARRAY_LIMIT) throw new MarshalError("the array is too long");
    this.setUint(lengthAt, this.#length - start);
  }

  #append(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** Reserves room for more bytes. */
  #reserve(count: number): void {
    const needed = this.#length + count;
    if (needed <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(needed, 2 * this.#bytes.length));
    larger.set(this.bytes);
    this.#bytes = larger;
    this.#view = new DataView(larger.buffer);
  }
}

/** An array's items; those of a dictionary are pairs. */
function itemsOf(type: Type, value: Sent): Iterable<Sent> {
  if (Array.isArray(value)) return value;
  if (type.parts[0].code !== "{" || typeof value !== "object") throw unfit(type.code, value);
  if (value instanceof Map) return value as Map<Sent, Sent> & Iterable<Sent>;
  if (value instanceof Variant || value instanceof Uint8Array) throw unfit(type.code, value);
  return Object.entries(value);
}

function unfit(code: string, value: unknown): MarshalError {
  return new MarshalError(`${Deno.inspect(value, { depth: 1 })} is not a value of type ${code}`);
}
