/**
 * Records a trace for a long time, of a terminal that prints all the time, with an action and a screenshot a second.
 * Prints the size of the files, memory and open files on the way.
 *
 *     deno run -A --config tests/deno.json bench/trace_soak.ts [MINUTES]
 */

import { delay } from "@std/async/delay";
import { join } from "@std/path";
import { Program } from "../tests/support/program.ts";
import { Scene } from "../tests/support/scenes.ts";
import { Xvfb } from "../tests/support/xvfb.ts";
import { processorMs, residentMb } from "./measure.ts";

const MINUTES = Number(Deno.args[0] ?? 60);
const SCREEN = { width: 1920, height: 1080 };

await using server = await Xvfb.start(SCREEN);
await using _scene = await Scene.start(server, "terminal, 50 lines a second");
const folder = await Deno.makeTempDir({ prefix: "deskhand-trace-soak-" });
try {
  await using program = new Program(["--http", "0", "--trace", folder], { env: server.env });
  const url = await program.controlUrl();
  console.log("| minute | actions | pictures | files, MB | processor | memory | open files |");
  for (let minute = 1; minute <= MINUTES; minute++) {
    const before = processorMs(program.pid);
    for (let second = 0; second < 60; second++) {
      const body = JSON.stringify({ x: 100 + second * 20, y: 500 });
      await (await fetch(`${url}/api/move`, { method: "POST", body })).body?.cancel();
      await (await fetch(`${url}/api/screenshot?format=png`)).arrayBuffer();
      await delay(1000);
    }
    const { actions, pictures } = await (await fetch(`${url}/api/trace/state`)).json();
    const bytes = [...Deno.readDirSync(folder)].reduce(
      (sum, { name }) => sum + Deno.statSync(join(folder, name)).size,
      0,
    );
    const files = [...Deno.readDirSync(`/proc/${program.pid}/fd`)].length;
    const share = ((processorMs(program.pid) - before) / 600).toFixed(1);
    console.log(
      `| ${minute} | ${actions} | ${pictures} | ${(bytes / 1e6).toFixed(1)} | ${share} % | ` +
        `${await residentMb(program.pid)} MB | ${files} |`,
    );
  }
} finally {
  await Deno.remove(folder, { recursive: true });
}
