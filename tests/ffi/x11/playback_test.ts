/** Replays in a Worker, on the desktop's own display rather than that of `$DISPLAY`. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { Operator } from "../../../control/operator/operator.ts";
import { newRecording } from "../../../control/recording/format.ts";
import { Recorder } from "../../../control/recording/recorder.ts";
import { planRound } from "../../../control/recording/playback.ts";
import { StoredRecording } from "../../../control/recording/stored.ts";
import { InputError } from "../../../core/errors.ts";
import { openX11 } from "../../../ffi/x11/mod.ts";
import { X11 } from "../../support/x11.ts";
import { Xvfb } from "../../support/xvfb.ts";

Deno.test(
  {
    name: "a replay finds unused keycodes for its characters, also right after a text that bound all of them",
    ...X11,
  },
  async () => {
    await using server = await Xvfb.start();
    const desktop = openX11(server.display), operator = new Operator(desktop);
    const recorder = new Recorder(operator);
    recorder.load(StoredRecording.of({
      ...newRecording(desktop.screen.layout(), new Date()),
      events: [true, false].map((down, t) => ({ t, type: "key", key: "漢", down })),
    }));
    await operator.type(String.fromCodePoint(...Array.from({ length: 100 }, (_, i) => 0x4e00 + i)));
    assertEquals((await recorder.play()).performed, 2);
    desktop.close();
  },
);

Deno.test(
  { name: "a replay of a million events costs the thread that starts it nothing", ...X11 },
  async () => {
    await using server = await Xvfb.start();
    const desktop = openX11(server.display), screen = desktop.screen.layout();
    const events = Array.from({ length: 1000 }, (_, t) => ({ t, type: "move", x: t, y: 1 } as const));
    const { parts, head } = StoredRecording.of({ ...newRecording(screen, new Date()), events });
    const pieces = Array.from({ length: 1000 }, () => parts.pieces[0]);
    const million = new StoredRecording({ head, count: 1_000_000, lastMs: 999, pieces });
    // Processor time, since what other programs take of the processors does not count.
    const before = workedMs();
    const playback = desktop.playback.start(planRound(million, { speed: 0.05 }, screen), 1);
    await playback.begun;
    const worked = workedMs() - before;
    playback.stop();
    assertEquals((await playback.done).stopped, true);
    assert(worked < 50, `${worked} ms`);
    const place = await desktop.pointer.position();
    // One that is stopped while its steps are made ends before it has made them all, and moves nothing.
    const stopped = desktop.playback.start(planRound(million, {}, screen), 1);
    stopped.stop();
    assertEquals((await stopped.done).performed, 0);
    // Nor does one with a place that is not on the desktop.
    const small = { ...screen, width: 500 };
    const wrong = desktop.playback.start({
      ...planRound(million, {}, screen),
      recorded: small,
      screen: small,
    }, 1);
    for (const end of [wrong.begun, wrong.done]) {
      await assertRejects(() => end, InputError, "events[500] is at 500,1, which is not on this desktop");
    }
    assertEquals(await desktop.pointer.position(), place);
    desktop.close();
  },
);

/** The processor time of this thread. */
function workedMs(): number {
  return Number(Deno.readTextFileSync("/proc/thread-self/schedstat").split(" ")[0]) / 1e6;
}
