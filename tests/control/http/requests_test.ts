/** Request contents: bodies and queries, right, wrong and at the limits. */

import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { parseFields, parseQuery, wholeNumber } from "../../../control/schema/schema.ts";
import { InputError } from "../../../core/errors.ts";
import { controlApi } from "../../support/control.ts";
import { statusOf } from "../../support/uploads.ts";

const HUGE = "9".repeat(400);
const WRONG_BODIES: [path: string, body: unknown, status: number, error: string | RegExp][] = [
  ["/api/move", {}, 400, "Missing x"],
  ["/api/move", { x: 1 }, 400, "Missing y"],
  ["/api/move", { x: "a" }, 400, "Missing y"],
  ["/api/move", "", 400, "Missing x"],
  ["/api/move", { x: 1.5, y: 2 }, 400, /^x must be a whole number, not 1\.5$/],
  ["/api/move", { x: "1", y: 2 }, 400, /^x must be a whole number, not "1"$/],
  ["/api/move", { x: 1, y: null }, 400, /^y must be a whole number, not null$/],
  ["/api/move", { x: [1], y: 2 }, 400, /^x .* not an array$/],
  ["/api/move", { x: {}, y: 2 }, 400, /^x .* not an object$/],
  ["/api/move", { x: true, y: 2 }, 400, /^x .* not true$/],
  ["/api/move", `{"x":1e400,"y":2}`, 400, "x must be a whole number, not Infinity"],
  ["/api/move", `{"x":${HUGE},"y":2}`, 400, /^x must be a whole number/],
  [
    "/api/move",
    `{"x":1e15,"y":2}`,
    400,
    "x must be from 0 to 1279 (the bounds of the desktop), not 1000000000000000",
  ],
  ["/api/move", `{"x":1e300,"y":2}`, 400, "x must be from 0 to 1279 (the bounds of the desktop), not 1e+300"],
  ["/api/drag", `{"from":{"x":1,"y":2},"to":{"x":1e20,"y":1}}`, 400, /^to\.x must be from 0 to 1279/],
  ["/api/wait", `{"pixel":{"x":-1e20,"y":1,"hex":"#000000"}}`, 400, /^(pixel\.)?x must be from 0 to 1279/],
  ["/api/wait", `{"stable":{"ms":1,"y":1e20}}`, 400, /^(stable\.)?y must be from 0 to 719/],
  ["/api/move", { x: 1280, y: 0 }, 400, "x must be from 0 to 1279 (the bounds of the desktop), not 1280"],
  ["/api/move", { x: 0, y: -1 }, 400, "y must be from 0 to 719 (the bounds of the desktop), not -1"],
  [
    "/api/move",
    `{"__proto__":{"x":1,"y":2}}`,
    400,
    /^Missing x: __proto__ is unknown; the fields are x, y, element/,
  ],
  [
    "/api/move",
    `{"constructor":"1"}`,
    400,
    /^Missing x: constructor is unknown; the fields are x, y, element/,
  ],
  ["/api/move", "[]", 400, /^the body must be a JSON object, not an array$/],
  ["/api/move", "null", 400, /^the body must be a JSON object, not null$/],
  ["/api/move", '"x"', 400, /^the body must be a JSON object/],
  ["/api/move", "{x:1}", 400, /not valid JSON/],
  ["/api/move", '{"x":1,"y":2', 400, /not valid JSON/],
  ["/api/move", "x=1&y=2", 400, /not valid JSON/],
  ["/api/move", "[".repeat(60_000), 400, /nested deeper than 32/],
  [
    "/api/move",
    '{"z":' + "[".repeat(31) + "]".repeat(31) + "}",
    400,
    /^Missing x: z is unknown; the fields are x, y, element/,
  ],
  ["/api/move", '{"z":' + "[".repeat(32) + "]".repeat(32) + "}", 400, /nested deeper than 32/],
  [
    "/api/move",
    `{"z":[${Array(100).fill('{"a":[]}')}]}`,
    400,
    /^Missing x: z is unknown; the fields are x, y, element/,
  ],
  [
    "/api/move",
    JSON.stringify({ z: "[{".repeat(100), 'a"[\\': '"{'.repeat(100) }),
    400,
    /^Missing x: z is unknown; the fields are x, y, element/,
  ],
  [
    "/api/move",
    `{"z":"${"z".repeat(65_536 - 8)}"}`,
    400,
    /^Missing x: z is unknown; the fields are x, y, element/,
  ],
  ["/api/move", `{"z":"${"z".repeat(65_536 - 7)}"}`, 413, /larger than the 65536 bytes/],
  ["/api/move", "[".repeat(32) + "]".repeat(32), 400, /^the body must be a JSON object/],
  ["/api/move", `{"x":1,"y":2,"z":"${"z".repeat(70_000)}"}`, 413, /larger than the 65536 bytes/],
  ["/api/click", { x: 1, y: 2 }, 400, "Missing button"],
  ["/api/click", { button: "left" }, 400, "Missing x"],
  [
    "/api/click",
    { x: 1, y: 2, button: "LEFT" },
    400,
    /^button must be one of left, middle, right, back, forward/,
  ],
  ["/api/click", { x: 1, y: 2, button: 1 }, 400, /^button must be one of/],
  ["/api/click", { x: 1, y: 2, button: "left", count: 4 }, 400, /^count must be a whole number from 1 to 3/],
  ["/api/click", { x: 1, y: 2, button: "left", count: 0 }, 400, /^count /],
  ["/api/scroll", {}, 400, "Missing direction"],
  ["/api/scroll", { direction: "up" }, 400, "Missing amount"],
  ["/api/scroll", { direction: "north", amount: 1 }, 400, /^direction must be one of up, down, left, right/],
  ["/api/scroll", { direction: "up", amount: 0 }, 400, /^amount must be a whole number from 1 to 1000/],
  ["/api/scroll", { direction: "up", amount: 1, x: 3 }, 400, "Missing y"],
  ["/api/press", {}, 400, "Missing button or key"],
  ["/api/press", { btn: "left" }, 400, "Missing button or key: btn is unknown"],
  ["/api/wait", { seconds: 5 }, 400, /^Missing pixel, still, .* or window: seconds is unknown$/],
  ["/api/act", { dialect: "openai", calls: [] }, 400, "Missing action: calls is unknown"],
  ["/api/press", { key: "cntrl" }, 400, /^key must be a key name.*, not "cntrl" \(did you mean ctrl\?\)$/],
  [
    "/api/click",
    { x: 1, y: 2, button: "left", hold: "cntrl" },
    400,
    /^hold contains an unknown key, "cntrl" \(did you mean ctrl\?\)/,
  ],
  ["/api/press", { key: "a", button: "left" }, 400, /cannot both be given/],
  ["/api/release", { button: "none" }, 400, /^button must be one of/],
  ["/api/drag", { from: { x: 1, y: 2 } }, 400, "Missing to"],
  ["/api/drag", { from: { x: 1 }, to: { x: 1, y: 2 } }, 400, "Missing from.y"],
  ["/api/drag", { from: 5, to: { x: 1, y: 2 } }, 400, /^from must be a JSON object, not 5$/],
  ["/api/drag", { from: { x: 0, y: 0 }, to: { x: 5000, y: 0 } }, 400, /^to\.x must be from 0 to 1279/],
  ["/api/key", {}, 400, "Missing keys"],
  ["/api/key", { keys: "" }, 400, /^keys must be a non-empty string/],
  ["/api/key", { keys: "ctrl+" }, 400, /empty part/],
  ["/api/key", { keys: "ctrl+banana" }, 400, /unknown key, "banana"/],
  ["/api/type", {}, 400, "Missing text"],
  ["/api/type", { text: 5 }, 400, /^text must be a non-empty string/],
  ["/api/recording/play", { speed: "2" }, 400, /^speed must be a number from 0\.05 to 100, not "2"$/],
  ["/api/recording/play", { speed: 0.04 }, 400, /^speed must be a number from 0\.05 to 100/],
  ["/api/recording/play", { speed: 100.5 }, 400, /^speed must be a number from 0\.05 to 100/],
  ["/api/recording/play", { times: 10_001 }, 400, /^times must be a whole number from 1 to 10000/],
  ["/api/wait", {}, 400, /^Missing pixel, still, change, picture, text, element or window$/],
  ["/api/wait", { pixel: { x: 1, y: 1, hex: "red" } }, 400, /^pixel\.hex must be a colour/],
  ["/api/wait", { pixel: { x: 1, y: 1, hex: "#000000", tolerance: 300 } }, 400, /^pixel\.tolerance /],
  ["/api/wait", { still: { ms: 0 } }, 400, /^still\.ms /],
  ["/api/wait", { stable: { ms: 0 } }, 400, /^still\.ms /], // its former name
  [
    "/api/wait",
    { window: { title: "x", timeout: 300 } },
    400,
    /^window\.timeout is unknown; window takes title, /,
  ],
  [
    "/api/drag",
    { from: { x: 1, y: 1, z: 1 }, to: { x: 2, y: 2 } },
    400,
    "from.z is unknown; from takes x, y, element",
  ],
  ["/api/type", { text: "a", window: "Notes" }, 400, "window is not a field of this call"],
  ["/api/find", { text: "a", element: "e1" }, 400, "element is not a field of this call"],
  [
    "/api/click",
    { element: 'button "Save"', window: "Ask", button: "left" },
    400,
    'window is not a field of this call: name it in element, such as button "Save" in "Ask"',
  ],
  ["/api/key", { key: "ctrl+s" }, 400, "Missing keys: key is unknown, did you mean keys?"],
  ["/api/move", { left: 5, y: 6 }, 400, "Missing x: left is unknown, did you mean x?"],
  [
    "/api/steps",
    { actions: [{ action: "move" }] },
    400,
    "Missing steps: actions is unknown, did you mean steps?",
  ],
  [
    "/api/drag",
    { from: { x: 1, top: 2 }, to: { x: 2, y: 2 } },
    400,
    "Missing from.y: from.top is unknown, did you mean from.y?",
  ],
  ["/api/key", { keys: "cntrl+s" }, 400, /^keys contains an unknown key, "cntrl" \(did you mean ctrl\?\)/],
  ["/api/press", { key: "entre" }, 400, /\(did you mean enter\?\)$/],
  ["/api/click", { at: "pointer", x: 1, y: 1 }, 400, "at cannot be given with x and y"],
  ["/api/click", { at: "here" }, 400, /^at must be one of pointer/],
  ["/api/click", { count: 2 }, 400, "Missing x"],
  ["/api/wait", { stable: { ms: 10, width: 5000 } }, 400, /^width must be from 1 to 1280/],
  ["/api/wait", { pixel: { x: 1, y: 1, hex: "#123456" }, timeout_ms: 30 }, 408, /within 30 ms$/],
];

