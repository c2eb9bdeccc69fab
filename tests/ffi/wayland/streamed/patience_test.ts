/** The time that programs get which do not tell when they are ready: longer where the machine is busy. */

import { assertEquals } from "@std/assert";
import { patienceMs } from "../../../../ffi/wayland/streamed/input_method.ts";
import { newDeviceMs } from "../../../../ffi/wayland/streamed/seat.ts";

Deno.test("a program gets 100 ms for its keys, and more where IBus was slow, up to 2 s", () => {
  assertEquals([0, 10, 20, 60, 400, 9000].map(patienceMs), [100, 100, 100, 300, 2000, 2000]);
});

Deno.test("a program gets 300 ms to learn of a new pointer, and more where deskhand learnt of it late, up to 2 s", () => {
  assertEquals([0, 30, 100, 200, 1500].map(newDeviceMs), [300, 300, 1000, 2000, 2000]);
});
