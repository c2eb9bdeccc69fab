/** Agents' tools: their actions on the desktop, their refusals, and the tools that stay closed. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { SKILL } from "../../../cli/skill.ts";
import type { WindowInfo } from "../../../control/desktop/desktop.ts";
import { DesktopUnavailableError } from "../../../core/errors.ts";
import { VirtualDesktop } from "../../../ffi/virtual/mod.ts";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import {
  ask,
  call,
  largeDesktop,
  LONG_EFFECT,
  sizeOf,
  withoutRepeats,
  wordsOf,
} from "../../support/agent_tools.ts";
import { controlApi } from "../../support/control.ts";
import { short } from "../../support/shell.ts";

/** A tool, its arguments, the input that the desktop receives, and the tool's answer. */
const ACTING: [string, Record<string, unknown>, string[], string][] = [
  ["click", { x: 10, y: 20 }, ["(10,20)", "+left", "-left"], "clicked left at 10,20 of 1280x720"],
  [
    "click",
    { x: "10", y: 20.4, button: "", element: "", text: "", hold: "" },
    ["(10,20)", "+left", "-left"],
    "clicked left at 10,20 of 1280x720",
  ],
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
  ], "1. pressed key shift\n2. clicked left at 3,4 of 1280x720; miss: nothing changed"],
];

/** Tools whose answers report their effect; deskhand does not wait for the effect of other tools. */
const OBSERVED = ["click", "drag", "type", "key", "do"];

for (const [name, given, told, said] of ACTING) {
  Deno.test(`the tool ${name} executes ${JSON.stringify(given)}`, async () => {
    const api = controlApi();
    const result = await call(api, name, given);
    const lines = wordsOf(result).split("\n"), line = lines.pop()!;
    assertEquals([result.isError, lines.join("\n")], [undefined, said]);
    assertMatch(line, /^((hit|(miss|unsure): [a-z0-9 .]+); )?active: "Notes"$/);
    assertEquals(OBSERVED.includes(name), line.includes(";"), line);
    assertEquals(withoutRepeats(short(api.desktop.log)), told);
  });
}

Deno.test("without a watch of the screen, a window that closed before a click is not its effect", async () => {
  const start = () => ({ done: Promise.reject(new DesktopUnavailableError("there are no pictures")) });
  const api = controlApi({
    desktop: Object.assign(new VirtualDesktop(), { state: undefined, live: { start } }),
  });
  await call(api, "click", { x: 600, y: 400 });
  const closed = await api.request("POST", "/api/window/close", { title: "Form" });
  const clicked = await call(api, "click", { x: 600, y: 400 });
  assertEquals([closed.status, wordsOf(clicked).split("\n").at(-1)], [
    200,
    'unsure: cannot watch the screen: there are no pictures; active: "Notes"',
  ]);
});

const SEND = 'button "Send"';
/**
 * Clicks through each door, and how often each may ask the desktop for its windows: before, after, once more at
 * the end of steps, and again whenever the screen changes on its own.
 */
const ASKING: [what: string, given: Record<string, unknown>, most: number][] = [
  ["click", { x: 200, y: 150 }, 3],
  ["click", { element: SEND }, 3],
  ["act", { steps: [{ click: "Send" }] }, 4],
  ["act", { steps: [{ click: `${SEND} in "Form"` }] }, 4],
  ["act", { steps: [{ click: [200, 150] }] }, 5],
  ["act", { steps: [{ click: "Send" }], see: "none" }, 4],
  ["act", { steps: [{ click: "Send" }, { click: "Send" }] }, 6],
  ["do", { actions: [{ tool: "click", element: SEND }], look: false }, 4],
  ["do", { actions: [{ tool: "click", element: SEND }, { tool: "click", element: SEND }], look: false }, 6],
  ["/api/element/click", { role: "button", name: "Send" }, 2],
  ["/api/element/click", { role: "button", name: "Send", observe: true }, 2],
  ["/api/click", { element: SEND, button: "left" }, 2],
  ["/api/click", { element: SEND, button: "left", observe: true }, 2],
  ["/api/steps", { steps: [{ click: "Send" }] }, 4],
  ["/api/steps", { steps: [{ action: "click", element: SEND, button: "left" }] }, 2],
];

