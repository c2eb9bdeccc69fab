/** Wayland protocol messages as bytes. */

import { assertEquals, assertThrows } from "@std/assert";
import { ArgumentReader, encodeMessage, WireError } from "../../../../ffi/wayland/wire/wire.ts";
import { splitMessages } from "../../../support/wayland_messages.ts";

Deno.test("encodes a request according to the protocol", () => {
  const bytes = encodeMessage(3, 2, [1, -1, "abc", "", null, { fixed: 1.5 }, { fd: 9 }]);
  assertEquals([...new Uint32Array(bytes.buffer)], [
    3,
    (40 << 16) | 2,
    1,
    0xffffffff,
    4,
    0x00636261,
    1,
    0,
    0,
    384,
  ]);
});

Deno.test("refuses a request that is too long for a message", () => {
  assertThrows(() => encodeMessage(1, 0, ["x".repeat(70_000)]), WireError, "too long");
});

Deno.test("decodes what it has encoded", () => {
  const bytes = encodeMessage(7, 5, [42, -42, "漢字", { fixed: -2.25 }, { fd: 3 }, 0]);
  const descriptors = [11, 12];
  const { messages: [{ object, opcode, args }], consumed } = splitMessages(bytes, descriptors);
  assertEquals([object, opcode, consumed], [7, 5, bytes.length]);
  assertEquals([args.uint(), args.int(), args.string(), args.fixed(), args.descriptor(), args.string()], [
    42,
    -42,
    "漢字",
    -2.25,
    11,
    "",
  ]);
  assertEquals(descriptors, [12]);
  assertThrows(() => args.uint(), WireError, "ends within its arguments");
});

Deno.test("an incomplete message waits for the rest", () => {
  const both = new Uint8Array([...encodeMessage(1, 0, [5]), ...encodeMessage(2, 1, ["text"])]);
  for (let length = 0; length <= both.length; length++) {
    const { messages, consumed } = splitMessages(both.subarray(0, length));
    assertEquals(messages.length, length === both.length ? 2 : length >= 12 ? 1 : 0);
    assertEquals(consumed, messages.length === 2 ? both.length : messages.length * 12);
  }
});

Deno.test("refuses impossible sizes, lengths and file descriptors", () => {
  for (const size of [0, 4, 7, 10, 13]) {
    const bytes = new Uint8Array(16);
    new DataView(bytes.buffer).setUint32(4, size << 16, true);
    assertThrows(() => splitMessages(bytes), WireError, `${size} bytes`);
  }
  for (const length of [5, 0x7fffffff, 0xfffffffd, 0xffffffff]) {
    const body = new Uint8Array(8);
    new DataView(body.buffer).setUint32(0, length, true);
    assertThrows(() => new ArgumentReader(body, []).string(), WireError);
    assertThrows(() => new ArgumentReader(body, []).array(), WireError);
  }
  assertThrows(() => new ArgumentReader(new Uint8Array(0), []).descriptor(), WireError, "file descriptor");
});

Deno.test("decodes or refuses any bytes, and never reads past their end", () => {
  let state = 20261122;
  const random = (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor(state / 2 ** 32 * below);
  };
  let refused = 0, read = 0;
  for (let i = 0; i < 20_000; i++) {
    const bytes = encodeMessage(random(9), random(9), [
      random(9),
      "x".repeat(random(9)),
      "",
      { fixed: 1 },
      -1,
    ]);
    for (let changes = random(4); changes > 0; changes--) bytes[random(bytes.length)] = random(256);
    const descriptors = Array.from({ length: random(3) }, (_, i) => i);
    try {
      const { messages, consumed } = splitMessages(bytes.subarray(random(2) * 4), descriptors);
      if (consumed > bytes.length) throw new Error("it consumed more than there is");
      for (const { args } of messages) {
        for (const kind of ["uint", "string", "array", "descriptor", "fixed", "int"] as const) {
          args[kind]();
          read++;
        }
      }
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      refused++;
    }
  }
  assertEquals([refused > 1000, read > 1000], [true, true], `${refused} refused, ${read} read`);
});
