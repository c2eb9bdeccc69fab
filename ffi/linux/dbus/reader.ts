/** Bytes as values of D-Bus (its specification, "Marshaling"). Pure, and safe against any bytes: they are read or refused. */

import { aligned, ALIGNMENT, ARRAY_LIMIT, DEPTH_LIMIT } from "./layout.ts";
import { MarshalError, parseSignature, parseSingleType, type Type } from "./signature.ts";

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Bytes of the types of one size. */
const SIZES: Record<string, number> = { y: 1, n: 2, q: 2, b: 4, i: 4, u: 4, h: 4, x: 8, t: 8, d: 8 };

/** Reads values one after the other. */
export class ValueReader {
  readonly #view: DataView;

  /**
   * @param bytes Begin on a multiple of 8 in their message.
   * @param isLittle Whether numbers are in little endian.
   * @param descriptors Came with the message.
   * @param at Where to begin.
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
   * @throws MarshalError if the bytes are none.
   */
  readAll(signature: string): unknown[] {
    return parseSignature(signature).map((type) => this.#read(type, 0));
  }

  /** @throws MarshalError if there are bytes left. */
  expectEnd(): void {
    if (this.at !== this.bytes.length) throw new MarshalError("a message has bytes behind its values");
  }

  #read(type: Type, depth: number): unknown {
    if (depth > DEPTH_LIMIT) throw new MarshalError("a value is nested too deeply");
    this.#align(ALIGNMENT[type.code]);
    switch (type.code) {
      case "v":
        return this.#read(parseSingleType(this.#text(this.#number("y") as number)), depth + 1);
      case "a":
        return this.#array(type.parts[0], depth + 1);
      case "(":
      case "{":
        return type.parts.map((part) => this.#read(part, depth + 1));
      case "s":
      case "o":
        return this.#text(this.#number("u") as number);
      case "g":
        return this.#text(this.#number("y") as number);
      case "b":
        return this.#boolean();
      case "h":
        return this.#descriptor();
    }
    return this.#number(type.code);
  }

  #number(code: string): number | bigint {
    const view = this.#view, at = this.#take(SIZES[code]), little = this.isLittle;
    switch (code) {
      case "y":
        return view.getUint8(at);
      case "n":
        return view.getInt16(at, little);
      case "q":
        return view.getUint16(at, little);
      case "i":
        return view.getInt32(at, little);
      case "x":
        return view.getBigInt64(at, little);
      case "t":
        return view.getBigUint64(at, little);
      case "d":
        return view.getFloat64(at, little);
    }
    return view.getUint32(at, little);
  }

  #boolean(): boolean {
    const value = this.#number("u");
    if (value !== 0 && value !== 1) throw new MarshalError("a boolean is neither 0 nor 1");
    return value === 1;
  }

  #descriptor(): number {
    const fd = this.descriptors[this.#number("u") as number];
    if (fd === undefined) throw new MarshalError("a message came without its file descriptor");
    return fd;
  }

  /** Text of some bytes, before a zero. */
  #text(length: number): string {
    const at = this.#take(length + 1);
    const bytes = this.bytes.subarray(at, at + length);
    if (this.bytes[at + length] !== 0 || bytes.includes(0)) {
      throw new MarshalError("a text does not end where it says");
    }
    try {
      return UTF8.decode(bytes);
    } catch {
      throw new MarshalError("a text is no UTF-8");
    }
  }

  #array(item: Type, depth: number): unknown {
    const length = this.#number("u") as number;
    if (length > ARRAY_LIMIT) throw new MarshalError("an array is too long");
    this.#align(ALIGNMENT[item.code]);
    if (length > this.bytes.length - this.at) throw new MarshalError("a message ends in an array");
    const end = this.at + length;
    if (item.code === "y") return this.bytes.slice(this.#take(length), end);
    const items: unknown[] = [];
    while (this.at < end) items.push(this.#read(item, depth));
    if (this.at !== end) throw new MarshalError("an array does not end where it says");
    return item.code === "{" ? new Map(items as [unknown, unknown][]) : items;
  }

  #align(alignment: number): void {
    const at = aligned(this.at, alignment);
    if (at > this.bytes.length) throw new MarshalError("a message ends before its values");
    this.at = at;
  }

  #take(length: number): number {
    const at = this.at;
    if (length > this.bytes.length - at) throw new MarshalError("a message ends in a value");
    this.at += length;
    return at;
  }
}
