/** The tools `see` and `act`: steps in words, what they report, and what stops them. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { stepOf } from "../../../control/agents/steps/step.ts";
import { VirtualDesktop } from "../../../ffi/virtual/mod.ts";
import { call, sizeOf, wordsOf } from "../../support/agent_tools.ts";
import { controlApi } from "../../support/control.ts";
import { ElementsDesktop } from "../../support/elements.ts";

/** Steps in several forms, and the same steps as deskhand parses them. */
const FORMS: [given: unknown, verb: string, value: unknown, more: Record<string, unknown>][] = [
  [{ click: "Save", count: 2, hold: null }, "click", "Save", { count: 2 }],
  [{ double_click: "e12" }, "click", "e12", { count: 2 }],
  ['{"key":"ctrl+s"}', "key", "ctrl+s", {}],
  ['click button "Save" count=2', "click", 'button "Save"', { count: 2 }],
  ['type "Zoë\\n"', "type", "Zoë\n", {}],
  ["type plain words", "type", "plain words", {}],
  ['fill "Full name" = "Ann"', "fill", { "Full name": "Ann" }, {}],
  ["fill Courier = true", "fill", { Courier: true }, {}],
  ["menu File > Save As...", "menu", ["File", "Save As..."], {}],
  ["drag Rope to Basket", "drag", ["Rope", "Basket"], {}],
  ['wait window "Saved"', "wait", { window: "Saved" }, {}],
  ["wait still 300", "wait", { still: 300 }, {}],
  ["see", "see", "", {}],
  [{ open: "mousepad", file: "/tmp/a" }, "open", "mousepad", { file: "/tmp/a" }],
];

for (const [given, verb, value, more] of FORMS) {
  Deno.test(`the step ${JSON.stringify(given)} is ${verb}`, () => {
    assertEquals(stepOf(given, "steps[0]"), { verb, value, more } as unknown);
  });
}

const BLANKS = " ".repeat(200_000);

for (const verb of ["click", "fill", "menu", "drag", "wait"]) {
  Deno.test(`blanks after ${verb} take no time`, () => {
    const words = `x${BLANKS}y`, value = verb === "menu" || verb === "drag" ? [words] : words;
    assertEquals(stepOf(`${verb} ${words}`, "steps[0]"), { verb, value, more: {} } as unknown);
  });
}

Deno.test("blanks in a window's place and in an element in words take no time", async () => {
  const api = controlApi(), window = { window: "Notes", to: `left${BLANKS}!` };
  for (const step of [window, { click: { element: `a${BLANKS}!` } }, { click: `a${BLANKS}"!` }]) {
    assertEquals((await call(api, "act", { steps: [step] })).isError, true);
  }
});

/** Steps that are refused before anything is executed. */
const WRONG: [given: Record<string, unknown>, message: string][] = [
  [{ steps: [{ clik: "Save" }] }, "steps[0] needs a verb: one of click, fill"],
  [{ steps: [{ clik: "Save" }] }, "(did you mean click?)"],
  [
    { steps: [{ click: "Save" }, { click: "Save", twice: true }] },
    'steps[1] has no field "twice": click takes',
  ],
  [{ steps: [{ type: "" }] }, "steps[0].type is empty"],
  [{ steps: [] }, "steps must have 1 to 50 entries, not 0"],
];

for (const [given, message] of WRONG) {
  Deno.test(`act refuses ${JSON.stringify(given)}: ${message}`, async () => {
    const api = controlApi(), result = await call(api, "act", given);
    assertEquals([result.isError, api.desktop.log], [true, []]);
    assertStringIncludes(wordsOf(result), message);
  });
}

const act = async (api: ReturnType<typeof controlApi>, steps: unknown[], more = {}) => {
  const result = await call(api, "act", { steps, ...more });
  return { isError: result.isError ?? false, lines: wordsOf(result).split("\n"), result };
};

Deno.test("one call fills in a form, reports the new values and takes no screenshot", async () => {
  const api = controlApi();
  const fields = { Name: "Ann", Team: true, Seats: 7, "Send me news": true };
  const { isError, lines, result } = await act(api, [{ open: "form" }, { fill: fields }]);
  assertEquals([isError, result.content.length], [false, 1]);
  assertEquals(lines[0], '2/2 done; active "Form"');
  const told = lines.join("\n");
  for (const part of ['"Name" = "Ann"', '"Seats" = "7"', '"Send me news" checked']) {
    assertStringIncludes(told, part);
  }
});

