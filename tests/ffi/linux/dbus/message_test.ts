/** D-Bus messages as bytes. */

import { assertEquals, assertThrows } from "@std/assert";
import {
  decodeBody,
  decodeEnvelope,
  encodeMessage,
  FLAG,
  LARGEST_MESSAGE,
  MESSAGE,
  messageLength,
} from "../../../../ffi/linux/dbus/message.ts";
import { MarshalError, type Sent, Variant } from "../../../../ffi/linux/dbus/values.ts";
import { ValueWriter } from "../../../../ffi/linux/dbus/marshalling.ts";

const HELLO = {
  type: MESSAGE.call,
  serial: 1,
  fields: {
    path: "/org/freedesktop/DBus",
    member: "Hello",
    interface: "org.freedesktop.DBus",
    destination: "org.freedesktop.DBus",
  },
  signature: "",
  args: [],
};

Deno.test("encodes a call like other clients", () => {
  const text = (bytes: string) => new TextEncoder().encode(bytes).toHex();
  const field = (code: string, type: string, length: string, value: string, padding: number) =>
    `${code}01${type}00${length}000000${text(value)}${"00".repeat(1 + padding)}`;
  assertEquals(
    encodeMessage(HELLO).bytes.toHex(),
    "6c010001" + "00000000" + "01000000" + "6d000000" +
      field("01", "6f", "15", "/org/freedesktop/DBus", 2) +
      field("03", "73", "05", "Hello", 2) +
      field("02", "73", "14", "org.freedesktop.DBus", 3) +
      field("06", "73", "14", "org.freedesktop.DBus", 0) + "000000",
  );
});

Deno.test("decodes what it has encoded", () => {
  const fields = { errorName: "org.example.Error", replySerial: 12, sender: ":1.5" };
  const args: Sent[] = ["text", new Variant("h", 30), 31];
  const { bytes, descriptors } = encodeMessage({
    ...{ type: MESSAGE.error, flags: FLAG.noReply, serial: 0xffffffff, fields, signature: "svh", args },
  });
  assertEquals(descriptors, [30, 31]);
  const { bodyAt: _, ...envelope } = decodeEnvelope(bytes);
  assertEquals(envelope, {
    ...{ type: MESSAGE.error, flags: FLAG.noReply, serial: 0xffffffff, isLittle: true },
    ...{ ...fields, signature: "svh", descriptors: 2 },
  });
  assertEquals(decodeBody(bytes, decodeEnvelope(bytes), [5, 6]), ["text", 5, 6]);
});

Deno.test("consecutive messages equal single ones, and an invalid one does not affect the others", () => {
  const writer = new ValueWriter();
  const messages = ["a", "Zoë", "漢".repeat(300), ""].map((text, i) => ({
    ...{ ...HELLO, fields: { ...HELLO.fields, member: `M${"e".repeat(i)}` } },
    ...{ signature: "ysu", args: [i, text, i] },
  }));
  for (const message of messages) {
    encodeMessage(message, writer);
    assertThrows(() => encodeMessage({ ...message, args: [1, 2, 3] }, writer), MarshalError);
  }
  assertEquals(
    writer.bytes.toHex(),
    messages.map((message) => encodeMessage(message).bytes.toHex()).join(""),
  );
});

Deno.test("an incomplete message waits for the rest", () => {
  const { bytes } = encodeMessage({ ...HELLO, signature: "s", args: ["body"] });
  for (let length = 0; length <= bytes.length; length++) {
    const found = messageLength(bytes.subarray(0, length));
    assertEquals(found, length < 16 ? undefined : bytes.length);
  }
});

Deno.test("refuses messages of other versions and byte orders, and oversized ones", () => {
  const changed = (at: number, ...values: number[]) => {
    const { bytes } = encodeMessage(HELLO);
    bytes.set(values, at);
    return bytes;
  };
  const tooMany = [...new Uint8Array(Uint32Array.of(LARGEST_MESSAGE + 1).buffer)];
  for (const bytes of [changed(0, 0x6d), changed(3, 2), changed(4, ...tooMany), changed(12, ...tooMany)]) {
    assertThrows(() => messageLength(bytes), MarshalError);
  }
  assertThrows(() => decodeEnvelope(changed(18, 0x75)), MarshalError); // a number as a path
});

Deno.test("decodes or refuses any bytes, and never reads past their end", () => {
  let state = 20261122;
  const random = (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor(state / 2 ** 32 * below);
  };
  const options: Sent = { types: new Variant("u", 3), sizes: new Variant("a(ii)", [[1, 2], [3, 4]]) };
  let refused = 0, read = 0;
  for (let i = 0; i < 20_000; i++) {
    const args = ["x".repeat(random(9)), options, random(9), Uint8Array.of(1, 2, 3)];
    const { bytes } = encodeMessage({ ...HELLO, signature: "sa{sv}hay", args });
    for (let changes = random(5); changes > 0; changes--) bytes[random(bytes.length)] = random(256);
    try {
      const length = messageLength(bytes);
      if (length === undefined || length > bytes.length) continue; // more bytes are needed
      const whole = bytes.slice(0, length);
      decodeBody(whole, decodeEnvelope(whole), [7]);
      read++;
    } catch (error) {
      if (!(error instanceof MarshalError)) throw error;
      refused++;
    }
  }
  assertEquals([refused > 1000, read > 1000], [true, true], `${refused} refused, ${read} read`);
});
