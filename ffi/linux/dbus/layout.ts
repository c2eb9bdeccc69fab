/** Sizes of values in a message (D-Bus Specification, "Marshaling"). */

/** The multiple of bytes, from the message's start, on which a value of each type begins. */
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

/** The most levels of nested containers in a value, variants included. */
export const DEPTH_LIMIT = 64;
/** The most bytes of an array. */
export const ARRAY_LIMIT = 1 << 26;
