/** Signatures of D-Bus values (D-Bus Specification, "Type System"): which types a message's values have, as text. */

/** A value or message that does not fit the protocol, received or to be sent. */
export class MarshalError extends Error {
  override name = "MarshalError";
}

/** Types without parts: a byte, a boolean, numbers, texts, a path, a signature and a file descriptor. */
const BASIC = "ybnqiuxtdsogh";
/** The most that the specification allows of a signature's length, and of arrays and structures in each other. */
const LIMITS = { length: 255, depth: 32 };

/** Signatures that were read, of which messages have few. */
const KNOWN = new Map<string, readonly Type[]>();
const KNOWN_LIMIT = 256;

/** One complete type. */
export interface Type {
  /** The type's first character; `(` is a structure and `{` the entry of a dictionary. */
  code: string;
  /** The item of an array, the fields of a structure, key and value of an entry; else empty. */
  parts: readonly Type[];
}

/**
 * Reads a signature.
 * @param signature Such as `sa{sv}`; may be empty.
 * @returns Its complete types.
 * @throws MarshalError if the text is no signature, or exceeds the limits of the specification.
 * @example
 * parseSignature("as").length; // 1
 */
export function parseSignature(signature: string): readonly Type[] {
  const known = KNOWN.get(signature);
  if (known) return known;
  if (signature.length > LIMITS.length) throw new MarshalError("a signature is too long");
  const reader = new SignatureReader(signature), types: Type[] = [];
  while (!reader.isAtEnd) types.push(reader.type(0, 0));
  // Other programs choose signatures, so the cache must not grow without end.
  if (KNOWN.size >= KNOWN_LIMIT) KNOWN.clear();
  KNOWN.set(signature, types);
  return types;
}

/** Reads a signature of one complete type, as a variant has it. */
export function parseSingleType(signature: string): Type {
  const types = parseSignature(signature);
  if (types.length !== 1) throw new MarshalError("a variant has one complete type");
  return types[0];
}

/** Goes through a signature. */
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
    throw new MarshalError("a signature has an unknown type");
  }

  #item(arrays: number, structures: number): Type {
    if (arrays > LIMITS.depth) throw new MarshalError("a signature has too many arrays in each other");
    if (this.signature[this.#at] !== "{") return this.type(arrays, structures);
    this.#at++;
    const parts = this.#fields("}", arrays, structures + 1);
    if (parts.length !== 2 || !BASIC.includes(parts[0].code)) {
      throw new MarshalError("an entry of a dictionary has a key, which is a basic type, and a value");
    }
    return { code: "{", parts };
  }

  #fields(end: string, arrays: number, structures: number): Type[] {
    if (structures > LIMITS.depth) {
      throw new MarshalError("a signature has too many structures in each other");
    }
    const fields: Type[] = [];
    while (this.signature[this.#at] !== end) fields.push(this.type(arrays, structures));
    this.#at++;
    if (!fields.length) throw new MarshalError("a structure has at least one field");
    return fields;
  }
}
