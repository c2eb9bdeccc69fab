/** An element in place of x and y: where actions and tools that take a place take it, and how it is written. */

import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import { elementIn } from "../../../control/actions/elements.ts";
import { InputError } from "../../../core/errors.ts";
import { controlApi } from "../../support/control.ts";
import { ElementsDesktop } from "../../support/elements.ts";
import { short } from "../../support/log.ts";
import { call, wordsOf } from "../../support/mcp.ts";

const button = (name: string, x: number) => ({ key: name, name, place: { x, y: 20, width: 30, height: 10 } });

function form() {
  const desktop = new ElementsDesktop([button("Save", 10), button("Open", 110), {
    ...button("Off", 210),
    states: ["disabled"] as const,
  }, { key: "none", name: "Nowhere" }]);
  const api = controlApi({ desktop });
  return {
    desktop,
    api,
    async ask(method: string, path: string, body?: unknown) {
      const answer = await api.request(method, path, body);
      return { status: answer.status, ...await answer.json() };
    },
  };
}

/** Words for an element, and their meaning. */
const WORDS: [words: string, meaning: ReturnType<typeof elementIn>][] = [
  ["e12", { element: "e12", window: {} }],
  ['button "Save"', { role: "button", name: "Save", window: {} }],
  ['"Save as"', { name: "Save as", window: {} }],
  ["desktop icon", { role: "desktop icon", window: {} }],
  ['button "Save" 2 in "Ask"', { role: "button", name: "Save", nth: 2, window: { title: "Ask" } }],
  ['"a \\"b\\" \\\\" in "c"', { name: 'a "b" \\', window: { title: "c" } }],
];

for (const [words, meaning] of WORDS) {
  Deno.test(`the words ${words} mean one element`, () => assertEquals(elementIn(words), meaning));
}

Deno.test("words that mean no element are refused", () => {
  for (const words of ["", "E12", 'button "Save', '"a" "b"', "e0", "button in Ask"]) {
    assertThrows(() => elementIn(words), InputError, "element must be such as e12", words);
  }
});

/** Requests that take an element in place of coordinates, and the input that the desktop gets. */
const REQUESTS: [path: string, body: Record<string, unknown>, log: string[]][] = [
  ["/api/move", { element: '"Save"' }, ["(25,25)"]],
  ["/api/click", { element: "e2" }, ["(125,25)", "+left", "-left"]],
  ["/api/click", { element: '"Open"', button: "right", hold: "ctrl" }, [
    "(125,25)",
    "+ctrl",
    "+right",
    "-right",
    "-ctrl",
  ]],
  ["/api/scroll", { direction: "down", amount: 2, element: "e1" }, ["(25,25)", "down 2"]],
  ["/api/press", { button: "left", element: "e1" }, ["(25,25)", "+left"]],
  ["/api/release", { button: "left", element: "e1" }, ["(25,25)", "-left"]],
];

for (const [path, body, log] of REQUESTS) {
  Deno.test(`${path} takes ${JSON.stringify(body)}`, async () => {
    const { ask, desktop } = form();
    await ask("GET", "/api/elements");
    const { status, error } = await ask("POST", path, body);
    assertEquals([status, error], [200, undefined]);
    assertEquals(short(desktop.log), log);
  });
}

Deno.test("a drag takes an element at either end", async () => {
  const { ask, desktop } = form();
  assertEquals(
    (await ask("POST", "/api/drag", { from: { element: '"Save"' }, to: { x: 300, y: 200 } })).status,
    200,
  );
  assertEquals(
    (await ask("POST", "/api/drag", { from: { x: 1, y: 2 }, to: { element: '"Open"' } })).status,
    200,
  );
  const all = short(desktop.log), down = all.indexOf("+left"), second = all.lastIndexOf("+left");
  assertEquals([all[down - 1], all[second - 1], all.at(-2)], ["(25,25)", "(1,2)", "(125,25)"]);
});

Deno.test("pixel and screenshot take the place of an element", async () => {
  const { ask, api, desktop } = form();
  assertMatch((await ask("GET", "/api/pixel?element=%22Save%22")).hex, /^#[0-9a-f]{6}$/);
  const picture = await (await api.request("GET", "/api/screenshot?element=%22Open%22")).bytes();
  const view = new DataView(picture.buffer);
  assertEquals([view.getInt32(18, true), Math.abs(view.getInt32(22, true))], [30, 10]);
  assertEquals(desktop.log, []);
});

/** Requests that are refused, with their status and message. */
const REFUSED: [path: string, body: Record<string, unknown>, status: number, message: RegExp][] = [
  ["/api/move", { element: "e1", x: 1, y: 1 }, 400, /^element and x cannot both be given$/],
  ["/api/click", { element: "e1", at: "pointer" }, 400, /^element and at cannot both be given$/],
  ["/api/click", { x: 1, y: 2 }, 400, /^Missing button$/],
  ["/api/move", {}, 400, /^Missing x$/],
  [
    "/api/move",
    { element: '"Sava"' },
    404,
    /^there is no element "Sava" in "Notes"; near: button "Save" \(e\d+\)/,
  ],
  ["/api/click", { element: '"Off"' }, 409, /is disabled$/],
  ["/api/click", { element: '"Nowhere"' }, 409, /^button "Nowhere" \(e\d+\) has no place$/],
  ["/api/scroll", { direction: "up", amount: 1, element: '"Nowhere"' }, 409, /has no place on the screen$/],
];

for (const [path, body, status, message] of REFUSED) {
  Deno.test(`${path} refuses ${JSON.stringify(body)} with ${status}`, async () => {
    const { ask, desktop } = form();
    const answer = await ask("POST", path, body);
    assertEquals(answer.status, status, answer.error);
    assertMatch(answer.error, message);
    assertEquals(desktop.log, []);
  });
}

Deno.test("an agent scrolls, presses and waits by elements, also in steps", async () => {
  const { api, desktop } = form();
  await call(api, "elements");
  assertMatch(
    wordsOf(await call(api, "scroll", { direction: "down", element: "e1" })),
    /^scrolled down by 3/,
  );
  assertMatch(
    wordsOf(await call(api, "click", { element: 'button "Open"' })),
    /^clicked: button "Open" \(e2\)/,
  );
  const waited = wordsOf(await call(api, "wait", { element: { role: "button", name: "Save" } }));
  assertMatch(waited, /after \d+ ms: button "Save" \(e1\)/);
  const before = desktop.log.length;
  const actions = [{ tool: "press", element: '"Save"' }, { tool: "release" }, {
    tool: "scroll",
    direction: "up",
    element: "e2",
  }];
  assertMatch(wordsOf(await call(api, "do", { actions, look: false })), /^1\. pressed button left\n/);
  assertEquals(short(desktop.log.slice(before)), ["(25,25)", "+left", "-left", "(125,25)", "up 3"]);
});
