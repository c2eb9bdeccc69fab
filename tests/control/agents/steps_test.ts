/**
 * Steps of one call: each step's effect, and where lists of any interface stop rather than press or type
 * blindly.
 */

import { assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { BlindStepError, StepGuard } from "../../../control/actions/step_guard.ts";
import type { WindowInfo } from "../../../control/desktop/desktop.ts";
import { Operator } from "../../../control/operator/operator.ts";
import { KnownWindows } from "../../../control/windows/list.ts";
import { VirtualDesktop } from "../../../ffi/virtual/mod.ts";
import { controlApi } from "../../support/control.ts";
import { short } from "../../support/shell.ts";
import { call, wordsOf } from "../../support/agent_tools.ts";

/** A desktop on which keys open and close windows, and texts have no visible effect. */
class Windowed extends VirtualDesktop {
  /** The windows, the active one first. */
  shown: WindowInfo[];
  #last = 16;

  constructor(readonly onKey: Record<string, (desktop: Windowed) => void> = {}) {
    super();
    this.shown = [this.made("Table")];
    const { list } = this.windows, { key } = this.keyboard;
    this.windows.list = async () => {
      await list.call(this.windows);
      return this.shown.map((window, i) => ({ ...window, active: i === 0 }));
    };
    this.keyboard.key = async (name, down) => {
      await key.call(this.keyboard, name, down);
      if (!down) this.onKey[name]?.(this);
    };
  }

  made(title: string): WindowInfo {
    return {
      ...{ id: `0x${(++this.#last).toString(16)}`, title, class: "made", pid: Deno.pid, state: "normal" },
      ...{ active: false, x: 0, y: 0, width: 1280, height: 720 },
    };
  }

  open(title: string): void {
    this.shown.unshift(this.made(title));
  }

  leave(): void {
    this.shown.shift();
  }
}

const steps = async (desktop: Windowed, actions: unknown[], more: Record<string, unknown> = {}) => {
  const api = controlApi({ desktop });
  const result = await call(api, "do", { actions, look: false, ...more });
  return { isError: result.isError ?? false, lines: wordsOf(result).split("\n"), log: short(desktop.log) };
};

const TYPE = { tool: "type", text: "a" }, RETURN = { tool: "key", keys: "Return" };
const opening = (title: string) => (desktop: Windowed) => desktop.open(title);

Deno.test("a window that no step waited for stops steps before they type into it", async () => {
  const desktop = new Windowed({ enter: opening("Save") });
  const { isError, lines, log } = await steps(desktop, [RETURN, TYPE, RETURN]);
  assertEquals([isError, log], [true, ["+enter", "-enter"]]);
  assertEquals(lines[0], '1. pressed Return; opened "Save"');
  assertEquals(
    lines[1],
    '2. not done: the window "Save" became active, but no step waited for it; set "any_window":true to continue anyway; 1 more not done',
  );
  assertEquals(lines[2], 'hit; active: "Save" (new)');
});

Deno.test("steps continue in any window if told to", async () => {
  const desktop = new Windowed({ enter: opening("Save") });
  const { isError, log } = await steps(desktop, [RETURN, { tool: "key", keys: "b" }], { any_window: true });
  assertEquals([isError, log], [false, ["+enter", "-enter", "+b", "-b"]]);
});

/** Steps between two keys, the first of which opens the window "Save". */
const WAITS: [name: string, step: Record<string, unknown>, goesOn: boolean][] = [
  ["a step that waits for the window", { tool: "wait", window: { title: "save" } }, true],
  ["a step that expects the window", { tool: "wait", ms: 1, expect: { window: { title: "Save" } } }, true],
  ["a step that activates the window", { tool: "window", change: "activate", title: "Save" }, true],
  ["a step that waits for a time", { tool: "wait", ms: 1 }, false],
  ["a step that waits for another window", { tool: "wait", window: { title: "Table" } }, false],
  [
    "a step that waits until another window is gone",
    { tool: "wait", window: { title: "Ask", gone: true } },
    false,
  ],
];

for (const [name, step, goesOn] of WAITS) {
  Deno.test(`${name} ${goesOn ? "lets steps continue" : "does not let steps continue"} in a new window`, async () => {
    const desktop = new Windowed({ enter: opening("Save") });
    const { isError, log } = await steps(desktop, [RETURN, step, { tool: "key", keys: "b" }]);
    assertEquals([isError, log.includes("+b")], [!goesOn, goesOn]);
  });
}

Deno.test("the window behind a closed dialog is known, and a second dialog with its title is not", async () => {
  const onKey = { enter: opening("Save"), escape: (desktop: Windowed) => desktop.leave() };
  const wait = { tool: "wait", window: { title: "Save", active: true } },
    escape = { tool: "key", keys: "Escape" };
  const closed = await steps(new Windowed(onKey), [RETURN, wait, escape, { tool: "key", keys: "b" }]);
  assertEquals([closed.isError, closed.lines[2]], [false, '3. pressed Escape; closed "Save"']);
  const again = (desktop: Windowed) => {
    desktop.leave();
    desktop.open("Save");
  };
  const opened = await steps(new Windowed({ ...onKey, escape: again }), [RETURN, wait, escape, TYPE]);
  assertStringIncludes(opened.lines[3], '4. not done: the window "Save" became active');
});

Deno.test("a text that changed nothing stops the next step that types, and is reported", async () => {
  const desktop = new Windowed();
  desktop.keyboard.type = () => Promise.resolve(); // the program loses it
  const { isError, lines } = await steps(desktop, [TYPE, { tool: "wait", ms: 1 }, RETURN, RETURN]);
  assertEquals(isError, true);
  assertEquals(lines.slice(0, 3), [
    "1. typed 1 character; miss: nothing changed",
    "2. waited 1 ms",
    "3. not done: step 1 changed nothing; 1 more not done",
  ]);
  assertMatch(lines[3], /^miss: step 1 changed nothing; active: "Table"$/);
});

Deno.test("a text whose effect a step waited for, or that was expected to miss, stops no steps", async () => {
  const desktop = new Windowed();
  desktop.keyboard.type = () => Promise.resolve();
  const { isError } = await steps(desktop, [TYPE, { tool: "wait", window: { title: "Table" } }, RETURN]);
  assertEquals(isError, false);
  const { isError: isStopped } = await steps(desktop, [{ ...TYPE, expect: { verdict: "miss" } }, RETURN]);
  assertEquals(isStopped, false);
});

Deno.test("a key that changed nothing is reported and stops nothing", async () => {
  const desktop = new Windowed();
  desktop.keyboard.key = () => Promise.resolve(); // the program ignores it
  const { isError, lines } = await steps(desktop, [{ tool: "key", keys: "f9" }, RETURN]);
  assertEquals([isError, lines[0]], [false, "1. pressed f9; miss: nothing changed"]);
});

Deno.test("a window that closes while a step waits is an effect of the steps", async () => {
  const desktop = new Windowed({ enter: (desktop) => void setTimeout(() => desktop.leave(), 600) });
  desktop.open("Export");
  const { lines } = await steps(desktop, [RETURN, { tool: "wait", window: { title: "Export", gone: true } }]);
  assertEquals(lines.at(-1), 'hit; active: "Table", closed "Export"');
});

Deno.test("a window that opens between two steps stops the second, even if the screen looks the same", async () => {
  const desktop = new Windowed(), looksSame = () => () => true;
  const guard = await StepGuard.begin(new KnownWindows(new Operator(desktop), looksSame), false);
  let typed = 0;
  const run = (number: number, aim: "text" | undefined, act: () => void) =>
    guard.run({ number, aim, given: {}, awaits: [] }, async () => ({ result: await act() }));
  await run(1, "text", () => void typed++);
  await run(2, undefined, () => desktop.open("Save"));
  await assertRejects(() => run(3, "text", () => void typed++), BlindStepError, 'the window "Save" became');
  assertEquals(typed, 1);
});

/**
 * The interfaces that accept lists, each with a text, the Enter key and a press at 30,30 in its own syntax.
 */
const DOORS: Record<string, { path: string; more?: object; list: string; words: Record<string, unknown> }> = {
  "/api/steps": {
    path: "/api/steps",
    list: "steps",
    words: {
      text: { action: "type", text: "a" },
      enter: { action: "key", keys: "Return" },
      press: { action: "click", x: 30, y: 30, button: "left" },
    },
  },
  "OpenAI's lists": {
    path: "/api/act",
    more: { dialect: "openai" },
    list: "actions",
    words: {
      text: { type: "type", text: "a" },
      enter: { type: "keypress", keys: ["ENTER"] },
      press: { type: "click", x: 30, y: 30, button: "left" },
    },
  },
  "Anthropic's turns": {
    path: "/api/act",
    more: { dialect: "anthropic" },
    list: "actions",
    words: Object.fromEntries(
      Object.entries({
        text: ["type", { text: "a" }],
        enter: ["key", { text: "Return" }],
        press: ["left_click", { coordinate: [30, 30] }],
      }).map(([word, [name, input]]) => [word, {
        ...{ type: "tool_use", id: word, toolset_name: "computer" },
        name,
        input,
      }]),
    ),
  },
};

/** Lists, whether they continue to their end, and the reason if not. */
const LISTS: [name: string, words: string[], more: object, reason: RegExp | undefined][] = [
  [
    "a new window",
    ["enter", "press"],
    {},
    /not done: the window "Save" became active, but no step waited for it/,
  ],
  ["a new window, if told to continue", ["enter", "press"], { any_window: true }, undefined],
  ["a text that is lost", ["text", "enter"], {}, /not done: step 1 changed nothing/],
  ["a press that changes nothing", ["press", "text"], {}, /not done: step 1 changed nothing/],
  ["the same press again", ["press", "press"], {}, undefined],
];

for (const [door, { path, more, list, words }] of Object.entries(DOORS)) {
  for (const [name, given, fields, reason] of LISTS) {
    Deno.test(`${door} ${reason ? "stop at" : "continue at"} ${name}`, async () => {
      const desktop = new Windowed({ enter: opening("Save") });
      desktop.keyboard.type = () => Promise.resolve(); // the program loses it
      const actions = given.map((word) => words[word]);
      const response = await controlApi({ desktop }).request("POST", path, {
        ...more,
        [list]: actions,
        ...fields,
      });
      const { ok = false, error, results = [] } = await response.json();
      const failures = results.flatMap((
        { is_error, content }: { is_error?: true; content: { text: string }[] },
      ) => is_error ? content.map(({ text }) => text) : []);
      assertEquals(ok, reason === undefined);
      if (reason) assertMatch(error ?? failures[0], reason);
    });
  }
}

Deno.test("a call's screenshot is as recent as its line about the windows", async () => {
  const later = (desktop: Windowed) => void setTimeout(() => desktop.open("Save"), 200);
  const desktop = new Windowed({ enter: later }), { screen } = desktop, { capture } = screen;
  let pictured = 0; // the number of windows at the last screenshot
  screen.capture = (...args) => {
    pictured = desktop.shown.length;
    return capture.apply(screen, args) as never;
  };
  const words = wordsOf(await call(controlApi({ desktop }), "key", { keys: "Return", look: true }));
  assertEquals([words.split("\n").at(-1), pictured], ['hit; active: "Save" (new)', 2]);
});

Deno.test("a position in a window's screenshot is pressed in that window, or refused if another covers it", async () => {
  const api = controlApi(), { desktop } = api, [front, , form] = await desktop.windows.list();
  const click = async () =>
    wordsOf(await call(api, "act", { steps: [{ click: [20, 60, form.title] }], see: "none" }));
  const over = { x: form.x, y: form.y, width: 300, height: 300 };
  await desktop.windows.change(front, { to: "placed", region: over });
  assertStringIncludes(await click(), `"${front.title}" covers this position of "${form.title}"`);
  assertEquals(short(desktop.log), []);
  await desktop.windows.change(front, { to: "placed", region: { ...over, x: 0 } });
  await click();
  assertStringIncludes(short(desktop.log).join(" "), `(${form.x + 20},${form.y + 60}) +left -left`);
});
