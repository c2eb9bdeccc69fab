/**
 * Measures deskhand and its peers, in one run. Writes the table into docs/maintainers/benchmarks.md, and the
 * comparisons with other programs into docs/maintainers/comparisons.md.
 *
 *     deno task bench [control] [beside] [desktop] [wayland] [find] [text] [elements] [presses] [files] [archives] [listings] [start]
 *                     [xdotool] [agents] [trace] [webdriver] [vnc]
 *
 *     deno task bench live [SCENE…]
 *
 * The live picture has its own tables in docs/maintainers/comparisons.md, which the second form writes
 * (scenes: tests/support/pictures.ts); the scene `slow` stands for the second table, over a slow network.
 * Without a name, everything else but `presses` is measured. Peers that are not installed are named and
 * skipped; with a name, the table is only printed.
 */

import { agentRows } from "./agents.ts";
import { archiveRows } from "./archives.ts";
import { besideRows } from "./beside.ts";
import { controlRows } from "./control.ts";
import { desktopRows } from "./desktop.ts";
import { elementsRows, pressesRows } from "./elements.ts";
import { filesRows } from "./files.ts";
import { findRows } from "./find.ts";
import { listingRows } from "./listings.ts";
import { startRows } from "./start.ts";
import { xdotoolRows } from "./xdotool.ts";
import { swayRows } from "./xdotool_sway.ts";
import { comparedTable, type Row, table, writeMeasured } from "./table.ts";
import { traceRows } from "./trace.ts";
import { textRows } from "./text.ts";
import { vncRows } from "./vnc.ts";
import { waylandRows } from "./wayland.ts";
import { webdriverRows } from "./webdriver.ts";

const SECTIONS: Record<string, () => Promise<Row[]>> = {
  control: controlRows,
  beside: besideRows,
  desktop: desktopRows,
  wayland: waylandRows,
  find: findRows,
  text: textRows,
  elements: elementsRows,
  presses: pressesRows,
  files: filesRows,
  archives: archiveRows,
  listings: listingRows,
  start: startRows,
  xdotool: async () => [...await xdotoolRows(), ...await swayRows()],
  agents: agentRows,
  trace: traceRows,
  webdriver: webdriverRows,
  vnc: vncRows,
};

/** Sections that are measured only if named, because each takes a quarter of an hour. */
const LONG = new Set(["presses"]);

/** The name of the table over a slow network. */
const SLOW = "slow";
const COMPARISONS = new URL("../docs/maintainers/comparisons.md", import.meta.url);
const ALL_MEASURED = new URL("../docs/maintainers/benchmarks.md", import.meta.url);
if (Deno.args[0] === "live") {
  const { liveTable } = await import("./live.ts"), { slowTable } = await import("./live_slow.ts");
  const scenes = Deno.args.slice(1), others = scenes.filter((name) => name !== SLOW);
  const measured = !scenes.length || others.length ? await liveTable(others) : "";
  const slow = !scenes.length || others.length < scenes.length ? await slowTable() : "";
  console.log(`${measured}\n${slow}`);
  if (!scenes.length) await writeMeasured(COMPARISONS, measured, "live");
  if (!scenes.length || slow && !measured) await writeMeasured(COMPARISONS, slow, "slow");
  Deno.exit();
}
const unknown = Deno.args.filter((name) => !Object.hasOwn(SECTIONS, name));
if (unknown.length) {
  console.error(`there are ${Object.keys(SECTIONS).join(", ")}, not ${unknown.join(", ")}`);
  Deno.exit(2);
}
const rows: Row[] = [];
for (const [name, measure] of Object.entries(SECTIONS)) {
  if (Deno.args.length ? Deno.args.includes(name) : !LONG.has(name)) rows.push(...await measure());
}
const text = table(rows);
console.log(text);
if (!Deno.args.length) {
  await writeMeasured(ALL_MEASURED, text);
  await writeMeasured(COMPARISONS, comparedTable(rows), "compared");
}
