/** A compositor's outputs that are shared, and places on them. */

import { assertEquals } from "@std/assert";
import { PortalInput } from "../../../../ffi/wayland/portal/connected_desktop.ts";
import { sharedOutputs, streamsOf } from "../../../../ffi/wayland/portal/streams.ts";

const LEFT = {
  name: "A",
  mode: { width: 1920, height: 1080 },
  transform: 1,
  logical: { x: 0, y: 0, width: 1080, height: 1920 },
};
const RIGHT = {
  name: "B",
  mode: { width: 1600, height: 1200 },
  transform: 0,
  logical: { x: 1080, y: 0, width: 800, height: 600 },
};

Deno.test("streams are read from the portal's answer, and what is none is left out", () => {
  const place = new Map<string, unknown>([["position", [1080, 0]], ["size", [800, 600]]]);
  assertEquals(streamsOf([[7, place], [8, new Map()], "no stream", [new Map()]]), [
    { node: 7, region: RIGHT.logical },
    { node: 8 },
  ]);
  assertEquals(streamsOf(undefined), []);
});

Deno.test("a stream is of the output at its place, and its pictures are upright", () => {
  const known = new Map<number, string>();
  const shared = sharedOutputs([{ node: 7, region: LEFT.logical }], [RIGHT, LEFT], known);
  assertEquals(shared, [{ ...LEFT, mode: { width: 1080, height: 1920 }, transform: 0, node: 7 }]);
  assertEquals(sharedOutputs([{ node: 9, region: RIGHT.logical }], [RIGHT, LEFT], known)[0].mode, RIGHT.mode);
});

Deno.test("an output that has moved is still the stream's, and one that is gone is not", () => {
  const known = new Map<number, string>(), streams = [{ node: 7, region: RIGHT.logical }];
  sharedOutputs(streams, [LEFT, RIGHT], known);
  const moved = { ...RIGHT, logical: { ...RIGHT.logical, x: 0 } };
  assertEquals(sharedOutputs(streams, [moved], known)[0].logical, moved.logical);
  assertEquals(sharedOutputs(streams, [LEFT], known), []);
});

Deno.test("a stream without a place is the only output's, and one of no output is a display of its own", () => {
  assertEquals(sharedOutputs([{ node: 7 }], [RIGHT], new Map())[0].name, "B");
  assertEquals(sharedOutputs([{ node: 7 }], [LEFT, RIGHT], new Map()), []);
  const region = { x: 5000, y: 0, width: 640, height: 480 };
  assertEquals(sharedOutputs([{ node: 7, region }], [LEFT], new Map()), [
    { name: "screen 1", mode: { width: 640, height: 480 }, transform: 0, logical: region, node: 7 },
  ]);
});

Deno.test("a place is sent in logical pixels, and to GNOME in those of the picture", async () => {
  for (const [countsPixels, place] of [[false, [400, 150]], [true, [800, 300]]] as const) {
    const sent: unknown[] = [];
    const session = { notify: (...call: unknown[]) => Promise.resolve(void sent.push(call)) };
    const output = { ...RIGHT, node: 7 }, placed = { output, scale: 2, region: RIGHT.logical };
    await new PortalInput(session, "", countsPixels).move(placed, { x: 0.5, y: 0.25 });
    assertEquals(sent, [["NotifyPointerMotionAbsolute", "udd", [7, ...place]]]);
  }
});
