/** A command that opens a desktop of Wayland itself asks its compositor as little as it can. */

import { assertEquals, assertMatch } from "@std/assert";
import { encodeMessage } from "../../../ffi/wayland/wire/wire.ts";
import { FakeCompositor } from "../../support/fake_compositor.ts";
import { temporary } from "../../support/temporary.ts";
import { SWAY, Sway } from "../../support/sway.ts";
import { run, start } from "./stage.ts";

const KEYBOARDS = "zwp_virtual_keyboard_manager_v1";
/** Interfaces of wlroots that deskhand needs, and one output. */
const GLOBALS = [
  "wl_seat",
  "wl_output",
  "wl_shm",
  "zwlr_virtual_pointer_manager_v1",
  "zwlr_screencopy_manager_v1",
  KEYBOARDS,
];

/** Command lines, and the number of keyboards that each needs. */
const LINES: readonly [line: string, keyboards: number][] = [
  ["mousemove 10 20", 0],
  ["mousemove 10 20 click 1", 0],
  ["mousemove 10 20 key a key b", 1],
  ["keydown shift keyup shift", 1],
  ["type hello", 1],
];

/** wl_output.mode: the current mode of an output, of 1280 by 720 pixels and 60 Hz. */
function mode(name: string, object: number): Uint8Array | undefined {
  return name === "wl_output" ? encodeMessage(object, 1, [1, 1280, 720, 60_000]) : undefined;
}

Deno.test({
  name: "a command connects to the compositor once, and makes a keyboard only to press keys",
  ignore: Deno.build.os !== "linux",
  async fn(t) {
    for (const [line, keyboards] of LINES) {
      await t.step(line, () =>
        temporary(async (folder) => {
          using compositor = new FakeCompositor(`${folder}/wayland-0`, { globals: GLOBALS, bound: mode });
          const { code, stderr } = await run("deskhand", line.split(" "), {
            XDG_RUNTIME_DIR: folder,
            WAYLAND_DISPLAY: "wayland-0",
            XDG_STATE_HOME: folder,
            DBUS_SESSION_BUS_ADDRESS: `unix:path=${folder}/none`,
            DISPLAY: "",
            SWAYSOCK: "",
            DESKHAND_URL: "",
          });
          assertEquals([code, stderr], [0, ""]);
          assertEquals(compositor.connections, 1);
          const made = compositor.bound.filter((name) => name === KEYBOARDS);
          assertEquals([made.length, new Set(compositor.bound).size], [keyboards, compositor.bound.length]);
        }));
    }
  },
});

Deno.test(
  { name: "a compositor that ends during a script is told once, with exit code 1", ...SWAY },
  async () => {
    await using sway = await Sway.start();
    const child = start("deskhand", ["-"], { ...sway.env, XDG_STATE_HOME: sway.folder, DESKHAND_URL: "" });
    const writer = child.stdin.getWriter(), encoder = new TextEncoder();
    const stderr = new Response(child.stderr).text(), reader = child.stdout.getReader();
    await writer.write(encoder.encode("mousemove 5 6 getmouselocation\n"));
    assertMatch(new TextDecoder().decode((await reader.read()).value), /^x:5 y:6 /);
    await sway.kill();
    await writer.write(encoder.encode("mousemove 7 8\n"));
    await writer.close();
    const { code } = await child.status;
    assertEquals((await reader.read()).done, true);
    assertMatch(await stderr, /^\S+: mousemove: the .*compositor .*is gone.*\n$/);
    assertEquals(code, 1);
  },
);
