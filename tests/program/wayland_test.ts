/** deskhand in a Wayland session, from outside: the desktop that it chooses, and its answers. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { FakeCompositor } from "../support/fake_compositor.ts";
import { need } from "../support/need.ts";
import { Program, run } from "../support/program.ts";
import { Sway } from "../support/sway.ts";
import { temporary, until } from "../support/shell.ts";
import { Xvfb } from "../support/xvfb.ts";

async function post(url: string, path: string, body: unknown): Promise<void> {
  const response = await fetch(`${url}/api/${path}`, { method: "POST", body: JSON.stringify(body) });
  assertEquals([response.status, await response.text()], [200, '{"ok":true}']);
}

Deno.test(
  { name: "in a sway session it controls the Wayland desktop", ...need("sway", "swaymsg") },
  async (t) => {
    await using sway = await Sway.start({
      outputs: ["output HEADLESS-1 resolution 640x400 position -100 -50"],
    });
    await t.step("doctor reports the compositor, what it offers and the chosen way", async () => {
      const { stdout } = await run(["doctor"], "", { env: sway.env });
      assertMatch(
        stdout,
        /^ok {2}compositor +(?:sway|labwc) at \S+wayland-\d: deskhand controls it as --desktop wayland/m,
      );
      assertMatch(
        stdout,
        /^ok {2}protocol zwlr_screencopy_manager_v1 +zwlr_screencopy_manager_v1 \d, for pictures$/m,
      );
      assertMatch(stdout, /^ok {2}screen +640x400 \(HEADLESS-1 640x400 at -100,-50, scale 1\)$/m);
    });
    await using program = new Program(["--http", "0"], { env: sway.env });
    const url = await program.controlUrl();
    const screen = async () => await (await fetch(`${url}/api/screen`)).json();
    await t.step("the API has the pointer, screenshots and text", async () => {
      assertEquals((await screen()).kind, "wayland");
      await post(url, "move", { x: -90, y: 300 });
      assertEquals(await (await fetch(`${url}/api/position`)).json(), { x: -90, y: 300 });
      await post(url, "type", { text: "漢" });
      const picture = await fetch(`${url}/api/screenshot`);
      assertEquals(picture.headers.get("content-type"), "image/bmp");
      assertEquals((await picture.arrayBuffer()).byteLength, 640 * 400 * 4 + 66);
    });
    await t.step(
      "a pointer drawn into the picture makes no hit of a move, nor of a click on nothing",
      async () => {
        const observed = async (path: string, body: object) => {
          const request = { method: "POST", body: JSON.stringify({ ...body, observe: true }) };
          return (await (await fetch(`${url}/api/${path}`, request)).json()).seen;
        };
        for (const [x, y] of [[50, 60], [300, 200], [52, 64]]) {
          const moved = await observed("move", { x, y });
          assert(moved.verdict !== "hit", `${x}-${y}: ${moved.reason}`);
          const clicked = await observed("click", { x: x + 90, y, button: "left" });
          assert(clicked.verdict !== "hit", `${x + 90}-${y}: ${clicked.reason}`);
        }
      },
    );
    await t.step("the page's live view arrives, and again when the screen changes", async () => {
      const socket = new WebSocket(`${url.replace("http", "ws")}/api/live`);
      socket.binaryType = "arraybuffer";
      const texts: string[] = [];
      let pictures = 0;
      socket.onmessage = ({ data }) => {
        if (data === '{"type":"ping"}') return socket.send('{"type":"pong"}');
        if (typeof data === "string") return texts.push(data);
        pictures++;
        socket.send('{"type":"ack"}');
      };
      await until(() => pictures > 0);
      assertMatch(texts[0], /"type":"screen","x":-100,"y":-50,"width":640,"height":400/);
      await post(url, "move", { x: 100, y: 100 }); // the compositor draws the pointer
      await until(() => pictures > 1);
      const closed = new Promise((resolve) => socket.onclose = resolve);
      socket.close();
      await closed;
    });
    assertEquals(program.stderr, "");
  },
);

Deno.test({
  name: "a session that cannot be controlled falls back to XWayland, with a warning",
  ...need("Xvfb"),
}, async () => {
  await using server = await Xvfb.start({ width: 800, height: 600 });
  await temporary(async (folder) => {
    using _other = new FakeCompositor(`${folder}/wayland-0`, { globals: ["wl_shm", "wl_seat"] });
    const env = { ...server.env, XDG_RUNTIME_DIR: folder, WAYLAND_DISPLAY: "wayland-0" };
    await using program = new Program(["--http", "0"], { env });
    const url = await program.controlUrl();
    assertEquals((await (await fetch(`${url}/api/screen`)).json()).kind, "x11");
    await program.printed(
      /this Wayland compositor does not offer .*: deskhand reaches and sees only programs under XWayland/,
    );
    const { stdout, code } = await run(["doctor"], "", { env });
    assertEquals(code, 1);
    assertMatch(
      stdout,
      /^NO {2}compositor .*deskhand cannot control it, since it does not offer zwlr_virtual_pointer/m,
    );
    assertMatch(stdout, /^ok {2}display +:/m);
    const { stderr } = await run(["--desktop", "wayland", "--http", "0"], "", { env });
    assertMatch(stderr, /does not offer zwlr_virtual_pointer_manager_v1, zwp_virtual_keyboard_manager_v1/);
  });
});
