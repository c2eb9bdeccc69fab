/** D-Bus values as bytes, bus addresses, match rules and timeouts. */

import { assert, assertEquals, assertThrows } from "@std/assert";
import { NoDesktopError } from "../../../../core/errors.ts";
import { parseAddresses, sessionSockets } from "../../../../ffi/linux/dbus/bus.ts";
import { limitWait, matchText } from "../../../../ffi/linux/dbus/answers.ts";
import { ValueReader, ValueWriter } from "../../../../ffi/linux/dbus/marshalling.ts";
import { MarshalError, parseSignature, type Sent, Variant } from "../../../../ffi/linux/dbus/values.ts";

function encode(signature: string, ...values: Sent[]) {
  const writer = new ValueWriter();
  writer.writeAll(signature, values);
  return { bytes: writer.bytes, descriptors: writer.descriptors };
}

function decode(signature: string, bytes: Uint8Array, descriptors: number[] = [], isLittle = true) {
  const reader = new ValueReader(bytes, isLittle, descriptors);
  const values = reader.readAll(signature);
  reader.expectEnd();
  return values;
}

const hex = (bytes: Uint8Array) => bytes.toHex();

Deno.test("encodes every type according to the specification", () => {
  for (
    const [signature, value, expected] of [
      ["y", 200, "c8"],
      ["b", true, "01000000"],
      ["b", false, "00000000"],
      ["n", -2, "feff"],
      ["q", 0xfffe, "feff"],
      ["i", -2, "feffffff"],
      ["u", 0xfffffffe, "feffffff"],
      ["x", -2, "feffffffffffffff"],
      ["x", -(1n << 63n), "0000000000000080"],
      ["t", (1n << 64n) - 1n, "ffffffffffffffff"],
      ["d", 1.5, "000000000000f83f"],
      ["s", "é", "02000000c3a900"],
      ["s", "", "0000000000"],
      ["o", "/a/b_1", "060000002f612f625f3100"],
      ["g", "a{sv}", "05617b73767d00"],
      ["v", new Variant("u", 3), "0175000003000000"],
      ["as", ["a", "b"], "0e00000001000000610000000100000062" + "00"],
      ["ay", Uint8Array.of(1, 2), "020000000102"],
      ["ay", [1, 2], "020000000102"],
      ["au", [], "00000000"],
      ["at", [], "0000000000000000"],
      ["ax", [1], "080000000000000001" + "00".repeat(7)],
      ["(yu)", [1, 2], "0100000002000000"],
      ["a{su}", { a: 1 }, "0c00000000000000010000006100000001000000"],
      ["a{us}", new Map([[1, "a"]]), "0a00000000000000010000000100000061" + "00"],
    ] as [string, Sent, string][]
  ) {
    assertEquals(hex(encode(signature, value).bytes), expected, signature);
  }
});

Deno.test("aligns values as their types require", () => {
  for (
    const [signature, size] of [
      ["yn", 4],
      ["yq", 4],
      ["yb", 8],
      ["yi", 8],
      ["yu", 8],
      ["yx", 16],
      ["yt", 16],
      ["yd", 16],
      ["y(y)", 9],
    ] as const
  ) {
    const second: Sent = signature.endsWith("b") ? true : signature.endsWith(")") ? [1] : 1;
    const { bytes } = encode(signature, 1, second);
    assertEquals(bytes.length, size, signature);
    const [, value] = decode(signature, bytes);
    assertEquals(typeof value === "bigint" ? Number(value) : value, second, signature);
  }
});

Deno.test("decodes what it has encoded", () => {
  const nested = new Variant("(sa{sv})", ["a", {
    size: new Variant("(ii)", [-1, 2]),
    many: new Variant("av", [new Variant("s", "漢字😀"), new Variant("v", new Variant("b", true))]),
  }]);
  const { bytes } = encode("sva{ua{oy}}", "first", nested, new Map([[7, new Map([["/x", 9]])]]));
  assertEquals(decode("sva{ua{oy}}", bytes), [
    "first",
    ["a", new Map<string, unknown>([["size", [-1, 2]], ["many", ["漢字😀", true]]])],
    new Map([[7, new Map([["/x", 9]])]]),
  ]);
});

Deno.test("encodes and decodes large arrays and texts", () => {
  const text = "漢".repeat(100_000), bytes = new Uint8Array(1_000_000).fill(7);
  const numbers = Array.from({ length: 50_000 }, (_, i) => i);
  assertEquals(decode("sayau", encode("sayau", text, bytes, numbers).bytes), [text, bytes, numbers]);
});

Deno.test("numbers file descriptors in the message, and finds them again", () => {
  const { bytes, descriptors } = encode("hsh", 40, "between", 41);
  assertEquals(descriptors, [40, 41]);
  assertEquals(decode("hsh", bytes, [8, 9]), [8, "between", 9]);
  assertThrows(() => decode("hsh", bytes, [8]), MarshalError, "file descriptor");
});

Deno.test("decodes big-endian numbers", () => {
  const bytes = Uint8Array.of(1, 2, 0, 0, 0, 0, 3, 4, 0, 0, 0, 1, 65, 0);
  assertEquals(decode("qus", bytes, [], false), [0x0102, 0x0304, "A"]);
});

