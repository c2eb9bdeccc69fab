/** Prompt commands of text on the screen. A text stands in quotes; a word without quotes is the name of a file. */

import { NotFoundError } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";
import { ACTIONS } from "../actions/mod.ts";
import type { TextMatch } from "../read/find.ts";
import { actionCommand, type Command } from "./command.ts";

const QUOTED = '"([^"]+)"';
const FIND = { name: "find", usage: 'find "<text>" [click]', example: 'find "Save" click' };

const print = ({ center: { x, y }, text, match, line = text }: TextMatch) => {
  const agrees = match === 1 ? "" : `, match ${match}`, words = line === text ? text : `${text} in ${line}`;
  return `${x} ${y} ${printable(words, 80)}${agrees}`;
};

/** The commands, in the order of help. */
export const TEXT_COMMANDS: readonly Command[] = [
  actionCommand(
    ACTIONS.findText,
    {
      ...FIND,
      usage: 'find "<text>"',
      example: 'find "Save"',
      summary: "print where the screen shows a text: the x and y of its middle, in each place",
      pattern: new RegExp(`^find\\s+${QUOTED}$`, "u"),
    },
    ([text]) => ({ text, limit: 20 }),
    ({ matches, nearest = [] }) => {
      if (matches.length) return matches.map(print).join("\n");
      const near = nearest.map(print).join("; ");
      throw new NotFoundError(`the text is not on the screen${near && `; nearest: ${near}`}`);
    },
  ),
  actionCommand(
    ACTIONS.clickText,
    {
      ...FIND,
      usage: 'find "<text>" click [<number>]',
      summary: "click on a text, on the one of this number if it is there more than once",
      pattern: new RegExp(`^find\\s+${QUOTED}\\s+click(?:\\s+(\\d{1,4}))?$`, "u"),
    },
    ([text, nth]) => ({ text, click: "left", ...nth === undefined ? {} : { nth: Number(nth) } }),
    ({ matches: [match] }) => print(match),
  ),
  actionCommand(
    ACTIONS.text,
    {
      name: "text",
      usage: "text [<x>-<y> <width>x<height>]",
      example: "text 0-0 400x200",
      summary: "print the text of the screen, or of a part of it",
      pattern: /^text(?:\s+(\d{1,6})-(\d{1,6})\s+(\d{1,6})x(\d{1,6}))?$/u,
    },
    ([x, y, width, height]) =>
      x === undefined ? {} : { x: Number(x), y: Number(y), width: Number(width), height: Number(height) },
    ({ lines }) => lines.map(({ text }) => printable(text, Infinity)).join("\n"),
  ),
  actionCommand(
    ACTIONS.wait,
    {
      name: "wait",
      usage: 'wait [gone] "<text>" [<ms>]',
      example: 'wait "Done" 5000',
      summary: "wait until the screen shows a text, or shows it no more",
      pattern: new RegExp(`^wait\\s+(?:(gone)\\s+)?${QUOTED}(?:\\s+(\\d{1,7}))?$`, "u"),
    },
    ([gone, text, timeout]) => ({
      text: { text, gone: gone !== undefined },
      ...timeout === undefined ? {} : { timeout_ms: Number(timeout) },
    }),
    ({ match }) => match ? `${match.center.x} ${match.center.y}` : "",
  ),
];
