/** The table of desktops on which window tests run: another window manager or compositor is another row. */

import type { Desktop, ObservedAction, WatchListener, WindowState } from "../../control/desktop/desktop.ts";
import { VirtualDesktop } from "../../ffi/virtual/mod.ts";
import { openWayland } from "../../ffi/wayland/mod.ts";
import { openX11 } from "../../ffi/x11/desktop.ts";
import { COMPOSITOR_NAME } from "./compositors.ts";
import { need } from "./need.ts";
import { until } from "./shell.ts";
import { needSway, Sway } from "./sway.ts";
import { type Client, Xvfb } from "./xvfb.ts";

/** A desktop for the test, with a window manager, and its windows as other programs see them. */
export interface WindowDesktop extends AsyncDisposable {
  desktop: Desktop;
  /** Starts a program whose window takes the focus. */
  window(title: string): Client;
  /** Starts another program, whose window need not. */
  other(title: string): Client;
  /** Title of the focused window. */
  active(): Promise<string>;
  isListed(title: string): Promise<boolean>;
  state(title: string): Promise<WindowState>;
}

/** A row of the table. */
export interface WindowRow {
  name: string;
  needs: { ignore: boolean };
  start(): Promise<WindowDesktop>;
  /** State of a new window. */
  newState: WindowState;
  /** States, besides that one, that windows can be put in. */
  states: WindowState[];
  /** States that windows cannot be put in, and the messages about them. */
  refused: [state: WindowState, message: string][];
  /**
   * Whether programs may place windows and know where they are; otherwise the messages of the refusals; a
   * call without a message works.
   */
  places: true | { place: string; look?: string };
  /** How far at most windows come from their place, in pixels: blackbox moves them by the size of their frame. */
  frame?: number;
  /** Class of {@linkcode WindowDesktop.other}. */
  otherClass: string;
  /** Whether the window takes the focus when it is new. */
  otherIsActive: boolean;
}

const WAYLAND_PLACES = {
  place: "Wayland does not let programs place",
  look: "does not report where its windows are",
};

const SWAY_STATES: Pick<WindowRow, "newState" | "states" | "refused"> = {
  newState: "normal",
  states: ["fullscreen"],
  refused: [["minimized", "did not make this window minimized"]],
};

/** The desktops. */
export const WINDOW_DESKTOPS: readonly WindowRow[] = [
  ...["openbox", "metacity", "blackbox"].map((manager): WindowRow => ({
    name: `X11 under ${manager}`,
    needs: need("Xvfb", manager, "xmessage", "xev", "xprop", "xdotool"),
    start: () => startX11(manager),
    newState: "normal",
    states: ["maximized", "fullscreen", "minimized"],
    refused: [],
    places: true,
    frame: manager === "blackbox" ? 50 : 0,
    otherClass: "Xmessage",
    otherIsActive: false,
  })),
  {
    name: `Wayland on ${COMPOSITOR_NAME}`,
    needs: need("sway", "swaymsg", "foot"),
    start: startWayland,
    ...(COMPOSITOR_NAME === "labwc"
      ? { newState: "maximized", states: ["fullscreen", "minimized"], refused: [] }
      : SWAY_STATES),
    places: COMPOSITOR_NAME === "sway" ? { place: "sway tiles this window" } : WAYLAND_PLACES,
    otherClass: "other",
    otherIsActive: true,
  },
  {
    name: "Wayland on sway, floating windows",
    needs: needSway("foot"),
    start: () => startWayland("for_window [app_id=.*] floating enable"),
    ...SWAY_STATES,
    places: true,
    otherClass: "other",
    otherIsActive: true,
  },
];

async function startX11(manager: string): Promise<WindowDesktop> {
  const xvfb = await Xvfb.start({ width: 1024, height: 768 });
  const process = await xvfb.manager(manager);
  const desktop = openX11(xvfb.display);
  return {
    desktop,
    window: (title) => taking(xvfb, title),
    other: (title) =>
      xvfb.spawn(
        "xmessage",
        "-title",
        title,
        "-geometry",
        "200x150+500+320",
        "-xrm",
        "*input: False",
        "text",
      ),
    active: async () => (await xvfb.run("xdotool", "getactivewindow", "getwindowname")).trim(),
    async isListed(title) {
      const names = async () => {
        const ids = (await xvfb.run("xprop", "-root", "_NET_CLIENT_LIST")).match(/0x\w+/g) ?? [];
        return (await Promise.all(ids.map((id) => xvfb.run("xprop", "-id", id, "WM_NAME")))).join("");
      };
      // xprop fails if a window vanishes before it is asked for its name.
      const list = () => names().catch(() => undefined);
      return (await until(list, (text) => text !== undefined))!.includes(`"${title}"`);
    },
    async state(title) {
      const text = await xvfb.run("xprop", "-name", title, "_NET_WM_STATE", "WM_STATE");
      if (text.includes("Iconic")) return "minimized";
      if (text.includes("FULLSCREEN")) return "fullscreen";
      return /MAXIMIZED_HORZ/.test(text) && /MAXIMIZED_VERT/.test(text) ? "maximized" : "normal";
    },
    async [Symbol.asyncDispose]() {
      desktop.close();
      await process[Symbol.asyncDispose]();
      await xvfb[Symbol.asyncDispose]();
    },
  };
}

