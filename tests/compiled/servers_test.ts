/** Both servers and the prompt of the lone file, used as a user would. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { ENDPOINTS } from "../../control/http/endpoints.ts";
import { PAGE_ENDPOINTS } from "../../control/http/page.ts";
import { need } from "../support/need.ts";
import { Terminal } from "../support/terminal.ts";
import { lone, LoneFile } from "./lone.ts";

const VIRTUAL = ["--desktop", "virtual"];

Deno.test({
  ...lone,
  name: "the control API of the executable",
  async fn(test) {
    await using file = await LoneFile.create();
    await using program = file.start([...VIRTUAL, "--http", "0"]);
    const url = await program.controlUrl();
    const post = (path: string, body: unknown) =>
      fetch(url + path, { method: "POST", body: JSON.stringify(body) });

    await test.step("prints every endpoint", async () => {
      for (const { method, path } of ENDPOINTS.filter(({ part }) => !part)) {
        await program.printed(new RegExp(`^  ${method} +${RegExp.escape(path)}( |$)`, "m"));
      }
    });
    await test.step("serves every part of the page", async () => {
      for (const { path } of PAGE_ENDPOINTS) {
        const answer = await fetch(url + path);
        assertEquals([path, answer.status, (await answer.text()).length > 100], [path, 200, true]);
      }
    });
    await test.step("moves, clicks and reports the pointer position", async () => {
      assertEquals(await (await post("/api/move", { x: 30, y: 40 })).json(), { ok: true });
      assertEquals(await (await post("/api/click", { x: 31, y: 41, button: "left" })).json(), { ok: true });
      const answer = await fetch(`${url}/api/position`);
      assertEquals(answer.headers.get("access-control-allow-origin"), "*");
      assertEquals(await answer.json(), { x: 31, y: 41 });
    });
    await test.step("names a missing field", async () => {
      const answer = await post("/api/click", { x: 1 });
      assertEquals([answer.status, await answer.json()], [400, { error: "Missing y" }]);
    });
    await test.step("types any text", async () => {
      assertEquals(await (await post("/api/type", { text: "héllo €5 漢字 😀" })).json(), { ok: true });
    });
    await test.step("takes pictures", async () => {
      const bmp = await (await fetch(`${url}/api/screenshot`)).bytes();
      assertEquals(new TextDecoder().decode(bmp.slice(0, 2)), "BM");
      assertEquals(new DataView(bmp.buffer).getUint32(2, true), bmp.length);
      const png = await (await fetch(`${url}/api/screenshot?format=png`)).bytes();
      assertEquals([...png.slice(0, 4)], [0x89, 0x50, 0x4e, 0x47]);
    });
    await test.step("describes itself", async () => {
      assertMatch((await (await fetch(`${url}/openapi.json`)).json()).openapi, /^3\.1/);
    });
    await test.step("shares its desktop with the prompt", async () => {
      await program.write("m50-60");
      await program.write("g");
      await program.printed(/^50 60$/m);
      assertEquals(await (await fetch(`${url}/api/position`)).json(), { x: 50, y: 60 });
    });
    await test.step("keeps serving after the end of input, until a signal", async () => {
      await program.endInput();
      await post("/api/move", { x: 1, y: 2 });
      assertEquals(await (await fetch(`${url}/api/position`)).json(), { x: 1, y: 2 });
      program.kill("SIGTERM");
      const { code, stderr } = await program.ended();
      assertEquals([code, stderr], [0, ""]);
    });
  },
});

Deno.test({
  ...lone,
  name: "the file server of the executable, next to the control API",
  async fn(test) {
    await using file = await LoneFile.create();
    const folder = join(file.folder, "served");
    await Deno.mkdir(folder);
    const bytes = crypto.getRandomValues(new Uint8Array(60_000));
    await Deno.writeFile(join(folder, "naïve file.bin"), bytes);
    await using program = file.start([...VIRTUAL, "--http", "0", "--files", folder, "--files-port", "0"]);
    const url = await program.filesUrl();
    const path = `${url}/na%C3%AFve%20file.bin`;

    await test.step("serves a file", async () => {
      const answer = await fetch(path);
      assertEquals(await answer.bytes(), bytes);
      assertEquals(answer.headers.get("content-length"), "60000");
      assertMatch(answer.headers.get("content-disposition")!, /^attachment; filename="/);
    });
    await test.step("serves a range", async () => {
      const answer = await fetch(path, { headers: { range: "bytes=100-199" } });
      assertEquals([answer.status, answer.headers.get("content-range")], [206, "bytes 100-199/60000"]);
      assertEquals(await answer.bytes(), bytes.slice(100, 200));
    });
    await test.step("lists the folder", async () => {
      const answer = await fetch(`${url}/`);
      assertEquals(answer.headers.get("content-type"), "text/html; charset=utf-8");
      const page = await answer.text();
      assertStringIncludes(page, "Directory listing: /");
      assertStringIncludes(page, "naïve file.bin");
    });
    await test.step("lists a large folder in a Worker", async () => {
      const large = join(folder, "large");
      await Deno.mkdir(large);
      for (let i = 0; i < 2500; i++) await Deno.writeTextFile(join(large, `${i}.txt`), "");
      const { entries } = await (await fetch(`${url}/large/?format=json`)).json();
      assertEquals([entries.length, entries.at(-1).name], [2500, "2499.txt"]);
    });
    await test.step("searches below a folder and shows a file", async () => {
      for (
        const [query, part] of [
          ["?deep&q=2499", "large/2499.txt"],
          ["?view=gallery", "1 folder"],
          ["large/7.txt?view", "8 of 2,500"],
        ]
      ) assertStringIncludes(await (await fetch(`${url}/${query}`)).text(), part);
    });
    await test.step("sends a folder as an archive and compressed text, both from Workers", async () => {
      const archive = await (await fetch(`${url}/large/?archive=tar`)).bytes();
      assertEquals(archive.length, 2501 * 512 + 1024);
      await Deno.writeTextFile(join(folder, "long.txt"), "text ".repeat(1000));
      const text = await fetch(`${url}/long.txt`, { headers: { "accept-encoding": "gzip" } });
      assertEquals(text.headers.get("vary"), "accept-encoding");
      assertEquals(await text.text(), "text ".repeat(1000));
    });
    await test.step("answers 404 as a page", async () => {
      const answer = await fetch(`${url}/missing`);
      assertEquals(answer.status, 404);
      assertStringIncludes(await answer.text(), "The requested resource was not found.");
    });
    await test.step("does not affect the control API", async () => {
      const answer = await fetch(`${await program.controlUrl()}/api/position`);
      assertEquals(Object.keys(await answer.json()), ["x", "y"]);
    });
  },
});

Deno.test({
  ...lone,
  name: "the prompt of the executable, from a pipe",
  async fn() {
    await using file = await LoneFile.create();
    const lines = "help\nm-5-10\nm700-70\ng\nsc3\nshot screen.png\nshot screen.bmp\nstatus\n";
    const { code, stdout, stderr } = await file.run(VIRTUAL, lines);
    assertEquals(code, 1); // m-5-10 is outside this desktop
    assertMatch(stderr, /^deskhand: line 2: |^line 2: /m);
    assertStringIncludes(stdout, "m<x>-<y>");
    assertMatch(stdout, /^700 70$/m);
    for (const picture of ["screen.png", "screen.bmp"]) {
      assert(Deno.statSync(join(file.alone, picture)).size > 100);
    }
  },
});

Deno.test({
  ignore: lone.ignore || need("tmux").ignore,
  name: "the prompt of the executable, on a terminal",
  async fn() {
    await using file = await LoneFile.create();
    const environment = Object.entries(file.environment).map(([name, value]) => `${name}='${value}'`);
    await using terminal = await Terminal.open(
      `cd '${file.alone}'; env -i TERM=xterm ${environment.join(" ")} ./deskhand --desktop virtual`,
    );
    await terminal.shows(/^>\s*$/m);
    await terminal.keys("m12-34", "Enter");
    await terminal.shows(/^> m12-34\n>\s*$/m);
    await terminal.keys("g", "Enter");
    await terminal.shows(/^12 34$/m);
    await terminal.keys("sta", "Tab");
    await terminal.shows(/^> status/m);
    await terminal.keys("C-u", "nonsense", "Enter");
    await terminal.shows(/nonsense[^]*\n>\s*$/m);
    await terminal.keys("Up", "Up");
    await terminal.shows(/^> g$/m);
  },
});
