/** Clients built with the protocol's own library perform tasks on a real desktop. */

import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Bitmap } from "../../control/image/bitmap.ts";
import { pictureSize, readPicture } from "../../control/image/read_picture.ts";
import { need } from "../support/need.ts";
import { Program } from "../support/program.ts";
import { killed, temporary, until } from "../support/shell.ts";
import { SessionBus } from "../support/session_bus.ts";
import { homeOf, Xvfb } from "../support/xvfb.ts";

Deno.test({
  name: "an agent opens a menu, types into a dialog, and sees both in its screenshots",
  ...need("Xvfb", "zenity", "openbox", "xev", "xprop"),
  async fn() {
    await using server = await Xvfb.start({ width: 1920, height: 1080 });
    const env = { ...server.env, NO_AT_BRIDGE: "1" };
    await using _manager = await server.manager("openbox");
    await using dialog = started("zenity", ["--entry", "--title", "Your name", "--text", "Name:"], env);
    await using program = new Program(["--http", "0", "--desktop", "x11"], { env });
    const client = new Client({ name: "tester", version: "1" });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${await program.controlUrl()}/mcp`)));
    try {
      const call = async (name: string, given: Record<string, unknown> = {}) => {
        const result = await client.callTool({ name, arguments: given });
        const content = result.content as { type: string; text?: string; data?: string }[];
        const words = content.map(({ text = "" }) => text).join("\n");
        assertEquals(result.isError ?? false, false, words);
        return { words, picture: content.find(({ type }) => type === "image")?.data };
      };
      await until(() => call("windows"), ({ words }) => words.includes('"Your name"'));
      await call("window", { change: "activate", title: "Your name" });
      const seen = async () => bitmapOf((await call("screenshot", { cursor: false })).picture!);
      assertStringIncludes((await call("wait", { still: { ms: 300 }, look: true })).words, "1456x819");
      // Where the window manager has placed it.
      const listed = await call("windows");
      const [, width, height, x, y] = /"Your name".*: (\d+)x(\d+) at (\d+),(\d+)/.exec(listed.words)!.map(
        Number,
      );
      const middle = { x: x + Math.round(width / 2), y: y + Math.round(height / 2) };
      const before = await seen();
      await call("click", { ...middle, button: "right" });
      // A menu is far larger than a blinking text cursor.
      const menu = await until(seen, (picture) => changed(before, picture) > 3000);
      await call("key", { keys: "Escape" });
      const closed = await until(seen, (picture) => changed(menu, picture) > 3000);
      await call("do", { actions: [{ tool: "type", text: "Zoë €" }] });
      await until(seen, (picture) => changed(closed, picture) > 60);
      await call("key", { keys: "Return" });
      assertEquals(await dialog.printed(), "Zoë €\n");
      assert(!(await call("screen")).words.includes("held down: key"));
    } finally {
      await client.close();
    }
  },
});

const LINES = "first line\nzweite Zeile: äöü\n漢字 €\n";

/** A part of a result. */
interface Part {
  type: string;
  text?: string;
  data?: string;
}

/** An agent that follows a script, and the answers that it received. */
async function agent(url: string) {
  const client = new Client({ name: "scripted", version: "1" }), answers: Part[][] = [];
  await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", url)));
  return {
    answers,
    async call(name: string, given: Record<string, unknown>) {
      const { content, isError } = await client.callTool({ name, arguments: given });
      answers.push(content as Part[]);
      const text = (content as Part[]).map(({ text }) => text ?? "").join("");
      assert(!isError, text);
      return text;
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

Deno.test({
  name: "an editor opens, saves three lines and rereads them in three calls with one screenshot",
  ...need("Xvfb", "openbox", "xev", "xprop", "mousepad"),
  fn: () =>
    temporary(async (folder) => {
      await using server = await Xvfb.start({ width: 1920, height: 1080 });
      await using _manager = await server.manager("openbox");
      const shared = join(folder, "shared");
      await Deno.mkdir(shared);
      const env = { ...server.env, ...homeOf(folder) };
      const options = ["--http", "0", "--files", shared, "--files-port", "0", "--agent-open", "mousepad"];
      await using program = new Program([...options, "--tools", "open,do,wait,type,key,files"], { env });
      await using model = await agent(await program.controlUrl());

      assertMatch(
        await model.call("open", { program: "mousepad" }),
        /process \d+\nactive: "Untitled 1 - Mousepad" \(new\)$/,
      );
      const done = await model.call("do", {
        actions: [
          { tool: "type", text: LINES },
          { tool: "key", keys: "ctrl+s" },
          { tool: "wait", window: { title: "Save", active: true } },
          { tool: "type", text: join(shared, "notes.txt") },
          { tool: "wait", still: { ms: 300 } }, // GTK completes the path, and ignores Enter until it has
          { tool: "key", keys: "Return" },
          { tool: "wait", window: { title: "notes.txt", active: true } },
        ],
        look: "window",
      });
      assertStringIncludes(done, "notes.txt");
      assertEquals(await model.call("files", { path: "notes.txt" }), LINES);

      const pictures = model.answers.flat().filter(({ type }) => type === "image");
      assertEquals([model.answers.length, pictures.length], [3, 1]);
      assert(pictureSize(Uint8Array.fromBase64(pictures[0].data!)).width < 1456, "the window alone");
    }),
});

/** A program that shows a splash screen first, and its real window later. */
const SLOW = `import sys, gi
gi.require_versions({"Gdk": "3.0", "Gtk": "3.0"})
from gi.repository import Gdk, GLib, Gtk
splash = Gtk.Window(title="Welcome", type_hint=Gdk.WindowTypeHint.SPLASHSCREEN)
splash.add(Gtk.Label(label="one moment"))
splash.show_all()
def real():
    splash.destroy()
    window, entry = Gtk.Window(title="Late"), Gtk.Entry()
    window.add(entry)
    entry.connect("activate", lambda _: (open(sys.argv[1], "w").write(entry.get_text()), Gtk.main_quit()))
    window.show_all()
GLib.timeout_add(2500, real)
Gtk.main()
`;

Deno.test({
  name: "steps after one that opens a slow program type into its real window",
  ...need(
    "Xvfb",
    "openbox",
    "zenity",
    "python3",
    "/usr/lib/x86_64-linux-gnu/girepository-1.0/Gtk-3.0.typelib",
  ),
  fn: () =>
    temporary(async (folder) => {
      await using server = await Xvfb.start();
      await using _manager = await server.manager("openbox");
      const env = { ...server.env, NO_AT_BRIDGE: "1", GTK_IM_MODULE: "none" };
      await using early = started("zenity", ["--entry", "--title", "Early"], env);
      const slow = join(folder, "slow"), written = join(folder, "written"), script = join(folder, "slow.py");
      await Deno.writeTextFile(script, SLOW);
      await Deno.writeTextFile(slow, `#!/bin/sh\nexec /usr/bin/python3 ${script} ${written}\n`, {
        mode: 0o755,
      });
      const options = ["--http", "0", "--desktop", "x11", "--agent-open", `${slow},true`];
      await using program = new Program([...options, "--tools", "act,open,do,type,windows"], { env });
      await using model = await agent(await program.controlUrl());
      await until(() => model.call("windows", {}), (words) => /"Early".*active/.test(words));

      const ended = model.call("act", { steps: [{ open: "true" }, { type: "lost\n" }] });
      await assertRejects(() => ended, Error, "1. failed: process");
      for (const text of ["for act\n", "for do\n"]) {
        const steps = text.includes("act")
          ? { name: "act", given: { steps: [{ open: slow }, { type: text }] } }
          : { name: "do", given: { actions: [{ tool: "open", program: slow }, { tool: "type", text }] } };
        await model.call(steps.name, steps.given);
        await until(() => Deno.readTextFile(written).catch(() => ""), (found) => found === text.trim());
      }
      assertMatch(await model.call("open", { program: slow, look: "window" }), /active: "Late" \(new\)$/);
      const { data } = model.answers.at(-1)!.find(({ type }) => type === "image")!;
      assert(pictureSize(Uint8Array.fromBase64(data!)).width < 640, "the window alone");
      assert(!early.hasEnded, "the first window got a text");
    }),
});

