/** The types of D-Bus values in TypeScript. */

/** A value with its type, for sending: `new Variant("u", 3)`. A received variant is only its value. */
export class Variant {
  /**
   * @param signature The signature of one complete type.
   * @param value A value of that type.
   */
  constructor(readonly signature: string, readonly value: Sent) {}
}

/**
 * Values that can be sent. A dictionary (`a{sv}`) is a Map, or an object if its keys are strings; an array of
 * bytes is a Uint8Array, any other array or a structure is an array; 64-bit numbers may be bigint; a file
 * descriptor (`h`) is its number, and the caller closes it after the call.
 */
export type Sent =
  | number
  | bigint
  | boolean
  | string
  | Variant
  | Uint8Array
  | readonly Sent[]
  | ReadonlyMap<Sent, Sent>
  | { readonly [key: string]: Sent };

/** Basic types and variants as received. */
interface Basic {
  y: number;
  b: boolean;
  n: number;
  q: number;
  i: number;
  u: number;
  x: bigint;
  t: bigint;
  d: number;
  s: string;
  o: string;
  g: string;
  /** A file descriptor, which the receiver closes. */
  h: number;
  v: unknown;
}

/** The first complete type of a signature, and the rest. */
type First<S extends string> = S extends `ay${infer Rest}` ? [Uint8Array<ArrayBuffer>, Rest]
  : S extends `a{${infer Entry}` ? FirstEntry<Entry>
  : S extends `a${infer Item}`
    ? First<Item> extends [infer V, infer Rest extends string] ? [V[], Rest] : never
  : S extends `(${infer Fields}` ? FirstFields<Fields, []>
  : S extends `${infer Code extends keyof Basic}${infer Rest}` ? [Basic[Code], Rest]
  : never;

type FirstEntry<S extends string> = First<S> extends [infer K, infer AfterKey extends string]
  ? First<AfterKey> extends [infer V, `}${infer Rest}`] ? [Map<K, V>, Rest] : never
  : never;

type FirstFields<S extends string, Fields extends unknown[]> = S extends `)${infer Rest}` ? [Fields, Rest]
  : First<S> extends [infer V, infer Rest extends string] ? FirstFields<Rest, [...Fields, V]>
  : never;

/** A signature's values as received: `Values<"sa{sv}">` is `[string, Map<string, unknown>]`. */
export type Values<S extends string> = string extends S ? unknown[]
  : S extends "" ? []
  : First<S> extends [infer V, infer Rest extends string] ? [V, ...Values<Rest>]
  : never;

// Signatures of D-Bus values (D-Bus Specification, "Type System"): the types of a message's values, as text.

/** A value or message that does not conform to the protocol, received or to be sent. */
export class MarshalError extends Error {
  override name = "MarshalError";
}

/** Basic types: a byte, a boolean, numbers, strings, a path, a signature and a file descriptor. */
const BASIC = "ybnqiuxtdsogh";
/**
 * Maximum length of a signature, and maximum nesting depth of arrays and structures, in the specification.
 */
const LIMITS = { length: 255, depth: 32 };

/** Parsed signatures; messages use few. */
const KNOWN = new Map<string, readonly Type[]>();
const KNOWN_LIMIT = 256;

/** One complete type. */
export interface Type {
  /** The type's first character; `(` is a structure and `{` a dictionary entry. */
  code: string;
  /** The array's item, the structure's fields, or the entry's key and value; empty for other types. */
  parts: readonly Type[];
}

/**
 * Parses a signature.
 * @param signature Such as `sa{sv}`; may be empty.
 * @returns Its complete types.
 * @throws MarshalError if the text is not a signature, or exceeds the specification's limits.
 * @example
 * parseSignature("as").length; // 1
 */
export function parseSignature(signature: string): readonly Type[] {
  const known = KNOWN.get(signature);
  if (known) return known;
  if (signature.length > LIMITS.length) throw new MarshalError("the signature is too long");
  const reader = new SignatureReader(signature), types: Type[] = [];
  while (!reader.isAtEnd) types.push(reader.type(0, 0));
  // Other programs choose signatures, so the cache must be bounded.
  if (KNOWN.size >= KNOWN_LIMIT) KNOWN.clear();
  KNOWN.set(signature, types);
  return types;
}

/**
 * Parses a signature of one complete type, as in a variant.
 * @throws MarshalError if the text is not such a signature.
 */