Deno.test("refuses values that do not fit their type", () => {
  for (
    const [signature, ...values] of [
      ["y", 256],
      ["y", -1],
      ["y", 0.5],
      ["n", 0x8000],
      ["i", 2 ** 31],
      ["u", -1],
      ["u", NaN],
      ["t", -1],
      ["x", 1n << 63n],
      ["u", "1"],
      ["b", 1],
      ["d", "1"],
      ["s", 1],
      ["s", "a\0b"],
      ["o", "a/b"],
      ["o", "/a/"],
      ["o", ""],
      ["g", "a"],
      ["h", -1],
      ["v", 1],
      ["v", new Variant("uu", 1)],
      ["as", "text"],
      ["as", { a: "b" }],
      ["a{sv}", { a: 1 }],
      ["(su)", ["a"]],
      ["su", "a"],
    ] as [string, ...Sent[]][]
  ) {
    assertThrows(() => encode(signature, ...values), MarshalError, undefined, signature);
  }
});

Deno.test("parses signatures, and refuses invalid ones", () => {
  const codes = (signature: string) => parseSignature(signature).map(({ code }) => code).join("");
  assertEquals([codes(""), codes("sa{sv}u(ii)v"), codes("aaay")], ["", "sau(v", "a"]);
  for (
    const signature of [
      "z",
      "a",
      "(",
      ")",
      "()",
      "(s",
      "{sv}",
      "a{s}",
      "a{vs}",
      "a{svs}",
      "a{(s)s}",
      "e",
      "a{",
    ]
  ) {
    assertThrows(() => parseSignature(signature), MarshalError, undefined, signature);
  }
  parseSignature("a".repeat(32) + "y");
  assertThrows(() => parseSignature("a".repeat(33) + "y"), MarshalError, "arrays");
  assertThrows(() => parseSignature("(".repeat(33) + "y" + ")".repeat(33)), MarshalError, "structures");
  assertThrows(() => parseSignature("y".repeat(256)), MarshalError, "too long");
});

Deno.test("refuses impossible lengths, texts and nesting", () => {
  for (
    const [signature, bytes] of [
      ["u", "010000"],
      ["s", "05000000" + "41" + "00"],
      ["s", "ffffffff" + "00"],
      ["s", "01000000" + "4141"],
      ["s", "02000000" + "410000"],
      ["s", "01000000" + "ff00"],
      ["s", "03000000" + "eda080" + "00"],
      ["b", "02000000"],
      ["ay", "05000000" + "01"],
      ["ay", "ffffffff"],
      ["au", "06000000" + "010000000200"],
      ["v", "027575000000000000000000"],
      ["v", "00000000"],
      ["y", "0101"],
    ]
  ) {
    assertThrows(() => decode(signature, Uint8Array.fromHex(bytes)), MarshalError, undefined, bytes);
  }
  const variants = (count: number) => Uint8Array.fromHex("017600".repeat(count) + "017900" + "2a");
  assertEquals(decode("v", variants(60)), [42]);
  assertThrows(() => decode("v", variants(100_000)), MarshalError, "too deeply");
});

// The session bus's address.

Deno.test("addresses name sockets by path, by abstract name and in the runtime folder", () => {
  for (
    const [addresses, sockets] of [
      ["unix:path=/run/user/1000/bus", ["/run/user/1000/bus"]],
      ["unix:path=/a,guid=0123456789abcdef", ["/a"]],
      ["unix:guid=01,path=/a%20b%2c=c", ["/a b,=c"]],
      ["unix:abstract=/tmp/dbus-x,guid=1", ["\0/tmp/dbus-x"]],
      ["unix:runtime=yes", ["/run/bus"]],
      ["tcp:host=localhost,port=1;unix:path=/b;unix:abstract=c;", ["/b", "\0c"]],
      ["unix:tmpdir=/tmp", []],
      ["unix:path=%zz", []],
      ["launchd:env=A", []],
      ["nonsense", []],
      ["", []],
    ] as const
  ) {
    assertEquals(parseAddresses(addresses, "/run"), [...sockets], addresses);
  }
});

Deno.test("without an address, the session bus is in the runtime folder", () => {
  const sockets = (env: Record<string, string>) => sessionSockets((name) => env[name]);
  assertEquals(sockets({ XDG_RUNTIME_DIR: "/run/user/5" }), ["/run/user/5/bus"]);
  assertEquals(sockets({ XDG_RUNTIME_DIR: "/r", DBUS_SESSION_BUS_ADDRESS: "unix:path=/b" }), ["/b"]);
  assertThrows(() => sockets({}), NoDesktopError, "neither DBUS_SESSION_BUS_ADDRESS nor XDG_RUNTIME_DIR");
  assertThrows(
    () => sockets({ DBUS_SESSION_BUS_ADDRESS: "tcp:host=a" }),
    NoDesktopError,
    "not a Unix socket",
  );
});

Deno.test("a match rule quotes its values", () => {
  assertEquals(
    matchText({ sender: ":1.2", member: "It's", arg0: undefined }),
    String.raw`type='signal',sender=':1.2',member='It'\''s'`,
  );
});

// The timeout for a service's reply.

/** Waits for a timeout; returns the limit in its error, and the elapsed time. */
async function ended(ms?: number): Promise<{ named: number; took: number }> {
  const start = performance.now();
  const error = await new Promise<Error>((resolve) => limitWait("a service", ms, resolve));
  const [, named] = /^a service: no answer within (\d+) ms$/.exec(error.message)!;
  return { named: Number(named), took: performance.now() - start };
}

Deno.test("uses the caller's timeout, even on a busy machine", async () => {
  const { named, took } = await ended(30);
  assertEquals(named, 30);
  assert(took >= 30, `${took} ms`);
});

Deno.test("without a caller's timeout, waits as long as its error says: 5 to 20 s", async () => {
  const { named, took } = await ended();
  assert(named >= 5000 && named <= 20_000, `${named} ms`);
  assert(took >= named, `${took} ms`);
});

Deno.test("a reply in time cancels the timeout", () => {
  limitWait("a service", undefined, () => {})(); // a deadline that stays would keep the program running
});
