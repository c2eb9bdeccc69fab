/** Commands of workspaces, which xdotool calls desktops. */

import { type Command, HELP_ALONE, namedWindows } from "../command.ts";
import type { Context } from "../context.ts";
import { intOf, longOf } from "../numbers.ts";

/** Takes a word that must be there. */
function needed({ words, print }: Context, usage: string): string | undefined {
  if (!words.length) print.err(usage);
  return words[0];
}

/** Every command of this file. */
export const DESKTOPS: readonly Command[] = [
  {
    name: "set_num_desktops",
    ...HELP_ALONE,
    async run(context, _, usage) {
      const word = needed(context, usage);
      if (word === undefined) return 1;
      context.consume(1);
      return await context.target.setDesktopCount(longOf(word));
    },
  },
  {
    name: "get_num_desktops",
    ...HELP_ALONE,
    async run({ print, target }) {
      const { code, value } = await target.desktopCount();
      print.out(String(value));
      return code;
    },
  },
  {
    name: "set_desktop",
    options: { letters: "h", names: ["help", "relative"] },
    letters: { h: "help" },
    async run(context, options, usage) {
      const { target } = context, word = needed(context, usage);
      if (word === undefined) return 1;
      context.consume(1);
      if (!options.has("relative")) return await target.setDesktop(longOf(word));
      const { value: now } = await target.desktop(), { value: count } = await target.desktopCount();
      const to = (longOf(word) + now) % count;
      return await target.setDesktop(to < 0 ? to + count : to || 0);
    },
  },
  {
    name: "get_desktop",
    ...HELP_ALONE,
    async run({ print, target }) {
      const { code, value } = await target.desktop();
      print.out(String(value));
      return code;
    },
  },
  {
    name: "set_desktop_for_window",
    ...HELP_ALONE,
    async run(context, _, usage) {
      const windows = namedWindows(context, 1, usage);
      if (!windows) return 1;
      const desktop = longOf(context.words[0]);
      context.consume(1);
      for (const window of windows()) {
        const code = await context.target.setDesktopOf(window, desktop);
        if (!code) continue;
        context.print.err(`xdo_set_desktop_for_window on window ${window}, desktop ${desktop} failed`);
        return code;
      }
      return 0;
    },
  },
  {
    name: "get_desktop_for_window",
    ...HELP_ALONE,
    async run(context, _, usage) {
      const windows = namedWindows(context, 0, usage);
      if (!windows) return 1;
      let last = 0;
      for (const window of windows()) {
        const { code, value } = await context.target.desktopOf(window);
        context.print.out(String(value));
        last = code;
      }
      return last;
    },
  },
  {
    name: "get_desktop_viewport",
    options: { letters: "h", names: ["help", "shell"] },
    letters: { h: "help" },
    async run({ print, target }, options) {
      const { code, value: { x, y } } = await target.viewport();
      print.out(options.has("shell") ? `X=${x}\nY=${y}` : `${x} ${y}`);
      return code;
    },
  },
  {
    name: "set_desktop_viewport",
    ...HELP_ALONE,
    async run(context, _, usage) {
      const [x, y] = context.words;
      if (y === undefined) {
        context.print.err(`Not enough arguments given.\n${usage}`);
        return 1;
      }
      context.consume(2);
      return await context.target.setViewport(intOf(x), intOf(y));
    },
  },
];
