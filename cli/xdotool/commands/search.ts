/** The command that searches windows. */

import type { Command, Options } from "../command.ts";
import { intOf, longOf } from "../numbers.ts";
import type { WindowSearch } from "../target.ts";
import { LONGEST_PREFIX } from "./mouse.ts";

/** The time that `--sync` waits between searches, in milliseconds. */
const PAUSE_MS = 100;

/** Options that choose the text that the pattern is for. */
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
    screen: number("screen"),
    isVisible: has("onlyvisible"),
    isAll: [...options.keys()].findLast((name) => name === "all" || name === "any") === "all",
    depth: number("maxdepth") ?? -1,
    limit: number("limit", intOf) ?? 0,
  };
}

/** Searches for windows, which become the stack. */
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
