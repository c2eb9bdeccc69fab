/**
 * The table of desktops on which tests of `control/desktop/desktop.ts` run: how each is started, and other
 * programs on it that report the input that they receive. Another desktop is another row.
 */

import type { Desktop, Region } from "../../control/desktop/desktop.ts";
import { openWayland } from "../../ffi/wayland/mod.ts";
import { openX11 } from "../../ffi/x11/desktop.ts";
import { type ClipboardTool, waylandClipboardTools, x11ClipboardTools } from "./clipboard_tools.ts";
import { need } from "./need.ts";
import { Sway } from "./sway.ts";
import { until } from "./shell.ts";
import { codesDown, startWev, wevEvents } from "./compositors.ts";
import { keycodesDown, xevEvents } from "./window_desktops.ts";
import { type Client, ownNumber, Xvfb } from "./xvfb.ts";

/** A program whose window fills the screen and has the focus. */
export interface Witness extends AsyncDisposable {
  /**
   * The events that the witness has received: `left pressed 3,4` for buttons, `up` for wheel notches,
   * `pressed F5` for keys by their keysyms.
   */
  events(): string[];
  /** XKB keycodes that are down for programs. */
  codesDown(): number[] | Promise<number[]>;
}

/** A terminal that records the text typed into it. */
export interface Terminal extends AsyncDisposable {
  received(): Promise<string>;
}

/** A desktop for the test, of 1280 by 720 pixels, without programs. */
export interface TestDesktop extends AsyncDisposable {
  /** The environment for programs on the desktop. */
  env: Record<string, string>;
  /** Other programs that copy and paste; the first one also supports pictures. */
  clipboardTools: readonly ClipboardTool[];
  /** Opens the desktop with deskhand; the caller closes it. */
  open(): Promise<Desktop>;
  witness(): Promise<Witness>;
  terminal(): Promise<Terminal>;
  /** Starts a program that draws, and waits until it has begun to. */
  draw(): Promise<AsyncDisposable>;
  /** Gives the pointer a shape, with a program if the bare desktop has none. */
  showPointer(): Promise<AsyncDisposable | undefined>;
  /** A part of the screen as captured by the system's own tool: red, green, blue. */
  seen(region: Region): Promise<Uint8Array>;
  /** The server's or compositor's process. */
  pid(): number;
  /** Kills the server or compositor, like a crash. */
  kill(): Promise<void>;
  /** Restarts the desktop at the same address after {@linkcode kill}. */
  restart(): Promise<void>;
}

/** A row of the table. */
interface DesktopRow {
  name: string;
  needs: { ignore: boolean };
  /** Additional needs of clipboard tests. */
  clipboardNeeds: { ignore: boolean };
  start(): Promise<TestDesktop>;
  /** Starts one that can be killed and restarted: one at a time per process. */
  startMortal(): Promise<TestDesktop>;
  /** The message of each call while the server or compositor is gone. */
  gone: string;
  /** Whether watching input ends with the server; otherwise it continues once the desktop is back. */
  watchEnds: boolean;
  /** Whether screenshots without the pointer are possible; headless sway draws it into all of them. */
  leavesPointerOut: boolean;
}

const SIZE = { width: 1280, height: 720 };
const XEV_BUTTONS: Readonly<Record<string, string>> = {
  1: "left",
  2: "middle",
  3: "right",
  8: "back",
  9: "forward",
};
const XEV_NOTCHES: Readonly<Record<string, string>> = { 4: "up", 5: "down", 6: "left", 7: "right" };
const WEV_WORDS: Readonly<Record<string, string>> = {
  "side": "back",
  "extra": "forward",
  "vertical -15": "up",
  "vertical 15": "down",
  "horizontal -15": "left",
  "horizontal 15": "right",
};

/** The desktops. */
export const DESKTOPS: readonly DesktopRow[] = [
  {
    name: "X11 on Xvfb",
    needs: need("Xvfb", "xdotool", "xev", "xinput", "xterm", "import", "xlogo"),
    clipboardNeeds: need("Xvfb", "xclip", "xsel"),
    start: () => startX11(),
    startMortal: () => startX11(ownNumber()),
    gone: "gone",
    watchEnds: true,
    leavesPointerOut: true,
  },
  {
    name: "Wayland on sway",
    needs: need("sway", "swaymsg", "wev", "stdbuf", "foot", "grim"),
    clipboardNeeds: need("sway", "swaymsg", "wl-copy", "wl-paste"),
    start: startWayland,
    startMortal: startWayland,
    gone: "compositor",
    watchEnds: false,
    leavesPointerOut: false,
  },
];

