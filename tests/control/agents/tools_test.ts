/** Agents' tools: their actions on the desktop, their refusals, and the tools that stay closed. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { controlApi } from "../../support/control.ts";
import { short } from "../../support/log.ts";
import { ask, call, wordsOf } from "../../support/mcp.ts";
import { sizeOf, withoutRepeats } from "../../support/agent_tools.ts";

/** A tool, its arguments, the input that the desktop receives, and the tool's answer. */
const ACTING: [string, Record<string, unknown>, string[], string][] = [
  ["click", { x: 10, y: 20 }, ["(10,20)", "+left", "-left"], "clicked left at 10,20 of 1280x720"],
  [
    "click",
    { button: "right", count: 2, hold: "ctrl" },
    ["(640,360)", "+ctrl", "+right", "-right", "+right", "-right", "-ctrl"],
    "clicked right 2 times at 640,360 of 1280x720",
  ],
  ["move", { x: 1, y: 2 }, ["(1,2)"], "moved to 1,2 of 1280x720"],
  ["scroll", { direction: "down", x: 5, y: 6 }, ["(5,6)", "down 3"], "scrolled down by 3 at 5,6 of 1280x720"],
  ["type", { text: "héllo 😀" }, ["héllo 😀"], "typed 7 characters"],
  ["type", { text: "😀" }, ["😀"], "typed 1 character"],
  ["key", { keys: "ctrl+slash" }, ["+ctrl", "+/", "-/", "-ctrl"], "pressed ctrl+slash"],
  ["do", { actions: [{ tool: "press", key: "shift" }, { tool: "click", x: 3, y: 4 }], look: false }, [
    "+shift",
    "(3,4)",
    "+left",
    "-left",
    "-shift",
  ], "1. pressed key shift\n2. clicked left at 3,4 of 1280x720"],
];

/** Tools whose answers tell their effect; deskhand waits for no effect of other tools. */
const OBSERVED = ["click", "drag", "type", "key", "do"];

for (const [name, given, told, said] of ACTING) {
  Deno.test(`the tool ${name} does ${JSON.stringify(given)}`, async () => {
    const api = controlApi();
    const result = await call(api, name, given);
    const lines = wordsOf(result).split("\n"), line = lines.pop()!;
    assertEquals([result.isError, lines.join("\n")], [undefined, said]);
    assertMatch(line, /^((hit|(miss|unsure): [a-z0-9 .]+); )?active: "Notes"$/);
    assertEquals(OBSERVED.includes(name), line.includes(";"), line);
    assertEquals(withoutRepeats(short(api.desktop.log)), told);
  });
}

Deno.test("a drag follows its path", async () => {
  const api = controlApi();
  const path = [{ x: 0, y: 0 }, { x: 100, y: 0 }, { x: 100, y: 100 }];
  assertStringIncludes(
    wordsOf(await call(api, "drag", { path, hold: "alt" })),
    "from 0,0 of 1280x720 to 100,100",
  );
  const told = withoutRepeats(short(api.desktop.log));
  assertEquals([told.slice(0, 3), told.slice(-3)], [["(0,0)", "+alt", "+left"], [
    "(100,100)",
    "-left",
    "-alt",
  ]]);
  assert(told.includes("(100,0)"));
});

Deno.test("steps stop at the first that fails, and nothing stays pressed", async () => {
  const api = controlApi();
  const actions = [
    { tool: "press", key: "ctrl" },
    { tool: "press", button: "left", x: 5, y: 5 },
    { tool: "click", x: 9999, y: 0 },
    { tool: "type", text: "never" },
  ];
  const result = await call(api, "do", { actions });
  assertEquals(result.isError, true);
  assertMatch(wordsOf(result), /3\. failed: x must be from 0 to 1279 .*; 1 more not done/);
  assertEquals(sizeOf(result).width, 1280);
  assertEquals(api.operator.held(), []);
  assertEquals(short(api.desktop.log), ["+ctrl", "(5,5)", "(5,5)", "+left", "-left", "-ctrl"]);
});

