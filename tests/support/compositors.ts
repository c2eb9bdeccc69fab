/**
 * The compositors on which tests of the wlroots protocols can run, and how each is started headless. The
 * default is sway; WAYLAND_TEST_COMPOSITOR selects another row. With WAYLAND_TEST_ROOT the compositor and all
 * programs are those of a system in that folder (chroot(8)), in which /tmp, /dev and /proc are this system's.
 */

import type { WindowState } from "../../control/desktop/desktop.ts";
import { openWayland } from "../../ffi/wayland/mod.ts";
import { ORDINARY_USER, type UserOptions } from "./ordinary_user.ts";
import { until } from "./shell.ts";
import type { Sway } from "./sway.ts";
import type { Client } from "./xvfb.ts";

/** The setup that a {@linkcode Compositor} row gets to start a compositor. */
interface CompositorSetup {
  /** The compositor's runtime folder. */
  folder: string;
  /** Outputs, as lines of sway's configuration. */
  outputs: string[];
  /** Additional lines of sway's configuration. */
  config: string[];
  xwayland: boolean;
}

/** A window as the compositor describes it. */
export interface ListedWindow {
  title: string;
  isFocused: boolean;
  state: WindowState;
}

/** Runs a program on the compositor until it exits; returns its output. */
type Run = (program: string, ...args: string[]) => Promise<string>;

/** How to start and query a compositor. */
interface Compositor {
  /** Writes the compositor's configuration. @returns Its command. */
  configure(setup: CompositorSetup): Promise<string[]>;
  /** Arranges the outputs after the compositor has started, so that new windows appear on the first one. */
  arrange(run: Run, outputs: readonly string[]): Promise<unknown>;
  /** A command that fails while the compositor does not respond. */
  ping: string[];
  /** Changes an output, with the arguments of sway-output(5). */
  output(run: Run, name: string, ...words: string[]): Promise<unknown>;
  windows(run: Run, socket: string): Promise<ListedWindow[]>;
}

/**
 * Runs swaymsg, again if a busy sway has not answered it within its three seconds.
 * @param args A command that may run twice.
 */
async function swaymsg(run: Run, ...args: string[]): Promise<string> {
  const late = (error: Error): undefined => {
    if (!error.message.includes("Unable to receive IPC response")) throw error;
  };
  return (await until(() => run("swaymsg", ...args).catch(late), (text) => text !== undefined))!;
}

const COMPOSITORS: Record<string, Compositor> = {
  sway: {
    async configure({ folder, outputs, config, xwayland }) {
      const lines = [
        ...outputs,
        ...config,
        `xwayland ${xwayland ? "enable" : "disable"}`,
        ...(xwayland ? [`exec sh -c 'echo $DISPLAY >${folder}/x11'`] : []),
        "default_border none",
        "focus_follows_mouse no",
      ];
      await Deno.writeTextFile(`${folder}/config`, lines.join("\n") + "\n");
      return ["sway", "-c", `${folder}/config`];
    },
    arrange: (run, outputs) => swaymsg(run, "--", "focus", "output", outputs[0].split(" ")[1]),
    ping: ["swaymsg", "-t", "get_outputs"],
    output: (run, name, ...words) => swaymsg(run, "--", "output", name, ...words),
    windows: async (run) => swayWindows(JSON.parse(await swaymsg(run, "-t", "get_tree"))),
  },
  labwc: {
    async configure({ folder }) {
      // Windows fill the output, and labwc reserves no keys or buttons.
      const rules =
        '<windowRules><windowRule identifier="*" serverDecoration="no"><action name="Maximize"/>' +
        "</windowRule></windowRules>";
      const bindings = '<keyboard><keybind key="W-F35"><action name="None"/></keybind></keyboard>';
      await Deno.writeTextFile(`${folder}/rc.xml`, `<labwc_config>${bindings}${rules}</labwc_config>`);
      return ["labwc", "-C", folder, "-s", `sh -c 'echo $DISPLAY >${folder}/x11'`];
    },
    async arrange(run, outputs) {
      for (const [, name, ...words] of outputs.map((line) => line.split(" "))) {
        await COMPOSITORS.labwc.output(run, name, ...words);
      }
    },
    ping: ["wlr-randr"],
    output: (run, name, ...words) => run("wlr-randr", "--output", name, ...randrArguments(words)),
    async windows(_run, socket) {
      const desktop = await openWayland(socket);
      try {
        return (await desktop.windows!.list()).map(({ title, active, state }) => ({
          title,
          isFocused: active,
          state,
        }));
      } finally {
        desktop.close();
      }
    },
  },
};