Deno.test("a change is reported once, and an unchanged element never", async () => {
  const api = controlApi();
  await call(api, "see");
  const { lines } = await act(api, [{ key: "ctrl+a" }, { type: "x" }]);
  assertEquals(lines[0], '2/2 done; active "Notes"');
  assertMatch(lines[1], /^e\d+ textbox "Text" = "x" focused multiline$/);
  assert(!lines.join("\n").includes("menuitem"), lines.join("\n"));
  const { lines: none } = await act(api, [{ wait: { ms: 1 } }]);
  assertEquals(none, ['1/1 done; active "Notes"', "nothing changed"]);
});

Deno.test("a target that does not appear stops the steps, and the answer lists what is there", async () => {
  const api = controlApi();
  const { isError, lines } = await act(api, [{ click: "Nix" }, { type: "lost" }]);
  assertEquals([isError, lines[0]], [true, '0/2 done; active "Notes"']);
  assertStringIncludes(lines[1], '1. failed: there is no element "Nix" in "Notes"');
  assert(!JSON.stringify(api.desktop.log).includes("lost"));
});

Deno.test("a spreadsheet cell that is another object keeps its ref, and is a change if it looks different", async () => {
  const place = { x: 0, y: 0, width: 40, height: 20 };
  const sheet = (key: string, value: string) => [
    { key: "w", role: "frame", name: "Sums", depth: 0, place },
    { key: `${key}1`, role: "cell", name: "A1", value: "1", place },
    { key: `${key}2`, role: "cell", name: "A2", value, place },
  ];
  const desktop = new ElementsDesktop(sheet("a", "2")), api = controlApi({ desktop });
  await call(api, "see");
  desktop.made = sheet("b", "3");
  const { lines } = await act(api, [{ wait: 1 }]);
  assertEquals(lines.slice(1), ['e3 cell "A2" = "3"']);
});

Deno.test("a text that changes nothing stops the steps after it", async () => {
  const desktop = new VirtualDesktop();
  desktop.keyboard.type = () => Promise.resolve(); // the program loses it
  const { isError, lines } = await act(controlApi({ desktop }), [{ type: "a" }, { type: "b" }]);
  assertEquals(isError, true);
  assertEquals(lines.slice(0, 3), [
    '1/2 done; active "Notes"',
    "1. miss: nothing changed",
    "2. not done: step 1 changed nothing",
  ]);
});

Deno.test("steps in a condition run only if it holds", async () => {
  const api = controlApi();
  const { isError } = await act(api, [
    { if: { window: "Notes" }, then: [{ key: "ctrl+a" }, { type: "yes" }], else: [{ type: "no" }] },
    { if: { window: "Nothing" }, then: [{ type: "no" }] },
    { expect: { window: "Notes" } },
  ]);
  assertEquals(isError, false);
  assertStringIncludes(wordsOf(await call(api, "see")), '"Text" = "yes"');
});

Deno.test("a timeout is accepted next to a condition or in it, also for an expectation", async () => {
  const api = controlApi(), given = [{ element: "Nix" }, { element: "Nix", timeout_ms: 20 }];
  for (const verb of ["wait", "expect"]) {
    for (const [i, condition] of given.entries()) {
      const { lines } = await act(api, [{ [verb]: condition, ...(i ? {} : { timeout_ms: 20 }) }]);
      assertStringIncludes(lines[1], '1. failed: element "Nix" did not appear within 20 ms');
    }
  }
});

Deno.test("see adds structured content to the text for a program that asks for it", async () => {
  const api = controlApi(),
    plain = await call(api, "see"),
    rich = await call(api, "see", { structured: true });
  assertEquals(plain.structuredContent, undefined);
  assertEquals(wordsOf(rich), wordsOf(plain));
  const { windows, screen, elements } = rich.structuredContent as {
    windows: { title: string; active: boolean }[];
    screen: unknown;
    elements: { ref: string; role: string; name: string; x: number; y: number }[];
  };
  assertEquals([windows[0].title, windows[0].active, screen], ["Notes", true, { width: 1280, height: 720 }]);
  const { ref, role, name, x, y } = elements.find(({ name }) => name === "File")!;
  assertStringIncludes(wordsOf(plain), `${ref} ${role} ${JSON.stringify(name)}`);
  assert(x > 0 && y > 0);
  const picture = await call(api, "see", { what: "picture", structured: true });
  assertEquals([picture.content.length, picture.structuredContent], [2, undefined]);
});

Deno.test("see reports only the windows that it shows", async () => {
  const desktop = new VirtualDesktop(), api = controlApi({ desktop }), { elements, windows } = desktop;
  const { id, title } = (await windows.list()).find(({ active }) => !active)!;
  const read = elements.read.bind(elements);
  Object.assign(elements, {
    async read(...given: Parameters<typeof read>) {
      const tree = await read(...given), own = windows.all.find((window) => window.id === id);
      if (own) windows.close(own); // while the answer is in flight
      return tree;
    },
  });
  const [head] = wordsOf(await call(api, "see")).split("\n");
  assertStringIncludes(head, '"Notes" (active)');
  assert(!head.includes(title), head);
});

