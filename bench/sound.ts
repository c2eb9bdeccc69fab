/** The delay of the desktop's sound on the page, beside that of its picture, and the cost of listening. */

import { openX11 } from "../ffi/x11/mod.ts";
import { openBrowser } from "../tests/support/browser.ts";
import { type Delays, SoundDelay, SoundSession } from "../tests/support/sound_session.ts";
import { until } from "../tests/support/shell.ts";
import { startInSession } from "../tests/support/ordinary_user.ts";
import { Xvfb } from "../tests/support/xvfb.ts";
import { percentile } from "./measure.ts";
import type { Row } from "./table.ts";

/** The number of measured flashes; the first flashes, during which programs still start, do not count. */
const FLASHES = 20, FIRST = 3;
const AIM = "at most 150 / 80 ms";

/** Kinds of sound, and whether the sound goes on between beeps or begins anew from silence each time. */
const KINDS = [
  { what: "that goes on", hums: true },
  { what: "out of silence", hums: false },
];

/** Measures both kinds. */
export async function soundRows(): Promise<Row[]> {
  const browser = await openBrowser(), rows: Row[] = [];
  try {
    for (const { what, hums } of KINDS) {
      await using sound = await SoundSession.start();
      const { session } = sound;
      await using server = await Xvfb.start({ width: 640, height: 480 });
      const options = { env: { ...server.env } };
      await using program = await startInSession(session, ["--http", "0", "--sound"], options);
      const url = await program.controlUrl(), desktop = openX11(server.display);
      try {
        await using measured = await SoundDelay.start({ session, server, desktop, browser, url }, hums);
        const delays = await until(() => measured.delays(), ({ length }) => length >= FIRST + FLASHES);
        rows.push(rowOf(what, delays.slice(FIRST)));
      } finally {
        desktop.close();
      }
    }
  } finally {
    await browser.close();
  }
  return rows;
}

function rowOf(what: string, delays: readonly Delays[]): Row {
  const of = (part: (each: Delays) => number, share: number) =>
    percentile(delays.map(part), share).toFixed(0);
  const both = (share: number) =>
    `${of(({ sound }) => sound, share)} / ${of(({ skew }) => Math.abs(skew), share)}`;
  return {
    what: `sound ${what}: delay / skew to the picture, median and 90 %`,
    ours: `${both(0.5)} ms, ${both(0.9)} ms`,
    against: "",
    theirs: "",
    aim: AIM,
  };
}
