/** Commands that change windows. */

import { type Command, type Context, HELP_ALONE, namedWindows, type Options } from "../context.ts";
import { intOf, longOf } from "../output.ts";
import { WINDOW_TEXTS, type WindowAct, type WindowProperties, type WindowWait } from "../target.ts";

/** The time between looks of `windowmove --sync`, in milliseconds. */
const LOOK_MS = 30;

/** Commands that need only a window, with the message of each failure; `{}` stands for the window. */
const ACTS: readonly [name: string, act: WindowAct, failure: string, wait?: WindowWait][] = [
  ["windowactivate", "activate", "xdo_activate_window on window:{} reported an error", "activate"],
  ["windowfocus", "focus", "xdo_focus_window reported an error", "focus"],
  ["windowkill", "kill", "xdo_kill_window reported an error on window {}"],
  ["windowclose", "close", "xdo_close_window reported an error on window {}"],
  ["windowquit", "quit", "xdo_quit_window reported an error on window {}"],
  ["windowmap", "map", "xdo_map_window reported an error", "map"],
  ["windowminimize", "minimize", "xdo_minimize_window reported an error", "minimize"],
  ["windowraise", "raise", "xdo_raise_window reported an error on window {}"],
  ["windowlower", "lower", "xdo_lower_window reported an error on window {}"],
  ["windowunmap", "unmap", "xdo_unmap_window reported an error", "unmap"],
];
/** Commands that end at the first window that fails. */
const ENDING = ["windowactivate", "windowfocus"];

function actCommand([name, act, failure, wait]: typeof ACTS[number]): Command {
  return {
    name,
    options: { letters: "h", names: wait ? ["help", "sync"] : ["help"] },
    letters: { h: "help" },
    async run(context, options, usage) {
      const windows = namedWindows(context, 0, usage);
      if (!windows) return 1;
      let code = 0;
      for (const window of windows()) {
        code = await context.target.act(act, window);
        if (code) {
          context.print.err(failure.replace("{}", String(window)));
          if (ENDING.includes(name)) return code;
        } else if (wait && options.has("sync")) await context.target.waitFor(wait, window);
      }
      return code;
    },
  };
}

/** A value of `windowmove`: a number, a share of the screen, or `undefined` for the window's present one. */
type Coordinate = { value: number; isShare: boolean } | undefined;

