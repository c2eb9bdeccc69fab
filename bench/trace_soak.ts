/**
 * Records a trace for a long time and prints the size of the files, memory and open files on the way, and the size of
 * V8's heap of each thread after its last collection.
 *
 *     deno run -A --config tests/deno.json bench/trace_soak.ts [MINUTES] [SCENE]
 *
 * Scenes: `terminal` (the default), which prints all the time, with a move and a PNG a second; `typing`, in which a
 * person types without a pause, with a click a second and a text every five.
 */

import { delay } from "@std/async/delay";
import { join } from "@std/path";
import { Program } from "../tests/support/program.ts";
import { Scene, type SceneName } from "../tests/support/pictures.ts";
import { Xvfb } from "../tests/support/xvfb.ts";
import { processorMs, residentMb } from "./measure.ts";

/** A row of {@linkcode LOADS}. */
interface SoakLoad {
  scene: SceneName;
  /** Calls of the API that are made in a second of a minute. */
  calls(second: number): readonly (readonly [path: string, body?: unknown])[];
}

/** The loads, by the names of the command line. */
const LOADS: Record<string, SoakLoad> = {
  terminal: {
    scene: "terminal, 50 lines a second",
    calls: (second) => [["move", { x: 100 + second * 20, y: 500 }], ["screenshot?format=png"]],
  },
  typing: {
    scene: "a person types",
    calls: (second) => [
      ["click", { x: 300 + second, y: 300, button: "left" }],
      ...second % 5 === 0 ? [["type", { text: "quiet as a fox\n" }] as const] : [],
    ],
  },
};

const MINUTES = Number(Deno.args[0] ?? 60);
const SCREEN = { width: 1920, height: 1080 };
/** A line of V8's log of collections: the thread's heap, and the megabytes in it afterwards. */
const COLLECTION = /^\[\d+:(0x[0-9a-f]+)\].* -> ([\d.]+) \([\d.]+\) MB/gm;

/** The megabytes in each thread's heap after its last collection, in the order in which the threads began. */
function heaps(log: string): string {
  const found = new Map(Array.from(log.matchAll(COLLECTION), ([, heap, size]) => [heap, size]));
  return [...found.values()].join(" ");
}

const load = LOADS[Deno.args[1] ?? "terminal"];
await using server = await Xvfb.start(SCREEN);
await using _scene = await Scene.start(server, load.scene);
const folder = await Deno.makeTempDir({ prefix: "deskhand-trace-soak-" });
try {
  const env = { ...server.env, DENO_V8_FLAGS: "--trace-gc" };
  await using program = new Program(["--http", "0", "--trace", folder], { env });
  const url = await program.controlUrl();
  console.log(`process ${program.pid}`);
  console.log("| minute | actions | pictures | files, MB | processor | memory | heaps, MB | open files |");
  for (let minute = 1; minute <= MINUTES; minute++) {
    const before = processorMs(program.pid);
    for (let second = 0; second < 60; second++) {
      for (const [path, body] of load.calls(second)) {
        const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
        const answer = await fetch(`${url}/api/${path}`, init), bytes = await answer.bytes();
        if (!answer.ok) throw new Error(`${path}: ${new TextDecoder().decode(bytes)}`);
      }
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
        `${await residentMb(program.pid)} MB | ${heaps(program.stdout)} | ${files} |`,
    );
  }
} finally {
  await Deno.remove(folder, { recursive: true });
}
