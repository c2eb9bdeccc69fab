/** Connections to compositors that end, refuse, say nothing, or send what is no Wayland. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { DesktopUnavailableError, NoDesktopError } from "../../../core/errors.ts";
import { openWayland } from "../../../ffi/wayland/mod.ts";
import { encodeMessage } from "../../../ffi/wayland/wire.ts";
import { SWAY, Sway } from "../../support/sway.ts";
import { temporary } from "../../support/temporary.ts";
import { until } from "../../support/until.ts";

Deno.test(
  { name: "without a compositor the reason is told", ignore: Deno.build.os !== "linux" },
  async () => {
    await temporary(async (folder) => {
      await assertRejects(() => openWayland(`${folder}/wayland-9`), NoDesktopError, "no compositor is there");
      await assertRejects(() => openWayland(`/${"x".repeat(200)}`), NoDesktopError, "cannot be opened");
    });
  },
);

/** What a compositor answers to everything, and what is said of it. */
const BAD: [name: string, answer: Uint8Array | undefined, message: RegExp][] = [
  ["says nothing", undefined, /does not answer: its answer did not come in \d+ ms/],
  [
    "sends what is no Wayland",
    new Uint8Array([1, 0, 0, 0, 0, 0, 3, 0]),
    /a message says that it has 3 bytes/,
  ],
  [
    "refuses",
    encodeMessage(1, 0, [1, 2, "you may not"]),
    /refuses a request \(object 1, error 2\): you may not/,
  ],
];

for (const [name, answer, message] of BAD) {
  Deno.test(
    { name: `a compositor that ${name} is no desktop`, ignore: Deno.build.os !== "linux" },
    async () => {
      await temporary(async (folder) => {
        const path = `${folder}/wayland-9`;
        // On a thread of its own, since opening waits for it on this one.
        const worker = new Worker(new URL("./fake_compositor_worker.ts", import.meta.url), {
          type: "module",
        });
        const listening = new Promise((resolve) => worker.onmessage = resolve);
        worker.postMessage({ path, answer });
        await listening;
        const error = await assertRejects(() => openWayland(path), NoDesktopError);
        assert(message.test(error.message), error.message);
        worker.terminate();
      });
    },
  );
}

Deno.test(
  { name: "a compositor that dies is named by each call, and found again when it is back", ...SWAY },
  async () => {
    await using sway = await Sway.start();
    const desktop = await openWayland(sway.socket);
    const region = { x: 0, y: 0, width: 10, height: 10 };
    desktop.keyboard.key("shift", true);
    desktop.pointer.move({ x: 5, y: 6 });
    await sway.kill();
    const calls: [string, () => unknown][] = [
      ["position", () => desktop.pointer.position()],
      ["move", () => desktop.pointer.move({ x: 1, y: 1 })],
      ["button", () => desktop.pointer.button("left", false)],
      ["scroll", () => desktop.pointer.scroll("up", 1)],
      ["key", () => desktop.keyboard.key("shift", false)],
      ["type", () => desktop.keyboard.type("é")],
      ["layout", () => desktop.screen.layout()],
      ["capture", () => desktop.screen.capture(region, true)],
      ["picture", () => desktop.screen.picture(region, true)],
    ];
    for (const [name, call] of calls) {
      await assertRejects(async () => await call(), DesktopUnavailableError, undefined, name);
    }
    await sway.restart();
    const layout = await until(() => {
      try {
        return desktop.screen.layout();
      } catch (error) {
        if (error instanceof DesktopUnavailableError) return undefined;
        throw error;
      }
    });
    assertEquals(layout?.width, 1280);
    desktop.pointer.move({ x: 7, y: 8 });
    assertEquals(await desktop.pointer.position(), { x: 7, y: 8 });
    await desktop.keyboard.type("é");
    assertEquals((await desktop.screen.capture(region, true)).width, 10);
    desktop.close();
  },
);
