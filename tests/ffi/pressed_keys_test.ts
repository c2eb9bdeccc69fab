/** Codes that a keyboard sends for presses and releases of keys that share codes. */

import { assertEquals } from "@std/assert";
import { PressedKeys } from "../../ffi/text.ts";

const CODES: Record<string, number[]> = { shift: [42], "?": [42, 53], A: [42, 30], a: [30] };

/** Presses (`+`) and releases (`-`) keys; gives the codes of each. */
function sent(...steps: string[]): string[] {
  const keys = new PressedKeys();
  return steps.map((step) => {
    const name = step.slice(1), down = step[0] === "+";
    return (down ? keys.press(name, CODES[name]) : keys.release(name, CODES[name])).join(" ");
  });
}

Deno.test("a code that two keys hold is pressed once and released with the last of them", () => {
  const cases: [steps: string[], codes: string[]][] = [
    [["+?", "-?"], ["42 53", "53 42"]],
    [["+shift", "+?", "-shift", "-?"], ["42", "53", "", "53 42"]],
    [["+?", "+shift", "-?", "-shift"], ["42 53", "42", "53", "42"]],
    [["+a", "+A", "-a", "-A"], ["30", "42 30", "", "30 42"]],
  ];
  for (const [steps, codes] of cases) assertEquals(sent(...steps), codes, steps.join(" "));
});

Deno.test("a second press repeats the key alone, and one release undoes both", () => {
  assertEquals(sent("+?", "+?", "-?"), ["42 53", "53", "53 42"]);
});

Deno.test("a key that deskhand does not hold is released without its modifiers", () => {
  assertEquals(sent("-?", "+shift", "-?"), ["53", "42", "53"]);
});

Deno.test("what was pressed first counts, though the layout has changed since", () => {
  const keys = new PressedKeys();
  keys.press("ö", [39]);
  assertEquals([keys.press("ö", [42, 40]), keys.release("ö", [42, 40])], [[39], [39]]);
  assertEquals(keys.held.size, 0);
});