/** @param config Lines of sway's configuration. */
async function startWayland(...config: string[]): Promise<WindowDesktop> {
  const sway = await Sway.start({ config });
  Deno.env.set("SWAYSOCK", sway.env.SWAYSOCK); // as in a sway session
  const desktop = await openWayland(sway.socket);
  const listed = () => sway.listed();
  return {
    desktop,
    window: (title) => sway.spawn("foot", "-T", title, "sleep", "1000"),
    other: (title) => sway.spawn("foot", "-a", "other", "-T", title, "sleep", "1000"),
    active: async () => (await listed()).find(({ isFocused }) => isFocused)?.title ?? "",
    isListed: async (name) => (await listed()).some(({ title }) => title === name),
    state: async (name) => (await listed()).find(({ title }) => title === name)!.state,
    async [Symbol.asyncDispose]() {
      desktop.close();
      Deno.env.delete("SWAYSOCK");
      await sway[Symbol.asyncDispose]();
    },
  };
}

/** An X11 window that takes the focus. */
export function taking(xvfb: Xvfb, title: string): Client {
  return xvfb.spawn("xev", "-name", title, "-geometry", "200x150+100+120", "-event", "property");
}

/** An X11 window that does not (ICCCM section 4.1.7, "No Input"). */
export function clock(xvfb: Xvfb, title: string, geometry = "200x150+100+120"): Client {
  return xvfb.spawn("xclock", "-title", title, "-geometry", geometry);
}

// Shared parts of X11 tests.

/** The needs of every test: a server, and the libraries, which xdotool also depends on. */
export const X11 = need("Xvfb", "xdotool");

/** xev's events of some kinds, in order, as `KIND detail`; without one that is only half printed. */
export function xevEvents(printed: string): string[] {
  return printed.split(/\n\n/).flatMap((block) => {
    const kind = /^(\w+) event/m.exec(block)?.[1];
    if (!kind || !block.includes("same_screen")) return [];
    const at = /root:\((-?\d+),(-?\d+)\)/.exec(block);
    const button = /button (\d+)/.exec(block)?.[1];
    const keysym = /keysym 0x[0-9a-f]+, (\w+)/.exec(block)?.[1];
    if (kind.startsWith("Button")) return [`${kind} ${button} ${at![1]},${at![2]}`];
    if (kind === "KeyPress" || kind === "KeyRelease") return [`${kind} ${keysym}`];
    if (kind === "MotionNotify") return [`${kind} ${at![1]},${at![2]}`];
    return [];
  });
}

/** Keycodes held down by programs, as reported by xinput. */
export async function keycodesDown(server: Xvfb): Promise<number[]> {
  const state = await server.run("xinput", "query-state", "Virtual core XTEST keyboard");
  return Array.from(state.matchAll(/key\[(\d+)\]=down/g), ([, code]) => Number(code));
}

/** Switches to another group (layout) of the keymap, counted from 0. */
export function lockGroup(server: Xvfb, group: number): void {
  const x11 = Deno.dlopen("libX11.so.6", {
    XOpenDisplay: { parameters: ["buffer"], result: "pointer" },
    XCloseDisplay: { parameters: ["pointer"], result: "i32" },
    XkbLockGroup: { parameters: ["pointer", "u32", "u32"], result: "i32" },
  });
  const display = x11.symbols.XOpenDisplay(new TextEncoder().encode(`${server.display}\0`));
  x11.symbols.XkbLockGroup(display, 0x100, group);
  x11.symbols.XCloseDisplay(display);
  x11.close();
}

// Virtual desktops with a part that behaves differently, for tests.

/** A virtual desktop whose keyboard throws the error that `refuse` returns for a key. */
export function refusingKeys(refuse: (key: string, down: boolean) => Error | undefined): VirtualDesktop {
  const desktop = new VirtualDesktop(), { keyboard } = desktop;
  const key = keyboard.key.bind(keyboard);
  keyboard.key = (name, down) => {
    const error = refuse(name, down);
    return error ? Promise.reject(error) : key(name, down);
  };
  return desktop;
}

/** A virtual desktop whose listeners a test can call, as if for a user's input. */
export class WatchedDesktop extends VirtualDesktop {
  readonly listeners = new Set<WatchListener>();

  constructor() {
    super();
    const watch = this.observer.watch.bind(this.observer);
    this.observer.watch = async (listener) => {
      this.listeners.add(listener);
      const { close } = await watch(listener);
      return {
        close: () => {
          this.listeners.delete(listener);
          return close();
        },
      };
    };
  }

  /** Reports a user's action. */
  person(action: ObservedAction["action"], at = 0): void {
    for (const listener of this.listeners) listener.actions([{ action, at, injected: false }]);
  }
}
