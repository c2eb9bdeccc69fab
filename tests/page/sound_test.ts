/** The desktop's sound on the page: soon, and with the picture. */

import { assertEquals } from "@std/assert";
import { openX11 } from "../../ffi/x11/mod.ts";
import { BROWSER, withBrowser } from "../support/browser.ts";
import { need } from "../support/need.ts";
import { type Delays, median, SoundDelay } from "../support/sound_delay.ts";
import { PULSE_ALONE, SOUND, SoundSession } from "../support/sound_session.ts";
import { until } from "../support/until.ts";
import { startInSession } from "../support/user_program.ts";
import { Xvfb } from "../support/xvfb.ts";
import { opened, shows } from "./page.ts";

/** The most that sound may be late, and late or early beside the picture, in milliseconds. */
const MOST = { sound: 150, skew: 80 };
/** Flashes in a row of which the medians count: the machine may be busy for a moment. */
const FLASHES = 5;

const NEEDED = [BROWSER, SOUND, need("Xvfb", "chromium")];

/** Ways of the sound, and whether the sound goes on between beeps or begins anew after silence each time. */
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

/** An address of this machine by which a page is neither of localhost nor over TLS. */
function otherAddress(): string | undefined {
  return Deno.networkInterfaces().find(({ family, address }) =>
    family === "IPv4" && !address.startsWith("127.")
  )
    ?.address;
}

Deno.test({
  name: "the button is there only with --sound, is off at first, and says where a browser plays no sound",
  ...BROWSER,
  ignore: NEEDED.some(({ ignore }) => ignore) || otherAddress() === undefined,
}, () =>
  withBrowser(async (browser) => {
    await using sound = await SoundSession.start();
    await using server = await Xvfb.start({ width: 640, height: 480 });
    const button = 'document.querySelector("#sound")';
    for (const options of [[], ["--sound"]]) {
      const args = ["--http", "0", "--host", "0.0.0.0", "--token", "a-secret-of-enough-letters", ...options];
      await using program = await startInSession(sound.session, args, { env: server.env });
      const { port } = new URL(await program.controlUrl());
      const page = await opened(
        browser,
        `http://${otherAddress()}:${port}/#token=a-secret-of-enough-letters`,
      );
      if (!options.length) {
        const answer = 'performance.getEntriesByName(new URL("/api/sound", location).href)[0]';
        await shows(page, `${answer}?.responseEnd > 0`);
        assertEquals(await page.evaluate(`${button}.hidden`), true);
        continue;
      }
      await shows(page, `!${button}.hidden`);
      assertEquals(await page.getAttribute("#sound", "aria-pressed"), "false");
      await page.click("#sound");
      await shows(page, 'document.querySelector("#notice").textContent.includes("only over TLS")');
      assertEquals(await page.getAttribute("#sound", "aria-pressed"), "false");
    }
  }));
