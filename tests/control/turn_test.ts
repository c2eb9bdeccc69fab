/** Actions that exceed their own time limits end, name what they waited for, and leave nothing pressed. */

import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { BOUNDED_NAMES } from "../../control/actions/bound.ts";
import { ACTIONS } from "../../control/actions/mod.ts";
import type { AnyAction } from "../../control/actions/action.ts";
import { Operator } from "../../control/operator/operator.ts";
import { runLine } from "../../control/prompt/commands.ts";
import { playSteps } from "../../control/recording/playback.ts";
import { OverdueError } from "../../core/errors.ts";
import { VirtualDesktop } from "../../ffi/virtual/mod.ts";
import { controlApi, runnerOf } from "../support/control.ts";
import { until } from "../support/shell.ts";

/** Maximum time for actions without texts, pauses and waits, in milliseconds. */
const BOUND_MS = 300;

/** A virtual desktop with one method that hangs until released. */
class StandingDesktop extends VirtualDesktop {
  readonly #gate = Promise.withResolvers<void>();
  #isOpen = false;
  /** The number of calls that hung and have resumed. */
  late = 0;

  /** @param stands Decides which calls hang. */
  constructor(stands: (call: string) => boolean) {
    super();
    const wait = async <T>(call: string, run: () => Promise<T>): Promise<T> => {
      if (this.#isOpen || !stands(call)) return await run();
      await this.#gate.promise;
      try {
        return await run();
      } finally {
        this.late++;
      }
    };
    const { pointer, keyboard, windows, clipboard, screen } = this;
    const [move, button, scroll] = [pointer.move, pointer.button, pointer.scroll].map((one) =>
      one.bind(pointer)
    ) as [
      typeof pointer.move,
      typeof pointer.button,
      typeof pointer.scroll,
    ];
    pointer.move = (point) => wait("move", () => move(point));
    pointer.button = (name, down) => wait(`${down ? "press" : "release"} ${name}`, () => button(name, down));
    pointer.scroll = (direction, amount) => wait("scroll", () => scroll(direction, amount));
    const key = keyboard.key.bind(keyboard), type = keyboard.type.bind(keyboard);
    keyboard.key = (name, down) => wait(`${down ? "press" : "release"} ${name}`, () => key(name, down));
    keyboard.type = (text, signal) => wait("type", () => type(text, signal));
    const change = windows.change.bind(windows), write = clipboard.write.bind(clipboard);
    windows.change = (window, to) => wait("change", () => change(window, to));
    clipboard.write = (content, selection) => wait("write", () => write(content, selection));
    const capture = screen.capture.bind(screen);
    screen.capture = (region, cursor, read) => wait("capture", () => capture(region, cursor, read));
  }

  /** Resumes the calls that hang, and lets all later ones through. */
  goOn(): void {
    this.#isOpen = true;
    this.#gate.resolve();
  }

  /** Buttons and keys that are down according to the log, by name. */
  get down(): string[] {
    const down = new Set<string>();
    for (const action of this.log) {
      if (action.type !== "button" && action.type !== "key") continue;
      const name = action.type === "button" ? action.button : action.key;
      if (action.down) down.add(name);
      else down.delete(name);
    }
    return [...down];
  }
}

const ROWS: [path: string, body: Record<string, unknown>, stands: string, waitedFor: RegExp][] = [
  ["/api/move", { x: 1, y: 1 }, "move", /move the pointer/],
  ["/api/click", { x: 1, y: 1, button: "left" }, "press left", /press button left.*Released: button left/],
  [
    "/api/click",
    { x: 1, y: 1, button: "left", hold: "shift+ctrl" },
    "press left",
    /Released: .*key shift/,
  ],
  ["/api/click", { x: 1, y: 1, button: "left", count: 3 }, "release left", /release button left/],
  ["/api/press", { key: "ctrl" }, "press ctrl", /press key ctrl.*Released: key ctrl/],
  ["/api/scroll", { direction: "down", amount: 3, hold: "alt" }, "scroll", /turn the wheel.*key alt/],
  ["/api/drag", { from: { x: 1, y: 1 }, to: { x: 90, y: 9 } }, "press left", /press button left/],
  ["/api/steps", { steps: [{ action: "move", x: 1, y: 1 }] }, "move", /move the pointer/],
  ["/api/window/maximize", { any: true }, "change", /window manager/],
  [
    "/api/act",
    { dialect: "anthropic", action: { action: "left_click", coordinate: [5, 5] } },
    "press left",
    /press button left/,
  ],
];

for (const [path, body, stands, waitedFor] of ROWS) {
  Deno.test(`${path} ends if the desktop hangs at ${stands}`, async () => {
    const desktop = new StandingDesktop((call) => call === stands);
    const { request, operator } = controlApi({ desktop, marginMs: BOUND_MS });
    const answer = await request("POST", path, body), text = await answer.text();
    assertEquals(answer.status, 503, text);
    assertMatch(text, waitedFor);
    assertMatch(text, /it was waiting for/);
    assertEquals(operator.held(), []);
    // The next action has its turn; the call that hung has no effect any more.
    desktop.goOn();
    assertEquals((await request("POST", "/api/move", { x: 40, y: 30 })).status, 200);
    await until(() => desktop.late > 0 && desktop.down.length === 0);
    assertEquals((await (await request("GET", "/api/position")).json()).x, 40);
  });
}

Deno.test("reading ends if the desktop returns no screenshot", async () => {
  const desktop = new StandingDesktop((call) => call === "capture");
  const { request } = controlApi({ desktop, marginMs: BOUND_MS });
  const answer = await request("GET", "/api/pixel?x=1&y=1");
  assertEquals(answer.status, 503);
  assertStringIncludes(
    await answer.text(),
    "pixel timed out after 0.3 s: it was waiting for the desktop to answer",
  );
  desktop.goOn();
});

Deno.test("an action may wait long for its turn, and then has its whole time limit", async () => {
  const { request } = controlApi({ marginMs: BOUND_MS });
  const holding = request("POST", "/api/key", { keys: "a", hold_ms: 3 * BOUND_MS });
  const answers = await Promise.all([holding, request("POST", "/api/move", { x: 5, y: 6 })]);
  assertEquals(answers.map(({ status }) => status), [200, 200]);
});

Deno.test("a prompt command ends, and its keys are released", async () => {
  const desktop = new StandingDesktop((call) => call === "press left"),
    operator = new Operator(desktop, BOUND_MS);
  const context = {
    runner: runnerOf(operator),
    signal: new AbortController().signal,
    by: "prompt" as const,
    notice: () => {},
  };
  await assertRejects(() => Promise.resolve(runLine("c10-20", context)), OverdueError, "press button left");
  assertEquals(operator.held(), []);
  desktop.goOn();
  await until(() => desktop.late > 0 && desktop.down.length === 0);
});

Deno.test("an aborted gesture does nothing more once the desktop resumes", async () => {
  const desktop = new StandingDesktop((call) => call === "move"), operator = new Operator(desktop, BOUND_MS);
  await assertRejects(() => operator.click({ x: 9, y: 9 }, "left"), OverdueError, "move the pointer");
  desktop.goOn();
  await operator.move({ x: 1, y: 2 });
  await until(() => desktop.late > 0);
  await operator.move({ x: 1, y: 2 });
  assert(!desktop.log.some(({ type }) => type === "button"));
});

Deno.test("a replay ends if the desktop hangs, and releases what it holds", async () => {
  const desktop = new StandingDesktop((call) => call === "press b");
  const steps = ["a", "b"].map((key, at) => ({ at, action: { type: "key" as const, key, down: true } }));
  const clock = { now: () => performance.now(), sleepUntil: () => Promise.resolve(true) };
  await assertRejects(
    () => playSteps(desktop, steps, 1, clock, { marginMs: BOUND_MS }),
    OverdueError,
    "the replay timed out after 0.3 s: it was waiting for the desktop to press key b. Released: key b",
  );
  desktop.goOn();
  await until(() => desktop.late > 0 && desktop.down.length === 0);
});

Deno.test("each time limit belongs to an existing action", () => {
  const names = new Set(Object.values<AnyAction>(ACTIONS).map(({ name }) => name));
  assertEquals(BOUNDED_NAMES.filter((name) => !names.has(name)), []);
});
