/** Actions of the keyboard: combinations and text. */

import { combination } from "../gestures.ts";
import { parseCombination } from "../keys.ts";
import { action } from "./action.ts";
import { integer, optional, text } from "./schema.ts";

export const key = action({
  name: "key",
  summary: "Press a combination of keys",
  effect: "act",
  input: {
    keys: text("The combination, such as ctrl+shift+t, f5 or a; + itself is plus"),
    repeat: optional(integer(1, 100, "The number of repetitions; once if left out")),
    hold_ms: optional(
      integer(0, 300_000, "Milliseconds for which the button or key is held down each time; 0 if left out"),
    ),
  },
  output: {},
  run({ keys, repeat, hold_ms }, context) {
    return combination(context.operator, parseCombination(keys), { repeat, holdMs: hold_ms }, context);
  },
});

export const type = action({
  name: "type",
  summary: "Type text, any Unicode",
  effect: "act",
  input: { text: text("Text to type; a line feed is Enter, a tab is Tab") },
  output: {},
  run: ({ text }, { operator, signal }) => operator.type(text, signal),
});