/** @param number The display number; defaults to a free one. */
async function startX11(number?: string): Promise<TestDesktop> {
  let server = await Xvfb.start({ ...SIZE, number });
  /** Starts a program and waits for its window; without a window manager, the focus follows the pointer. */
  const shown = async (search: string[], program: string, ...args: string[]) => {
    const client = server.spawn(program, ...args);
    await server.window(...search);
    await server.run("xdotool", "mousemove", "200", "200");
    return client;
  };
  const seen = async ({ x, y, width, height }: Region) => {
    const crop = `${width}x${height}+${x}+${y}`;
    const args = ["-window", "root", "-crop", crop, "-depth", "8", "rgb:-"];
    return (await new Deno.Command("import", { args, env: server.env }).output()).stdout;
  };
  return {
    env: server.env,
    clipboardTools: x11ClipboardTools(server.env),
    open: () => Promise.resolve(openX11(server.display)),
    async witness() {
      const events = ["-event", "button", "-event", "keyboard"];
      const xev = await shown(["--name", "Event Tester"], "xev", "-geometry", "1280x720+0+0", ...events);
      return witnessOf(xev, () => xevEvents(xev.printed).flatMap(plainXevEvent), () => keycodesDown(server));
    },
    terminal: () =>
      terminalIn((command) =>
        shown(["--class", "xterm"], "xterm", "-u8", "-geometry", "200x50+0+0", "-e", ...command)
      ),
    async draw() {
      const logo = await shown(["--class", "XLogo"], "xlogo", "-geometry", "300x200+50+60", "-fg", "#ff8020");
      await isDrawn(seen);
      return logo;
    },
    showPointer: () => shown(["--class", "xterm"], "xterm", "-geometry", "200x50+0+0", "-e", "cat"),
    seen,
    pid: () => server.pid,
    kill: () => server.stop("SIGKILL"),
    async restart() {
      server = await Xvfb.start({ ...SIZE, number });
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

async function startWayland(): Promise<TestDesktop> {
  const sway = await Sway.start();
  const seen = ({ x, y, width, height }: Region) => sway.picture("-g", `${x},${y} ${width}x${height}`);
  return {
    env: sway.env,
    clipboardTools: waylandClipboardTools(sway),
    open: () => openWayland(sway.socket),
    async witness() {
      const wev = await startWev(sway);
      const events = () =>
        wevEvents(wev.printed).map((event) =>
          event.replace(/^(side|extra|(vertical|horizontal) -?15)/, (word) => WEV_WORDS[word])
        );
      return witnessOf(wev, events, () => codesDown(wev.printed));
    },
    terminal: () =>
      terminalIn(async (command) => {
        const foot = sway.spawn("foot", ...command);
        await sway.windows(1);
        return foot;
      }, sway.folder),
    async draw() {
      const foot = sway.spawn("foot", "sh", "-c", "seq 900 | tr '\\n' ' '; exec sleep 1000");
      await sway.windows(1);
      await isDrawn(seen);
      return foot;
    },
    showPointer: () => Promise.resolve(undefined),
    seen,
    pid: () => sway.pid,
    kill: () => sway.kill(),
    restart: () => sway.restart(),
    [Symbol.asyncDispose]: () => sway[Symbol.asyncDispose](),
  };
}

/** Waits until a program has drawn something: its window is listed some time before. */
async function isDrawn(seen: TestDesktop["seen"]): Promise<void> {
  const part = () => seen({ x: 100, y: 80, width: 120, height: 90 });
  await until(part, (rgb) => rgb.some((value, i) => value !== rgb[i % 3]));
}

function witnessOf(client: Client, events: Witness["events"], codesDown: Witness["codesDown"]): Witness {
  return { events, codesDown, [Symbol.asyncDispose]: () => client[Symbol.asyncDispose]() };
}

/** Converts an xev event to the format of {@linkcode Witness.events}. */
function plainXevEvent(event: string): string[] {
  const [kind, detail, place] = event.split(" "), state = /Press$/.test(kind) ? "pressed" : "released";
  if (kind.startsWith("Key")) return [`${state} ${detail}`];
  const notch = XEV_NOTCHES[detail];
  if (notch) return state === "pressed" ? [notch] : [];
  return [`${XEV_BUTTONS[detail]} ${state} ${place}`];
}

/**
 * Starts a terminal that writes the received text to a file.
 * @param start Starts one that runs a command, and waits for its window.
 * @param folder The file's folder; defaults to a new one.
 */
async function terminalIn(
  start: (command: string[]) => Promise<Client>,
  folder?: string,
): Promise<Terminal> {
  const own = folder ?? await Deno.makeTempDir(), file = `${own}/received`;
  const script = `stty raw -echo; echo ready >${file}.ready; exec dd bs=1 of=${file} 2>/dev/null`;
  const client = await start(["sh", "-c", script]);
  await until(() => Deno.stat(`${file}.ready`).then(() => true, () => false));
  return {
    received: () => Deno.readTextFile(file).catch(() => ""),
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      if (!folder) await Deno.remove(own, { recursive: true });
    },
  };
}
