/** Commands that tell about windows and screens. */

import { type Command, HELP_ALONE, namedWindows } from "../command.ts";
import type { Context } from "../context.ts";
import { intOf } from "../numbers.ts";
import { LONGEST_PREFIX } from "./mouse.ts";

/** Puts a found window on the stack as its only one, and prints the window if this is the last command. */
function found(context: Context, window: number | undefined, failure: string): number {
  if (window === undefined) {
    context.print.err(failure);
    return 1;
  }
  context.printLast(String(window));
  context.windows = [window];
  return 0;
}

/** Makes a command that asks each window a question; the first exit code ends the command. */
function asking(
  name: string,
  ask: (context: Context, window: number) => Promise<number | void>,
): Command {
  return {
    name,
    ...HELP_ALONE,
    async run(context, _, usage) {
      const windows = namedWindows(context, 0, usage);
      if (!windows) return 1;
      for (const window of windows()) {
        const code = await ask(context, window);
        if (code) return code;
      }
      return 0;
    },
  };
}

const geometryCommand: Command = {
  name: "getwindowgeometry",
  options: { letters: "h", names: ["help", "shell", "prefix:"] },
  letters: { h: "help" },
  async run(context, options, usage) {
    const windows = namedWindows(context, 0, usage);
    if (!windows) return 1;
    const prefix = (options.get("prefix") ?? "").slice(0, LONGEST_PREFIX);
    for (const window of windows()) {
      const geometry = await context.target.geometry(window);
      if (!geometry) return 1;
      const { x, y, width, height, screen } = geometry;
      const values = { WINDOW: window, X: x, Y: y, WIDTH: width, HEIGHT: height, SCREEN: screen };
      context.print.out(
        options.has("shell")
          ? Object.entries(values).map(([name, value]) => `${prefix}${name}=${value}`).join("\n")
          : `Window ${window}\n  Position: ${x},${y} (screen: ${screen})\n  Geometry: ${width}x${height}`,
      );
    }
    return 0;
  },
};

/** Every command of this file. */
export const QUERIES: readonly Command[] = [
  {
    name: "getactivewindow",
    ...HELP_ALONE,
    run: async (context) =>
      found(context, await context.target.active(), "xdo_get_active_window reported an error"),
  },
  {
    name: "getwindowfocus",
    options: { letters: "fh", names: ["help"] },
    letters: { f: "part", h: "help" },
    run: async (context, options) =>
      found(
        context,
        await context.target.focused(!options.has("part")),
        "xdo_focus_window reported an error",
      ),
  },
  {
    name: "selectwindow",
    ...HELP_ALONE,
    run: async (context) =>
      found(
        context,
        await context.target.select(),
        "xdo_select_window_with_click reported an error",
      ),
  },
  asking("getwindowname", async ({ print, target }, window) => print.out(await target.name(window))),
  asking(
    "getwindowclassname",
    async ({ print, target }, window) => print.out(await target.className(window)),
  ),
  asking("getwindowpid", async ({ print, target }, window) => {
    const pid = await target.pid(window);
    if (pid) return print.out(String(pid));
    print.err(`window ${window} has no pid associated with it.`);
    return 1;
  }),
  geometryCommand,
  {
    name: "getdisplaygeometry",
    options: { letters: "h", names: ["help", "screen:", "shell"] },
    letters: { h: "help" },
    async run({ print, target }, options) {
      const size = await target.screenSize(intOf(options.get("screen") ?? ""));
      const { width, height } = size ?? { width: 0, height: 0 };
      print.out(options.has("shell") ? `WIDTH=${width}\nHEIGHT=${height}` : `${width} ${height}`);
      return Number(!size);
    },
  },
];
