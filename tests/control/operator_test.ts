/** Whole actions run one at a time and leave no key or button pressed. */

import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { delay } from "@std/async/delay";
import { ACTIONS } from "../../control/actions/mod.ts";
import type { Caller } from "../../control/operator/calls.ts";
import type { Button, Desktop, Frame, InputAction, Point, Pointer } from "../../control/desktop/desktop.ts";
import { combination, drag } from "../../control/operator/gestures.ts";
import { Operator } from "../../control/operator/operator.ts";
import { waitForStillness } from "../../control/operator/wait.ts";
import { newRecording } from "../../control/recording/format.ts";
import { Recorder } from "../../control/recording/recorder.ts";
import { StoredRecording } from "../../control/recording/stored.ts";
import { BusyError, DesktopUnavailableError, InputError, StateError } from "../../core/errors.ts";
import { liveOfFrames, playOnThread } from "../../ffi/on_thread.ts";
import { VirtualDesktop } from "../../ffi/virtual/mod.ts";
import { controlApi, runnerOf } from "../support/control.ts";
import { statusOf } from "../support/uploads.ts";
import { refusingKeys } from "../support/window_desktops.ts";

function downs(desktop: VirtualDesktop): string[] {
  const down = new Set<string>();
  for (const action of desktop.log) {
    if (action.type !== "button" && action.type !== "key") continue;
    const name = action.type === "button" ? action.button : action.key;
    if (action.down) down.add(name);
    else down.delete(name);
  }
  return [...down];
}

Deno.test("a hundred clients that click and drag at the same time never mix", async () => {
  const { request, desktop } = controlApi();
  await Promise.all(Array.from({ length: 100 }, async (_, i) => {
    const at = { x: 10 + i * 7, y: 5 + i * 3 };
    const answer = i % 10 === 0
      ? request("POST", "/api/drag", { from: at, to: { x: at.x + 30, y: at.y }, button: "right" })
      : request("POST", "/api/click", { ...at, button: "left" });
    assertEquals(await statusOf(answer), 200);
  }));
  let held: Extract<InputAction, { type: "button" }> | undefined;
  let presses = 0;
  for (const action of desktop.log) {
    if (action.type !== "button") continue;
    if (action.down) {
      assertEquals(held, undefined, "pressed while another button was down");
      held = action;
      presses++;
    } else {
      assertEquals(held?.button, action.button);
      if (action.button === "left") assertEquals([held?.x, held?.y], [action.x, action.y]);
      else assertEquals([held!.x + 30, held!.y], [action.x, action.y]);
      held = undefined;
    }
  }
  assertEquals(presses, 100);
});

Deno.test("position and screenshots do not wait for a long text", async () => {
  const { request, desktop } = controlApi();
  let typed = false;
  const typing = request("POST", "/api/type", { text: "long ".repeat(5000) }).then(() => typed = true);
  assertEquals((await request("GET", "/api/position")).status, 200);
  assertEquals((await request("GET", "/api/screenshot?width=10&height=10")).status, 200);
  assertEquals(typed, false);
  const click = request("POST", "/api/click", { x: 1, y: 1, button: "left" });
  await typing;
  await click;
  assertEquals(desktop.log.map(({ type }) => type), ["text", "move", "button", "button"]);
});

Deno.test("a client that goes away in a drag leaves nothing pressed", async () => {
  const desktop = new VirtualDesktop(), operator = new Operator(desktop);
  const client = new AbortController();
  const dragging = drag(operator, [{ x: 0, y: 0 }, { x: 1000, y: 700 }], ["from.", "to."], {
    signal: client.signal,
  });
  client.abort();
  await assertRejects(async () => await dragging);
  assertEquals(downs(desktop), []);
  assertEquals(operator.held(), []);
});

Deno.test("typing stops when its client goes away", async () => {
  const desktop = new VirtualDesktop(), operator = new Operator(desktop);
  const client = new AbortController();
  const typing = operator.type("a".repeat(10_000), client.signal);
  setTimeout(() => client.abort());
  await assertRejects(async () => await typing);
  const [told] = desktop.log;
  assertEquals(told.type === "text" && told.text.length < 10_000, true);
});

Deno.test("a press that fails midway is released", async () => {
  const desktop = refusingKeys((key, down) =>
    key === "b" && down ? new InputError("no such key") : undefined
  );
  const operator = new Operator(desktop);
  await assertRejects(() => combination(operator, ["ctrl", "shift", "b"]), InputError);
  assertEquals(downs(desktop), []);
  assertEquals(operator.held(), []);
});

