/** Connections to compositors that end, refuse, do not answer or send invalid bytes; pointer queries. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { delay } from "@std/async/delay";
import { DesktopUnavailableError, NoDesktopError } from "../../../../core/errors.ts";
import { openLibc } from "../../../../ffi/linux/libc.ts";
import { openWayland } from "../../../../ffi/wayland/mod.ts";
import { type BackgroundConnection, OnDemand } from "../../../../ffi/wayland/wire/background_connection.ts";
import type { Connection, Registry } from "../../../../ffi/wayland/wire/connection.ts";
import { Link } from "../../../../ffi/wayland/wire/link.ts";
import type { Outputs, WaylandOutput } from "../../../../ffi/wayland/wire/outputs.ts";
import { PointerQuery } from "../../../../ffi/wayland/wire/pointer.ts";
import { encodeMessage } from "../../../../ffi/wayland/wire/wire.ts";
import { temporary } from "../../../support/shell.ts";
import { SWAY, Sway } from "../../../support/sway.ts";

Deno.test(
  { name: "without a compositor the error says why", ignore: Deno.build.os !== "linux" },
  async () => {
    await temporary(async (folder) => {
      await assertRejects(
        () => openWayland(`${folder}/wayland-9`),
        NoDesktopError,
        "no compositor is running there",
      );
      await assertRejects(() => openWayland(`/${"x".repeat(200)}`), NoDesktopError, "cannot be opened");
    });
  },
);

/** A compositor's answer to every request, and deskhand's error about it. */
const BAD: [name: string, answer: Uint8Array | undefined, message: RegExp][] = [
  ["does not answer", undefined, /the compositor has not answered for \d+ s/],
  [
    "sends invalid messages",
    new Uint8Array([1, 0, 0, 0, 0, 0, 3, 0]),
    /a message claims to have 3 bytes/,
  ],
  [
    "refuses requests",
    encodeMessage(1, 0, [1, 2, "you may not"]),
    /refuses a request \(object 1, error 2\): you may not/,
  ],
];

for (const [name, answer, message] of BAD) {
  Deno.test(
    { name: `refuses a compositor that ${name}`, ignore: Deno.build.os !== "linux" },
    async () => {
      await temporary(async (folder) => {
        const path = `${folder}/wayland-9`;
        // On a separate thread, since opening waits for it on this one.
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
  name: "closes a connection whose use fails, and opens another for the next",
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
  await assertRejects(() => onDemand.get(), DesktopUnavailableError, "no display now");
  assertEquals([onDemand.present, isBroken()], [undefined, [true]]);
  assertEquals(await Promise.all([onDemand.get(), onDemand.get()]), [2, 2]);
  assertEquals(isBroken(), [true, false]);
  opened[1].close();
  assertEquals([onDemand.present, await onDemand.get()], [undefined, 3]);
  onDemand.close();
  assertEquals(isBroken(), [true, true, true]);
  const opening = onDemand.get();
  onDemand.close();
  await assertRejects(() => opening, DesktopUnavailableError, "is closed");
});

Deno.test({
  name: "uses a shared connection while it works, and does not close it",
  ...SWAY,
  sanitizeOps: false, // the loops of closed connections end after the test
  sanitizeResources: false,
}, async () => {
  await using sway = await Sway.start();
  const link = Link.open(sway.socket)!, shared = link.connection;
  const onDemand = new OnDemand(sway.socket, ({ connection }) => connection, link);
  assert(await onDemand.get() === shared);
  onDemand.close();
  await delay(20); // time for its event loop to end, which must not close the connection
  await shared.handled();
  assert(await onDemand.get() === shared);
  shared.close();
  const own = await onDemand.get();
  assert(own !== shared);
  await own.handled();
  onDemand.close();
});

// The pointer's position through transparent overlays, on a fake connection.

const NEEDED = ["wl_compositor", "zwlr_layer_shell_v1", "wp_viewporter", "wl_shm"];

type Handler = (opcode: number, args: { uint(): number; fixed(): number }) => void;

/** A connection to a compositor with one output of scale 1 at 100,50. */
function fake(offers: readonly string[] = NEEDED) {
  let id = 100, isGone = false;
  const handlers = new Map<number, Handler>(), requests: [object: number, opcode: number][] = [];
  const events: (() => void)[] = [];
  const connection = {
    c: openLibc(),
    get isLost() {
      return isGone;
    },
    check() {
      if (isGone) throw new DesktopUnavailableError("gone");
    },
    newId: (handler: Handler = () => {}) => (handlers.set(++id, handler), id),
    request: (object: number, opcode: number) => void requests.push([object, opcode]),
    handled() {},
    flush() {},
    untilAsync: (isDone: () => boolean) => {
      events.shift()?.();
      return isDone() ? Promise.resolve() : Promise.reject(new Error("late"));
    },
  };
  const registry = {
    version: (name: string) => offers.includes(name) ? 4 : undefined,
    bindFirst: () => ++id,
  };
  const region = { x: 100, y: 50, width: 800, height: 600 };
  const placed = { output: { object: 7, logical: region } as unknown as WaylandOutput, scale: 1, region };
  const outputs = { arrangement: () => ({ outputs: [placed], scale: 1, region }) };
  const query = PointerQuery.open(
    connection as unknown as Connection,
    registry as unknown as Registry,
    outputs as unknown as Outputs,
    3,
  );
  /** Sends an event to every object; objects of other interfaces ignore the event. */
  const tell = (opcode: number, uints: number[], fixed: number[] = []) => () => {
    const all = [...handlers.values()];
    for (const handler of all) {
      const [numbers, places] = [[...uints], [...fixed]];
      handler(opcode, { uint: () => numbers.shift() ?? 0, fixed: () => places.shift() ?? 0 });
    }
  };
  return { query, events, tell, requests, surfaces: () => [...handlers.keys()], end: () => isGone = true };
}

Deno.test("does not query a compositor without one of the protocols", () => {
  for (const missing of NEEDED) {
    assertEquals(fake(NEEDED.filter((name) => name !== missing)).query, undefined, missing);
  }
});

Deno.test("converts the position on the entered overlay to the desktop's", async () => {
  const { query, events, tell, surfaces } = fake();
  events.push(tell(0, [1, 800, 600])); // sizes
  events.push(() => surfaces().forEach((surface) => tell(0, [0, surface], [10, 20])()));
  assertEquals(await query!.ask(() => {}), { x: 110, y: 70 });
});

Deno.test("without an answer there is no position: the overlays get no size, or no pointer", async () => {
  const silent = fake();
  assertEquals(await silent.query!.ask(() => {}), undefined);
  const { query, events, tell } = fake();
  let nudges = 0;
  events.push(tell(0, [1, 800, 600]));
  assertEquals(await query!.ask(() => nudges++), undefined);
  assertEquals(nudges, 2, "once for the answer, and once to give the pointer back to the window below");
});

Deno.test("a compositor that is gone is an error, and is sent nothing", async () => {
  const { query, requests, end } = fake();
  const asking = query!.ask(() => {});
  end();
  const before = requests.length;
  await assertRejects(() => asking, DesktopUnavailableError);
  assert(requests.length === before, "nothing is removed");
});
