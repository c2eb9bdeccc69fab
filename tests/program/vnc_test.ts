/** The VNC server with other projects' viewers: what they show, and what arrives from them. */

import { assertEquals } from "@std/assert";
import { need } from "../support/need.ts";
import { rgbOfFile, Scene } from "../support/pictures.ts";
import { Program, receives, run, typewriter } from "../support/program.ts";
import { until } from "../support/shell.ts";
import { needSway, Sway } from "../support/sway.ts";
import { pixelsOf, SIZE, swayTypewriter } from "../support/vnc_servers.ts";
import {
  differing,
  LIBVNCCLIENT,
  openLibvncclient,
  openTiger,
  showsTheSame,
  TIGER,
  type Viewer,
  VIEWERS,
  vncPort,
} from "../support/vnc_viewers.ts";
import { Xvfb } from "../support/xvfb.ts";

/** deskhand with a VNC server on a free port. */
async function vncServer(env: Record<string, string>, ...args: string[]) {
  const program = new Program(["--http", "0", "--vnc", "0", ...args], { env, stdin: "null" });
  return {
    program,
    port: await vncPort(program),
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  };
}

const X11 = need("Xvfb", "xterm", "xdotool", "import");
/** Text in ASCII, and characters missing from the desktop's layout. */
const TEXT = "Hello #1: {[|\\}] ~`'\"<>?+-*/ é€";

Deno.test(
  { ...X11, sanitizeOps: false, sanitizeResources: false, name: "viewers of other projects, all at once" },
  async (t) => {
    await using desktop = await Xvfb.start(SIZE);
    await using server = await vncServer(desktop.env);
    await using stack = new AsyncDisposableStack();
    const viewers = await Promise.all(
      VIEWERS.filter(({ needs }) => !needs.ignore).map(async ({ name, open }) => {
        return { name, viewer: stack.use<Viewer>(await open(server.port, SIZE)) };
      }),
    );
    {
      await using scene = await Scene.start(desktop, "antialiased terminal, without end");
      for (const { name, viewer } of viewers) {
        await t.step(`${name} shows a flood of text`, async () => {
          const black = new Uint8Array(3 * SIZE.width * SIZE.height);
          await until(async () => differing(await viewer.pixels(), black) > 10_000);
        });
      }
      await scene.freeze();
      await desktop.run("xdotool", "mousemove", `${SIZE.width}`, `${SIZE.height}`); // into the corner
      const seen = () => pixelsOf(desktop.env);
      for (const { name, viewer } of viewers) {
        await t.step(
          `${name} shows the flood pixel for pixel once it stops`,
          () => showsTheSame(viewer, SIZE, seen),
        );
      }
    }
    await using xterm = await typewriter(desktop);
    let all = "";
    for (const { name, viewer: { hand } } of viewers) {
      if (!hand) continue;
      await t.step(`text, keys and clicks in ${name} arrive`, async () => {
        await hand.click(200, 210);
        await hand.type(TEXT);
        await receives(xterm.received, all += TEXT);
        for (const keys of ["Enter", "Control+c", "Tab", "Backspace"]) await hand.press(keys);
        await receives(xterm.received, all += "\r\x03\t\x7f");
        await hand.move(333, 222);
        await until(
          () => desktop.run("xdotool", "getmouselocation"),
          (place) => place.startsWith("x:333 y:222 "),
        );
      });
    }
  },
);

Deno.test("--read-only shows the desktop and ignores input from viewers", TIGER, async () => {
  await using desktop = await Xvfb.start(SIZE);
  await using server = await vncServer(desktop.env, "--read-only");
  await using xterm = await typewriter(desktop);
  await using viewer = await openTiger(server.port, SIZE);
  await showsTheSame(viewer, SIZE, () => pixelsOf(desktop.env));
  await viewer.display.window("--name", "view only");
  await viewer.hand.click(200, 210);
  await viewer.hand.type("nothing");
  await desktop.run("xdotool", "type", "x"); // arrives after anything that a viewer typed before
  await receives(xterm.received, "x");
});

Deno.test(
  "a viewer of sway shows it pixel for pixel, and text typed in it arrives",
  { ignore: LIBVNCCLIENT.ignore || needSway("foot", "grim").ignore },
  async () => {
    const { width, height } = SIZE;
    await using sway = await Sway.start({ outputs: [`output HEADLESS-1 resolution ${width}x${height}`] });
    await using server = await vncServer(sway.env);
    await using viewer = await openLibvncclient(server.port);
    await using foot = await swayTypewriter(sway);
    await viewer.hand.click(200, 210);
    await viewer.hand.type(TEXT);
    await receives(foot.received, TEXT);
    await showsTheSame(viewer, SIZE, () => sway.picture());
  },
);

Deno.test(
  "a viewer of the virtual desktop shows it pixel for pixel, and its clicks arrive",
  LIBVNCCLIENT,
  async () => {
    await using server = await vncServer({}, "--desktop", "virtual");
    await using viewer = await openLibvncclient(server.port);
    const url = await server.program.controlUrl();
    const seen = async () => rgbOfFile(await (await fetch(`${url}/api/screenshot?cursor=true`)).bytes());
    const { width, height } = await (await fetch(`${url}/api/screen`)).json();
    await showsTheSame(viewer, { width, height }, seen);
    const before = await viewer.pixels();
    await viewer.hand.click(200, 210);
    await until(async () => differing(await viewer.pixels(), before));
    await showsTheSame(viewer, { width, height }, seen);
  },
);

Deno.test("a VNC server beyond this machine needs a certificate, and a password that viewers can send", async () => {
  const open = await run(["--desktop", "virtual", "--vnc", "0", "--host", "0.0.0.0"]);
  assertEquals(open.code, 2);
  assertEquals(open.stderr.includes("needs --cert and --key"), true, open.stderr);
  const long = await run(["--desktop", "virtual", "--vnc", "0"], "", {
    env: { DESKHAND_VNC_PASSWORD: "longer than that" },
  });
  assertEquals([long.code, long.stderr.includes("longer")], [2, false], long.stderr);
});
