/** The order of names by their keys. */

import { assertEquals } from "@std/assert";
import { KEY_LENGTH, writeNaturalKey } from "../../files/listing/texts.ts";

/** Compares two names by their keys: below 0, 0 or above 0. */
function order(a: string, b: string): number {
  const [one, other] = [a, b].map((name) => {
    const bytes = new TextEncoder().encode(name), key = new Uint8Array(KEY_LENGTH).fill(7);
    writeNaturalKey(bytes, 0, bytes.length, key);
    return key;
  });
  for (const [i, byte] of one.entries()) if (byte !== other[i]) return byte - other[i];
  return 0;
}

Deno.test("keys are in natural order", () => {
  const sorted = [
    ["", "a", "b"],
    ["a", "a0", "a1", "a2", "a10", "a11", "a100", "b"],
    ["1", "2", "9", "10", "123456789", "1234567890", "9".repeat(30)],
    ["a1b2", "a1b10", "a2b1", "a10b1"],
    ["a-1", "a1", "aa"], // a number stands where its digits do
    ["é1", "é2", "é10"],
    ["x" + "1".repeat(90), "x" + "2".repeat(90)],
  ];
  for (const names of sorted) {
    for (let i = 1; i < names.length; i++) {
      assertEquals(order(names[i - 1], names[i]) < 0, true, `${names[i - 1]} before ${names[i]}`);
      assertEquals(order(names[i], names[i - 1]) > 0, true, `${names[i]} behind ${names[i - 1]}`);
    }
  }
});

Deno.test("keys are equal where they cannot tell", () => {
  const equal = [
    ["a1", "a01"],
    ["a0", "a00"],
    ["1".repeat(255), "2".repeat(300)], // the digits of such numbers are not in the key
    ["x".repeat(KEY_LENGTH) + "a", "x".repeat(KEY_LENGTH) + "b"],
  ];
  for (const [a, b] of equal) assertEquals(order(a, b), 0, `${a.slice(0, 9)} and ${b.slice(0, 9)}`);
});
