/** Untrusted text in terminals, logs and responses; columns, misspelled names, Deflate, /proc, sd_notify. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { inflateRawSync, inflateSync } from "node:zlib";
import { Deflater } from "../../core/bytes.ts";
import { InputError, UsageError } from "../../core/errors.ts";
import {
  describeValue,
  fillLines,
  inColumns,
  nearest,
  printable,
  printableJson,
  printableLines,
} from "../../core/printable.ts";
import { loadPerProcessor, numbersIn, readProc, timeByLoad } from "../../core/proc.ts";
import { notifyServiceManager } from "../../core/service_manager.ts";
import { controlApi } from "../support/control.ts";
import { need } from "../support/need.ts";
import { NotifySocket } from "../support/notify_socket.ts";
import { run } from "../support/program.ts";

/** Characters that move the cursor, or hide or reorder text. */
const HOSTILE = [
  ...range(0x00, 0x1f),
  ...range(0x7f, 0x9f),
  ...range(0x202a, 0x202e),
  ...range(0x2066, 0x2069),
  0x2028,
  0xd800,
  0xe0041, // a tag, of two UTF-16 code units
].map((code) => String.fromCodePoint(code));
const RAW = /[^\P{C}\n]/u;

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

Deno.test("escapes characters that a terminal would act on", () => {
  const cases: [text: string, shown: string][] = [
    ["plain ü 漢 😀", "plain ü 漢 😀"],
    ["می\u200cخواهم 👩\u200d👧", "می\u200cخواهم 👩\u200d👧"], // a Persian word and a family emoji, which contain joiners
    ["\x1b[2J", "\\u{1b}[2J"],
    ["a\nb\r", "a\\u{a}b\\u{d}"],
    ["\u202egnp.exe", "\\u{202e}gnp.exe"],
    ["\u2028", "\\u{2028}"],
    ["\ud800", "\\u{d800}"],
    ["\x9b31m", "\\u{9b}31m"],
  ];
  for (const [text, shown] of cases) assertEquals(printable(text), shown);
  assertEquals(printable("abcdef", 3), "abc…");
  assertEquals(printableLines("a\n\x1b"), "a\n\\u{1b}");
});

Deno.test("printable JSON keeps its value and has no character that a terminal would act on", () => {
  for (const character of HOSTILE) {
    const json = printableJson(JSON.stringify({ [character]: [character + "ü😀"] }));
    assertEquals(RAW.test(json), false, json);
    assertEquals(JSON.parse(json), { [character]: [character + "ü😀"] });
  }
  assertEquals(printableJson('{\n"a":1}'), '{\n"a":1}');
});

Deno.test("a value in a message is short and printable", () => {
  assertEquals(describeValue(undefined), "missing");
  assertEquals(describeValue([1]), "an array");
  assertEquals(describeValue(JSON.parse("-1e400")), "-Infinity");
  assertEquals(describeValue("\u202e\x9b"), '"\\u202e\\u009b"');
  assertEquals(describeValue("x".repeat(100)).length, 41);
  for (const character of HOSTILE) assertEquals(RAW.test(describeValue(character.repeat(60))), false);
});

Deno.test("messages of expected errors are printable, even with a file name in them", () => {
  for (const Kind of [InputError, UsageError]) {
    assertEquals(new Kind("no \u202efile").message, "no \\u{202e}file");
  }
});

Deno.test("HTTP responses repeat no raw control or format characters of the request", async () => {
  const { request } = controlApi();
  for (const character of HOSTILE) {
    const recording = { format: "deskhand-recording", version: character };
    for (
      const [method, path, body, status] of [
        ["POST", "/api/click", { x: 1, y: 1, button: character }, 400],
        ["POST", "/api/key", { keys: `a+b${character}c` }, 400],
        ["POST", "/api/press", { key: character + character }, 400],
        ["PUT", "/api/recording", recording, 400],
        ["GET", `/api/screenshot?format=${encodeURIComponent(character.toWellFormed())}`, undefined, 400],
      ] as const
    ) {
      const answer = await request(method, path, body);
      const text = await answer.text();
      assertEquals([answer.status, RAW.test(text)], [status, false], text);
    }
  }
  assertEquals((await request("POST", "/api/type", { text: "\u202ex" })).status, 200);
  const history = await (await request("GET", "/api/history")).text();
  assertMatch(history, /"text":"\\u202ex"/);
});

Deno.test("the prompt prints no raw control or format characters of typed or loaded text", async () => {
  const name = HOSTILE.filter((character) => !/[\0\n\r\ud800]/.test(character)).join("");
  const lines = [
    name,
    `load ${name}`,
    `save ${name}/x`,
    `shot ${name}`,
    `k ${name}`,
    `t a\u202eb`,
    "history",
  ];
  const { stdout, stderr } = await run(["--desktop", "virtual"], lines.join("\n"));
  assertEquals([RAW.test(stdout), RAW.test(stderr)], [false, false], stdout + stderr);
  assertMatch(stdout, /"text":"a\\u202eb"/);
  assertMatch(stderr, /load \\u\{1\}/);
});

// Text in columns, at the terminal's width.

const ROWS = [["a", "one two three"], ["longer words", "four"], ["x".repeat(31), "five six"]] as const;