Deno.test({
  name: "a running program opens files in its active window, never in another program's",
  ...need(
    "Xvfb",
    "openbox",
    "dbus-daemon",
    "mousepad",
    "zenity",
    "python3",
    "/usr/lib/x86_64-linux-gnu/girepository-1.0/Gtk-3.0.typelib",
  ),
  fn: () =>
    temporary(async (folder) => {
      await using server = await Xvfb.start();
      await using bus = await SessionBus.start(server.env);
      await using _manager = await server.manager("openbox");
      const env = { ...server.env, ...bus.env, ...homeOf(folder) };
      const slow = join(folder, "slow"), written = join(folder, "written"), script = join(folder, "slow.py");
      await Deno.writeTextFile(script, SLOW);
      await Deno.writeTextFile(slow, `#!/bin/sh\n/usr/bin/python3 ${script} ${written}\n`, { mode: 0o755 });
      const files = ["one.txt", "two.txt"].map((name) => join(folder, name));
      for (const file of files) await Deno.writeTextFile(file, "");
      const options = ["--http", "0", "--desktop", "x11", "--agent-open", `${slow},mousepad`];
      await using program = new Program([...options, "--tools", "act,open,windows"], { env });
      await using model = await agent(await program.controlUrl());

      // The other program's window comes while the slow one starts.
      const typed = model.call("act", { steps: [{ open: slow }, { type: "own\n" }] });
      await using other = started("zenity", ["--entry", "--title", "Other"], env);
      await until(() => model.call("windows", {}), (words) => /"Other".*active/.test(words));
      await typed;
      await until(() => Deno.readTextFile(written).catch(() => ""), (found) => found === "own");
      assert(!other.hasEnded, "the other program got a text");

      assertMatch(
        await model.call("open", { program: "mousepad", file: files[0] }),
        /one.txt - Mous.*\(new\)$/,
      );
      const handed = /handed over to the running program\nactive: ".*two.txt - Mous[^(]*$/;
      // The second time it already shows the file.
      for (let i = 0; i < 2; i++) {
        assertMatch(await model.call("open", { program: "mousepad", file: files[1] }), handed);
      }
      await model.call("act", {
        steps: [{ open: "mousepad", file: files[0] }, { type: "one" }, { key: "ctrl+s" }],
      });
      await until(() => Deno.readTextFile(files[0]), (text) => text.trimEnd() === "one");
      assertEquals(await Deno.readTextFile(files[1]), "");
    }),
});

function bitmapOf(png: string): Bitmap {
  return readPicture(Uint8Array.fromBase64(png), { width: 1456, height: 819 });
}

/** Counts the pixels that differ. */
function changed(one: Bitmap, other: Bitmap): number {
  return one.pixels.reduce((count, pixel, i) => count + Number(pixel !== other.pixels[i]), 0);
}

/** Starts a program that ends with the test. */
function started(command: string, args: string[], env: Record<string, string>) {
  const child = new Deno.Command(command, { args, env, stdin: "null", stdout: "piped", stderr: "null" })
    .spawn();
  const output = new Response(child.stdout).text();
  let hasEnded = false;
  child.status.then(() => hasEnded = true);
  return {
    get hasEnded() {
      return hasEnded;
    },
    /** All text that the program prints until it ends. */
    printed: () => output,
    async [Symbol.asyncDispose]() {
      await killed(child);
      await output;
    },
  };
}
