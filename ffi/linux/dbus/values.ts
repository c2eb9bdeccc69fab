/** The types of D-Bus's values in TypeScript. */

/** A value with its type, as it is sent: `new Variant("u", 3)`. A received variant is its value alone. */
export class Variant {
  /**
   * @param signature The signature of one complete type.
   * @param value A value of that type.
   */
  constructor(readonly signature: string, readonly value: Sent) {}
}

/**
 * Values that can be sent. A dictionary (`a{sv}`) is a Map, or an object if its keys are texts; an array of bytes is a
 * Uint8Array, another array or a structure an array; 64-bit numbers may be bigint; a file descriptor (`h`) is its
 * number, and the caller closes it after the call.
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

/** Basic types and variants as they are received. */
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
  /** A descriptor, which the receiver closes. */
  h: number;
  v: unknown;
}

/** The first complete type of a signature and what follows it. */
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

/** The values of a signature as they are received: `Values<"sa{sv}">` is `[string, Map<string, unknown>]`. */
export type Values<S extends string> = string extends S ? unknown[]
  : S extends "" ? []
  : First<S> extends [infer V, infer Rest extends string] ? [V, ...Values<Rest>]
  : never;