Deno.test("a position in a window's screenshot is one with the window's title", async () => {
  const api = controlApi(), picture = await call(api, "see", { what: "picture", window: "Notes" });
  assertStringIncludes(wordsOf(picture), `coordinates are the screen's, or the picture's as [x,y,"Notes"]`);
  const { windows } = await (await api.request("GET", "/api/windows")).json();
  const { x, y, width, height } = windows.find(({ title }: { title: string }) => title === "Notes");
  assertEquals(sizeOf(picture), { width, height });
  assertEquals((await act(api, [{ move: [7, 9, "Notes"] }])).isError, false);
  assertEquals(await (await api.request("GET", "/api/position")).json(), { x: x + 7, y: y + 9 });
  const part = await call(api, "see", { what: "picture", region: { x: 0, y: 0, width: 99, height: 99 } });
  assert(!wordsOf(part).includes("[x,y"), wordsOf(part));
});

Deno.test("see shows the element that find names, enlarged", async () => {
  const api = controlApi(), found = await call(api, "see", { find: 'menuitem "File"', structured: true });
  const { elements: [{ ref }] } = found.structuredContent as { elements: { ref: string }[] };
  const { elements: [{ width, height }] } = await (await api.request("GET", "/api/elements?name=File"))
    .json();
  for (const find of [ref, 'menuitem "File"']) {
    assertEquals(sizeOf(await call(api, "see", { what: "picture", find })), {
      width: 2 * width,
      height: 2 * height,
    });
  }
  const { isError, content: [{ text }] } = await call(api, "see", { what: "picture", find: "Nix" });
  assertEquals(isError, true);
  assertStringIncludes(text!, 'there is no element "Nix"');
});

Deno.test("an argument in a model's own form is understood", async () => {
  const api = controlApi();
  const { isError } = await act(api, '[{"key":"ctrl+a"},{"type":"z"}]' as never, {
    any_window: "false",
    see: null,
  });
  assertEquals(isError, false);
  const picture = await call(api, "see", {
    what: "picture",
    region: "[0, 0, 200, 100]",
    zoom: "2",
    window: "",
  });
  assertEquals(sizeOf(picture), { width: 400, height: 200 });
});

Deno.test("steps also work over HTTP, which counts those executed", async () => {
  const api = controlApi();
  const done = await api.request("POST", "/api/steps", { steps: ["key ctrl+a", 'type "w"', "see"] });
  const answer = await done.json();
  assertEquals([done.status, answer.ok, answer.done], [200, true, 3]);
  assertStringIncludes(answer.text, '"Text" = "w"');
  const failed = await api.request("POST", "/api/steps", { steps: [{ key: "ctrl+a" }, { click: "Nix" }] });
  const refusal = await failed.json();
  assertEquals([failed.status, refusal.done], [409, 1]);
  assertMatch(refusal.error, /^2\. failed: there is no element "Nix"/);
});

Deno.test("the log has the targets of steps, but only the length of texts", async () => {
  const lines: string[] = [];
  const api = controlApi({ agents: { log: (line) => lines.push(line) } });
  await act(api, [{ key: "ctrl+a" }, { type: "hidden" }, { open: "form" }, {
    fill: { Password: "hidden too" },
  }]);
  const { arguments: given } = JSON.parse(lines[0]);
  assertEquals(given.steps, [
    { key: "ctrl+a" },
    { type: { characters: 6 } },
    { open: "form" },
    { fill: { Password: "secret" } },
  ]);
  assert(!lines.join().includes("hidden"));
});

Deno.test("the screenshot and the line show the same moment, even if a window opens in between", async () => {
  const api = controlApi(), { screen, desk } = api.desktop as VirtualDesktop, capture = screen.capture;
  await act(api, [{ open: "form" }]);
  const [{ width, height }] = await api.desktop.windows!.list();
  let isOpened = false;
  screen.capture = function (region, ...rest) {
    const isOfForm = region.width === width && region.height === height;
    if (isOfForm && !isOpened) desk.start("orders");
    isOpened ||= isOfForm;
    return capture.call(this, region, ...rest) as never;
  };
  const { lines, result } = await act(api, [{ key: "tab" }], { see: "picture" });
  assertEquals([isOpened, lines[0]], [true, '1/1 done; active "Orders"']);
  const [orders] = await api.desktop.windows!.list();
  assertEquals(sizeOf(result), { width: orders.width, height: orders.height });
});
