/** Completion of command names, also behind `help`, and of file names behind the commands that take one. */

import { printable } from "../../core/printable.ts";
import { COMMANDS } from "./commands.ts";

/** Offers of completion, and the text at the end of the line that an offer replaces, as node:readline wants them. */
export type Completion = [offers: string[], replaced: string];

/**
 * Completes a line.
 * @param line The text before the cursor.
 */
export async function complete(line: string): Promise<Completion> {
  const start = line.trimStart();
  const [, word, file] = /^([a-z]+)!?\s+(.*)$/.exec(start) ?? [];
  if (word === "help") {
    return [[...new Set(COMMANDS.map(({ name }) => name))].filter((name) => name.startsWith(file)), file];
  }
  if (word !== undefined) {
    const takesFile = COMMANDS.some((row) => row.name === word && row.takesFile);
    return takesFile ? [await filesThatBegin(file), file] : [[], start];
  }
  const names = COMMANDS.map(({ name, usage }) => /^\S+ /.test(usage) ? `${name} ` : name);
  const offers = [...new Set(names.filter((name) => name.startsWith(start)))]; // some have several forms
  return [offers, start];
}

/**
 * The paths that begin with the typed text; folders end in a slash. Names that begin with a dot are offered only if
 * the dot was typed; names with characters that a terminal cannot show are never offered.
 */
async function filesThatBegin(typed: string): Promise<string[]> {
  const [folder, begun] = /^(.*[/\\])?(.*)$/s.exec(typed)!.slice(1).map((part) => part ?? "");
  const offers: string[] = [];
  try {
    for await (const { name, isDirectory } of Deno.readDir(folder || ".")) {
      if (!name.startsWith(begun) || name.startsWith(".") && !begun.startsWith(".")) continue;
      if (printable(name) === name) offers.push(`${folder}${name}${isDirectory ? "/" : ""}`);
    }
  } catch {
    // A missing or unreadable folder has no names to offer.
  }
  return offers.sort();
}
