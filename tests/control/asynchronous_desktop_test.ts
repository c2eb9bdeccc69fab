/** A desktop whose every method takes its time, as a backend that asks another process may. */

import { assertEquals } from "@std/assert";
import { delay } from "@std/async/delay";
import type { Desktop, InputAction } from "../../control/desktop/desktop.ts";
import { combination } from "../../control/operator/gestures.ts";
import { Operator } from "../../control/operator/operator.ts";
import { newRecording } from "../../control/recording/format.ts";
import { Recorder } from "../../control/recording/recorder.ts";
import { StoredRecording } from "../../control/recording/stored.ts";
import { liveOfFrames } from "../../ffi/live/of_frames.ts";
import { playOnThread } from "../../ffi/playback/on_thread.ts";
import { VirtualDesktop } from "../../ffi/virtual/mod.ts";
import { controlApi } from "../support/control.ts";

/** The virtual desktop, answering later; moves take longest, so that an action that does not wait overtakes them. */
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

Deno.test("actions on a slow desktop keep their order, and those of several callers do not mix", async () => {
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

Deno.test("a replay on a slow desktop keeps its order and releases what it pressed", async () => {
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

Deno.test("positions, pixels and pictures of a slow desktop are answered over HTTP", async () => {
  const { request } = controlApi({ desktop: slowDesktop() });
  assertEquals(await (await request("POST", "/api/move", { x: 7, y: 8 })).json(), { ok: true });
  assertEquals(await (await request("GET", "/api/position")).json(), { x: 7, y: 8 });
  assertEquals((await (await request("GET", "/api/pixel?x=1&y=1")).json()).hex, "#20242c");
  for (const format of ["bmp", "png"]) {
    const answer = await request("GET", `/api/screenshot?format=${format}&width=4&height=4`);
    assertEquals([answer.status, (await answer.bytes()).length > 60], [200, true]);
  }
});