export function parseSingleType(signature: string): Type {
  const types = parseSignature(signature);
  if (types.length !== 1) throw new MarshalError("a variant must have exactly one complete type");
  return types[0];
}

/** Reads a signature in sequence. */
class SignatureReader {
  #at = 0;

  constructor(readonly signature: string) {}

  get isAtEnd(): boolean {
    return this.#at >= this.signature.length;
  }

  /** The next complete type. */
  type(arrays: number, structures: number): Type {
    const code = this.signature[this.#at++];
    if (code !== undefined && (code === "v" || BASIC.includes(code))) return { code, parts: [] };
    if (code === "a") return { code, parts: [this.#item(arrays + 1, structures)] };
    if (code === "(") return { code, parts: this.#fields(")", arrays, structures + 1) };
    throw new MarshalError("the signature contains an unknown type");
  }

  #item(arrays: number, structures: number): Type {
    if (arrays > LIMITS.depth) throw new MarshalError("the signature nests too many arrays");
    if (this.signature[this.#at] !== "{") return this.type(arrays, structures);
    this.#at++;
    const parts = this.#fields("}", arrays, structures + 1);
    if (parts.length !== 2 || !BASIC.includes(parts[0].code)) {
      throw new MarshalError("a dictionary entry must have a key of a basic type and a value");
    }
    return { code: "{", parts };
  }

  #fields(end: string, arrays: number, structures: number): Type[] {
    if (structures > LIMITS.depth) {
      throw new MarshalError("the signature nests too many structures");
    }
    const fields: Type[] = [];
    while (this.signature[this.#at] !== end) fields.push(this.type(arrays, structures));
    this.#at++;
    if (!fields.length) throw new MarshalError("a structure must have at least one field");
    return fields;
  }
}

// Sizes of values in a message (D-Bus Specification, "Marshaling").

/** The alignment of each type's values: a multiple of bytes from the message's start. */
export const ALIGNMENT: Record<string, number> = {
  y: 1,
  g: 1,
  v: 1,
  n: 2,
  q: 2,
  b: 4,
  i: 4,
  u: 4,
  h: 4,
  s: 4,
  o: 4,
  a: 4,
  x: 8,
  t: 8,
  d: 8,
  "(": 8,
  "{": 8,
};

/** The next multiple of an alignment. */
export function aligned(at: number, alignment: number): number {
  return (at + alignment - 1) & -alignment;
}

/** Maximum nesting depth of containers in a value, including variants. */
export const DEPTH_LIMIT = 64;
/** Maximum size of an array, in bytes. */
export const ARRAY_LIMIT = 1 << 26;

// Strings as bytes. Most strings in messages are short and ASCII: for these, a loop takes a tenth of the time
// of a TextDecoder or TextEncoder call.

const DECODER = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const ENCODER = new TextEncoder();
/** Maximum length of a string converted in a loop, in characters or bytes. */
const SHORT = 256;

/**
 * Decodes a string.
 * @param bytes The bytes that contain the string, from `start` to before `end`.
 * @throws MarshalError if it contains a zero or is not UTF-8.
 */
export function decodeText(bytes: Uint8Array, start: number, end: number): string {
  const text = bytes.subarray(start, end);
  if (end - start <= SHORT && isAscii(text)) {
    return String.fromCharCode.apply(null, text as unknown as number[]);
  }
  if (text.includes(0)) throw new MarshalError("a string has an invalid length");
  try {
    return DECODER.decode(text);
  } catch {
    throw new MarshalError("a string is not UTF-8");
  }
}

/** Whether all bytes are ASCII characters other than zero. */
function isAscii(bytes: Uint8Array): boolean {
  for (let i = 0; i < bytes.length; i++) if (bytes[i] === 0 || bytes[i] > 0x7f) return false;
  return true;
}

/**
 * Encodes a string.
 * @param bytes Receives the string at `start`, with room for three bytes per character.
 * @returns The end of the string.
 */
export function encodeText(text: string, bytes: Uint8Array, start: number): number {
  if (text.length > SHORT) return start + ENCODER.encodeInto(text, bytes.subarray(start)).written;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 0x7f) return start + ENCODER.encodeInto(text, bytes.subarray(start)).written;
    bytes[start + i] = code;
  }
  return start + text.length;
}