Deno.test("held keys stay held through other actions, and release releases all of them", async () => {
  const desktop = new VirtualDesktop(), operator = new Operator(desktop);
  await operator.press(["key", "ctrl"]);
  await operator.press(["button", "left"]);
  await combination(operator, ["ctrl", "c"]);
  assertEquals(operator.held(), [["key", "ctrl"], ["button", "left"]]);
  assertEquals(downs(desktop).sort(), ["ctrl", "left"]);
  await operator.release();
  assertEquals(downs(desktop), []);
  assertEquals(operator.held(), []);
});

Deno.test("a press that failed is not held, and fails again", async () => {
  const desktop = refusingKeys((key) => key === "漢" ? new InputError("no such key") : undefined);
  const operator = new Operator(desktop);
  for (const keys of [["漢"], ["ctrl", "漢"]]) {
    for (let i = 0; i < 2; i++) {
      await assertRejects(() => combination(operator, keys), InputError, "no such key");
    }
  }
  for (let i = 0; i < 2; i++) {
    await assertRejects(() => operator.press(["key", "漢"]), InputError, "no such key");
  }
  assertEquals(downs(desktop), []);
  assertEquals(operator.held(), []);
});

Deno.test("keys held on a desktop that was gone are pressed again", async () => {
  const meets: ((operator: Operator) => Promise<unknown>)[] = [
    (operator) => operator.position(),
    (operator) => operator.release(["key", "shift"]),
    (operator) => operator.release(),
    (operator) => combination(operator, ["shift", "a"]),
  ];
  for (const meet of meets) {
    let gone: Error | undefined;
    const desktop = refusingKeys(() => gone), operator = new Operator(desktop);
    const position = desktop.pointer.position.bind(desktop.pointer);
    desktop.pointer.position = () => {
      if (gone) throw gone;
      return position();
    };
    await operator.press(["key", "shift"]);
    gone = new DesktopUnavailableError("gone");
    await assertRejects(() => meet(operator), DesktopUnavailableError);
    assertEquals(operator.held(), []);
    gone = undefined;
    await combination(operator, ["shift", "a"]);
    const told = desktop.log.slice(1);
    assertEquals(told.map((action) => "down" in action && action.down), [true, true, false, false]);
    assertEquals(operator.held(), []);
  }
});

Deno.test("a click with a held button releases only that button at its end", async () => {
  const desktop = new VirtualDesktop(), operator = new Operator(desktop);
  await operator.press(["button", "left"]);
  await operator.press(["button", "right"]);
  await operator.press(["key", "ctrl"]);
  await operator.click({ x: 3, y: 4 }, "left");
  assertEquals(downs(desktop).sort(), ["ctrl", "right"]);
  assertEquals(operator.held(), [["button", "right"], ["key", "ctrl"]]);
  // A program sees no press of a button that is down.
  const left = desktop.log.flatMap((one) => one.type === "button" && one.button === "left" ? [one.down] : []);
  assertEquals(left, [true, false, true, false]);
});

Deno.test("actions queue up to a limit, and are refused past it", async () => {
  const desktop = new VirtualDesktop(), operator = new Operator(desktop);
  const first = drag(operator, [{ x: 0, y: 0 }, { x: 10, y: 10 }], ["from.", "to."]);
  const waiting = Array.from({ length: 1000 }, () => operator.move({ x: 1, y: 1 }));
  await assertRejects(() => operator.move({ x: 1, y: 1 }), BusyError, "1000 actions are waiting already");
  await Promise.all([first, ...waiting]);
  await operator.move({ x: 2, y: 2 });
});

Deno.test("a reservation begins after earlier callers, and every later action is refused", async () => {
  const desktop = new VirtualDesktop(), operator = new Operator(desktop);
  drag(operator, [{ x: 0, y: 0 }, { x: 10, y: 10 }], ["from.", "to."]);
  operator.move({ x: 1, y: 1 });
  const turn = operator.reserve("busy");
  await assertRejects(() => operator.move({ x: 2, y: 2 }), StateError, "busy");
  assertThrows(() => operator.reserve("other"), StateError, "busy");
  await turn.begun;
  assertEquals(desktop.log.slice(-2), [
    { type: "button", button: "left", down: false, x: 10, y: 10 },
    { type: "move", x: 1, y: 1 },
  ]);
  await assertRejects(() => operator.move({ x: 2, y: 2 }), StateError, "busy");
  turn.end();
  await operator.move({ x: 3, y: 4 });
  assertEquals(await operator.position(), { x: 3, y: 4 });
});

Deno.test("positions off the desktop are refused by name and range before anything moves", async () => {
  const desktop = new VirtualDesktop(), operator = new Operator(desktop);
  const cases: [() => Promise<unknown>, string][] = [
    [() => operator.move({ x: -1, y: 0 }), "x must be from 0 to 1279"],
    [() => operator.click({ x: 0, y: 720 }, "left" as Button), "y must be from 0 to 719"],
    [() => operator.scroll("up", 1, { x: 9999, y: 0 }), "x must be from 0 to 1279"],
    [() => drag(operator, [{ x: 0, y: 0 }, { x: 0, y: -5 }], ["from.", "to."]), "to.y must be from 0 to 719"],
    [() => operator.capture({ x: 1279, width: 2 }, false, () => {}), "width must be from 1 to 1"],
  ];
  for (const [act, message] of cases) await assertRejects(act, InputError, message);
  assertEquals(desktop.log, []);
});

