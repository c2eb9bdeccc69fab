/** Pointer and keys of a desktop that receives input over its bus. */

import { assertEquals, assertRejects } from "@std/assert";
import { delay } from "@std/async/delay";
import type { Point } from "../../../../control/desktop/desktop.ts";
import { DesktopUnavailableError, StateError } from "../../../../core/errors.ts";
import { BusError } from "../../../../ffi/linux/dbus/channel.ts";
import { patienceMs } from "../../../../ffi/wayland/streamed/input_method.ts";
import {
  type KeyOrder,
  type RemoteInput,
  RemoteKeys,
} from "../../../../ffi/wayland/streamed/remote_input.ts";
import { RemotePointer } from "../../../../ffi/wayland/streamed/remote_pointer.ts";
import { newDeviceMs } from "../../../../ffi/wayland/streamed/seat.ts";
import { arrange } from "../../../../ffi/wayland/wire/outputs.ts";
import { until } from "../../../support/shell.ts";

/** Two adjacent displays; the second has scale 2 and is lower, so that there is nothing above it. */
const ARRANGEMENT = arrange([
  {
    name: "A",
    mode: { width: 1000, height: 500 },
    transform: 0,
    logical: { x: 0, y: 0, width: 1000, height: 500 },
  },
  {
    name: "B",
    mode: { width: 800, height: 400 },
    transform: 0,
    logical: { x: 1000, y: 100, width: 400, height: 200 },
  },
]);

/** Records the sent input. */
function noted() {
  const sent: unknown[] = [];
  const input: RemoteInput = {
    move: (output, { x, y }) => Promise.resolve(void sent.push([output.output.name, x, y])),
    button: (code, down) => Promise.resolve(void sent.push([code, down])),
    scroll: (axis, notches) => Promise.resolve(void sent.push([axis, notches])),
    key: (code, down) => Promise.resolve(void sent.push([code, down])),
  };
  return { sent, input };
}

Deno.test("sends positions as fractions of their display", async () => {
  const { sent, input } = noted();
  const pointer = new RemotePointer(input, () => ARRANGEMENT, () => Promise.resolve(undefined));
  await assertRejects(async () => await pointer.position(), StateError, "move it once");
  await pointer.move({ x: 500, y: 250 });
  await pointer.move({ x: 2000, y: 200 });
  await pointer.move({ x: 2400, y: 500 });
  await pointer.move({ x: 2400, y: 50 }); // above the display
  await pointer.button("right", true);
  await pointer.scroll("up", 2);
  await pointer.scroll("right", 1);
  assertEquals(sent, [
    ["A", 0.25, 0.25],
    ["B", 0, 0],
    ["B", 0.5, 0.75],
    ["B", 0.5, 0],
    [0x111, true],
    [0, -1],
    [0, -1],
    [1, 1],
  ]);
  assertEquals(pointer.lastPlace, { x: 2400, y: 200 });
});

Deno.test("sees a user's move when the own one is some time ago", async () => {
  const { input } = noted();
  let seen: Point | undefined = { x: 7, y: 8 };
  const pointer = new RemotePointer(input, () => ARRANGEMENT, (moved) => {
    assertEquals(moved?.point, { x: 1, y: 2 });
    return Promise.resolve(seen);
  });
  await pointer.move({ x: 1, y: 2 });
  await until(async () => (await pointer.position()).x === 7);
  seen = undefined;
  await until(async () => (await pointer.position()).y === 8);
});

Deno.test("sends keys in order, and reports a failure on flush", async () => {
  const { sent, input } = noted();
  const keys = new RemoteKeys(input);
  for (const code of [1, 2, 3]) keys.press(code, true);
  await keys.flush();
  assertEquals(sent, [[1, true], [2, true], [3, true]]);
  const gone = new RemoteKeys({ ...input, key: () => Promise.reject(new DesktopUnavailableError("gone")) });
  gone.press(1, true);
  await assertRejects(() => gone.flush(), DesktopUnavailableError, "gone");
  await gone.flush();
});

Deno.test("releases that are not awaited one by one keep their order", async () => {
  const { sent, input } = noted(), settled = "programs have the keys", T = 20, SHIFT = 42, CTRL = 29;
  let isKept = false; // as if an input method held a key
  const order: KeyOrder = {
    count: () => isKept = true,
    async beforeModifier() {
      if (!isKept) return;
      isKept = false;
      await delay(0);
      sent.push(settled);
    },
  };
  const keys = new RemoteKeys(input, { order });
  await Promise.all([T, SHIFT, CTRL].map((code) => {
    keys.press(code, false, code !== T);
    return keys.flush();
  }));
  assertEquals(sent, [[T, false], settled, [SHIFT, false], settled, [CTRL, false]]);
});

Deno.test("while an input method holds a key, presses no modifier and releases those that are down", async () => {
  const { sent, input } = noted(), T = 20, SHIFT = 42, CTRL = 29;
  let isKept = false;
  const order: KeyOrder = {
    count: () => isKept = true,
    beforeModifier: () =>
      isKept ? Promise.reject(new StateError("the input method keeps a key")) : Promise.resolve(),
  };
  const keys = new RemoteKeys(input, { order });
  for (const [code, down] of [[SHIFT, true], [T, true], [T, false], [SHIFT, false], [CTRL, true]] as const) {
    keys.press(code, down, code !== T);
  }
  await assertRejects(() => keys.flush(), StateError, "keeps a key");
  assertEquals(sent, [[SHIFT, true], [T, true], [T, false], [SHIFT, false]]);
});

Deno.test("releases a key whose press is answered too late, and presses no later keys", async () => {
  const { sent, input } = noted();
  const slow = async (code: number, down: boolean) => {
    await input.key(code, down);
    if (code === 2 && down) throw new DesktopUnavailableError("no answer came in 5000 ms");
  };
  const keys = new RemoteKeys({ ...input, key: slow });
  const strokes: [number, boolean][] = [[1, true], [2, true], [2, false], [1, false], [3, true], [3, false]];
  for (const [code, down] of strokes) keys.press(code, down);
  await assertRejects(() => keys.flush(), DesktopUnavailableError, "no answer");
  assertEquals(sent, strokes.slice(0, 4));
});

Deno.test("sends nothing to a session that has ended: its keys are released with it", async () => {
  const { sent, input } = noted();
  const refuse = (code: number, down: boolean) =>
    input.key(code, down).then(() => Promise.reject(new BusError("org.example.Gone", "", "Notify")));
  const keys = new RemoteKeys({ ...input, key: refuse });
  for (const down of [true, false]) keys.press(1, down);
  await assertRejects(() => keys.flush(), BusError);
  assertEquals(sent, [[1, true]]);
});

// The time for programs that do not report when they are ready: longer on a busy machine.

Deno.test("a program gets 100 ms for its keys, and up to 2 s if IBus was slow", () => {
  assertEquals([0, 10, 20, 60, 400, 9000].map(patienceMs), [100, 100, 100, 300, 2000, 2000]);
});

Deno.test("a program gets 300 ms to notice a new pointer, and up to 2 s if deskhand noticed it late", () => {
  assertEquals([0, 30, 100, 200, 1500].map(newDeviceMs), [300, 300, 1000, 2000, 2000]);
});
