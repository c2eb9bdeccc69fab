/** Connections to compositors that end, refuse, do not answer, or send bytes that are no Wayland. */

import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { delay } from "@std/async/delay";
import { DesktopUnavailableError, NoDesktopError } from "../../../../core/errors.ts";
import { openWayland } from "../../../../ffi/wayland/mod.ts";
import { type BackgroundConnection, OnDemand } from "../../../../ffi/wayland/wire/background_connection.ts";
import { Link } from "../../../../ffi/wayland/wire/link.ts";
import { encodeMessage } from "../../../../ffi/wayland/wire/wire.ts";
import { SWAY, Sway } from "../../../support/sway.ts";
import { temporary } from "../../../support/temporary.ts";

Deno.test(
  { name: "without a compositor the error gives the reason", ignore: Deno.build.os !== "linux" },
  async () => {
    await temporary(async (folder) => {
      await assertRejects(() => openWayland(`${folder}/wayland-9`), NoDesktopError, "no compositor is there");
      await assertRejects(() => openWayland(`/${"x".repeat(200)}`), NoDesktopError, "cannot be opened");
    });
  },
);

/** The answer that a compositor gives to each request, and deskhand's error about it. */
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

Deno.test({
  name: "a connection whose use fails is closed, and a later use opens another",
  ...SWAY,
  sanitizeOps: false, // the loops of closed connections end after the test
  sanitizeResources: false,
}, async () => {
  await using sway = await Sway.start();
  const opened: BackgroundConnection[] = [];
  const isBroken = () => opened.map((background) => background.isBroken);
  const onDemand = new OnDemand(sway.socket, (background) => {
    if (opened.push(background) === 1) throw new DesktopUnavailableError("no display now");
    return opened.length;
  });
  assertThrows(() => onDemand.get(), DesktopUnavailableError, "no display now");
  assertEquals([onDemand.present, isBroken()], [undefined, [true]]);
  assertEquals([onDemand.get(), onDemand.get(), isBroken()], [2, 2, [true, false]]);
  opened[1].close();
  assertEquals([onDemand.present, onDemand.get()], [undefined, 3]);
  onDemand.close();
  assertEquals(isBroken(), [true, true, true]);
});

Deno.test({
  name: "a shared connection is used while it works, and its user leaves it open",
  ...SWAY,
  sanitizeOps: false, // the loops of closed connections end after the test
  sanitizeResources: false,
}, async () => {
  await using sway = await Sway.start();
  const link = Link.open(sway.socket)!, shared = link.connection;
  const onDemand = new OnDemand(sway.socket, ({ connection }) => connection, link);
  assert(onDemand.get() === shared);
  onDemand.close();
  await delay(20); // time for its loop to end, which must not close the connection
  shared.roundtrip();
  assert(onDemand.get() === shared);
  shared.close();
  assert(onDemand.get() !== shared);
  onDemand.get().roundtrip();
  onDemand.close();
});
