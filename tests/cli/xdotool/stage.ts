/** An X11 desktop with windows, on which xdotool and deskhand run the same lines in turn. */

import { fromFileUrl } from "@std/path";
import { until } from "../../support/shell.ts";
import { need } from "../../support/need.ts";
import { type Client, Xvfb } from "../../support/xvfb.ts";

/** The programs that these tests need. */
export const XDOTOOL = need("Xvfb", "openbox", "xdotool", "xev", "xterm", "xprop", "xwininfo", "wmctrl");

const OPENBOX = fromFileUrl(new URL("./openbox.xml", import.meta.url));
const MAIN = fromFileUrl(new URL("../../../main.ts", import.meta.url));

/** The two that are compared. */
export type Which = "xdotool" | "deskhand";

/** The end of a run. */
export interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** The input of a run apart from its words. */
export interface Given {
  input?: string;
  env?: Record<string, string>;
  cwd?: string;
}

const COMMANDS: Record<Which, string[]> = {
  xdotool: ["xdotool"],
  deskhand: [Deno.execPath(), "run", "-q", "-A", "--no-check", MAIN, "xdotool"],
};

/** Starts xdotool or deskhand. */
export function start(
  which: Which,
  words: readonly string[],
  env: Record<string, string>,
  cwd?: string,
): Deno.ChildProcess {
  const [program, ...args] = COMMANDS[which];
  return new Deno.Command(program, {
    args: [...args, ...words],
    env: { NO_COLOR: "1", ...env },
    cwd,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

/** Runs xdotool or deskhand to its end. */
export async function run(
  which: Which,
  words: readonly string[],
  env: Record<string, string>,
  { input = "", cwd }: Omit<Given, "env"> = {},
): Promise<Ended> {
  const child = start(which, words, env, cwd), writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(input)).catch(() => {});
  await writer.close().catch(() => {});
  const { code, stdout, stderr } = await child.output(), decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: comparable(decoder.decode(stderr)) };
}

/**
 * Removes the window from the pointer's position: xdotool prints the window manager's frame, and deskhand the
 * window in it.
 */
function withoutFrame(stdout: string): string {
  return stdout.replace(/^(x:\d+ y:\d+ screen:\d+ window:)\d+$/gm, "$1").replace(
    /(SCREEN=\d+\n\w*WINDOW=)\d+/g,
    "$1",
  );
}

/**
 * Removes the parts of a text that depend on the moment: how many requests preceded a server error, and that
 * no window was active between two. xdotool appears under the name that a shell would use.
 */
function comparable(stderr: string): string {
  const plain = stderr.replaceAll("/usr/bin/xdotool", "xdotool").replaceAll(
    "XGetWindowProperty[_NET_ACTIVE_WINDOW] failed (code=1)\n",
    "",
  );
  return plain.replace(
    /^ *(?:Serial number of failed request|Current serial number in output stream):.*\n/gm,
    "",
  );
}

/** A line's words; `~` stands for a space in a word, `{name}` for a window. */
export function wordsOf(line: string, windows: Readonly<Record<string, string>>): string[] {
  const named = line.replace(/\{(\w+)\}/g, (_, name: string) => windows[name]);
  return named.split(" ").filter(Boolean).map((word) => word === "''" ? "" : word.replaceAll("~", " "));
}

/** Restores the windows, with one process. */
const RESET = [
  "set_num_desktops 4 set_desktop 0",
  // In this order: a window on another workspace is not shown, and `--sync` waits 15 s for it.
  ...["{editor}", "{terminal}"].map((id) => `set_desktop_for_window ${id} 0 windowmap --sync ${id}`),
  "windowsize {terminal} 364 134 windowmove {terminal} 600 300",
  "windowsize {editor} 400 300 windowmove {editor} 100 100",
  "windowactivate --sync {editor} mousemove 300 250",
].join(" ");

/** The desktop: openbox with the windows `editor` (xev) and `terminal` (xterm). */
export class Stage {
  private constructor(
    readonly server: Xvfb,
    readonly stack: AsyncDisposableStack,
    readonly editor: Client,
    /** Window ids, as xdotool accepts them. */
    readonly windows: Record<string, string>,
  ) {}

  /** Starts the stage and waits until the windows are open. */
  static async start(): Promise<Stage> {
    await using stack = new AsyncDisposableStack();
    const server = stack.use(await Xvfb.start());
    stack.use(await server.manager("openbox", "--config-file", OPENBOX));
    const editor = stack.use(server.spawn("xev", "-name", "Editor", "-geometry", "400x300+100+100"));
    const id = await server.window("--name", "^Editor$");
    stack.use(
      server.spawn("xterm", "-T", "Terminal", "-class", "Shell", "-geometry", "60x10+600+300", "-e", "cat"),
    );
    const terminal = await server.window("--name", "^Terminal$");
    const windows = { editor: id, terminal };
    return new Stage(server, stack.move(), editor, windows);
  }

  /** Runs a line, whose output can be compared with the other one's. */
  async run(which: Which, line: string, given: Given = {}): Promise<Ended> {
    const env = { ...this.server.env, ...given.env };
    const ended = await run(which, wordsOf(line, this.windows), env, given);
    return { ...ended, stdout: withoutFrame(ended.stdout) };
  }

  /** Restores everything: positions and sizes, workspaces, the pointer and the focus. */
  async reset(): Promise<void> {
    const { editor } = this.windows, { server } = this;
    await server.run("xdotool", ...wordsOf(RESET, this.windows));
    // It fails while no window is active.
    const active = () => server.run("xdotool", "getactivewindow").catch(() => "");
    await until(active, (id) => id.trim() === editor);
  }

  async [Symbol.asyncDispose]() {
    await this.stack[Symbol.asyncDispose]();
  }
}
