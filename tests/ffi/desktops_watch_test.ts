/** Input watching and the pointer in screenshots, on every desktop of the table. */

import { assert, assertEquals } from "@std/assert";
import { delay } from "@std/async/delay";
import type { Desktop, InputAction, ObservedAction, Watch } from "../../control/desktop/desktop.ts";
import { newRecording, type RecordedEvent } from "../../control/recording/format.ts";
import { planRound } from "../../control/recording/playback.ts";
import { StoredRecording } from "../../control/recording/stored.ts";
import { DESKTOPS } from "../support/desktops.ts";
import { Program } from "../support/program.ts";
import { rgbOf } from "../support/pictures.ts";
import { until } from "../support/shell.ts";
import { keptFrame } from "../support/clipboard_tools.ts";

/** Maximum difference between two threads' clocks, in milliseconds. */
const SKEW_MS = 10;
const AT = { x: 30, y: 40 };
/** Actions to perform and replay. */
const ACTIONS: InputAction[] = [
  { type: "button", button: "left", down: true, ...AT },
  { type: "button", button: "left", down: false, ...AT },
  { type: "scroll", direction: "up", amount: 1, ...AT },
  { type: "scroll", direction: "right", amount: 1, ...AT },
  { type: "button", button: "forward", down: true, ...AT },
  { type: "button", button: "forward", down: false, ...AT },
  { type: "key", key: "shift", down: true },
  { type: "key", key: "a", down: true },
  { type: "key", key: "a", down: false },
  { type: "key", key: "shift", down: false },
  { type: "key", key: "f5", down: true },
  { type: "key", key: "f5", down: false },
];

const options = { sanitizeOps: false, sanitizeResources: false }; // replays end after their tests

for (const { name, needs, start, leavesPointerOut } of DESKTOPS) {
  Deno.test({ name: `${name}: a watch reports all that deskhand does`, ...needs, ...options }, async (t) => {
    await using system = await start();
    const desktop = await system.open();
    await t.step("in order, with timestamps", () => ownActions(desktop));
    await t.step("even after the system clock has been set", () => otherClock(desktop));
    await t.step("up to a thousand motions and clicks a second", () => manyActions(desktop));
    await t.step("and leaves no connection open when closed", async () => {
      const open = () => [...Deno.readDirSync("/proc/self/fd")].length;
      const once = async () => await (await watchOf(desktop, () => {})).close();
      await once();
      const before = open();
      for (let i = 0; i < 10; i++) await once();
      await until(open, (now) => now <= before + 2);
    });
    desktop.close();
  });

  Deno.test({
    name: `${name}: screenshots include the pointer at its position, or omit it where possible`,
    ...needs,
  }, async () => {
    await using system = await start();
    const desktop = await system.open();
    await using _program = await system.showPointer();
    await desktop.pointer.move({ x: 200, y: 200 });
    const picture = async (x: number, y: number, cursor: boolean) =>
      rgbOf(await keptFrame(desktop.screen, { x, y, width: 40, height: 40 }, cursor));
    const isSame = (a: Uint8Array, b: Uint8Array) => a.every((value, i) => value === b[i]);
    // All of them, repeatedly: the program may still be drawing.
    await until(
      async () => {
        const empty = await picture(600, 400, true), drawn = await picture(180, 180, true);
        if (isSame(drawn, empty)) return "no pointer was drawn";
        if (!isSame(await picture(600, 400, false), empty)) return "something is drawn elsewhere";
        const without = await picture(180, 180, false);
        return leavesPointerOut && !isSame(without, empty) ? "it was drawn unasked" : "";
      },
      (wrong) => wrong === "",
      String,
    );
    for (const [x, y] of [[0, 0], [1279, 719]]) { // clipped at the edges
      await desktop.pointer.move({ x, y });
      assertEquals((await keptFrame(desktop.screen, desktop.screen.layout(), true)).width, 1280);
    }
    desktop.close();
  });
}

