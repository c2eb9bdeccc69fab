/** Prompt commands of the clipboard. */

import { ACTIONS } from "../actions/mod.ts";
import { actionCommand, type Command } from "./command.ts";

/** The commands, in the order of help. */
export const CLIPBOARD_COMMANDS: readonly Command[] = [
  actionCommand(ACTIONS.setClipboard, {
    name: "copy",
    usage: "copy <text>",
    example: "copy hello",
    summary: "put text on the clipboard",
    pattern: /^copy\s(.+)$/u,
  }, ([text]) => ({ text })),
  actionCommand(
    ACTIONS.clipboard,
    {
      name: "paste",
      usage: "paste [primary]",
      example: "paste",
      summary: "print the text on the clipboard",
      pattern: /^paste(?:\s+(primary))?$/,
    },
    ([selection]) => selection === undefined ? {} : { selection },
    ({ text }) => text ?? "",
  ),
];
