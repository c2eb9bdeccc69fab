/** Mouse commands. */

import { ExpectedError, on } from "../../../core/errors.ts";
import type { Command, Context, Options } from "../context.ts";
import { intOf, microsecondsOf } from "../output.ts";
import type { Location } from "../desktop_target.ts";

/** Interval and maximum number of checks for `--sync`: 15 seconds in all. */
const LOOK_MS = 30, LOOKS = 500;

/** Delay between clicks, in microseconds. */
const CLICK_DELAY = 100_000;

/** Runs a command's action with all modifiers released, if the option requests it. */
export async function withoutModifiers(
  context: Context,
  isCleared: boolean,
  run: () => Promise<void>,
): Promise<void> {
  if (!isCleared) return await run();
  const restore = await context.target.clearModifiers();
  try {
    await run();
  } finally {
    await restore();
  }
}

/** The windows of `--window`; by default 0, the window under the pointer. */
const windowsOf = (context: Context, options: Options) => context.windowsOf(options.get("window"));

const clickCommand: Command = {
  name: "click",
  options: {
    letters: "cw:h",
    names: ["clearmodifiers", "help", "window:", "delay:", "repeat:"],
  },
  letters: { c: "clearmodifiers", w: "window", h: "help" },
  given({ print }, option, value, usage) {
    if (option !== "repeat" || intOf(value) > 0) return undefined;
    print.err(`Invalid repeat value '${value}' (must be >= 1)\n${usage}`);
    return 1;
  },
  async run(context, options, usage) {
    const { words: [word], print, target } = context;
    if (word === undefined) {
      print.err(`${usage}\nYou specified the wrong number of args.`);
      return 1;
    }
    const isCleared = options.has("clearmodifiers") || options.has("window");
    const delay = options.has("delay") ? microsecondsOf(options.get("delay")!) : CLICK_DELAY;
    const times = options.has("repeat") ? intOf(options.get("repeat")!) : 1;
    const windows = windowsOf(context, options), isEnd = context.isWhole && context.words.length === 1;
    for (const window of windows) {
      const isLast = isEnd && !isCleared && window === windows.at(-1);
      const click = async () => await target.click(window, intOf(word), times, delay, isLast);
      await withoutModifiers(context, isCleared, click);
    }
    context.consume(1);
    return 0;
  },
};

function buttonCommand(name: "mousedown" | "mouseup", lacking: string): Command {
  return {
    name,
    options: { letters: "chw:", names: ["clearmodifiers", "help", "window:"] },
    letters: { c: "clearmodifiers", h: "help", w: "window" },
    async run(context, options, usage) {
      const { words: [word], print, target } = context, isDown = name === "mousedown";
      if (word === undefined) {
        print.err(`${usage}\n${lacking}`);
        return 1;
      }
      for (const window of windowsOf(context, options)) {
        const press = async () => await target.button(window, intOf(word), isDown);
        await withoutModifiers(context, options.has("clearmodifiers"), press);
      }
      context.consume(1);
      return 0;
    },
  };
}

/** Converts an angle and a distance to pixels to the right and down. */
function polar(radians: number, distance: number): [x: number, y: number] {
  return [Math.cos(radians) * distance, -Math.sin(radians) * distance];
}

/** The angle that xdotool computes from degrees clockwise from the top: counterclockwise from the right. */
const turned = (degrees: number) => 360 - degrees + 90;

