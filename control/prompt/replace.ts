/** The question before a command replaces a file. */

import { StateError } from "../../core/errors.ts";
import { isThere } from "../../core/path.ts";
import { printable } from "../../core/printable.ts";
import type { CommandContext } from "./command.ts";

/**
 * Asks the person, if there is a file of that name.
 * @param command The command, whose form with `!` replaces a file without a question.
 * @returns Whether to write the file.
 * @throws StateError if the file exists and there is no terminal to ask on.
 */
export async function mayReplace(
  file: string,
  command: string,
  { confirm }: Pick<CommandContext, "confirm">,
): Promise<boolean> {
  if (!isThere(file)) return true;
  const there = `${printable(file, 80)} is there already`;
  if (!confirm) throw new StateError(`${there}; ${command}! replaces it`);
  return await confirm(`${there}. Replace it?`);
}