Deno.test("a move that did not get there stops a press only while the pointer is still there", async () => {
  const desktop = new VirtualDesktop(), operator = new Operator(desktop), edge = { x: 9, y: 9 };
  const pointer: Pointer = desktop.pointer, move = pointer.move.bind(pointer);
  const isConfined = ({ x }: Point) => x > 500;
  pointer.move = (point) => move(isConfined(point) ? edge : point);
  pointer.elsewhere = (point) => isConfined(point) ? edge : undefined;
  const presses = () => desktop.log.filter(({ type }) => type === "button" || type === "scroll").length;
  for (
    const act of [
      () => operator.scroll("down", 1),
      () => operator.press(["button", "left"]),
      () => operator.clickHere("left", 1, []),
    ]
  ) {
    await operator.move({ x: 600, y: 20 });
    const before = presses();
    await assertRejects(act, StateError, "the pointer did not get to 600,20: it is at 9,9");
    assertEquals(presses(), before);
    await operator.move({ x: 600, y: 20 });
    await move({ x: 30, y: 40 }); // by a person
    await act();
    assertEquals(presses() > before, true);
    await operator.release();
  }
});

Deno.test("a pressed key is held until it is released", async () => {
  const { request, desktop, operator } = controlApi();
  await request("POST", "/api/press", { button: "left" });
  await request("POST", "/api/press", { key: "shift" });
  assertEquals(operator.held().map(([, name]) => name).sort(), ["left", "shift"]);
  await request("POST", "/api/release", { button: "left" });
  await request("POST", "/api/release", { key: "shift" });
  assertEquals(operator.held(), []);
  await request("POST", "/api/press", { key: "a" });
  await request("POST", "/api/release", {});
  assertEquals(operator.held(), []);
  const told = desktop.log.map((action) => "down" in action && action.down);
  assertEquals(told, [true, true, false, false, true, false]);
});

// A desktop whose methods all take time, like a back end that asks another process.

/**
 * The virtual desktop with late answers; moves take longest, so that an action that does not wait overtakes
 * them.
 */
function slowDesktop(): Desktop & { log: VirtualDesktop["log"] } {
  const desktop = new VirtualDesktop(), { pointer, keyboard, screen } = desktop;
  const later = async <T>(act: () => Promise<T>, ms = 1): Promise<T> => {
    await delay(ms);
    return await act();
  };
  const slow = {
    kind: "virtual",
    pointer: {
      position: () => later(() => pointer.position()),
      move: (point) => later(() => pointer.move(point), 20),
      button: (button, down) => later(() => pointer.button(button, down)),
      scroll: (direction, amount) => later(() => pointer.scroll(direction, amount), 10),
    },
    keyboard: {
      key: (key, down) => later(() => keyboard.key(key, down)),
      type: (text, signal) => later(() => keyboard.type(text, signal)),
      restore: () => later(() => keyboard.restore()),
    },
    screen: {
      layout: () => screen.layout(),
      capture: (region, cursor, read) => later(() => screen.capture(region, cursor, read)),
      picture: (region, cursor) => later(() => screen.picture(region, cursor)),
    },
    observer: desktop.observer,
    log: desktop.log,
    close: () => desktop.close(),
  } satisfies Omit<Desktop, "playback" | "live">;
  return { ...slow, playback: playOnThread(slow), live: liveOfFrames(slow.screen) };
}

/** The log in short: `move 1,2`, `left down`, `a up`. */
function told({ log }: Pick<Desktop, "log">): string[] {
  return (log as InputAction[]).map((action) => {
    if (action.type === "move") return `move ${action.x},${action.y}`;
    if (action.type === "scroll") return `${action.direction} ${action.amount}`;
    return `${action.type === "key" ? action.key : action.button} ${action.down ? "down" : "up"}`;
  });
}

Deno.test("actions on a slow desktop stay in order, and those of several callers do not mix", async () => {
  const desktop = slowDesktop(), operator = new Operator(desktop);
  await Promise.all([
    operator.click({ x: 1, y: 1 }, "left"),
    operator.scroll("down", 2, { x: 2, y: 2 }),
    combination(operator, ["ctrl", "a"]),
  ]);
  assertEquals(told(desktop), [
    "move 1,1",
    "left down",
    "left up",
    "move 2,2",
    "down 2",
    "ctrl down",
    "a down",
    "a up",
    "ctrl up",
  ]);
  assertEquals(await operator.position(), { x: 2, y: 2 });
  assertEquals(operator.held(), []);
});