for (const [path, body, status, error] of WRONG_BODIES) {
  const shown = (typeof body === "string" ? body : JSON.stringify(body)).slice(0, 60);
  Deno.test(`POST ${path} ${shown} is ${status}`, async () => {
    const { request, desktop, reported } = controlApi();
    const response = await request("POST", path, body);
    const answer = await response.json();
    assertEquals(Object.keys(answer), ["error"]);
    if (typeof error === "string") assertEquals(answer.error, error);
    else assertMatch(answer.error, error);
    assertEquals(response.status, status);
    assertEquals(desktop.log, []);
    assertEquals(reported, []);
  });
}

const WRONG_QUERIES: [query: string, error: RegExp | string][] = [
  ["/api/pixel", "Missing x"],
  ["/api/pixel?x=1", "Missing y"],
  ["/api/pixel?x=1&color=red", "Missing y: color is unknown; the fields are x, y, element"],
  ["/api/pixel?x=1.5&y=1", /^x must be a whole number, not "1\.5"$/],
  [
    "/api/pixel?x=1&y=123456789012",
    /^y must be from 0 to 719 \(the bounds of the desktop\), not 123456789012$/,
  ],
  ["/api/pixel?x=&y=1", /^x must be a whole number/],
  ["/api/pixel?x=1280&y=1", /^x must be from 0 to 1279/],
  ["/api/screenshot?format=gif", /^format must be one of bmp, png, not "gif"$/],
  ["/api/screenshot?x=-1", /^x must be from 0 to 1279/],
  ["/api/screenshot?width=0", /^width must be a whole number from 1/],
  ["/api/screenshot?x=1000&width=281", /^width must be from 1 to 280/],
  ["/api/screenshot?cursor=yes", /^cursor must be true or false/],
  ["/api/screenshot?cursor=%ff", /^cursor must be true or false/],
];

