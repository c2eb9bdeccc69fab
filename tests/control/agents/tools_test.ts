/** Agents' tools: what they do on the desktop, what they say, and what stays closed. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { pictureSize } from "../../../control/image/read_picture.ts";
import { VirtualDesktop } from "../../../ffi/virtual/mod.ts";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { controlApi } from "../../support/control.ts";
import { ElementsDesktop } from "../../support/elements.ts";
import { until } from "../../support/until.ts";
import { short } from "../../support/log.ts";
import { ask, call, type ToolResult, wordsOf } from "../../support/mcp.ts";

/** Tool, arguments, what the desktop received, what the tool answered. */
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

/** Tools that tell what they did: others have no effect that is waited for. */
const OBSERVED = ["click", "drag", "type", "key", "do"];

/** A click that is observed moves the pointer to its place beforehand. */
const withoutRepeats = (log: string[]) =>
  log.filter((entry, i) => entry !== log[i - 1] || !entry.startsWith("("));

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

function sizeOf({ content }: ToolResult) {
  const { data, mimeType } = content.find(({ type }) => type === "image")!;
  assertEquals(mimeType, "image/png");
  const { width, height } = pictureSize(Uint8Array.fromBase64(data!));
  return { width, height };
}

/** A virtual desktop of a full HD screen. */
function largeDesktop(): VirtualDesktop {
  const desktop = new VirtualDesktop(), region = { x: 0, y: 0, width: 1920, height: 1080 };
  desktop.screen.layout = () => ({ ...region, displays: [{ name: "large", primary: true, ...region }] });
  desktop.screen.take = ({ width, height }) => {
    const pixels = new Uint8Array(width * height * 4);
    return { width, height, stride: width * 4, pixels };
  };
  return desktop;
}