async function moveWindow(
  { target, print }: Context,
  window: number,
  { x, y, isRelative, isSync }: { x?: number; y?: number; isRelative: boolean; isSync: boolean },
): Promise<void> {
  const isOriginNeeded = isSync || isRelative || x === undefined || y === undefined;
  const origin = isOriginNeeded ? await target.geometry(window) : undefined;
  // Like xdotool, compares a coordinate that does not change as 0.
  if (origin && origin.x === (x ?? 0) && origin.y === (y ?? 0)) return;
  const from = origin ?? { x: 0, y: 0 }, start = isRelative ? from : { x: 0, y: 0 };
  const to = {
    x: x === undefined ? from.x : start.x + x,
    y: y === undefined ? from.y : start.y + y,
  };
  const code = await target.place(window, to.x, to.y);
  if (code) {
    print.err(`xdo_move_window reported an error while moving window ${window}`);
    return;
  }
  if (!isSync) return;
  for (;;) {
    const now = await target.geometry(window);
    const isThere = !now || now.x !== from.x || now.y !== from.y ||
      Math.abs((x ?? 0) - now.x) <= 10 || Math.abs((y ?? 0) - now.y) <= 50;
    if (isThere) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

const moveCommand: Command = {
  name: "windowmove",
  options: { letters: "h", names: ["help", "sync", "relative"] },
  letters: { h: "help" },
  async run(context, options, usage) {
    const windows = namedWindows(context, 2, usage);
    if (!windows) return 1;
    const [first, second] = context.words;
    const share = first.includes("%"); // xdotool takes the unit of both coordinates from the first word
    const read = (word: string, same: string): Coordinate =>
      word.startsWith(same) ? undefined : { value: longOf(word), isShare: share };
    const x = read(first, "x"), y = read(second, "y");
    context.consume(2);
    const isRelative = options.has("relative"), isSync = options.has("sync");
    for (const window of windows()) {
      const root = share ? await context.target.rootSize(window) : { width: 0, height: 0 };
      const pixels = (place: Coordinate, whole: number) =>
        place?.isShare ? Math.trunc(whole * place.value / 100) : place?.value;
      await moveWindow(context, window, {
        x: pixels(x, root.width),
        y: pixels(y, root.height),
        isRelative,
        isSync,
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
    const [first, second] = context.words, isShare = [first, second].map((text) => text.includes("%"));
    let width = longOf(first), height = longOf(second);
    context.consume(2);
    for (const window of context.windowsOf(word)) {
      if (isShare.includes(true)) {
        const root = await target.rootSize(window);
        if (isShare[0]) width = Math.trunc(root.width * width / 100);
        if (isShare[1]) height = Math.trunc(root.height * height / 100);
      }
      const size = { width, height };
      if (options.has("usehints")) {
        const hinted = await target.hinted(window, width, height);
        if (!isShare[0]) size.width = hinted.width;
        if (!isShare[1]) size.height = hinted.height;
      }
      const before = options.has("sync") ? await target.geometry(window) : undefined;
      if (before && before.width === size.width && before.height === size.height) break;
      const code = await target.resize(window, width > 0 ? size.width : 0, height > 0 ? size.height : 0);
      if (code) {
        print.err(`xdo_set_window_size on window:${window} reported an error`);
        return code;
      }
      if (before) await target.waitForResize(window, before);
    }
    return 0;
  },
};

const reparentCommand: Command = {
  name: "windowreparent",
  ...HELP_ALONE,
  refused: ["help"],
  async run(context, _, usage) {
    const windows = namedWindows(context, 1, usage), { print, target } = context;
    if (!windows) return 1;
    const [word] = context.words, parents = context.windowsOf(word);
    if (parents.length > 1) {
      print.err(
        "It doesn't make sense to have multiple destinations as the new parent window. Your destination " +
          `selection '${word}' resulted in ${parents.length} windows.`,
      );
      return 1;
    }
    context.consume(1);
    let code = 0;
    for (const window of windows()) {
      code = await target.reparent(window, parents[0] ?? 0);
      if (code) {
        print.err(
          `xdo_reparent_window reported an error on for src=${window}, dest=${parents[0]}`,
        );
      }
    }
    if (code) print.err("xdo_reparent_window reported an error");
    return code;
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
    let code = 0;
    for (const window of windows()) {
      if (!await context.target.setState(window, HOW[how], state.toUpperCase())) continue;
      code = 1;
      context.print.err(`xdo_window_property reported an error on window ${window}`);
    }
    return code;
  },
};

/** Every command of this file. */
export const WINDOWS: readonly Command[] = [
  ...ACTS.map(actCommand),
  moveCommand,
  sizeCommand,
  reparentCommand,
  stateCommand,
];

// The command that sets properties of windows.

function propertiesOf(options: Options): WindowProperties {
  const flag = (name: string) => options.has(name) ? intOf(options.get(name)!) > 0 : undefined;
  return {
    texts: Object.fromEntries(
      WINDOW_TEXTS.filter((name) => options.has(name)).map((name) => [name, options.get(name)!]),
    ),
    class: options.get("class"),
    className: options.get("classname"),
    overrideRedirect: flag("overrideredirect"),
    urgency: flag("urgency"),
  };
}

/** Sets properties of windows. */
export const SET_WINDOW: Command = {
  name: "set_window",
  options: {
    letters: "hn:i:r:C:N:u:",
    names: ["name:", "icon-name:", "role:", "class:", "classname:", "overrideredirect:", "urgency:", "help"],
  },
  letters: {
    h: "help",
    n: "name",
    i: "icon-name",
    r: "role",
    C: "class",
    N: "classname",
    u: "urgency",
  },
  async run(context, options, usage) {
    const windows = namedWindows(context, 0, usage);
    if (!windows) return 1;
    for (const window of windows()) await context.target.set(window, propertiesOf(options));
    return 0;
  },
};

// Commands of workspaces, which xdotool calls desktops.

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
