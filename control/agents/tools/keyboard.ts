/** Keyboard tools. */

import { InputError } from "../../../core/errors.ts";
import { ACTIONS } from "../../actions/mod.ts";
import { ELEMENT_NAME, FILL_VALUE } from "../../actions/element_fields.ts";
import { flag, inWords, optional } from "../../schema/schema.ts";
import { BACKGROUND, ELEMENT, focusText, said, SETTLE_MS, tool } from "../tool.ts";

export const type = tool({
  name: "type",
  title: "Type text",
  description: "Types text where the focus is, any Unicode. A line feed is Enter, a tab is Tab.",
  action: ACTIONS.type,
  aim: "text",
  picture: "if asked",
  settleMs: SETTLE_MS,
  destructive: true,
  input: {
    text: inWords(ACTIONS.type.input.text, ""),
    element: ELEMENT,
    background: BACKGROUND,
    sensitive: optional(flag("A secret: not logged")),
  },
  async run({ text, element, background }, context) {
    if (element === undefined && background) throw new InputError("background needs an element");
    if (element !== undefined) {
      const { ref, role, name, focus } = await context.run(ACTIONS.setElementText, {
        element,
        text,
        background,
      });
      return { ...said(`set ${elementText(role, name, ref)}${focusText(focus)}`), isReadBack: true };
    }
    await context.run(ACTIONS.type, { text });
    const { length } = [...text];
    return said(`typed ${length} ${length === 1 ? "character" : "characters"}`);
  },
});

export const fill = tool({
  name: "fill",
  title: "Fill in",
  description: "Brings an element to a text, an option's name, true, false or a number, and reads it back.",
  action: ACTIONS.setElementText,
  aim: "text",
  picture: "if asked",
  settleMs: SETTLE_MS,
  idempotent: true,
  input: {
    element: { ...ELEMENT_NAME, schema: { type: "string" } },
    to: { ...FILL_VALUE, schema: { type: "string" } },
    background: BACKGROUND,
  },
  async run({ element, to, background }, context) {
    const { via, ref, role, name, value, states, focus } = await context.run(ACTIONS.setElementText, {
      element,
      to,
      background,
    });
    const shown = value === undefined
      ? states.filter((state) => STATES.includes(state)).join(" ")
      : JSON.stringify(value);
    const is = via === "none" ? "is already" : "is now";
    const what = `${elementText(role, name, ref)} ${is} ${shown || JSON.stringify(to)}`;
    return { ...said(`${what}${focusText(focus)}`), isReadBack: true };
  },
});

/** An element in words: its role, its name unless empty, and its ref. */
function elementText(role: string, name: string, ref: string): string {
  return [role, name && JSON.stringify(name), `(${ref})`].filter(Boolean).join(" ");
}

/** States that the answer to `fill` reports if they are set. */
const STATES = ["checked", "pressed", "selected"];

export const key = tool({
  name: "key",
  title: "Press keys",
  description: "Presses a combination of keys, such as ctrl+s, Return or Page_Down.",
  action: ACTIONS.key,
  aim: "keys",
  picture: "if asked",
  settleMs: SETTLE_MS,
  destructive: true,
  input: {
    keys: inWords(ACTIONS.key.input.keys, ""),
    repeat: inWords(ACTIONS.key.input.repeat, "How often"),
    hold_ms: inWords(ACTIONS.key.input.hold_ms, "Time down"),
  },
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
