/**
 * Measures deskhand beside its peers, in one run, and writes the table into docs/benchmarks.md.
 *
 *     deno task bench [control] [desktop] [wayland] [find] [files] [archives] [listings] [start] [fleet] [agents]
 *
 *     deno task bench live [SCENE…]
 *
 * The live picture has a table of its own there, which the second form writes (scenes: tests/support/scenes.ts).
 * Without a name it measures all of the others. Peers that are not installed are named and left out; with a name the table
 * is printed only.
 */

import { agentRows } from "./agents.ts";
import { archiveRows } from "./archives.ts";
import { controlRows } from "./control.ts";
import { desktopRows } from "./desktop.ts";
import { filesRows } from "./files.ts";
import { findRows } from "./find.ts";
import { fleetRows } from "./fleet.ts";
import { listingRows } from "./listings.ts";
import { startRows } from "./start.ts";
import { type Row, table, writeMeasured } from "./table.ts";
import { waylandRows } from "./wayland.ts";

const SECTIONS: Record<string, () => Promise<Row[]>> = {
  control: controlRows,
  desktop: desktopRows,
  wayland: waylandRows,
  find: findRows,
  files: filesRows,
  archives: archiveRows,
  listings: listingRows,
  start: startRows,
  fleet: fleetRows,
  agents: agentRows,
};

const BENCHMARKS = new URL("../docs/benchmarks.md", import.meta.url);
if (Deno.args[0] === "live") {
  const { liveTable } = await import("./live.ts");
  const scenes = Deno.args.slice(1), measured = await liveTable(scenes);
  console.log(measured);
  if (!scenes.length) await writeMeasured(BENCHMARKS, measured, "live");
  Deno.exit();
}
const unknown = Deno.args.filter((name) => !Object.hasOwn(SECTIONS, name));
if (unknown.length) {
  console.error(`there are ${Object.keys(SECTIONS).join(", ")}, not ${unknown.join(", ")}`);
  Deno.exit(2);
}
const rows: Row[] = [];
for (const [name, measure] of Object.entries(SECTIONS)) {
  if (!Deno.args.length || Deno.args.includes(name)) rows.push(...await measure());
}
const text = table(rows);
console.log(text);
if (!Deno.args.length) await writeMeasured(BENCHMARKS, text);
