/** Replays in a Worker, on the display of the desktop whatever `$DISPLAY` says. */

import { assertEquals, assertRejects } from "@std/assert";
import { Operator } from "../../../control/operator.ts";
import { newRecording } from "../../../control/recording/format.ts";
import { Recorder } from "../../../control/recording/recorder.ts";
import { StoredRecording } from "../../../control/recording/stored.ts";
import { InputError } from "../../../core/errors.ts";
import { openX11 } from "../../../ffi/x11/mod.ts";
import { until } from "../../support/until.ts";
import { X11 } from "../../support/x11.ts";
import { Xvfb } from "../../support/xvfb.ts";

Deno.test({ name: "a replay that fails leaves no connection open", ...X11 }, async () => {
  await using server = await Xvfb.start();
  const desktop = openX11(server.display);
  const player = desktop.playback;
  const steps = [{ at: 0, action: { type: "key", key: "\uffff", down: true } as const }];
  const fails = () => assertRejects(() => player.start(steps, 1).done, InputError, "no key");
  // The server's ends of the connections to it carry its name; 03 is one that is made.
  const name = new RegExp(` 03 \\d+ @?/tmp/.X11-unix/X${server.display.slice(1)}$`, "gm");
  const connections = () => Deno.readTextFileSync("/proc/net/unix").match(name)?.length ?? 0;
  assertEquals(connections(), 1);
  for (let i = 0; i < 3; i++) await fails();
  await until(connections, (count) => count === 1);
  desktop.close();
});

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