/** The name of the compositor on which tests run. */
export const COMPOSITOR_NAME = Deno.env.get("WAYLAND_TEST_COMPOSITOR") ?? "sway";
/** The compositor on which tests run. */
export const COMPOSITOR = COMPOSITORS[COMPOSITOR_NAME];

const ROOT = Deno.env.get("WAYLAND_TEST_ROOT");

/** The command and user with which to run a program of the tested system as the system's owner. */
export function ownCommand(
  program: string,
  args: readonly string[],
): { program: string; args: string[]; user: UserOptions } {
  if (ROOT === undefined) return { program, args: [...args], user: ORDINARY_USER };
  const user = ORDINARY_USER.uid === undefined
    ? []
    : [`--userspec=${ORDINARY_USER.uid}:${ORDINARY_USER.gid}`];
  return { program: "chroot", args: [...user, ROOT, program, ...args], user: {} };
}

/** A part of sway's tree. */
interface Node {
  pid?: number;
  name?: string;
  focused?: boolean;
  fullscreen_mode?: number;
  nodes: Node[];
  floating_nodes: Node[];
}

function swayWindows(node: Node): ListedWindow[] {
  const inner = [...node.nodes, ...node.floating_nodes].flatMap(swayWindows);
  if (!node.pid) return inner;
  const state = node.fullscreen_mode ? "fullscreen" : "normal";
  return [{ title: node.name ?? "", isFocused: node.focused ?? false, state }, ...inner];
}

/** Converts arguments of sway-output(5) to those of wlr-randr. */
function randrArguments(words: readonly string[]): string[] {
  const rest = [...words], args: string[] = [];
  for (let word = rest.shift(); word; word = rest.shift()) {
    if (word === "resolution") args.push("--custom-mode", rest.shift()!);
    else if (word === "position") args.push("--pos", `${rest.shift()},${rest.shift()}`);
    else if (word === "scale" || word === "transform") args.push(`--${word}`, rest.shift()!);
    else if (word === "enable" || word === "disable") args.push(word === "enable" ? "--on" : "--off");
    else throw new Error(`wlr-randr has no ${word}`);
  }
  return args;
}

// wev's output about the input that its window receives.

/** Starts wev in a window that fills the first output, and waits until it has the focus. */
export async function startWev(sway: Sway): Promise<Client> {
  const wev = sway.spawn("stdbuf", "-oL", "wev");
  await wev.printing((text) => /wl_keyboard\] enter/.test(text) && /configure: width: [1-9]/.test(text));
  return wev;
}

/**
 * wev's button, wheel and key events, in order; a button is followed by the pointer position at that time.
 */
export function wevEvents(printed: string): string[] {
  const events: string[] = [];
  let place = "";
  for (const block of printed.split(/\n(?=\[)/)) {
    const at = /wl_pointer\] (?:motion|enter): .*x, y: (-?[\d.]+), (-?[\d.]+)/.exec(block);
    if (at) place = `${Number(at[1])},${Number(at[2])}`;
    const button = /wl_pointer\] button: .* \((\w+)\), state: \d \((\w+)\)/.exec(block);
    if (button) events.push(`${button[1]} ${button[2]} ${place}`);
    const axis = /wl_pointer\] axis: .*\((\w+)\), value: (-?[\d.]+)/.exec(block);
    if (axis) events.push(`${axis[1]} ${Number(axis[2])}`);
    const key = /wl_keyboard\] key: .*\((\w+)\)\n +sym: (\w+)/.exec(block);
    if (key) events.push(`${key[1]} ${key[2]}`);
  }
  return events;
}

/**
 * Removes releases of keys that were not pressed: before a text, KWin forwards releases of keys that it has
 * never seen pressed.
 */
export function withoutLoneReleases(events: readonly string[]): string[] {
  const down = new Set<string>();
  return events.filter((event) => {
    const [way, key] = event.split(" ");
    if (way === "pressed") down.add(key);
    return way !== "released" || down.delete(key);
  });
}

/** Codes of keys that are down for wev's window, in order of pressing. */
export function codesDown(printed: string): number[] {
  const down = new Set<number>();
  for (const [, code, state] of printed.matchAll(/wl_keyboard\] key: .* key: (\d+); state: \d \((\w+)\)/g)) {
    if (state === "pressed") down.add(Number(code));
    else down.delete(Number(code));
  }
  return [...down];
}
