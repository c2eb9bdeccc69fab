/** Tools of the keyboard. */

import { InputError } from "../../../core/errors.ts";
import { ACTIONS } from "../../actions/mod.ts";
import { flag, optional } from "../../actions/schema.ts";
import { said, tool } from "../tool.ts";

export const type = tool({
  name: "type",
  title: "Type text",
  description: "Types text where the keyboard's focus is, any Unicode. A line feed is Enter, a tab is Tab.",
  action: ACTIONS.type,
  looks: "if asked",
  destructive: true,
  input: {
    ...ACTIONS.type.input,
    sensitive: optional(flag("Whether it is a secret, of which not even the length is logged")),
  },
  async run({ text }, context) {
    await context.run(ACTIONS.type, { text });
    const { length } = [...text];
    return said(`typed ${length} ${length === 1 ? "character" : "characters"}`);
  },
});

export const key = tool({
  name: "key",
  title: "Press keys",
  description:
    "Presses a combination of keys, such as ctrl+s, Return or Page_Down. hold_ms keeps it down for a while.",
  action: ACTIONS.key,
  looks: "if asked",
  destructive: true,
  input: ACTIONS.key.input,
  ownMs: ({ repeat = 1, hold_ms = 0 }) => repeat * hold_ms,
  async run({ keys, repeat = 1, hold_ms = 0 }, context) {
    const most = context.timeLeft();
    if (repeat * hold_ms > most) {
      throw new InputError(`keys can be held for at most ${most} ms in this call, not ${repeat * hold_ms}`);
    }
    await context.run(ACTIONS.key, { keys, repeat, hold_ms });
    const times = repeat === 1 ? "" : ` ${repeat} times`, held = hold_ms ? ` for ${hold_ms} ms` : "";
    return said(`pressed ${keys}${times}${held}`);
  },
});
