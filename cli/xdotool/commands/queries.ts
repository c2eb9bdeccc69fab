/** Commands that query windows and screens. */

import { type Command, type Context, HELP_ALONE, namedWindows, type Options } from "../context.ts";
import { floatOf, intOf, longOf, VERSION } from "../output.ts";
import { fileError } from "../script.ts";
import type { WindowSearch } from "../desktop_target.ts";
import { wordsOfOwn } from "./keyboard.ts";
import { LONGEST_PREFIX } from "./mouse.ts";

/** Puts a found window on the stack as the only one, and prints it if this is the last command. */
function found(context: Context, window: number | undefined, failure: string): number {
  if (window === undefined) {
    context.print.err(failure);
    return 1;
  }
  context.printLast(String(window));
  context.windows = [window];
  return 0;
}

/** Returns a command that queries each window; the first exit code ends the command. */
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
      const { x, y, width, height, screen } = await context.target.geometry(window);
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

/** The commands in this file. */
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
    run: async (context) =>
      found(
        context,
        await context.target.active(),
        "xdo_focus_window reported an error",
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

// The command that searches for windows.

/** Interval between searches with `--sync`, in milliseconds. */
const PAUSE_MS = 100;

/** Options that choose the text to match. */
const TEXTS = ["name", "title", "class", "classname"];

function searchOf(options: Options, pattern: string | undefined): WindowSearch {
  const isAny = !TEXTS.some((name) => options.has(name)), has = (name: string) => options.has(name);
  const number = (name: string, read = longOf) => has(name) ? read(options.get(name)!) : undefined;
  const isGiven = pattern !== undefined;
  return {
    pattern,
    name: isGiven && (isAny || has("name") || has("title")),
    class: isGiven && (isAny || has("class")),
    className: isGiven && (isAny || has("classname")),
    pid: number("pid", intOf),
    desktop: number("desktop"),
    isVisible: has("onlyvisible"),
    isAll: [...options.keys()].findLast((name) => name === "all" || name === "any") === "all",
    depth: number("maxdepth") ?? -1,
    limit: number("limit", intOf) ?? 0,
  };
}

/** Searches for windows, which then form the stack. */
export const SEARCH: Command = {
  name: "search",
  options: {
    letters: "h",
    names: [
      "all",
      "any",
      "class",
      "classname",
      "help",
      "maxdepth:",
      "name",
      "shell",
      "prefix:",
      "onlyvisible",
      "pid:",
      "screen:",
      "title",
      "desktop:",
      "limit:",
      "sync",
    ],
  },
  letters: { h: "help" },
  given({ print }, option) {
    if (option === "title") {
      print.err("This flag is deprecated. Assuming you mean --name (the window name).");
    }
    return undefined;
  },
  wrong: ({ print }) => print.err("Invalid usage"),
  async run(context, options, usage) {
    const { print, target } = context, [pattern] = context.words;
    const search = searchOf(options, pattern);
    if (pattern === undefined && !search.pid) {
      print.err(usage);
      return 1;
    }
    if (pattern !== undefined && !TEXTS.some((name) => options.has(name))) {
      print.err("Defaulting to search window name, class, and classname");
    }
    if (pattern !== undefined) context.consume(1);
    const isShell = options.has("shell"), isPrinted = !context.words.length || isShell;
    const prefix = (options.get("prefix") ?? "").slice(0, LONGEST_PREFIX);
    let windows: number[];
    for (;;) {
      windows = await target.search(search);
      if (isShell) print.out(`${prefix}WINDOWS=(${windows.map((window) => `${window}\n`).join("")})`);
      else if (isPrinted && windows.length) print.out(windows.join("\n"));
      if (windows.length || !options.has("sync")) break;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    context.windows = windows;
    return Number(!windows.length && !isShell);
  },
};

// Commands that do not concern windows: version, exec and sleep.

/** Error numbers (errno(3)) when a program cannot be started. */
const ENOENT = 2, EACCES = 13;

/** Starts a program. @returns Its exit code once it exits; 0 immediately if the command does not wait. */
async function execute([program, ...args]: readonly string[], isSync: boolean): Promise<number | Error> {
  try {
    const child = new Deno.Command(program, {
      args,
      stdin: "inherit",
      stdout: "inherit",
      stderr: "inherit",
    }).spawn();
    if (!isSync) {
      child.unref();
      return 0;
    }
    const { code, signal } = await child.status;
    return signal === null ? code : 0; // like xdotool, 0 after a signal, which yields no exit code
  } catch (error) {
    return error as Error;
  }
}

/** The commands in this file. */
export const OTHERS: readonly Command[] = [
  {
    name: "version",
    run({ print }) {
      print.out(`xdotool version ${VERSION}`);
      return 0;
    },
  },
  {
    name: "exec",
    options: { letters: "h", names: ["help", "sync", "args:", "terminator:"] },
    letters: { h: "help" },
    async run(context, options, usage) {
      const { print } = context;
      if (!context.words.length) {
        print.err(`No arguments given.\n${usage}`);
        return 1;
      }
      const taken = wordsOfOwn(context, options.get("args"), options.get("terminator"));
      if (typeof taken === "number") return taken;
      const isSync = options.has("sync"), code = await execute(taken.words, isSync);
      context.consume(taken.count);
      if (typeof code === "number") return code;
      print.err(`execvp failed: ${fileError(code)}`);
      return isSync ? code instanceof Deno.errors.PermissionDenied ? EACCES : ENOENT : 0;
    },
  },
  {
    name: "sleep",
    ...HELP_ALONE,
    async run(context, _, usage) {
      const [seconds] = context.words;
      if (seconds === undefined) {
        context.print.err(`No arguments given.\n${usage}`);
        return 1;
      }
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, floatOf(seconds) * 1000)));
      context.consume(1);
      return 0;
    },
  },
];