for (const tells of [true, false]) {
  for (const [what, given, usual] of ASKING) {
    const times = tells
      ? `lists the windows at most twice, and asks ${usual} times`
      : `lists them ${usual} times`;
    const where = tells ? "that knows whether they changed" : "that does not";
    Deno.test(`on a desktop ${where}, ${what} ${JSON.stringify(given)} ${times}`, async () => {
      const most = { lists: tells ? 2 : usual, asked: usual };
      const isFew = ({ lists, asked }: typeof most) => lists <= most.lists && asked <= most.asked;
      let counts = await countedLists(what, given, tells);
      // A list is at hand for 200 ms, and a busy machine may take longer.
      for (let more = 4; more && !isFew(counts); more--) counts = await countedLists(what, given, tells);
      assert(isFew(counts), JSON.stringify(counts));
    });
  }
}

/** Makes a call on a new desktop, and counts how often it lists the windows, and asks whether they changed. */
async function countedLists(what: string, given: Record<string, unknown>, tells: boolean) {
  const api = controlApi(), { windows } = api.desktop, { list, isSame } = windows;
  await call(api, "window", { change: "activate", title: "Form" });
  const counts = { lists: 0, asked: 0 };
  windows.list = () => {
    counts.lists++;
    return list.call(windows);
  };
  const asking = async (listed: readonly WindowInfo[]) => {
    counts.asked++;
    return await isSame.call(windows, listed);
  };
  Object.assign(windows, { isSame: tells ? asking : undefined });
  if (what.startsWith("/")) assertEquals((await api.request("POST", what, given)).status, 200);
  else assertMatch(wordsOf(await call(api, what, given)), /^(clicked|1\. clicked|(\d)\/\2 done)/);
  return counts;
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

Deno.test("a step of do whose expectation is not met ends the steps", async () => {
  const api = controlApi();
  const steps = (expect: unknown, x = 10) =>
    call(api, "do", {
      actions: [{ tool: "click", x, y: 20, expect }, { tool: "move", x: 1, y: 2 }],
      look: false,
    });
  const met = wordsOf(await steps({ window: { title: "Notes" } }));
  assertStringIncludes(met, "1. clicked left at 10,20 of 1280x720; miss: nothing changed\n2. moved to 1,2");
  assertMatch(met, /\n(hit|(miss|unsure): .*); active: "Notes"$/);
  const gone = await steps({ window: { title: "Notes", gone: true } });
  assertEquals(gone.isError, true);
  assertStringIncludes(
    wordsOf(gone),
    'failed: a window still matches title "Notes" after 5000 ms; 1 more not done',
  );
  const missed = await steps({ verdict: "hit" }, 300); // next to all windows
  assertMatch(
    wordsOf(missed),
    /^1\. failed: clicked left at 300,20 of 1280x720, but hit was expected: miss: nothing changed; 1 more not done/,
  );
  const wrong = await steps({ verdict: "maybe" });
  assertStringIncludes(wordsOf(wrong), "actions[0].expect.verdict must be one of hit, miss, unsure");
});

Deno.test("under --read-only only the tools that look are available", async () => {
  const api = controlApi({ readOnly: true, agents: { tools: ["classic"] } });
  const { result } = await ask(api, "tools/list");
  const names = result.tools.map(({ name }: { name: string }) => name);
  assertEquals(names, ["screenshot", "screen", "pixel", "find", "wait", "elements", "windows"]);
  assert(result.tools.every((tool: Record<string, unknown>) => tool.outputSchema === undefined));
  const { error } = await ask(api, "tools/call", { name: "click", arguments: { x: 1, y: 1 } });
  assertEquals([error.code, error.message], [-32602, "Unknown tool: click"]);
  assertEquals(api.desktop.log, []);
});

Deno.test("only the tools of --tools are available, also within do", async () => {
  const api = controlApi({ agents: { tools: ["do", "move"] } });
  const { result } = await ask(api, "tools/list");
  assertEquals(result.tools.map(({ name }: { name: string }) => name), ["move", "do"]);
  const refused = await call(api, "do", {
    actions: [{ tool: "move", x: 1, y: 1 }, { tool: "type", text: "a" }],
  });
  assertEquals([refused.isError, wordsOf(refused)], [true, 'there is no tool named "type" here']);
  const open = await call(api, "do", { actions: [{ tool: "open", program: "xterm" }] });
  assertEquals(wordsOf(open), 'there is no tool named "open" here: deskhand needs --agent-open');
  assertEquals(api.desktop.log, []);
});

/** Invalid arguments, and the messages about them. */
const WRONG: [string, Record<string, unknown>, string][] = [
  ["click", { x: 1 }, "Missing y"],
  ["act", { actions: [{ click: "Save" }] }, "Missing steps: actions is unknown, did you mean steps?"],
  ["act", { act: "click" }, "Missing steps: act is unknown; the fields are steps, see, any_window"],
  ["do", { steps: [{ tool: "click" }] }, "Missing actions: steps is unknown, did you mean actions?"],
  ["type", { value: "a" }, "Missing text: value is unknown, did you mean text?"],
  ["click", { x: 1, y: 1, cuont: 2 }, "cuont is unknown: did you mean count?"],
  ["move", { x: 1, y: 1, zebra: 2 }, 'move has no field "zebra"; it takes x, y, element, look'],
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
  ["do", { actions: [] }, "actions must have 1 to 50 entries, not 0"],
  ["do", { actions: [{ tool: "do", actions: [] }] }, "actions[0] cannot be another do"],
  ["drag", { path: [{ x: 1, y: 1 }] }, "path must have 2 to 100 entries, not 1"],
  ["key", { keys: "nokey" }, 'keys contains an unknown key, "nokey"'],
];

for (const [name, given, message] of WRONG) {
  Deno.test(`the tool ${name} refuses ${JSON.stringify(given)} with an explanation`, async () => {
    const api = controlApi();
    const result = await call(api, name, given);
    assertEquals(result.isError, true);
    assertStringIncludes(wordsOf(result), message);
    assertEquals(api.desktop.log, []);
  });
}

for (const [tools, count, most] of [[undefined, 4, 1000], [["classic"], 19, 2400]] as const) {
  Deno.test(`the ${count} tools of --tools ${tools ?? "left out"} have at most ${most} tokens in total`, async () => {
    const files = () => Promise.reject(new Error("not read"));
    const api = controlApi({
      agents: { programs: ["firefox", "mousepad"], files, ...tools ? { tools: [...tools] } : {} },
    });
    const { result } = await ask(api, "tools/list");
    assertEquals(result.tools.length, count);
    const tokens = encode(JSON.stringify(result.tools)).length;
    assert(tokens <= most, `${tokens}`);
  });
}

const TEXTS: [what: string, text: string, most: number][] = [
  ["the skill", SKILL, 1200],
  ["the skill's description", /^description: (.*)$/m.exec(SKILL)![1], 60],
  ["a line about opened and closed windows", LONG_EFFECT, 40],
];

for (const [what, text, most] of TEXTS) {
  Deno.test(`${what} has at most ${most} tokens`, () => {
    assert(encode(text).length <= most, `${encode(text).length}`);
  });
}

// The log of agents' tools: texts as their length, and no secrets.

Deno.test("the log has a line for each call, with texts as their length", async () => {
  const lines: string[] = [];
  const api = controlApi({ agents: { log: (line) => lines.push(line) } });
  await call(api, "type", { text: "sécret" });
  await call(api, "type", { text: "password", sensitive: true });
  await call(api, "do", { actions: [{ tool: "type", text: "inner" }], look: false });
  await call(api, "click", { x: 9999, y: 1 });
  const logged = lines.map((line) => JSON.parse(line));
  assertEquals(logged.map(({ tool, arguments: given, outcome }) => [tool, given, outcome]), [
    ["type", { text: { characters: 6 } }, "ok"],
    ["type", { text: "secret", sensitive: true }, "ok"],
    ["do", { actions: [{ tool: "type", text: { characters: 5 } }], look: false }, "ok"],
    ["click", { x: 9999, y: 1 }, "x must be from 0 to 1279 (the picture is 1280x720), not 9999"],
  ]);
  assertMatch(logged[0].time, /^\d{4}-\d\d-\d\dT/);
  assert(!/secret"?s|sécret|password|inner/.test(lines.join().replaceAll('"secret"', "")), lines.join("\n"));
});

Deno.test("the log has unknown arguments as their length, and none of their values in the outcome", async () => {
  const cases: [tool: string, given: Record<string, unknown>, logged: unknown, outcome: RegExp][] = [
    [
      "type",
      { txt: "my password" },
      { txt: { characters: 11 } },
      /^Missing text: txt is unknown, did you mean text\?$/,
    ],
    ["type", { text: "a", txt: "my password", sensitive: true }, {
      text: "secret",
      txt: "secret",
      sensitive: true,
    }, /txt/],
    ["type", { text: 73519 }, { text: { characters: 5 } }, /not what was given$/],
    ["move", { x: "my password", y: 1 }, { x: { characters: 11 }, y: 1 }, /not what was given$/],
    [
      "click",
      { x: 1, y: 1, button: "my password" },
      { x: 1, y: 1, button: { characters: 11 } },
      /not what/,
    ],
    [
      "click",
      { x: 1, y: 1, hold: ["my password"] },
      { x: 1, y: 1, hold: { characters: 15 } },
      /not what/,
    ],
    ["drag", { path: [{ x: 1, y: 2, z: "my password" }, { x: 5, y: 6 }] }, {
      path: [{ x: 1, y: 2, z: { characters: 11 } }, { x: 5, y: 6 }],
    }, /^path\[0\]\.z is unknown; path\[0\] takes x, y, element$/],
    ["do", { actions: [{ tool: "type", txt: { b: "my password" } }], look: false }, {
      actions: [{ tool: "type", txt: { characters: 19 } }],
      look: false,
    }, /Missing text/],
    ["do", { actions: [{ tool: "my password", text: "my password" }] }, {
      actions: [{ tool: { characters: 11 }, text: { characters: 11 } }],
    }, /no tool named "…"/],
    ["do", { actions: [{ text: "my password" }, 5] }, {
      actions: [{ text: { characters: 11 } }, { characters: 1 }],
    }, /not what/],
    ["do", { action: "my password" }, { action: { characters: 11 } }, /action/],
  ];
  for (const [tool, given, logged, outcome] of cases) {
    const lines: string[] = [];
    await call(controlApi({ agents: { log: (line) => lines.push(line) } }), tool, given);
    const { arguments: known, outcome: said } = JSON.parse(lines[0]);
    assertEquals(known, logged, JSON.stringify(given));
    assertMatch(said, outcome);
    assert(!/password|73519/.test(lines.join()), lines.join());
  }
});

// Screenshots of agents' tools: their size, coordinates and parts.

Deno.test("coordinates are pixels of the screenshot, and lead to the center of what they show", async () => {
  const api = controlApi({ desktop: largeDesktop() });
  const result = await call(api, "screenshot");
  assertEquals(sizeOf(result), { width: 1456, height: 819 });
  assertMatch(
    wordsOf(result),
    /^1456x819; pointer at \d+,\d+\. Coordinates of all tools are pixels of this picture\.$/,
  );
  await call(api, "click", { x: 1455, y: 818 });
  assertEquals(short(api.desktop.log)[0], "(1919,1079)");
  const outside = await call(api, "click", { x: 1456, y: 0 });
  assertEquals([outside.isError, wordsOf(outside)], [
    true,
    "x must be from 0 to 1455 (the picture is 1456x819), not 1456",
  ]);
});

Deno.test("a region is shown enlarged, and changes no coordinates", async () => {
  const api = controlApi({ desktop: largeDesktop() });
  const region = { x: 728, y: 0, width: 728, height: 400 };
  const result = await call(api, "screenshot", { region });
  assertEquals(sizeOf(result), { width: 960, height: 528 });
  assertStringIncludes(wordsOf(result), "728x400 at 728,0, shown as 960x528");
  assertStringIncludes(wordsOf(result), "pixels of the whole screenshot, 1456x819");
  await call(api, "move", { x: 0, y: 0 });
  assertEquals(short(api.desktop.log), ["(0,0)"]);
});

Deno.test("a small region is enlarged even if the whole screen is shown at its own size", async () => {
  const result = await call(controlApi(), "screenshot", { region: { x: 9, y: 9, width: 190, height: 110 } });
  assertEquals(sizeOf(result), { width: 380, height: 220 });
  assertStringIncludes(wordsOf(result), "190x110 at 9,9, shown as 380x220");
});

Deno.test("a screenshot over the budget is shrunk further and says so", async () => {
  const desktop = largeDesktop(), take = desktop.screen.take;
  desktop.screen.take = (region, cursor) => {
    const frame = take(region, cursor);
    for (let at = 0, seed = 1; at < frame.pixels.length; at++) {
      seed = seed * 1103515245 + 12345 & 0x7fffffff;
      frame.pixels[at] = seed >> 16;
    }
    return frame;
  };
  const result = await call(controlApi({ desktop }), "screenshot");
  const { data } = result.content.find(({ type }) => type === "image")!;
  assert(data!.length < 1_000_000, `${data!.length}`);
  assert(sizeOf(result).width < 1456);
  assertStringIncludes(
    wordsOf(result),
    "pixels of 1456x819: this picture was too large and is shrunk further",
  );
});

Deno.test("look adds a screenshot once the screen is still, and no structured content", async () => {
  const result = await call(controlApi(), "click", { x: 1, y: 1, look: true });
  assertEquals(sizeOf(result), { width: 1280, height: 720 });
  assertEquals(result.structuredContent, undefined);
});

Deno.test("look: window shows only the active window", async () => {
  const api = controlApi();
  const result = await call(api, "click", { x: 1, y: 1, look: "window" });
  const [{ x, y, width, height }] = await api.operator.read(({ windows }) => windows!.list());
  assertStringIncludes(wordsOf(result), `${width}x${height} at ${x},${y}, shown as ${width}x${height}`);
  assertEquals(sizeOf(result), { width, height });
});
