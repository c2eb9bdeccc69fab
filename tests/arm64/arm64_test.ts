/** deskhand on arm64: each interface once, with native programs as witnesses. */

import { join } from "@std/path";
import { temporary, until } from "../support/shell.ts";
import { fromSource, needArm64, writeLauncher } from "./system.ts";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { call, idle } from "../program/recording.ts";
import { need } from "../support/need.ts";
import { Program } from "../support/program.ts";
import { xevEvents } from "../support/window_desktops.ts";
import { type Client, Xvfb } from "../support/xvfb.ts";
import { smoked } from "../compiled/smoked.ts";
import { builtExecutable } from "../compiled/stand_in.ts";
import { needExecutable } from "../compiled/lone.ts";

/** Requirements, for `Deno.test({ ...NEEDED, … })`: an X server, witnesses and an arm64 emulator. */
const NEEDED = {
  ignore: need("Xvfb", "xdotool", "xev", "xsetroot").ignore || (await needArm64()).ignore,
};

/** deskhand for arm64, and programs that witness its effects. */
interface Setting {
  program: Program;
  server: Xvfb;
  xev: Client;
  /** URL of the control API; `files` is that of the file server. */
  url: string;
  files: string;
  /** The served folder. */
  folder: string;
}

/** Smaller than elsewhere: qemu takes seconds for a screenshot's pixels. */
const SCREEN = { width: 640, height: 480 };

/** deskhand's interfaces, each with a check. */
const FACES = {
  async "the pointer is where it was moved to, for both sides"({ url, server }) {
    assertEquals((await call(url, "POST", "move", { x: 123, y: 456 })).json, { ok: true });
    assertMatch(await server.run("xdotool", "getmouselocation"), /^x:123 y:456 /);
    await server.run("xdotool", "mousemove", "7", "8");
    assertEquals((await call(url, "GET", "position")).json, { x: 7, y: 8 });
  },
  async "a window receives buttons, the wheel, keys and text"({ url, xev }) {
    await call(url, "POST", "click", { x: 20, y: 30, button: "right" });
    await call(url, "POST", "scroll", { direction: "down", amount: 1, x: 40, y: 50 });
    await call(url, "POST", "key", { keys: "shift+f5" });
    await call(url, "POST", "type", { text: "aé漢" });
    const expected = ["ButtonPress 3 20,30", "ButtonPress 5 40,50", "F5", "a", "eacute", "U6F22"]
      .map((event) => event.startsWith("Button") ? event : `KeyPress ${event}`);
    const seen = await until(() => presses(xev), (seen) => expected.every((event) => seen.includes(event)));
    assertEquals(seen.filter((event) => expected.includes(event)), expected);
  },
  async "pictures have the screen's colors"({ url, server }) {
    await server.run("xdotool", "search", "--name", "Event Tester", "windowunmap", "--sync");
    await server.run("xsetroot", "-solid", "#336699");
    assertEquals((await call(url, "GET", "pixel?x=320&y=240")).json.hex.toLowerCase(), "#336699");
    const bmp = await (await fetch(`${url}/api/screenshot`)).bytes();
    assertEquals([...bmp.slice(0, 2), ...bmp.slice(-4, -1)], [0x42, 0x4d, 0x99, 0x66, 0x33]);
    const png = await (await fetch(`${url}/api/screenshot?format=png`)).bytes();
    assertEquals([...png.slice(0, 4)], [0x89, 0x50, 0x4e, 0x47], new TextDecoder().decode(png));
    await server.run("xdotool", "search", "--name", "Event Tester", "windowmap", "--sync");
  },
  async "records and replays a user's actions"({ url, server, xev }) {
    await call(url, "POST", "recording/start", {});
    const before = presses(xev).length;
    // On a busy machine the X server repeats a key that xdotool or a replay only taps.
    await server.run("xset", "r", "off");
    await server.run("xdotool", "mousemove", "200", "300", "click", "1", "key", "F6");
    const first = await until(() => presses(xev).slice(before), (seen) => seen.length >= 2);
    await until(() => call(url, "GET", "recording/state"), ({ json }) => json.events >= 5);
    await call(url, "POST", "recording/stop", {});
    await call(url, "POST", "move", { x: 1, y: 1 });
    assertEquals((await call(url, "POST", "recording/play", {})).json, { ok: true });
    assertEquals((await idle(url)).json.result.stopped, false);
    assertEquals(first, ["ButtonPress 1 200,300", "KeyPress F6"]);
    assertEquals(await until(() => presses(xev).slice(before + 2), (seen) => seen.length >= 2), first);
  },
  async "serves files, ranges and listings"({ files, folder }) {
    await Deno.writeTextFile(join(folder, "naïve.txt"), "0123456789");
    const part = await fetch(`${files}/na%C3%AFve.txt`, { headers: { range: "bytes=2-4" } });
    assertEquals([part.status, await part.text()], [206, "234"]);
    assertMatch(await (await fetch(`${files}/`)).text(), /Directory listing: \/[^]*naïve\.txt/);
  },
  async "the prompt acts on the same desktop, and quits"({ program, url }) {
    await program.write("m50-60");
    await program.write("g");
    await program.printed(/^50 60$/m);
    assertEquals((await call(url, "GET", "position")).json, { x: 50, y: 60 });
    await program.write("quit");
    assertEquals((await program.ended()).code, 0);
  },
} satisfies Record<string, (setting: Setting) => Promise<void>>;

/** Button and key presses that xev's window received, except Shift. */
function presses(xev: Client): string[] {
  return xevEvents(xev.printed).filter((event) => /Press/.test(event) && !/Shift/.test(event));
}

/**
 * Starts deskhand and tries its interfaces.
 * @param executable The command that starts deskhand.
 */
async function smoke(test: Deno.TestContext, executable: string): Promise<void> {
  await using server = await Xvfb.start(SCREEN);
  await using xev = server.spawn(
    "xev",
    "-geometry",
    `${SCREEN.width}x${SCREEN.height}+0+0`,
    "-event",
    "button",
    "-event",
    "keyboard",
  );
  await server.window("--name", "Event Tester");
  await temporary(async (folder) => {
    const args = ["--http", "0", "--files", folder, "--files-port", "0"];
    await using program = new Program(args, { executable, env: server.env });
    const [url, files] = [await program.controlUrl(), await program.filesUrl()];
    for (const [name, tries] of Object.entries(FACES)) {
      assert(await test.step(name, () => tries({ program, server, xev, url, files, folder })), name);
    }
  });
}

Deno.test({ ...NEEDED, name: "every interface works on arm64 from source" }, async (test) => {
  await temporary(async (folder) => {
    const launcher = join(folder, "deskhand");
    await writeLauncher(launcher, ...await fromSource());
    await smoke(test, launcher);
  });
});

// The executable, on a stand-in for its base runtime (tests/compiled/stand_in.ts).

Deno.test(
  {
    ignore: NEEDED.ignore || (await needExecutable("linux-arm64")).ignore || need("xterm").ignore,
    name: "the executable passes the release checks on arm64",
  },
  async () => {
    await using server = await Xvfb.start({ width: 640, height: 480 }); // qemu takes seconds for a large screenshot
    await temporary(async (folder) => {
      const launcher = join(folder, "deskhand");
      await writeLauncher(launcher, [await builtExecutable("linux-arm64")]);
      const { code, lines, printed } = await smoked([launcher], server.env);
      assertEquals([code, lines.length], [0, 8], printed);
    });
  },
);
