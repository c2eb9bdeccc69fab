/** The pointer's place by transparent overlays, on a connection whose answers a test gives. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { DesktopUnavailableError } from "../../../../core/errors.ts";
import type { Connection } from "../../../../ffi/wayland/wire/connection.ts";
import type { Outputs, WaylandOutput } from "../../../../ffi/wayland/wire/outputs.ts";
import { PointerQuery } from "../../../../ffi/wayland/wire/pointer_query.ts";
import type { Registry } from "../../../../ffi/wayland/wire/registry.ts";
import { openLibc } from "../../../../ffi/linux/libc.ts";

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
    roundtrip() {},
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

Deno.test("a compositor without one of the protocols is not asked", () => {
  for (const missing of NEEDED) {
    assertEquals(fake(NEEDED.filter((name) => name !== missing)).query, undefined, missing);
  }
});

Deno.test("the place on the overlay that the pointer enters is one of the desktop", async () => {
  const { query, events, tell, surfaces } = fake();
  events.push(tell(0, [1, 800, 600])); // sizes
  events.push(() => surfaces().forEach((surface) => tell(0, [0, surface], [10, 20])()));
  assertEquals(await query!.ask(() => {}), { x: 110, y: 70 });
});

Deno.test("no answer is none: the overlays have no size, or the pointer does not enter", async () => {
  const silent = fake();
  assertEquals(await silent.query!.ask(() => {}), undefined);
  const { query, events, tell } = fake();
  let nudges = 0;
  events.push(tell(0, [1, 800, 600]));
  assertEquals(await query!.ask(() => nudges++), undefined);
  assertEquals(nudges, 2, "once for the answer, and once to give the pointer back to the window below");
});

Deno.test("a compositor that is gone is an error, and is sent nothing more", async () => {
  const { query, requests, end } = fake();
  const asking = query!.ask(() => {});
  end();
  const before = requests.length;
  await assertRejects(() => asking, DesktopUnavailableError);
  assert(requests.length === before, "nothing is removed");
});