Deno.test("a step of do that does not bring about what is expected ends the steps", async () => {
  const api = controlApi();
  const steps = (expect: unknown, x = 10) =>
    call(api, "do", {
      actions: [{ tool: "click", x, y: 20, expect }, { tool: "move", x: 1, y: 2 }],
      look: false,
    });
  const met = wordsOf(await steps({ window: { title: "Notes" } }));
  assertStringIncludes(met, "1. clicked left at 10,20 of 1280x720\n2. moved to 1,2");
  assertMatch(met, /\n(hit|(miss|unsure): .*); active: "Notes"$/);
  const gone = await steps({ window: { title: "Notes", gone: true } });
  assertEquals(gone.isError, true);
  assertStringIncludes(
    wordsOf(gone),
    'failed: a window still has a title with "Notes" within 5000 ms; 1 more not done',
  );
  const missed = await steps({ verdict: "miss" }, 300); // a click leaves a mark
  assertMatch(
    wordsOf(missed),
    /^1\. failed: clicked left at 300,20 of 1280x720, but miss was expected: (hit|unsure: .*); 1 more not done/,
  );
  const wrong = await steps({ verdict: "maybe" });
  assertStringIncludes(wordsOf(wrong), "actions[0].expect.verdict must be one of hit, miss, unsure");
});

Deno.test("under --read-only only the tools that look are there", async () => {
  const api = controlApi({ readOnly: true });
  const { result } = await ask(api, "tools/list");
  const names = result.tools.map(({ name }: { name: string }) => name);
  assertEquals(names, ["screenshot", "screen", "pixel", "find", "wait", "elements", "windows"]);
  assert(result.tools.every((tool: Record<string, unknown>) => tool.outputSchema === undefined));
  const { error } = await ask(api, "tools/call", { name: "click", arguments: { x: 1, y: 1 } });
  assertEquals([error.code, error.message], [-32602, "Unknown tool: click"]);
  assertEquals(api.desktop.log, []);
});

Deno.test("only the tools of --tools are there, within do too", async () => {
  const api = controlApi({ agents: { tools: ["do", "move"] } });
  const { result } = await ask(api, "tools/list");
  assertEquals(result.tools.map(({ name }: { name: string }) => name), ["move", "do"]);
  const refused = await call(api, "do", {
    actions: [{ tool: "move", x: 1, y: 1 }, { tool: "type", text: "a" }],
  });
  assertEquals([refused.isError, wordsOf(refused)], [true, 'there is no tool "type" here']);
  assertEquals(api.desktop.log, []);
});

/** Arguments that do not fit, and the messages about them. */
const WRONG: [string, Record<string, unknown>, string][] = [
  ["click", { x: 1 }, "Missing y"],
  ["click", { x: 1, y: 1, cuont: 2 }, "cuont is unknown: did you mean count?"],
  ["move", { x: 1, y: 1, zebra: 2 }, 'move has no field "zebra"; it takes x, y, look'],
  [
    "wait",
    { ms: 5, still: { ms: 5 } },
    "give one of ms, still, change, pixel, picture, text, element, window",
  ],
  [
    "wait",
    { picture: { x: 0, y: 0, width: 5, height: 5 } },
    "there is no picture yet: take a screenshot first",
  ],
  ["find", { x: 0, y: 0, width: 5, height: 5 }, "there is no picture yet: take a screenshot first"],
  ["wait", { window: {} }, "Missing window.title, window.class or window.pid"],
  ["click", { look: "windows" }, 'look must be true, false or "window", not "windows"'],
  ["wait", { ms: 300_001 }, "ms must be a whole number from 1 to 300000, not 300001"],
  ["do", { actions: [] }, "actions must have from 1 to 50 entries, not 0"],
  ["do", { actions: [{ tool: "do", actions: [] }] }, "actions[0] cannot be do"],
  ["drag", { path: [{ x: 1, y: 1 }] }, "path must have from 2 to 100 entries, not 1"],
  ["key", { keys: "nokey" }, 'keys has an unknown key "nokey"'],
];

for (const [name, given, message] of WRONG) {
  Deno.test(`the tool ${name} refuses ${JSON.stringify(given)} in words`, async () => {
    const api = controlApi();
    const result = await call(api, name, given);
    assertEquals(result.isError, true);
    assertStringIncludes(wordsOf(result), message);
    assertEquals(api.desktop.log, []);
  });
}

Deno.test("all tools together have at most 2,200 tokens", async () => {
  const files = () => Promise.reject(new Error("not read"));
  const api = controlApi({ agents: { programs: ["firefox", "mousepad"], files } });
  const { result } = await ask(api, "tools/list");
  assertEquals(result.tools.length, 18);
  const tokens = encode(JSON.stringify(result.tools)).length;
  console.log("TOKENS", tokens);
  assert(tokens <= 2200, `${tokens}`);
});