/** Widths and the lines that they produce. */
const CASES: [width: number | undefined, lines: string[]][] = [
  [undefined, [
    `a${" ".repeat(32)}one two three`,
    `longer words${" ".repeat(21)}four`,
    `${"x".repeat(31)}  five six`,
  ]],
  [80, ["a             one two three", "longer words  four", "x".repeat(31), "              five six"]],
  [40, ["a             one two three", "longer words  four", "x".repeat(31), "              five six"]],
  [15, ["a   one two", "    three", "longer words", "    four", "x".repeat(31), "    five six"]],
];

for (const [width, lines] of CASES) {
  Deno.test(`lays out columns at a width of ${width}`, () => assertEquals(inColumns(ROWS, width), lines));
}

Deno.test("no line is wider than the terminal, except for a long word", () => {
  assertEquals(fillLines(["aaa", "bbb", "cccccccccc", "d"], 7), ["aaa bbb", "cccccccccc", "d"]);
});

// The known name that a misspelled one stands for.

const NAMES = ["count", "format", "files", "files-port", "x", "y"];

const NEAREST_CASES: [typed: string, meant: string | undefined][] = [
  ["cout", "count"],
  ["fromat", "format"],
  ["flies", "files"],
  ["float", undefined],
  ["fils", "files"],
  ["fiels", "files"],
  ["conut", "count"],
  ["file-port", "files-port"],
  ["form", "format"], // the only name with this prefix
  ["file", "files"],
  ["z", undefined],
  ["x1", undefined],
  ["c", undefined],
  ["", undefined],
  ["colour", undefined],
];

for (const [typed, meant] of NEAREST_CASES) {
  Deno.test(`${JSON.stringify(typed)} is ${meant ? `taken for ${meant}` : "near no name"}`, () => {
    assertEquals(nearest(typed, NAMES), meant);
  });
}

// Compressed bytes inflate to the same bytes, and the compressor leaves no memory for the garbage collector.

/** Bytes that compress to about their own length. */
function noise(length: number): Uint8Array<ArrayBuffer> {
  let state = 1;
  return Uint8Array.from({ length }, () => (state = Math.imul(state, 1664525) + 1013904223) >>> 24);
}

Deno.test("consecutive outputs of any length inflate to their input", () => {
  const lengths = [0, 1, 100, 500_000, 3, 70_000, 70_000, 2_000_000, 131_072];
  for (
    const [format, inflate] of [["deflateSync", inflateSync], ["deflateRawSync", inflateRawSync]] as const
  ) {
    const deflater = new Deflater(format, 128 * 1024);
    for (const length of lengths) {
      const bytes = noise(length), packed = deflater.run(bytes, 1, (packed) => packed.slice());
      assertEquals(new Uint8Array(inflate(packed)), bytes, `${format}, ${length} bytes`);
    }
  }
});

Deno.test("an output occupies no memory once it is used", () => {
  const deflater = new Deflater("deflateSync", 256 * 1024), bytes = noise(300_000);
  const compress = () => deflater.run(bytes, 1, (packed) => packed.length);
  compress(); // the first output exceeds the buffer
  const before = Deno.memoryUsage().external, lengths = Array.from({ length: 20 }, compress);
  const kept = Deno.memoryUsage().external - before;
  assert(lengths.every((length) => length > 250_000), `${lengths}`);
  assert(kept < 1_000_000, `${kept} bytes`);
});

// System values in /proc.

Deno.test("reads files of /proc whole, and a missing one as empty", () => {
  assertStringIncludes(readProc(`${Deno.pid}/status`), `Pid:\t${Deno.pid}\n`);
  assertEquals(readProc(`${2 ** 30}/status`), "");
});

Deno.test("the load is the system's load per processor", () => {
  const load = () => Deno.loadavg()[0] / navigator.hardwareConcurrency, before = load();
  const own = loadPerProcessor(), after = load(), rounding = 0.02;
  assert(own >= Math.min(before, after) - rounding && own <= Math.max(before, after) + rounding, `${own}`);
});

Deno.test("a wait grows with the load, up to its limit", () => {
  const wanted = () => Math.min(400, Math.round(100 * Math.max(1, loadPerProcessor()))), before = wanted();
  const grown = timeByLoad(100), after = wanted();
  assert(grown >= Math.min(before, after) && grown <= Math.max(before, after), `${grown}`);
  assertEquals(timeByLoad(100, 100), 100);
});

Deno.test("lists processes and threads by their ids", () => {
  assertEquals(numbersIn("").includes(Deno.pid), true);
  assertEquals(numbersIn("self/task").includes(Deno.pid), true);
  assertEquals(numbersIn("none"), []);
});

// sd_notify: datagrams to the service manager's socket.

Deno.test({
  ...need("python3"),
  name: "a state reaches the socket, by path or by abstract name",
}, async () => {
  for (const isAbstract of [false, true]) {
    await using socket = await NotifySocket.open(isAbstract);
    assertEquals(notifyServiceManager("READY=1\nSTATUS=here", socket.name), true);
    assertEquals(await socket.next(), "READY=1\nSTATUS=here");
    assertEquals(notifyServiceManager("STOPPING=1", socket.name), true);
    assertEquals(await socket.next(), "STOPPING=1");
  }
});

Deno.test("without a listening service manager nothing is sent and nothing fails", () => {
  for (const socket of [undefined, "", "/nowhere/at/all", "@nobody", "vsock:2:1234", `/${"x".repeat(200)}`]) {
    assertEquals(notifyServiceManager("READY=1", socket ?? ""), false, socket);
  }
});
