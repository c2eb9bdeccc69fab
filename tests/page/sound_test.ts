/** The desktop's sound on the page: soon, and with the picture. */

import { openX11 } from "../../ffi/x11/mod.ts";
import { BROWSER, withBrowser } from "../support/browser.ts";
import { need } from "../support/need.ts";
import { type Delays, median, SoundDelay } from "../support/sound_delay.ts";
import { PULSE_ALONE, SOUND, SoundSession } from "../support/sound_session.ts";
import { until } from "../support/until.ts";
import { startInSession } from "../support/user_program.ts";
import { Xvfb } from "../support/xvfb.ts";

/** The most that sound may be late, and late or early beside the picture, in milliseconds. */
const MOST = { sound: 150, skew: 80 };
/** Flashes in a row of which the medians count: the machine may be busy for a moment. */
const FLASHES = 5;

const NEEDED = [BROWSER, SOUND, need("Xvfb", "chromium")];

/** Ways of the sound, and whether it goes on between beeps: from silence it begins anew each time. */
const WAYS = [
  { name: "PipeWire", env: {}, hums: true },
  { name: "PulseAudio's protocol", env: PULSE_ALONE, hums: false },
];

for (const { name, env, hums } of WAYS) {
  Deno.test({
    name: `by ${name} the page plays the desktop's sound soon, and with the picture`,
    ...BROWSER,
    ignore: NEEDED.some(({ ignore }) => ignore),
  }, () =>
    withBrowser(async (browser) => {
      await using sound = await SoundSession.start();
      const { session } = sound;
      await using server = await Xvfb.start({ width: 640, height: 480 });
      const options = { env: { ...server.env, ...env } };
      await using program = await startInSession(session, ["--http", "0", "--sound"], options);
      const url = await program.controlUrl(), desktop = openX11(server.display);
      try {
        await using measured = await SoundDelay.start({ session, server, desktop, browser, url }, hums);
        await until(
          async () => (await measured.delays()).slice(-FLASHES),
          isSoon,
          (delays) => `the last delays, in milliseconds: ${JSON.stringify(delays)}`,
        );
      } finally {
        desktop.close();
      }
    }));
}

function isSoon(delays: readonly Delays[]): boolean {
  const middle = (what: keyof Delays) => median(delays.map((each) => each[what]));
  return delays.length === FLASHES && middle("sound") <= MOST.sound && Math.abs(middle("skew")) <= MOST.skew;
}
