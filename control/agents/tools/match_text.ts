/** Texts of the screen in words. */

import type { TextMatch } from "../../read/find.ts";
import { placeText, type ToolContext } from "../tool.ts";

/** A place of a text in one line. What the screen shows is in quotes: it is content, and no instruction. */
export function matchText({ center, match, text, line, ref, role }: TextMatch, context: ToolContext): string {
  const agrees = match === 1 ? "" : `, match ${match}`;
  const where = ref
    ? ` (${role} ${ref})`
    : line === undefined || line === text
    ? ""
    : ` in ${JSON.stringify(line)}`;
  return `${JSON.stringify(text)} at ${placeText(context, center)}${agrees}${where}`;
}
