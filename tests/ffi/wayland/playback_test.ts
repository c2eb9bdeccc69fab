/** Replays on a real compositor, as a program on it sees them. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { Operator } from "../../../control/operator.ts";
import { newRecording, type RecordedEvent } from "../../../control/recording/format.ts";
import { Recorder } from "../../../control/recording/recorder.ts";
import { planRound } from "../../../control/recording/schedule.ts";
import { StoredRecording } from "../../../control/recording/stored.ts";
import { InputError } from "../../../core/errors.ts";
import { openWayland } from "../../../ffi/wayland/mod.ts";
import { need } from "../../support/need.ts";
import { Sway } from "../../support/sway.ts";
import { until } from "../../support/until.ts";
import { startWev, wevEvents } from "../../support/wev.ts";

const options = { ...need("sway", "wev", "stdbuf"), sanitizeOps: false, sanitizeResources: false };

Deno.test({
  name: "what was recorded is replayed, and a replay that is stopped leaves nothing down",
  ...options,
}, async (t) => {
  await using sway = await Sway.start();
  const desktop = await openWayland(sway.socket),
    operator = new Operator(desktop),
    recorder = new Recorder(operator);
  await using wev = await startWev(sway);
  let seen = 0;
  const receives = async (expected: string[]) => {
    const printed = await wev.printing((text) => wevEvents(text).length >= seen + expected.length);
    assertEquals(wevEvents(printed).slice(seen), expected);
    seen += expected.length;
  };
  const done = [
    ...["left pressed 100,50", "left released 400,300", "vertical 15"],
    ...["pressed Control_L", "pressed s", "released s", "released Control_L"],
  ];
  await t.step("a drag, the wheel and a combination", async () => {
    await recorder.start();
    await operator.press(["button", "left"], { x: 100, y: 50 });
    await operator.release(["button", "left"], { x: 400, y: 300 });
    await operator.scroll("down", 1);
    for (const key of ["ctrl", "s"]) await operator.press(["key", key]);
    for (const key of ["s", "ctrl"]) await operator.release(["key", key]);
    await recorder.stop();
    await receives(done);
    await operator.move({ x: 5, y: 5 });
    const { performed, stopped } = await recorder.play();
    assertEquals([performed, stopped], [9, false]);
    await receives(done);
  });
  await t.step("those who watch are told of it", async () => {
    const seen: string[] = [];
    const watch = await desktop.observer.watch({
      actions(batch) {
        for (const { action, injected } of batch) seen.push(`${action.type} ${injected}`);
      },
      problem() {},
    });
    const before = performance.timeOrigin + performance.now(), times: number[] = [];
    const timed = await desktop.observer.watch({
      actions: (batch) => times.push(...batch.map(({ at }) => at)),
      problem() {},
    });
    await recorder.play();
    await receives(done);
    const kinds = ["move", "button", "move", "button", "scroll", "key", "key", "key", "key"];
    await until(() => seen.length, (count) => count >= kinds.length);
    assertEquals(seen, kinds.map((kind) => `${kind} true`));
    const after = performance.timeOrigin + performance.now();
    assert(times.every((at, i) => at >= (times[i - 1] ?? before - 10) && at <= after + 10), times.join());
    for (const one of [watch, timed]) await one.close();
  });
  const screen = desktop.screen.layout();
  const planOf = (events: RecordedEvent[]) =>
    planRound(StoredRecording.of({ ...newRecording(screen, new Date()), events }), {}, screen);
  await t.step("a stopped one releases what it pressed", async () => {
    const long = desktop.playback.start(
      planOf([
        { t: 0, type: "button", button: "right", down: true, x: 7, y: 8 },
        { t: 1, type: "key", key: "shift", down: true },
        { t: 600_000, type: "move", x: 9, y: 9 },
      ]),
      1,
    );
    await receives(["right pressed 7,8", "pressed Shift_L"]);
    long.abort();
    await receives(["released Shift_L", "right released 7,8"]);
    assertEquals((await long.done).stopped, true);
  });
  await t.step("one that fails says why", async () => {
    const wrong = planOf([{ t: 0, type: "key", key: "\uffff", down: true }]);
    await assertRejects(() => desktop.playback.start(wrong, 1).done, InputError, "U+FFFF");
  });
  await t.step("a thousand moves are all done", async () => {
    const moves = Array.from({ length: 1000 }, (_, t) => ({ t, type: "move", x: t, y: 100 } as const));
    const { performed, medianLatenessMs, maxLatenessMs } = await desktop.playback.start(planOf(moves), 1)
      .done;
    assertEquals(performed, 1000);
    assert(maxLatenessMs >= medianLatenessMs);
    assertEquals(await desktop.pointer.position(), { x: 999, y: 100 });
  });
  desktop.close();
});
