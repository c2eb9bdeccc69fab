/** Commands that change windows. */

import { UnsupportedError } from "../../../core/errors.ts";
import { type Command, type Context, namedWindows } from "../context.ts";
import { longOf } from "../output.ts";
import type { WindowAct } from "../desktop_target.ts";

/** Commands that only need a window, and whether they support `--sync`: changes wait for their effect. */
const ACTS: readonly [name: string, act: WindowAct, canWait?: true][] = [
  ["windowactivate", "activate", true],
  ["windowfocus", "focus", true],
  ["windowclose", "close"],
  ["windowquit", "quit"],
  ["windowmap", "map", true],
  ["windowminimize", "minimize", true],
  ["windowraise", "raise"],
];

function actCommand([name, act, canWait]: typeof ACTS[number]): Command {
  return {
    name,
    options: { letters: "h", names: canWait ? ["help", "sync"] : ["help"] },
    letters: { h: "help" },
    async run(context, _, usage) {
      const windows = namedWindows(context, 0, usage);
      if (!windows) return 1;
      for (const window of windows()) await context.target.act(act, window);
      return 0;
    },
  };
}

/**
 * A value of `windowmove`: a number, a percentage of the screen, or `undefined` for the window's current one.
 */
type Coordinate = { value: number; isShare: boolean } | undefined;

async function moveWindow(
  { target }: Context,
  window: number,
  { x, y, isRelative }: { x?: number; y?: number; isRelative: boolean },
): Promise<void> {
  const isOriginNeeded = isRelative || x === undefined || y === undefined;
  const origin = isOriginNeeded ? await target.geometry(window) : undefined;
  // Like xdotool, compares an unchanged coordinate as 0.
  if (origin && origin.x === (x ?? 0) && origin.y === (y ?? 0)) return;
  const from = origin ?? { x: 0, y: 0 }, start = isRelative ? from : { x: 0, y: 0 };
  const to = {
    x: x === undefined ? from.x : start.x + x,
    y: y === undefined ? from.y : start.y + y,
  };
  await target.place(window, to.x, to.y);
}

const moveCommand: Command = {
  name: "windowmove",
  options: { letters: "h", names: ["help", "sync", "relative"] },
  letters: { h: "help" },
  async run(context, options, usage) {
    const windows = namedWindows(context, 2, usage);
    if (!windows) return 1;
    const [first, second] = context.words;
    const share = first.includes("%"); // like xdotool, both coordinates use the first word's unit
    const read = (word: string, same: string): Coordinate =>
      word.startsWith(same) ? undefined : { value: longOf(word), isShare: share };
    const x = read(first, "x"), y = read(second, "y");
    context.consume(2);
    const isRelative = options.has("relative");
    for (const window of windows()) {
      const root = share ? await context.target.rootSize() : { width: 0, height: 0 };
      const pixels = (place: Coordinate, whole: number) =>
        place?.isShare ? Math.trunc(whole * place.value / 100) : place?.value;
      await moveWindow(context, window, {
        x: pixels(x, root.width),
        y: pixels(y, root.height),
        isRelative,
      });
    }
    return 0;
  },
};

const sizeCommand: Command = {
  name: "windowsize",
  options: { letters: "uh", names: ["usehints", "help", "sync"] },
  letters: { u: "usehints", h: "help" },
  async run(context, options, usage) {
    const { print, target } = context, word = context.windowWord(2);
    if (word === undefined) {
      print.err(`Invalid argument count, got 3, expected ${context.words.length}\n${usage}`);
      return 1;
    }
    if (options.has("usehints")) {
      throw new UnsupportedError(
        "deskhand does not read window size hints; on X11, use xdotool itself for --usehints",
      );
    }
    const [first, second] = context.words, isShare = [first, second].map((text) => text.includes("%"));
    let width = longOf(first), height = longOf(second);
    context.consume(2);
    for (const window of context.windowsOf(word)) {
      if (isShare.includes(true)) {
        const root = await target.rootSize();
        if (isShare[0]) width = Math.trunc(root.width * width / 100);
        if (isShare[1]) height = Math.trunc(root.height * height / 100);
      }
      await target.resize(window, width > 0 ? width : 0, height > 0 ? height : 0);
    }
    return 0;
  },
};

/** _NET_WM_STATE (EWMH): how a state changes. */
const HOW = { remove: 0, add: 1, toggle: 2 } as const;

const stateCommand: Command = {
  name: "windowstate",
  options: { letters: "ha:r:t:", names: ["add:", "remove:", "toggle:", "help"] },
  letters: { h: "help", a: "add", r: "remove", t: "toggle" },
  async run(context, options, usage) {
    const given = [...options].at(-1);
    if (!given) {
      context.print.err(usage);
      return 1;
    }
    const windows = namedWindows(context, 0, usage);
    if (!windows) return 1;
    const [how, state] = given as [keyof typeof HOW, string];
    for (const window of windows()) await context.target.setState(window, HOW[how], state.toUpperCase());
    return 0;
  },
};

/** The commands in this file. */
export const WINDOWS: readonly Command[] = [
  ...ACTS.map(actCommand),
  moveCommand,
  sizeCommand,
  stateCommand,
];
