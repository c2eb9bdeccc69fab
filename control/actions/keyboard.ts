/** Actions of the keyboard: combinations and text. */

import { parseCombination } from "../keys.ts";
import { action } from "./action.ts";
import { text } from "./schema.ts";

export const key = action({
  name: "key",
  summary: "Press a combination of keys",
  effect: "act",
  input: { keys: text("Such as ctrl+shift+t, f5 or a; + itself is plus") },
  output: {},
  run: ({ keys }, { operator }) => operator.combination(parseCombination(keys)),
});

export const type = action({
  name: "type",
  summary: "Type text, any Unicode",
  effect: "act",
  input: { text: text("What to type; a line feed is Enter, a tab is Tab") },
  output: {},
  run: ({ text }, { operator, signal }) => operator.type(text, signal),
});