for (const [target, error] of WRONG_QUERIES) {
  Deno.test(`GET ${target} is 400`, async () => {
    const response = await controlApi().request("GET", target);
    assertEquals(response.status, 400);
    const message = (await response.json()).error;
    if (typeof error === "string") assertEquals(message, error);
    else assertMatch(message, error);
  });
}

Deno.test("a body is read as JSON regardless of its Content-Type", async () => {
  const { request } = controlApi();
  for (const type of ["application/x-www-form-urlencoded", "text/plain", "application/json", "image/png"]) {
    const response = await request("POST", "/api/move", { x: 1, y: 2 }, {
      headers: { "content-type": type },
    });
    assertEquals(response.status, 200, type);
  }
});

Deno.test("values at the limits are accepted", async () => {
  const { request, desktop } = controlApi();
  for (
    const [path, body, status] of [
      ["/api/click", { x: 0, y: 0, button: "left", count: 3 }, 200],
      ["/api/move", { x: 1279, y: 719 }, 200],
      ["/api/scroll", { direction: "up", amount: 1000 }, 200],
      ["/api/recording/play", { speed: 100, times: 10_000 }, 409], // nothing is recorded
      ["/api/recording/play", { speed: 0.05, times: 1 }, 409],
    ] as const
  ) {
    assertEquals((await request("POST", path, body)).status, status, JSON.stringify(body));
  }
  assertEquals(await desktop.pointer.position(), { x: 1279, y: 719 });
  const first = await statusOf(request("GET", "/api/pixel?x=1279&y=719&x=5000&z=1"));
  assertEquals(first, 200, "of a name given twice the first counts, an unknown one is left out");
});

