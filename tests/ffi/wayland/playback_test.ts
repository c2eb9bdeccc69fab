/** What is Wayland's own about replays, on a real compositor; desktops_test.ts has the rest. */

import { assert, assertEquals } from "@std/assert";
import { newRecording, type RecordedEvent } from "../../../control/recording/format.ts";
import { planRound } from "../../../control/recording/schedule.ts";
import { StoredRecording } from "../../../control/recording/stored.ts";
import { openWayland } from "../../../ffi/wayland/mod.ts";
import { SWAY, Sway } from "../../support/sway.ts";
import { until } from "../../support/until.ts";

const EVENTS: RecordedEvent[] = [
  { t: 0, type: "move", x: 100, y: 50 },
  { t: 5, type: "button", button: "left", down: true, x: 100, y: 50 },
  { t: 10, type: "button", button: "left", down: false, x: 400, y: 300 },
  { t: 15, type: "scroll", direction: "down", amount: 1, x: 400, y: 300 },
  { t: 20, type: "key", key: "s", down: true },
  { t: 25, type: "key", key: "s", down: false },
];

Deno.test({
  name: "what a replay does is reported to those who watch, which no protocol does",
  ...SWAY,
  sanitizeOps: false,
  sanitizeResources: false,
}, async () => {
  await using sway = await Sway.start();
  const desktop = await openWayland(sway.socket), screen = desktop.screen.layout();
  const seen: string[] = [], times: number[] = [];
  const watch = await desktop.observer.watch({
    actions(batch) {
      for (const { action, injected, at } of batch) {
        if (action.type !== "move") seen.push(`${action.type} ${injected}`);
        times.push(at);
      }
    },
    problem() {},
  });
  const plan = planRound(
    StoredRecording.of({ ...newRecording(screen, new Date()), events: EVENTS }),
    {},
    screen,
  );
  const now = () => performance.timeOrigin + performance.now(), before = now();
  await desktop.playback.start(plan, 1).done;
  const kinds = ["button", "button", "scroll", "key", "key"];
  await until(() => seen.length, (count) => count >= kinds.length);
  assertEquals(seen, kinds.map((kind) => `${kind} true`));
  const after = now(), skew = 10; // of the clocks of two threads
  assert(times.every((at, i) => at >= (times[i - 1] ?? before - skew) && at <= after + skew), times.join());
  await watch.close();
  desktop.close();
});