Deno.test("coordinates are pixels of the screenshot, and lead to the middle of what they show", async () => {
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

Deno.test("a picture over the budget is shrunk further and says so", async () => {
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

Deno.test("look adds a picture when the screen is still, and no structured content", async () => {
  const result = await call(controlApi(), "click", { x: 1, y: 1, look: true });
  assertEquals(sizeOf(result), { width: 1280, height: 720 });
  assertEquals(result.structuredContent, undefined);
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

/** Arguments that do not fit, and what is said about them. */
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

Deno.test("a part of the last screenshot is found where it is now, in places of the screenshot", async () => {
  const api = controlApi({ agents: { view: 640 } });
  await api.request("POST", "/api/click", { x: 301, y: 201, button: "left" });
  await call(api, "screenshot");
  const mark = { x: 145, y: 95, width: 11, height: 11 };
  assertEquals(wordsOf(await call(api, "find", mark)), "150,100 of 640x360, match 1");
  const [first] = (await call(api, "windows")).content[0].text!.split(" ");
  await call(api, "window", { change: "place", id: first, x: 0, y: 0, width: 630, height: 350 });
  assertEquals(wordsOf(await call(api, "find", mark)), "it is not on the screen");
  assertEquals(
    wordsOf(await call(api, "find", { x: 0, y: 0, width: 640, height: 360 })),
    "a region that is looked for has at most 262144 pixels of the screen",
  );
  const gone = await call(api, "wait", { picture: { ...mark, gone: true } });
  assertMatch(wordsOf(gone), /^the picture is as it was waited for after \d+ ms$/);
});

Deno.test("a window and a change of the screen are waited for", async () => {
  const api = controlApi();
  const there = wordsOf(await call(api, "wait", { window: { title: "not" } }));
  assertMatch(there, /^the windows are as it was waited for after \d+ ms: 0x[0-9a-f]+ "Notes" /);
  const late = await call(api, "wait", { window: { title: "none" }, timeout_ms: 50 });
  assertEquals([late.isError, wordsOf(late)], [true, 'no window has a title with "none" within 50 ms']);
  const region = { x: 290, y: 190, width: 30, height: 30 };
  const waiting = call(api, "wait", { change: { region } });
  await api.request("POST", "/api/click", { x: 301, y: 201, button: "left" });
  await api.request("POST", "/api/click", { x: 303, y: 203, button: "left" });
  assertMatch(wordsOf(await waiting), /^the screen has changed after \d+ ms$/);
});

Deno.test("what opens and closes is told in a line of at most 40 tokens, titles cut and escaped", async () => {
  const api = controlApi(), { windows } = api.desktop, list = windows.list.bind(windows);
  const [one] = await list(), long = 'He said "漢字漢字漢字" and\nthen 😀 for a very long time';
  let shown = [{ ...one, active: true }];
  windows.list = () => Promise.resolve(shown);
  const told = async (after: typeof shown) => {
    const clicking = call(api, "click", { x: 1, y: 1 });
    await until(() => api.desktop.log.length >= 3);
    shown = after;
    return wordsOf(await clicking).split("\n")[1];
  };
  const other = (id: string, title: string, active = false) => ({ ...one, id, title, active });
  const line = await told([other("0xa1", long, true), other("0xa2", long), other("0xa3", long)]);
  assertEquals(line.slice(0, 34), 'hit; active: "He said \\"漢字漢字漢字\\" a');
  assertStringIncludes(line, " (new), opened ");
  assertStringIncludes(line, " and 1 more, closed ");
  assert(encode(line).length <= 40, `${encode(line).length}`);
});

Deno.test("the active window alone is shown with look: window", async () => {
  const api = controlApi();
  const result = await call(api, "click", { x: 1, y: 1, look: "window" });
  const [{ x, y, width, height }] = await api.operator.read(({ windows }) => windows!.list());
  assertStringIncludes(wordsOf(result), `${width}x${height} at ${x},${y}, shown as ${width}x${height}`);
  assertEquals(sizeOf(result), { width, height });
});

Deno.test("all tools together have at most 2,200 tokens", async () => {
  const files = () => Promise.reject(new Error("not read"));
  const api = controlApi({ agents: { programs: ["firefox", "mousepad"], files } });
  const { result } = await ask(api, "tools/list");
  assertEquals(result.tools.length, 18);
  const tokens = encode(JSON.stringify(result.tools)).length;
  console.log("TOKENS", tokens);
  assert(tokens <= 2200, `${tokens}`);
});

Deno.test("windows and the clipboard have tools", async () => {
  const api = controlApi();
  const listed = wordsOf(await call(api, "windows"));
  assertMatch(listed, /^0x[0-9a-f]+ ".+" \(.+\): \d+x\d+ at -?\d+,-?\d+, normal/m);
  const id = /^0x[0-9a-f]+/.exec(listed)![0];
  assertStringIncludes(wordsOf(await call(api, "window", { change: "minimize", id })), "minimized");
  const place = { change: "place", id, x: 30, y: 40, width: 300, height: 200 };
  assertStringIncludes(wordsOf(await call(api, "window", place)), "300x200 at 30,40");
  assertEquals(
    wordsOf(await call(api, "clipboard", { text: "copied" })),
    '6 characters are on the clipboard\nactive: "Clock"',
  );
  assertEquals(wordsOf(await call(api, "clipboard")), "copied");
});

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

Deno.test("the log has what no tool takes as its length, and no value of it in the outcome", async () => {
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
    }, /^path\[0\]\.z is unknown; path\[0\] takes x, y$/],
    ["do", { actions: [{ tool: "type", txt: { b: "my password" } }], look: false }, {
      actions: [{ tool: "type", txt: { characters: 19 } }],
      look: false,
    }, /Missing text/],
    ["do", { actions: [{ tool: "my password", text: "my password" }] }, {
      actions: [{ tool: { characters: 11 }, text: { characters: 11 } }],
    }, /no tool "…"/],
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

Deno.test("a text is found and clicked on, in places of the screenshot", async () => {
  const desktop = new ElementsDesktop([
    { key: "1", name: "Save", place: { x: 100, y: 300, width: 60, height: 20 } },
    { key: "2", name: "Open", place: { x: 200, y: 300, width: 60, height: 20 } },
    { key: "3", name: "Open", place: { x: 300, y: 300, width: 60, height: 20 } },
  ]);
  const api = controlApi({ desktop, agents: { view: 640 } });
  assertMatch(
    wordsOf(await call(api, "find", { text: "save" })),
    /^"Save" at 65,155 of 640x360 \(button e\d+\)$/,
  );
  const part = { x: 90, y: 140, width: 100, height: 40 };
  assertMatch(
    wordsOf(await call(api, "find", { text: "Open", limit: 5, ...part })),
    /^"Open" at 115,155 [^"]*"Open" at 165,/,
  );
  assertMatch(
    wordsOf(await call(api, "find", { text: "Safe" })),
    /^it is not on the screen; nearest:\n"Save" at 65,155/,
  );
  const clicked = wordsOf(await call(api, "click", { text: "Save", count: 2 }));
  assertMatch(clicked, /^clicked left 2 times on "Save" at 65,155 of 640x360 \(button e\d+\)\n/);
  assertEquals(withoutRepeats(short(api.desktop.log)), ["(130,310)", "+left", "-left", "+left", "-left"]);
  const refused: [Record<string, unknown>, string][] = [
    [
      { text: "Open" },
      '"Open" is there 2 times, click at x and y of one: "Open" at 115,155 of 640x360 (button e',
    ],
    [
      { text: "Sawe" },
      'no text like "Sawe" is on the screen; nearest: "Save" at 65,155 of 640x360, match 0.75 (button',
    ],
    [{ text: "Save", x: 1, y: 1 }, "text and x cannot both be given"],
    [{ text: "Save", element: "e1" }, "element and text cannot both be given"],
  ];
  for (const [given, message] of refused) {
    const result = await call(api, "click", given);
    assertEquals(result.isError, true);
    assertStringIncludes(wordsOf(result), message);
  }
  assertMatch(
    wordsOf(await call(api, "wait", { text: { text: "Save" } })),
    /^the text is as it was waited for after/,
  );
});
