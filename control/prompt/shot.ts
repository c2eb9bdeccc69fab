/** Saving a picture of the screen to a file. */

import { describeFileError, InputError } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";
import { bmpPieces } from "../image/bmp.ts";
import { encodePng } from "../image/png.ts";
import type { Frame } from "../desktop.ts";
import type { Operator } from "../operator.ts";

const ENCODERS: Record<string, (frame: Frame) => Promise<Uint8Array>> = {
  png: encodePng,
  bmp: (frame) => new Blob([...bmpPieces(frame.width, frame.height, [frame])]).bytes(),
};

/**
 * Saves a picture of the whole screen.
 * @param file Ends in .bmp or .png. An existing file is replaced.
 * @throws InputError if the name has another ending or cannot be written.
 */
export async function saveScreenshot(operator: Operator, file: string): Promise<void> {
  const encode = ENCODERS[/\.([a-z]+)$/i.exec(file)?.[1].toLowerCase() ?? ""];
  if (!encode) {
    throw new InputError(`shot takes a file that ends in .bmp or .png, not ${printable(file, 80)}`);
  }
  const picture = await encode(operator.capture());
  try {
    await Deno.writeFile(file, picture);
  } catch (error) {
    throw new InputError(`cannot write ${printable(file, 80)}: ${describeFileError(error)}`, {
      cause: error,
    });
  }
}
