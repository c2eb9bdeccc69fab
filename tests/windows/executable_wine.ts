/**
 * Every interface of the Windows executable, on a stand-in for its base runtime (tests/compiled/stand_in.ts).
 */

import { assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import { smoked } from "../compiled/smoked.ts";
import { call, idle } from "../program/recording.ts";
import { Program, run } from "../support/program.ts";
import { temporary, until } from "../support/shell.ts";
import { openReference, QUARTERS, WitnessWindow } from "./witness.ts";

/** The path of the executable, where wine.sh puts it for run.ts. */
const EXECUTABLE = "Z:\\files\\deskhand-windows-x64.exe";

/**
 * Recorded events as the window sees them: two buttons, so that the replay's first click is no double click.
 */
const SEEN: [name: string, ...details: number[]][] = [
  ["WM_RBUTTONDOWN", 50, 60],
  ["WM_RBUTTONUP", 50, 60],
  ["WM_LBUTTONDOWN", 250, 260],
  ["WM_LBUTTONUP", 250, 260],
  ["WM_KEYDOWN", 0x74],
  ["WM_KEYUP", 0x74],
];

Deno.test("doctor of the executable finds nothing wrong on a user's desktop", async () => {
  const { stdout, stderr } = await run(["doctor"], "", { executable: EXECUTABLE });
  // Whether a port is free depends on other programs.
  const problems = stdout.trim().split("\n").filter((line) => !/^ok +|^\S* +port \d+ /.test(line));
  assertEquals([problems, stderr], [[], ""]);
  assertMatch(stdout, /^ok +monitors +DISPLAY1 1280x720 at 0,0/m);
});

Deno.test("the executable passes the release checks", async () => {
  const { code, lines, printed } = await smoked([EXECUTABLE]);
  assertEquals([code, lines.length], [0, 8], printed);
});

Deno.test("every interface of the executable works", async (test) => {
  await using witness = await WitnessWindow.open(100, 100);
  using reference = openReference();
  await temporary(async (folder) => {
    await Deno.writeTextFile(join(folder, "ü.txt"), "0123456789");
    await using program = new Program(["--http", "0", "--files", folder, "--files-port", "0"], {
      executable: EXECUTABLE,
      env: { LOCALAPPDATA: folder },
    });
    const [url, files] = [await program.controlUrl(), await program.filesUrl()];

    await test.step("the pointer is where it was moved to", async () => {
      assertEquals((await call(url, "POST", "move", { x: 321, y: 234 })).json, { ok: true });
      await until(() => String(reference.pointer()) === "321,234");
      assertEquals((await call(url, "GET", "position")).json, { x: 321, y: 234 });
    });
    await test.step("a window receives text", async () => {
      await call(url, "POST", "click", { x: 300, y: 300, button: "left" });
      await call(url, "POST", "type", { text: "hé漢" });
      assertEquals(await witness.text(3), "hé漢");
    });
    await test.step("screenshots have the window's colors", async () => {
      const pixel = (await call(url, "GET", "pixel?x=650&y=450")).json;
      assertEquals([pixel.b, pixel.g, pixel.r], QUARTERS[3]);
      const png = await (await fetch(`${url}/api/screenshot?format=png`)).bytes();
      assertEquals([...png.slice(0, 4)], [0x89, 0x50, 0x4e, 0x47]);
    });
    await test.step("records and replays a user's actions", async () => {
      const seen = async () =>
        (await witness.take(
          SEEN.length,
          ...SEEN.map(([name]) => name),
          "WM_LBUTTONDBLCLK",
          "WM_RBUTTONDBLCLK",
        ))
          .map(({ name, x, y, code }) => name.startsWith("WM_KEY") ? [name, code] : [name, x, y]);
      await witness.sees(async () => {
        await call(url, "POST", "recording/start", {});
        await call(url, "POST", "click", { x: 150, y: 160, button: "right" });
        await call(url, "POST", "click", { x: 350, y: 360, button: "left" });
        await call(url, "POST", "key", { keys: "f5" });
        const messages = await seen();
        await until(() => call(url, "GET", "recording/state"), ({ json }) => json.events >= 8);
        await call(url, "POST", "recording/stop", {});
        return messages;
      }, SEEN);
      await witness.sees(async () => {
        await call(url, "POST", "move", { x: 1, y: 1 });
        assertEquals((await call(url, "POST", "recording/play", {})).json, { ok: true });
        assertEquals((await idle(url)).json.result.stopped, false);
        return await seen();
      }, SEEN);
    });
    await test.step("serves files, ranges and listings", async () => {
      const part = await fetch(`${files}/%C3%BC.txt`, { headers: { range: "bytes=2-4" } });
      assertEquals([part.status, await part.text()], [206, "234"]);
      assertMatch(await (await fetch(`${files}/`)).text(), /Directory listing: \/[^]*ü\.txt/);
    });
    await test.step("the prompt acts on the same desktop, and quits", async () => {
      await program.write("m50-60");
      await program.write("g");
      await program.printed(/^50 60$/m);
      await program.write("quit");
      assertEquals((await program.ended()).code, 0);
    });
  });
});

Deno.test("an agent uses the executable over stdin and stdout until it closes its input", async () => {
  await using witness = await WitnessWindow.open(100, 100);
  await using program = new Program(["mcp", "--tools", "classic"], { executable: EXECUTABLE });
  let id = 0;
  const ask = async (method: string, params: unknown) => {
    await program.write(JSON.stringify({ jsonrpc: "2.0", id: ++id, method, params }));
    const [line] = await program.printed(new RegExp(`^\\{.*"id":${id}\\b.*$`, "m"));
    return JSON.parse(line).result;
  };
  const clientInfo = { name: "tester", version: "1" };
  const opening = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  assertEquals((await ask("initialize", opening)).serverInfo.name, "deskhand");
  const { tools } = await ask("tools/list", {});
  assertEquals(tools.map(({ name }: { name: string }) => name).includes("screenshot"), true);
  const clicked = await ask("tools/call", { name: "click", arguments: { x: 300, y: 300, look: true } });
  assertMatch(clicked.content[0].text, /^clicked left at 300,300 of 1280x720\n1280x720; pointer at /);
  assertMatch(clicked.content[1].data, /^iVBORw0KGgo/); // a PNG's first bytes in base64
  await ask("tools/call", { name: "type", arguments: { text: "hé漢" } });
  assertEquals(await witness.text(3), "hé漢");
  await program.endInput();
  const { code, stderr } = await program.ended();
  assertEquals([code, stderr], [0, ""]);
});
