/** Bytes as values of D-Bus (its specification, "Marshaling"). Pure, and safe against any bytes: they are read or refused. */

import {
  aligned,
  ALIGNMENT,
  ARRAY_LIMIT,
  decodeText,
  DEPTH_LIMIT,
  MarshalError,
  parseSignature,
  parseSingleType,
  type Type,
} from "./values.ts";

/** Reads the values of a message one after the other. */
export class ValueReader {
  readonly #view: DataView;

  /**
   * @param bytes The bytes, which begin on a multiple of 8 in their message.
   * @param isLittle Whether numbers are in little endian.
   * @param descriptors The descriptors that came with the message.
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

  /** Reads a number of 8 bits. */
  readByte(): number {
    return this.#view.getUint8(this.#take(1));
  }

  /** Reads a whole number of 32 bits. */
  readUint(): number {
    this.align(4);
    return this.#view.getUint32(this.#take(4), this.isLittle);
  }

  /** Reads a whole number of 32 bits with a sign. */
  readInt(): number {
    this.align(4);
    return this.#view.getInt32(this.#take(4), this.isLittle);
  }

  /** Reads a text or a path. */
  readText(): string {
    return this.#text(this.readUint());
  }

  /** Goes beyond a text or a path. */
  skipText(): void {
    this.#take(this.readUint() + 1);
  }

  /**
   * Goes to the first item of an array.
   * @param alignment The alignment of its items.
   * @returns Where the array ends.
   */
  readArray(alignment: number): number {
    const length = this.readUint();
    if (length > ARRAY_LIMIT) throw new MarshalError("the array is too long");
    this.align(alignment);
    if (length > this.bytes.length - this.at) throw new MarshalError("the message ends within an array");
    return this.at + length;
  }

  /** Reads a text of at most 255 bytes, such as a signature. */
  readShortText(): string {
    return this.#text(this.readByte());
  }

  /**
   * Reads a signature of one character.
   * @returns The character's number; 0, and reads nothing, if there is another signature.
   */
  readOneType(): number {
    const { bytes, at } = this;
    if (bytes[at] !== 1 || bytes[at + 2] !== 0) return 0;
    this.at += 3;
    return bytes[at + 1];
  }

  /** @throws MarshalError if there are bytes left. */
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

  /** Text of some bytes, before a zero. */
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
   * Goes on to a multiple of bytes.
   * @throws MarshalError if the bytes end before it.
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
