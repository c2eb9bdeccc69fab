/** The tool of the clipboard. */

import { ACTIONS } from "../../actions/mod.ts";
import { optional, plainText } from "../../actions/schema.ts";
import { said, tool } from "../tool.ts";

export const clipboard = tool({
  name: "clipboard",
  title: "Read or set the clipboard",
  description: "The text on the clipboard. With text, puts that text there instead.",
  action: ACTIONS.setClipboard,
  destructive: true,
  input: { text: optional(plainText("Text to put there")) },
  async run({ text }, context) {
    if (text !== undefined) {
      await context.run(ACTIONS.setClipboard, { text });
      return said(`${[...text].length} characters are on the clipboard`);
    }
    const content = await context.run(ACTIONS.clipboard, {});
    const types = content.types.length
      ? `no text, but ${content.types.join(", ")}`
      : "nothing is on the clipboard";
    return { ...said(content.text ?? types), isReading: true };
  },
});
