/** KDE's file of keyboard settings (`~/.config/kxkbrc`, KConfig's form), with deskhand's option in it or not. Pure. */

import { type OptionName, withOption } from "./option_files.ts";

/** The group of the settings, and the entries that KWin reads besides `Options`. */
const GROUP = "[Layout]";
const NEEDED = { ResetOldOptions: "true", Use: "true" } as const;

/**
 * The options that the file has.
 * @param text undefined for a missing file.
 */
export function optionsOf(text: string | undefined): string[] {
  const { lines, begin, end } = layoutGroup(text ?? "");
  const line = lines.slice(begin, end).findLast((line) => /^Options\s*=/.test(line));
  return line?.slice(line.indexOf("=") + 1).split(",").map((option) => option.trim()).filter(Boolean) ?? [];
}

/**
 * Writes the option into the file.
 * @param text The file as it is; undefined for a missing one.
 * @param name undefined to take deskhand's option out, and nothing else.
 */
export function withKdeOption(text: string | undefined, name: OptionName | undefined): string {
  const options = withOption(optionsOf(text), name).join(",");
  return Object.entries({ Options: options, ...(name ? NEEDED : {}) }).reduce(withEntry, text ?? "");
}

/** Sets an entry of the group, and leaves all other lines as they are. */
function withEntry(text: string, [key, value]: [string, string]): string {
  const { lines, begin, end } = layoutGroup(text);
  const entry = `${key}=${value}`;
  if (begin < 0) return `${text}${text && !text.endsWith("\n") ? "\n" : ""}${GROUP}\n${entry}\n`;
  const at = lines.findLastIndex((line, i) => i >= begin && i < end && line.startsWith(`${key}=`));
  if (at >= 0) lines[at] = entry;
  else lines.splice(begin, 0, entry);
  return lines.join("\n");
}

/** The file's lines, and which of them are the group's; `begin` is -1 if there is no such group. */
function layoutGroup(text: string): { lines: string[]; begin: number; end: number } {
  const lines = text.split("\n"), head = lines.findIndex((line) => line.trim() === GROUP);
  if (head < 0) return { lines, begin: -1, end: -1 };
  const next = lines.findIndex((line, i) => i > head && line.startsWith("["));
  return { lines, begin: head + 1, end: next < 0 ? lines.length : next };
}
