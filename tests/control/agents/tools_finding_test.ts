/** Agents' tools that find images, texts and windows, and wait for them. */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { controlApi } from "../../support/control.ts";
import { ElementsDesktop } from "../../support/elements.ts";
import { short } from "../../support/shell.ts";
import { call, LONG_EFFECT, withoutRepeats, wordsOf } from "../../support/agent_tools.ts";

Deno.test("a part of the last screenshot is located now, in the screenshot's coordinates", async () => {
  const api = controlApi({ agents: { view: 640 } });
  await api.request("POST", "/api/click", { x: 301, y: 201, button: "left" });
  await call(api, "screenshot");
  const mark = { x: 145, y: 95, width: 11, height: 11 };
  assertEquals(wordsOf(await call(api, "find", mark)), "150,100 of 640x360, match 1");
  const [first] = (await call(api, "windows")).content[0].text!.split(" ");
  await call(api, "window", { change: "place", id: first, x: 0, y: 0, width: 630, height: 350 });
  assertEquals(wordsOf(await call(api, "find", mark)), "it is not on the screen");
  assertEquals(wordsOf(await call(api, "find", { ...mark, window: first })), "it is not in the window");
  assertEquals(
    wordsOf(await call(api, "find", { x: 0, y: 0, width: 640, height: 360 })),
    "a region to find may have at most 262144 screen pixels",
  );
  const gone = await call(api, "wait", { picture: { ...mark, gone: true } });
  assertMatch(wordsOf(gone), /^the picture is as expected after \d+ ms$/);
});

Deno.test("waits for a window and for a screen change", async () => {
  const api = controlApi();
  const there = wordsOf(await call(api, "wait", { window: { title: "not" } }));
  assertMatch(there, /^the windows are as expected after \d+ ms: 0x[0-9a-f]+ "Notes" /);
  const late = await call(api, "wait", { window: { title: "none" }, timeout_ms: 50 });
  assertEquals([late.isError, wordsOf(late)], [true, 'no window matches title "none" within 50 ms']);
  const region = { x: 290, y: 190, width: 30, height: 30 };
  const waiting = call(api, "wait", { change: { region } });
  await api.request("POST", "/api/click", { x: 301, y: 201, button: "left" });
  await api.request("POST", "/api/click", { x: 303, y: 203, button: "left" });
  assertMatch(wordsOf(await waiting), /^the screen has changed after \d+ ms$/);
});

Deno.test("opened and closed windows fit a line, with titles cut and escaped", async () => {
  const api = controlApi(), { windows } = api.desktop, list = windows.list.bind(windows);
  const [one] = await list(), long = 'He said "漢字漢字漢字" and\nthen 😀 for a very long time';
  Object.assign(api.desktop, { state: undefined }); // the desk does not know these windows
  const other = (id: string, title: string, active = false) => ({ ...one, id, title, active });
  const before = [{ ...one, active: true }],
    after = [other("0xa1", long, true), other("0xa2", long), other("0xa3", long)];
  const isClicked = () => api.desktop.log.length >= 3; // a move, a press and a release
  windows.list = () => Promise.resolve(isClicked() ? after : before);
  assertEquals(wordsOf(await call(api, "click", { x: 1, y: 1 })).split("\n")[1], LONG_EFFECT);
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

Deno.test("a text is found and clicked, in the screenshot's coordinates", async () => {
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
  const [{ id, title }] = await desktop.windows.list(), window = title.toLowerCase();
  await call(api, "window", { change: "place", id, x: 20, y: 100, width: 400, height: 200 });
  const inWindow = async (given: Record<string, unknown>) => wordsOf(await call(api, "find", given));
  assertMatch(await inWindow({ text: "save", window }), /^"Save" at 65,155 of 640x360 /);
  assertMatch(await inWindow({ text: "Zebra", window: id }), /^it is not in the window/);
  assertEquals(await inWindow({ text: "save", window: "none" }), 'no window matches title "none"');
  assertEquals(await inWindow({ text: "Open", window, ...part }), "window and a region cannot both be given");
  const clicked = wordsOf(await call(api, "click", { text: "Save", count: 2 }));
  assertMatch(clicked, /^clicked left 2 times on "Save" at 65,155 of 640x360 \(button e\d+\)\n/);
  assertEquals(withoutRepeats(short(api.desktop.log)), ["(130,310)", "+left", "-left", "+left", "-left"]);
  const refused: [Record<string, unknown>, string][] = [
    [
      { text: "Open" },
      '"Open" appears 2 times; click at x and y of one: "Open" at 115,155 of 640x360 (button e',
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
    /^the text is as expected after/,
  );
});
