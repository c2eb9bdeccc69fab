/** JSON values of which some fit a field and others do not. */

import type { Random } from "./random.ts";

/** A PNG of one pixel, in base64. */
const PICTURE =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mP4DwABAQEAHLCMmQAAAABJRU5ErkJggg==";

/** A JSON value that may fit a field or not. */
export function value(random: Random, depth = 0): unknown {
  const makers: (() => unknown)[] = [
    () => random.below(1400),
    () => random.below(800) - 400,
    () => random.pick([1.5, 1e300, -0, 2 ** 31, 1e21, NaN]),
    () => random.pick(["left", "right", "up", "down", "ctrl+a", "f5", "#ff0000", "back"]),
    () => random.text(20),
    () => PICTURE.slice(0, random.once(3) ? random.below(PICTURE.length) : undefined),
    () => random.pick([null, true, false]),
    () => depth < 3 ? Array.from({ length: random.below(4) }, () => value(random, depth + 1)) : [],
    () => depth < 3 ? object(random, depth + 1) : {},
  ];
  return random.pick(makers)();
}

/** Names of fields, and names that every object inherits. */
export const NAMES = [
  "x",
  "y",
  "button",
  "count",
  "direction",
  "amount",
  "key",
  "keys",
  "text",
  "from",
  "to",
  "pixel",
  "still",
  "hex",
  "ms",
  "timeout_ms",
  "speed",
  "times",
  "keyboard",
  "image",
  "png",
  "change",
  "tolerance",
  "match",
  "limit",
  "gone",
  "__proto__",
  "constructor",
  "toString",
];

/** An object of such names. */
export function object(random: Random, depth = 0): Record<string, unknown> {
  return Object.fromEntries(
    Array.from({ length: random.below(6) }, () => [random.pick(NAMES), value(random, depth)]),
  );
}
