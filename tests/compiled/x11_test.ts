/** The lone file on an X11 desktop: the system's libraries are reached from inside the executable. */

import { assertEquals, assertMatch } from "@std/assert";
import { X11 } from "../support/x11.ts";
import { Xvfb } from "../support/xvfb.ts";
import { lone, LoneFile } from "./lone.ts";

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
