/** The VNC server with viewers of other projects: what they show, and what arrives from them. */

import { assertEquals } from "@std/assert";
import { need } from "../support/need.ts";
import { Program, receives, run, typewriter } from "../support/program.ts";
import { until } from "../support/shell.ts";
import { Scene } from "../support/pictures.ts";
import { Xvfb } from "../support/xvfb.ts";

const SIZE = { width: 640, height: 480 } as const;

/** A deskhand with a VNC server on a free port. */
async function vncServer(env: Record<string, string>, ...args: string[]) {
  const program = new Program(["--desktop", "x11", "--http", "0", "--vnc", "0", ...args], {
    env,
    stdin: "null",
  });
  const port = Number((await program.printed(/^VNC server started on port (\d+)$/m))[1]);
  return { program, port, [Symbol.asyncDispose]: () => program[Symbol.asyncDispose]() };
}

/** TigerVNC's viewer on a display of its own, with a window manager, which gives it the keyboard. */
class TigerViewer {
  private constructor(readonly display: Xvfb, readonly stack: AsyncDisposableStack, readonly id: string) {}

  static async start(port: number, ...args: string[]): Promise<TigerViewer> {
    await using stack = new AsyncDisposableStack();
    const display = stack.use(await Xvfb.start({ width: 800, height: 640 }));
    stack.use(await display.manager("openbox"));
    const geometry = `-geometry=${SIZE.width}x${SIZE.height}+20+40`;
    stack.use(display.spawn("xtigervncviewer", geometry, "-RemoteResize=0", ...args, `127.0.0.1::${port}`));
    const id = await display.window("--name", "TigerVNC");
    return new TigerViewer(display, stack.move(), id);
  }

  /** The place of the picture on the viewer's display: the window manager moves the window into its frame. */
  async place(): Promise<[x: number, y: number]> {
    const text = await this.display.run("xwininfo", "-id", this.id);
    const [, x, y] = /X: +(\d+)[^]*?Y: +(\d+)/.exec(text)!;
    return [Number(x), Number(y)];
  }

  /** The pixels that it shows. */
  async pixels(): Promise<Uint8Array> {
    return await pixelsOf(this.display, await this.place());
  }

  /** Moves the pointer to a place of the picture, and runs further words of xdotool. */
  async at(x: number, y: number, ...words: string[]): Promise<void> {
    const [left, top] = await this.place();
    await this.display.run("xdotool", "mousemove", `${left + x}`, `${top + y}`, ...words);
  }

  [Symbol.asyncDispose]() {
    return this.stack.disposeAsync();
  }
}

/** The pixels of a part of a display as large as the desktop, as ImageMagick reads them: red, green and blue. */
async function pixelsOf({ env }: Xvfb, [x, y] = [0, 0]): Promise<Uint8Array> {
  const { stdout } = await new Deno.Command("import", {
    args: [
      "-silent",
      "-window",
      "root",
      "-crop",
      `${SIZE.width}x${SIZE.height}+${x}+${y}`,
      "-depth",
      "8",
      "rgb:-",
    ],
    env,
    stdout: "piped",
    stderr: "null",
  }).output();
  return stdout;
}

/** How many bytes differ. */
function differing(a: Uint8Array, b: Uint8Array): number {
  if (a.length !== b.length) return Infinity;
  let count = 0;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) count++;
  return count;
}

/** Waits until a viewer shows exactly what the desktop shows. */
async function showsTheSame(viewer: TigerViewer, desktop: Xvfb): Promise<void> {
  await until(
    async () => differing(await viewer.pixels(), await pixelsOf(desktop)),
    (count) => count === 0,
    (count) => `${count} bytes of the picture differ`,
  );
}

const TIGER = need("Xvfb", "xtigervncviewer", "xterm", "xdotool", "import", "openbox", "xprop", "xwininfo");

/** Encodings that TigerVNC's viewer prefers, and further options. */
const WAYS: [name: string, args: string[]][] = [
  ["as it is", []],
  ["ZRLE", ["-AutoSelect=0", "-PreferredEncoding=ZRLE"]],
  ["Raw", ["-AutoSelect=0", "-PreferredEncoding=Raw"]],
];

for (const [name, args] of WAYS) {
  Deno.test(
    `TigerVNC's viewer, ${name}, shows a flood of text pixel for pixel once it rests`,
    TIGER,
    async () => {
      await using desktop = await Xvfb.start(SIZE);
      await using server = await vncServer(desktop.env);
      await using viewer = await TigerViewer.start(server.port, ...args);
      await using scene = await Scene.start(desktop, "antialiased terminal, without end");
      const black = new Uint8Array(3 * SIZE.width * SIZE.height);
      await until(async () => differing(await viewer.pixels(), black) > 10_000);
      await scene.freeze();
      await showsTheSame(viewer, desktop);
    },
  );
}

Deno.test("what is typed, clicked and turned in TigerVNC's viewer arrives", TIGER, async () => {
  await using desktop = await Xvfb.start(SIZE);
  await using server = await vncServer(desktop.env);
  await using xterm = await typewriter(desktop);
  await using viewer = await TigerViewer.start(server.port);
  await showsTheSame(viewer, desktop);
  await viewer.at(200, 210, "click", "1");
  const text = "Hello #1: {[|\\}] ~`'\"<>?+-*/ é€";
  await viewer.display.run("xdotool", "type", "--delay", "20", text);
  await receives(xterm.received, text);
  await viewer.display.run("xdotool", "key", "Return", "ctrl+c", "Tab", "BackSpace");
  await receives(xterm.received, `${text}\r\x03\t\x7f`);
  await viewer.at(333, 222, "mousemove_relative", "1", "0");
  await until(() => desktop.run("xdotool", "getmouselocation"), (place) => place.startsWith("x:334 y:222 "));
});

Deno.test("--read-only shows the desktop and ignores what viewers do", TIGER, async () => {
  await using desktop = await Xvfb.start(SIZE);
  await using server = await vncServer(desktop.env, "--read-only");
  await using xterm = await typewriter(desktop);
  await using viewer = await TigerViewer.start(server.port);
  await showsTheSame(viewer, desktop);
  await viewer.display.window("--name", "view only");
  await viewer.at(200, 210, "click", "1", "type", "--delay", "20", "nothing");
  await desktop.run("xdotool", "type", "x"); // arrives behind whatever a viewer typed before
  await receives(xterm.received, "x");
});

Deno.test("a VNC server beyond this machine needs a certificate, and a password that viewers can send", async () => {
  const open = await run(["--desktop", "virtual", "--vnc", "0", "--host", "0.0.0.0"]);
  assertEquals(open.code, 2);
  assertEquals(open.stderr.includes("needs --cert and --key"), true, open.stderr);
  const long = await run(["--desktop", "virtual", "--vnc", "0"], "", {
    env: { DESKHAND_VNC_PASSWORD: "longer than that" },
  });
  assertEquals([long.code, long.stderr.includes("longer")], [2, false], long.stderr);
});
