/** Saving a picture of the screen to a file. */

import { describeFileError, InputError } from "../../core/errors.ts";
import { ACTIONS } from "../actions/mod.ts";
import type { CommandContext } from "./command.ts";

const FORMATS = ["bmp", "png"] as const;

/**
 * Saves a picture of the whole screen.
 * @param file Ends in .bmp or .png. An existing file is replaced.
 * @throws InputError if the name has another ending or cannot be written.
 */
export async function saveScreenshot(file: string, context: CommandContext): Promise<void> {
  const ending = /\.([a-z]+)$/i.exec(file)?.[1].toLowerCase();
  const format = FORMATS.find((format) => format === ending);
  if (!format) throw new InputError(`shot takes a file that ends in .bmp or .png, not ${file.slice(0, 80)}`);
  const picture = await (await context.runner.run(ACTIONS.screenshot, { format }, context)).bytes();
  try {
    await Deno.writeFile(file, picture);
  } catch (error) {
    throw new InputError(`cannot write ${file.slice(0, 80)}: ${describeFileError(error)}`, { cause: error });
  }
}