/** Waits until the pointer has moved. */
async function waitForMove({ target }: Context, from: Location): Promise<void> {
  for (let looks = 0; looks < LOOKS; looks++) {
    const { x, y } = await target.location();
    if (x !== from.x || y !== from.y) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

/** The center of a window or of a screen. */
async function middle({ target }: Context, window: number): Promise<[number, number]> {
  const { x, y, width, height } = window ? await target.geometry(window) : await target.rootSize();
  return [x + (width >> 1), y + (height >> 1)];
}

/** Moves the pointer to a position in a window, or on the screen. */
async function moveTo(context: Context, window: number, options: Options, to: Location): Promise<void> {
  const { target } = context, isSync = options.has("sync"), isPolar = options.has("polar");
  // Asks only once for `restore` and `--sync`, because the query takes longer than the move itself. A Wayland
  // desktop may not know the pointer position before it is moved.
  const before = window === 0 && context.mayRestore || isSync
    ? await target.location().catch(on(ExpectedError))
    : undefined;
  if (window === 0) context.lastPlace = before;
  let place = to;
  if (isPolar) {
    const [originX, originY] = await middle(context, window);
    const [x, y] = polar(turned(to.x) * Math.PI / 180, to.y);
    place = { ...to, x: Math.trunc(originX + x), y: Math.trunc(originY + y) };
  }
  await withoutModifiers(context, options.has("clearmodifiers"), async () => {
    if (window !== 0 && !isPolar) place = await target.placeOf(window, to.x, to.y);
    await target.move(place.x, place.y);
    if (isSync && before) await waitForMove(context, before);
  });
}

const moveCommand: Command = {
  name: "mousemove",
  options: {
    letters: "chw:pd:",
    names: ["clearmodifiers", "help", "polar", "screen:", "sync", "window:"],
  },
  letters: { c: "clearmodifiers", h: "help", w: "window", p: "polar", d: "delay" },
  wrong: ({ print }) => print.out("unknown opt: 63"),
  async run(context, options, usage) {
    const { words: [first, second], print } = context;
    if (first === undefined || first !== "restore" && second === undefined) {
      print.err(
        `${usage}\nYou specified the wrong number of args (expected 2 coordinates or 'restore').`,
      );
      return 1;
    }
    let to = { x: intOf(first), y: intOf(second ?? ""), screen: intOf(options.get("screen") ?? "") };
    if (first === "restore") {
      if (!context.lastPlace) {
        print.err("Have no previous mouse position. Cannot restore.");
        return 1;
      }
      to = context.lastPlace;
      context.consume(1);
    } else context.consume(2);
    for (const window of windowsOf(context, options)) await moveTo(context, window, options, to);
    return 0;
  },
};

const moveRelativeCommand: Command = {
  name: "mousemove_relative",
  options: { letters: "cph", names: ["help", "sync", "polar", "clearmodifiers"] },
  letters: { c: "clearmodifiers", p: "polar", h: "help" },
  async run(context, options, usage) {
    const { words: [first, second], print, target } = context;
    if (second === undefined) {
      print.err(`${usage}\nYou specified the wrong number of args (expected 2).`);
      return 1;
    }
    let x = intOf(first), y = intOf(second);
    context.consume(2);
    if (x === 0 && y === 0) return 0;
    // The brackets matter: the pixel depends on the last digit.
    if (options.has("polar")) [x, y] = polar(turned(x) * (Math.PI / 180), y).map(Math.trunc);
    await withoutModifiers(context, options.has("clearmodifiers"), async () => {
      const before = options.has("sync") ? await target.location() : undefined;
      await target.moveBy(x, y);
      if (before) await waitForMove(context, before);
    });
    return 0;
  },
};

/** Maximum length of a variable's prefix. */
export const LONGEST_PREFIX = 16;

const locationCommand: Command = {
  name: "getmouselocation",
  options: { letters: "h", names: ["help", "shell", "prefix:"] },
  letters: { h: "help" },
  async run({ target, print }, options) {
    const { x, y, screen, window } = await target.pointer();
    const prefix = (options.get("prefix") ?? "").slice(0, LONGEST_PREFIX);
    print.out(
      options.has("shell")
        ? Object.entries({ X: x, Y: y, SCREEN: screen, WINDOW: window })
          .map(([name, value]) => `${prefix}${name}=${value}`).join("\n")
        : `x:${x} y:${y} screen:${screen} window:${window}`,
    );
    return 0;
  },
};

/** The commands in this file. */
export const MOUSE: readonly Command[] = [
  clickCommand,
  locationCommand,
  buttonCommand("mousedown", "What button do you want me to send?"),
  moveCommand,
  moveRelativeCommand,
  buttonCommand("mouseup", "You specified the wrong number of args."),
];
