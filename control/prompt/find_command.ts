/** The prompt command that finds a picture on the screen. */

import { describeFileError, InputError, NotFoundError } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";
import { readSmallBytes } from "../../core/bytes.ts";
import { ACTIONS } from "../actions/mod.ts";
import { PICTURE_FILE_LIMIT } from "../find/options.ts";
import { isPicture } from "../image/signatures.ts";
import { actionCommand, type Command } from "./command.ts";

/** Prints the middle of the place that shows a picture. */
export const FIND: Command = actionCommand(
  ACTIONS.find,
  {
    name: "find",
    usage: "find <file> [<tolerance>]",
    example: "find button.png 10",
    summary: "print where the screen shows a picture: the x and y of its middle",
    pattern: /^find\s+([^"].*?)(?:\s+(\d{1,3}))?$/u,
    takesFile: true,
  },
  ([file, tolerance]) => ({
    png: readPictureFile(file!),
    ...(tolerance === undefined ? {} : { tolerance: Number(tolerance) }),
  }),
  ({ matches: [match] }) => {
    if (!match) throw new NotFoundError("the picture is not on the screen");
    return `${match.center.x} ${match.center.y}`;
  },
);

function readPictureFile(path: string): Uint8Array<ArrayBuffer> {
  try {
    const bytes = readSmallBytes(path, PICTURE_FILE_LIMIT);
    if (!isPicture(bytes)) throw new InputError("it must be a PNG or BMP file");
    return bytes;
  } catch (error) {
    throw new InputError(`cannot read ${printable(path, 80)}: ${describeFileError(error)}`, { cause: error });
  }
}