Deno.test("a replay on a slow desktop stays in order and releases what it pressed", async () => {
  const desktop = slowDesktop(), recorder = new Recorder(new Operator(desktop));
  const at = (x: number) => ({ x, y: 5 });
  recorder.load(StoredRecording.of({
    ...newRecording(desktop.screen.layout(), new Date()),
    events: [
      { t: 0, type: "move", ...at(1) },
      { t: 1, type: "button", button: "left", down: true, ...at(2) },
      { t: 2, type: "button", button: "left", down: false, ...at(3) },
      { t: 3, type: "scroll", direction: "up", amount: 1, ...at(4) },
      { t: 4, type: "key", key: "a", down: true },
      { t: 5, type: "key", key: "a", down: false },
    ],
  }));
  assertEquals((await recorder.play()).performed, 6);
  const moves = ["move 1,5", "move 2,5", "left down", "move 3,5", "left up", "move 4,5", "up 1"];
  assertEquals(told(desktop), [...moves, "a down", "a up"]);
});

Deno.test("positions, pixels and screenshots of a slow desktop are answered over HTTP", async () => {
  const { request } = controlApi({ desktop: slowDesktop() });
  assertEquals(await (await request("POST", "/api/move", { x: 7, y: 8 })).json(), { ok: true });
  assertEquals(await (await request("GET", "/api/position")).json(), { x: 7, y: 8 });
  assertEquals((await (await request("GET", "/api/pixel?x=1&y=1")).json()).hex, "#28485f");
  for (const format of ["bmp", "png"]) {
    const answer = await request("GET", `/api/screenshot?format=${format}&width=4&height=4`);
    assertEquals([answer.status, (await answer.bytes()).length > 60], [200, true]);
  }
});

// Callers' signals: a request's signal is slow to create, so only actions that wait ask for it.

/** A caller that counts the requests for its signal. */
class CountingCaller implements Caller {
  asked = 0;

  get signal(): AbortSignal {
    this.asked++;
    return new AbortController().signal;
  }
}

const at = { x: 10, y: 20 };

Deno.test("an action that does not wait never asks for its caller's signal", async () => {
  const runner = runnerOf(new Operator(new VirtualDesktop())), caller = new CountingCaller();
  const { position, move, scroll, press, release, click } = ACTIONS;
  const asked: Record<string, number> = {};
  const run = async (name: string, run: () => Promise<unknown>) => {
    caller.asked = 0;
    await run();
    asked[name] = caller.asked;
  };
  await run("position", () => runner.run(position, {}, caller));
  await run("move", () => runner.run(move, at, caller));
  await run("scroll", () => runner.run(scroll, { direction: "up", amount: 1, ...at }, caller));
  await run("press", () => runner.run(press, { button: "left", ...at }, caller));
  await run("release", () => runner.run(release, { button: "left", ...at }, caller));
  await run("click", () => runner.run(click, { button: "left", ...at }, caller));
  assertEquals(asked, { position: 0, move: 0, scroll: 0, press: 0, release: 0, click: 0 });
});

Deno.test("an action that waits for another one's end asks for it", async () => {
  const operator = new Operator(new VirtualDesktop()),
    runner = runnerOf(operator),
    caller = new CountingCaller();
  const end = Promise.withResolvers<void>(), other = operator.run(() => end.promise);
  const moved = runner.run(ACTIONS.move, at, caller);
  end.resolve();
  await Promise.all([other, moved]);
  assertEquals(caller.asked > 0, true);
});

/** A screen of 64x200 pixels, with alternating black and white rows: how many at each look, and how late it is. */
function blinking(rowsAt: (look: number) => number, lateMs = (_look: number) => 0): Operator {
  let look = 0;
  const capture = async (_region: unknown, _cursor: boolean, use: (frame: Frame) => unknown) => {
    await delay(lateMs(++look));
    const pixels = new Uint8Array(64 * 4 * 200).fill(255, 0, rowsAt(look) * 64 * 4);
    return use({ pixels, width: 64, height: 200, stride: 64 * 4 });
  };
  return { capture } as unknown as Operator;
}

Deno.test("a blinking caret leaves the screen still, and a larger part does not, however busy the machine is", async () => {
  const { signal } = new AbortController(),
    still = (screen: Operator, ms: number) => waitForStillness(screen, {}, 400, ms, signal);
  assertEquals(typeof await still(blinking((look) => look % 2 * 20), 60_000), "number");
  assertEquals(await still(blinking((look) => look % 2 * 60), 1000), undefined);
  // The second look is late, and equals the first.
  assertEquals(
    await still(
      blinking((look) => look === 1 || look % 2 === 0 ? 60 : 0, (look) => look === 2 ? 500 : 0),
      1000,
    ),
    undefined,
  );
});
