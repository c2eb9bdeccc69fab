/** xdotool commands on sway, as processes that open the desktop themselves, and with a running deskhand. */

import { join } from "@std/path";
import { Program } from "../tests/support/program.ts";
import { Sway } from "../tests/support/sway.ts";
import { until } from "../tests/support/shell.ts";
import { percentile } from "./measure.ts";
import type { Row } from "./table.ts";
import { executablePath } from "./start.ts";
import { first, raise, RUNS, shown, timed, type Took } from "./xdotool.ts";

const WORDS = ["mousemove 10 20", "click 1", "key a", "type hello", "getmouselocation"];

/**
 * Measures single commands, on an empty workspace and with a focused program. The compositor has no input
 * devices, so a command that opens the desktop itself adds the seat's first ones.
 */
export async function swayRows(): Promise<Row[]> {
  const folder = await Deno.makeTempDir(), executable = await executablePath(), before = await first();
  try {
    await using sway = await Sway.start();
    if (before.length) await raise(sway.pid);
    const env = { ...sway.env, HOME: folder, XDG_STATE_HOME: join(folder, "none"), DESKHAND_URL: "" };
    const measure = async (state: string, own = env) => {
      const rows: Row[] = [];
      for (const words of WORDS) {
        const all: Took[] = [];
        for (let run = -1; run < RUNS; run++) { // the first fills the file cache and does not count
          const took = await timed([...before, executable, "xdotool", ...words.split(" ")], own);
          if (run >= 0) all.push(took);
        }
        const median = (what: keyof Took) => percentile(all.map((took) => took[what]), 0.5);
        const ours = shown({ wall: median("wall"), processor: median("processor") });
        rows.push({
          what: `xdotool on sway, ${state}: ${words}`,
          ours,
          against: "",
          theirs: "",
          aim: "70 ms",
        });
      }
      return rows;
    };
    const empty = await measure("no window");
    await using _window = sway.spawn("foot");
    await sway.windows(1);
    const focused = await measure("a window");
    const shared = { ...env, XDG_STATE_HOME: join(folder, "shared") };
    await using program = new Program(["--http", "0"], { executable, env: shared });
    await program.controlUrl();
    const isNoted = ({ name }: Deno.DirEntry) => name.startsWith("running-");
    await until(() => [...Deno.readDirSync(join(folder, "shared", "deskhand"))].some(isNoted));
    if (before.length) await raise(program.pid);
    return [...empty, ...focused, ...await measure("beside a running deskhand", shared)];
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
