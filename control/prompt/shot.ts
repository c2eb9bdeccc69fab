/** The command `shot`: a picture of the screen in a file. */

import { describeFileError, InputError } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";
import { replaceFile } from "../../core/replace_file.ts";
import { ACTIONS } from "../actions/mod.ts";
import type { Command, CommandContext } from "./command.ts";
import { mayReplace } from "./replace.ts";

const FORMATS = ["bmp", "png"] as const;

/** The command's row. */
export const SHOT: Command = {
  name: "shot",
  usage: "shot[!] <file>",
  example: "shot screen.png",
  summary: "save a picture of the screen, .bmp or .png by its name; ! replaces a file",
  pattern: /^shot(!)?\s+(.+)$/u,
  takesFile: true,
  effect: "read",
  run: ([force, file], context) => saveScreenshot(file!, force !== undefined, context),
};

/**
 * Saves a picture of the whole screen, in a file that only this user can read, since the screen may show secrets.
 * @param file Ends in .bmp or .png.
 * @param force Whether a file of that name is replaced without a question.
 * @throws InputError if the name has another ending or cannot be written; StateError if the file exists and there is
 * no terminal to ask on.
 */
async function saveScreenshot(file: string, force: boolean, context: CommandContext): Promise<void> {
  const ending = /\.([a-z]+)$/i.exec(file)?.[1].toLowerCase();
  const format = FORMATS.find((format) => format === ending);
  if (!format) {
    throw new InputError(`shot takes a file that ends in .bmp or .png, not ${printable(file, 80)}`);
  }
  if (!force && !await mayReplace(file, "shot", context)) return context.notice("not saved");
  const picture = await (await context.runner.run(ACTIONS.screenshot, { format }, context)).bytes();
  try {
    replaceFile(file, picture, 0o600);
  } catch (error) {
    throw new InputError(`cannot write ${printable(file, 80)}: ${describeFileError(error)}`, {
      cause: error,
    });
  }
}
