/** The lone file on X11 and Wayland desktops, on a terminal, and as a release. */

import { assertEquals, assertMatch } from "@std/assert";
import { need, needRoot } from "../support/need.ts";
import { FOREIGN_SHELLS, usePromptOn } from "../support/program.ts";
import { until } from "../support/shell.ts";
import { SWAY, Sway } from "../support/sway.ts";
import { X11 } from "../support/window_desktops.ts";
import { Xvfb } from "../support/xvfb.ts";
import { lone, LoneFile } from "./lone.ts";
import { fromFileUrl } from "@std/path";
import { smoked } from "./smoked.ts";

Deno.test({
  ignore: lone.ignore || X11.ignore,
  name: "the executable controls an X11 desktop",
  async fn() {
    await using file = await LoneFile.create();
    await using server = await Xvfb.start();
    await using program = file.start(["--http", "0"], server.env);
    const url = await program.controlUrl();
    const post = async (path: string, body: unknown) => {
      const answer = await fetch(url + path, { method: "POST", body: JSON.stringify(body) });
      assertEquals(await answer.json(), { ok: true });
    };

    await post("/api/move", { x: 123, y: 456 });
    assertMatch(await server.run("xdotool", "getmouselocation"), /^x:123 y:456 /);
    await server.run("xdotool", "mousemove", "7", "8");
    assertEquals(await (await fetch(`${url}/api/position`)).json(), { x: 7, y: 8 });
    await post("/api/click", { x: 20, y: 30, button: "left" });
    await post("/api/type", { text: "aé漢" });
    await server.run("xsetroot", "-solid", "#336699");
    const pixel = await (await fetch(`${url}/api/pixel?x=640&y=360`)).json();
    assertEquals(pixel.hex.toLowerCase(), "#336699");
    const picture = await (await fetch(`${url}/api/screenshot?format=png`)).bytes();
    assertEquals([...picture.slice(1, 4)], [...new TextEncoder().encode("PNG")]);
    const part = await (await fetch(`${url}/api/screenshot?format=png&width=9&height=9`)).bytes();
    const found = await (await fetch(`${url}/api/find?x=5&y=6`, { method: "POST", body: part })).json();
    assertEquals(found.matches.map(({ x, y }: { x: number; y: number }) => [x, y]), [[5, 6]]);
  },
});

// The lone file on a Wayland desktop: it contains the modules that are loaded late or by Workers.

Deno.test({
  ignore: lone.ignore || SWAY.ignore,
  name: "the executable controls a Wayland desktop",
  async fn() {
    await using file = await LoneFile.create();
    await using sway = await Sway.start({ outputs: ["output HEADLESS-1 resolution 640x400 position 0 0"] });
    await using program = file.start(["--http", "0"], sway.env);
    const url = await program.controlUrl();
    const get = async (path: string) => await (await fetch(url + path)).json();
    const send = async (method: string, path: string, body?: unknown) => {
      const answer = await fetch(url + path, {
        method,
        body: body === undefined ? body : JSON.stringify(body),
      });
      assertEquals(answer.status, 200, await answer.text());
    };
    assertEquals((await get("/api/screen")).kind, "wayland");
    await send("POST", "/api/move", { x: 123, y: 234 });
    assertEquals(await get("/api/position"), { x: 123, y: 234 });
    await send("POST", "/api/type", { text: "aé漢" });
    const picture = await (await fetch(`${url}/api/screenshot?format=png`)).bytes();
    assertEquals([...picture.slice(1, 4)], [...new TextEncoder().encode("PNG")]);
    await send("PUT", "/api/clipboard", { text: "héllo 漢" });
    assertEquals((await get("/api/clipboard")).text, "héllo 漢");
    assertEquals(await get("/api/windows"), { windows: [] });

    const live = new WebSocket(`${url.replace("http", "ws")}/api/live`);
    let pictures = 0;
    live.onmessage = ({ data }) => typeof data === "string" || pictures++;
    await until(() => pictures > 0);
    const closed = new Promise((resolve) => live.onclose = resolve);
    live.close();
    await closed;

    await send("POST", "/api/recording/start");
    await send("POST", "/api/move", { x: 300, y: 200 });
    await send("POST", "/api/recording/stop");
    await send("POST", "/api/move", { x: 1, y: 1 });
    await send("POST", "/api/recording/play", {});
    await until(() => get("/api/position"), ({ x, y }) => x === 300 && y === 200);
  },
});

// The executable's prompt on another user's terminal.

const [shell] = FOREIGN_SHELLS;
const user = needRoot(...shell.split(" ") as [string], "-c", "true");

Deno.test({
  ignore: lone.ignore || user.ignore || need("tmux").ignore,
  name: `lines typed at the executable's prompt after ${shell} do not block requests`,
  async fn() {
    await using file = await LoneFile.create();
    for (const path of [file.folder, file.alone, file.executable]) await Deno.chmod(path, 0o755);
    await Deno.chmod(`${file.folder}/tmp`, 0o777);
    await usePromptOn(
      shell,
      `XDG_STATE_HOME=${file.folder}/tmp ${file.executable} --desktop virtual --http 0`,
    );
  },
});

// The script that tests a release before publishing, on the executable and from source.

const MAIN = fromFileUrl(new URL("../../main.ts", import.meta.url));
const NEEDED = { ignore: lone.ignore || need("Xvfb", "xterm").ignore };

Deno.test({ ...NEEDED, name: "the executable passes the release checks" }, async () => {
  await using file = await LoneFile.create();
  await using server = await Xvfb.start();
  const { code, lines, printed } = await smoked([file.executable], server.env);
  assertEquals([code, lines.length], [0, 8], printed);
});

Deno.test("the file server alone passes the release checks without a desktop", async () => {
  const { code, lines, printed } = await smoked(["--files-only", Deno.execPath(), "run", "-A", MAIN], {
    DISPLAY: "",
  });
  assertEquals([code, lines.length], [0, 3], printed);
});

Deno.test("a broken release fails the checks, and its output is shown", async () => {
  const { code, printed } = await smoked(["sh", "-c", "echo no such library; exit 3"]);
  assertEquals(code, 1);
  assertMatch(printed, /^NO {2}the control API starts: it ended before [^]*\nno such library\n/m);
});