for (const { name, needs, start } of DESKTOPS) {
  Deno.test(
    { name: `${name}: /api/events reports actions, and again when they are replayed`, ...needs },
    async () => {
      await using system = await start();
      await using program = new Program(["--http", "0"], { env: system.env });
      const url = await program.controlUrl(), seen: string[] = [], stop = new AbortController();
      const response = await fetch(`${url}/api/events`, { signal: stop.signal });
      let isListening = false;
      const found = (type: string) => type === "listening" ? isListening = true : seen.push(type);
      const reading = eachEvent(response.body!, found).catch(() => {}); // until it is canceled
      const post = async (path: string, body: unknown = {}) => {
        const init = { method: "POST", body: JSON.stringify(body) };
        assertEquals((await (await fetch(`${url}/api/${path}`, init)).json()).error, undefined, path);
      };
      const done = ["button", "button", "scroll", ...Array(6).fill("key")];
      const isSeen = (all: string[]) => all.length >= done.length;
      await until(() => isListening);
      await post("recording/start");
      await post("click", { x: 30, y: 40, button: "left" });
      await post("scroll", { direction: "up", amount: 1 });
      await post("key", { keys: "ctrl+t" });
      await post("type", { text: "é" });
      assertEquals(await until(() => seen, isSeen), done);
      await post("recording/stop");
      seen.length = 0;
      await post("recording/play");
      assertEquals(await until(() => seen, isSeen), done);
      stop.abort();
      await reading;
    },
  );
}

/**
 * Reads an event stream to its end.
 * @param found Receives `listening`, then each action's type except moves.
 */
async function eachEvent(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  found: (type: string) => unknown,
): Promise<void> {
  let rest = "";
  for await (const part of stream.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + part).split("\n");
    rest = lines.pop()!;
    for (const line of lines) {
      const type = /^event: (button|scroll|key)$|^: (listening)/.exec(line);
      if (type) found(type[1] ?? type[2]);
    }
  }
}

/** Watches; a watch that ends on its own fails the test. */
function watchOf(desktop: Desktop, actions: (batch: ObservedAction[]) => void): Promise<Watch> {
  return desktop.observer.watch({
    actions,
    problem(kind, message) {
      if (kind === "ended") throw new Error(message);
    },
  });
}

const now = () => performance.timeOrigin + performance.now();

async function ownActions(desktop: Desktop): Promise<void> {
  const seen: ObservedAction[] = [], before = now();
  const watch = await watchOf(desktop, (batch) => seen.push(...batch));
  const isSeen = (count: number) =>
    until(() => seen.filter(({ action }) => action.type !== "move"), (all) => all.length >= count);
  await desktop.pointer.move(AT);
  for (const [i, action] of ACTIONS.entries()) {
    if (action.type === "button") await desktop.pointer.button(action.button, action.down);
    if (action.type === "scroll") await desktop.pointer.scroll(action.direction, action.amount);
    if (action.type === "key") await desktop.keyboard.key(action.key, action.down);
    await isSeen(i + 1);
  }
  assertEquals(seen.map(({ action }) => action), [{ type: "move", ...AT }, ...ACTIONS]);
  seen.length = 0;
  const screen = desktop.screen.layout();
  const events = ACTIONS.map((action, i) => ({ t: 5 * i, ...action })) as RecordedEvent[];
  const recording = StoredRecording.of({ ...newRecording(screen, new Date()), events });
  await desktop.playback.start(planRound(recording, {}, screen), 1).done;
  const again = await isSeen(ACTIONS.length);
  assertEquals(again.map(({ action }) => action), ACTIONS);
  const after = now(), times = seen.map(({ at }) => at);
  assert(seen.every(({ injected }) => injected));
  assert(
    times.every((at, i) => at >= (times[i - 1] ?? before - SKEW_MS) && at <= after + SKEW_MS),
    times.join(),
  );
  await watch.close();
}

async function otherClock(desktop: Desktop): Promise<void> {
  const seen: ObservedAction[] = [], origin = performance.timeOrigin;
  // As if the clock had been set back by an hour since this thread started.
  Object.defineProperty(performance, "timeOrigin", { value: origin + 3_600_000, configurable: true });
  try {
    const before = now();
    const watch = await watchOf(desktop, (batch) => seen.push(...batch));
    await desktop.pointer.move({ x: 300, y: 400 });
    await until(() => seen.length > 0);
    await watch.close();
    const [{ at }] = seen;
    assertEquals([at >= before - 1, at <= now() + 1], [true, true], `${at - before} ms after it began`);
  } finally {
    Object.defineProperty(performance, "timeOrigin", { value: origin, configurable: true });
  }
}

async function manyActions(desktop: Desktop): Promise<void> {
  let clicks = 0, moves = 0;
  const watch = await watchOf(desktop, (batch) => {
    for (const { action } of batch) {
      if (action.type === "button") clicks++;
      if (action.type === "move") moves++;
    }
  });
  for (let i = 0; i < 1000; i++) {
    await desktop.pointer.move({ x: i, y: i % 700 });
    await desktop.pointer.button("left", true);
    await desktop.pointer.button("left", false);
    if (i % 100 === 0) await delay(5);
  }
  await until(() => clicks >= 2000);
  assertEquals([clicks, moves > 0], [2000, true]);
  await watch.close();
}