Deno.test("a body that declares an excessive length is not read", async () => {
  const { request } = controlApi();
  const headers = { "content-length": "65537" };
  assertEquals((await request("POST", "/api/move", { x: 1, y: 1 }, { headers })).status, 413);
});

Deno.test("a body that is not UTF-8 is not JSON", async () => {
  const { request } = controlApi();
  const init = {
    body: new Uint8Array([...new TextEncoder().encode('{"x":1,"y":2,"z":"'), 0xff, 0x22, 0x7d]),
  };
  assertEquals((await request("POST", "/api/move", undefined, init)).status, 400);
});

Deno.test("query values are read by their type", async () => {
  const { request } = controlApi();
  for (const [cursor, status] of [["true", 200], ["false", 200], ["TRUE", 400], ["1", 400]] as const) {
    const response = await request("GET", `/api/screenshot?width=1&height=1&cursor=${cursor}`);
    assertEquals(response.status, status, cursor);
    await response.bytes();
  }
  // The pointer's own position, drawn in or not.
  const place = "/api/screenshot?x=640&y=360&width=8&height=8&cursor=";
  const [drawn, bare, usual] = await Promise.all(
    [`${place}true`, `${place}false`, place.replace("&cursor=", "")].map(async (target) =>
      (await request("GET", target)).bytes()
    ),
  );
  assertEquals(bare, usual);
  assert(drawn.some((byte, i) => byte !== bare[i]));
});

Deno.test("zero has no sign: C functions do not accept -0", () => {
  const fields = { x: wholeNumber("") };
  assert(Object.is(parseFields(fields, { x: -0 }).x, 0));
  assert(Object.is(parseQuery(fields, "x=-0").x, 0));
});

Deno.test("a query's whole numbers may have decimal places of zero, as in JSON", () => {
  const fields = { x: wholeNumber("") };
  assertEquals([parseQuery(fields, "x=5.0").x, parseFields(fields, JSON.parse('{"x":5.0}')).x], [5, 5]);
  for (const word of ["5.1", "5.", ".0", "5.0e1"]) {
    assertThrows(
      () => parseQuery(fields, `x=${word}`),
      InputError,
      `x must be a whole number, not "${word}"`,
    );
  }
});
