/**
 * The lone file on a Wayland desktop: modules that are loaded late, or on threads of their own, are inside the
 * executable.
 */

import { assertEquals } from "@std/assert";
import { SWAY, Sway } from "../support/sway.ts";
import { until } from "../support/until.ts";
import { lone, LoneFile } from "./lone.ts";

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
