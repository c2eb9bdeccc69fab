/**
 * Watches a window that is dragged for a long time, as a viewer of the live picture that decodes all pictures. Prints
 * pictures, memory and open files on the way; at the end every row must be the screen's.
 *
 *     deno run -A bench/live_soak.ts [MINUTES]
 */

import { delay } from "@std/async/delay";
import { openX11 } from "../ffi/x11/mod.ts";
import { LiveViewer } from "../tests/support/live_viewer.ts";
import { Program } from "../tests/support/program.ts";
import { Scene } from "../tests/support/pictures.ts";
import { until } from "../tests/support/shell.ts";
import { Xvfb } from "../tests/support/xvfb.ts";
import { residentMb } from "./measure.ts";

const MINUTES = Number(Deno.args[0] ?? 60);
const SCREEN = { width: 1920, height: 1080 };

await using server = await Xvfb.start(SCREEN);
await using scene = await Scene.start(server, "a window is dragged");
await using program = new Program(["--http", "0"], { env: server.env });
const url = await program.controlUrl();
using seen = new LiveViewer(url);
console.log("| minute | pictures | a second | KB each | memory | open files |");
for (let minute = 1; minute <= MINUTES && seen.isOpen; minute++) {
  const { pictures, bytes } = seen;
  await delay(60_000);
  const shown = seen.pictures - pictures, files = [...Deno.readDirSync(`/proc/${program.pid}/fd`)].length;
  const kilobytes = ((seen.bytes - bytes) / shown / 1000).toFixed(1);
  console.log(
    `| ${minute} | ${seen.pictures} | ${(shown / 60).toFixed(1)} | ${kilobytes} | ` +
      `${await residentMb(program.pid)} MB | ${files} |`,
  );
}
await scene.freeze();
const desktop = openX11(server.display);
const wrongRows = () =>
  desktop.screen.capture(desktop.screen.layout(), false, (frame) => seen.wrongRows(frame));
const { told } = seen, wrong = await until(wrongRows, (rows) => rows === 0).catch(wrongRows);
desktop.close();
console.log(`rows that differ at the end: ${wrong} of ${SCREEN.height}${told && `; told: ${told}`}`);
if (wrong || told) Deno.exitCode = 1;
