/** Text from outside on its way to a terminal, a log or a client. */

import { assertEquals, assertMatch } from "@std/assert";
import { InputError, UsageError } from "../../core/errors.ts";
import { describeValue, printable, printableJson, printableLines } from "../../core/printable.ts";
import { controlApi } from "../support/control.ts";
import { run } from "../support/program.ts";

/** Characters that move a cursor, hide text or reorder it. */
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

Deno.test("characters that a terminal would act on become visible escapes", () => {
  const cases: [text: string, shown: string][] = [
    ["plain ü 漢 😀", "plain ü 漢 😀"],
    ["می\u200cخواهم 👩\u200d👧", "می\u200cخواهم 👩\u200d👧"], // a Persian word and a family, which have joiners
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

Deno.test("printable JSON has the same value and no character that a terminal would act on", () => {
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
  assertEquals(describeValue("\u202e\x9b"), '"\\u202e\\u009b"');
  assertEquals(describeValue("x".repeat(100)).length, 41);
  for (const character of HOSTILE) assertEquals(RAW.test(describeValue(character.repeat(60))), false);
});

Deno.test("messages of expected errors are printable, also with a file's name in them", () => {
  for (const Kind of [InputError, UsageError]) {
    assertEquals(new Kind("no \u202efile").message, "no \\u{202e}file");
  }
});

Deno.test("answers over HTTP hold no raw control or format characters that a request sent", async () => {
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

Deno.test("the prompt prints no raw control or format characters of what is typed or loaded", async () => {
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
