/** A client made with the protocol's own library does a task on a real desktop. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Bitmap } from "../../control/image/bitmap.ts";
import { readPicture } from "../../control/image/read_picture.ts";
import { need } from "../support/need.ts";
import { Program } from "../support/program.ts";
import { until } from "../support/until.ts";
import { Xvfb } from "../support/xvfb.ts";

Deno.test({
  name: "an agent opens a menu, types into a dialog, and sees both in its pictures",
  ...need("Xvfb", "zenity", "openbox"),
  async fn() {
    await using server = await Xvfb.start({ width: 1920, height: 1080 });
    const env = { DISPLAY: server.display, NO_AT_BRIDGE: "1" };
    await using _manager = started("openbox", [], env);
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
      // Where the window manager has put it.
      const listed = await call("windows");
      const [, width, height, x, y] = /"Your name".*: (\d+)x(\d+) at (\d+),(\d+)/.exec(listed.words)!.map(
        Number,
      );
      const middle = { x: x + Math.round(width / 2), y: y + Math.round(height / 2) };
      const before = await seen();
      await call("click", { ...middle, button: "right" });
      // A menu is far larger than a text cursor that blinks.
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

function bitmapOf(png: string): Bitmap {
  return readPicture(Uint8Array.fromBase64(png), { width: 1456, height: 819 });
}

/** How many pixels differ. */
function changed(one: Bitmap, other: Bitmap): number {
  return one.pixels.reduce((count, pixel, i) => count + Number(pixel !== other.pixels[i]), 0);
}

/** Starts a program that ends with the test. */
function started(command: string, args: string[], env: Record<string, string>) {
  const child = new Deno.Command(command, { args, env, stdin: "null", stdout: "piped", stderr: "null" })
    .spawn();
  const output = new Response(child.stdout).text();
  return {
    /** All that it prints until its end. */
    printed: () => output,
    async [Symbol.asyncDispose]() {
      try {
        child.kill("SIGKILL");
      } catch {
        // It has ended by itself.
      }
      await child.status;
      await output;
    },
  };
}
