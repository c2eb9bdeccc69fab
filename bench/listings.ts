/** Listings of very large folders. */

import { Program } from "../tests/support/program.ts";
import { command, contest, download, peakMb, residentMb } from "./measure.ts";
import type { Row } from "./table.ts";

/** Numbers of entries, and the target times for listing them. */
const FOLDERS: [entries: number, aim: string][] = [[100_000, "about 1 s"], [1_000_000, "well under 10 s"]];

/** Number of entries in the folder whose properties are requested over WebDAV. */
const PROPERTIES = 10_000;

/** Measures the folders' listings in turn, in one run, and memory with the first listing of each folder. */
export async function listingRows(): Promise<Row[]> {
  const root = await Deno.makeTempDir();
  try {
    for (const [entries] of FOLDERS) fill(`${root}/${entries}`, entries);
    const memory = new Map<number, string>();
    for (const [entries] of FOLDERS) memory.set(entries, await memoryOf(root, `/${entries}/`));
    await using program = await serving(root);
    const url = await program.filesUrl();
    const best = await contest(
      Object.fromEntries(
        FOLDERS.map(([entries]) => [entries, async () => 1 / await download(`${url}/${entries}/`)]),
      ),
    );
    fill(`${root}/${PROPERTIES}`, PROPERTIES);
    const rows = FOLDERS.map(([entries, aim]) => ({
      what: `listing of ${entries.toLocaleString("en")} files`,
      ours: `${(1 / best[entries]).toFixed(2)} s, ${memory.get(entries)}`,
      against: "",
      theirs: "",
      aim,
    }));
    return [...rows, await propertiesRow(root)];
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

/** Properties of a folder's entries over WebDAV; memory is measured with the first response. */
async function propertiesRow(root: string): Promise<Row> {
  await using program = serving(root, "--dav");
  const url = `${await program.filesUrl()}/${PROPERTIES}/`, before = await residentMb(program.pid);
  const ask = async () => {
    const start = performance.now();
    await command("curl", ["-sf", "-o", "/dev/null", "-X", "PROPFIND", "-H", "Depth: 1", url]);
    return 1000 / (performance.now() - start);
  };
  await ask();
  const memory = await peakMb(program.pid) - before, { deskhand } = await contest({ deskhand: ask });
  return {
    what: `PROPFIND of ${PROPERTIES.toLocaleString("en")} files`,
    ours: `${(1 / deskhand).toFixed(2)} s, ${memory} MB more`,
    against: "",
    theirs: "",
    aim: "below 1 s, 100 MB",
  };
}

function serving(root: string, ...options: string[]): Program {
  return new Program(["--files", root, "--files-port", "0", ...options], { env: { DISPLAY: "" } });
}

function fill(folder: string, entries: number) {
  Deno.mkdirSync(folder);
  for (let i = 0; i < entries; i++) {
    Deno.openSync(`${folder}/photo_${String(i).padStart(7, "0")}.jpg`, { create: true, write: true }).close();
  }
}

/** Peak memory that a program's first listing adds. */
async function memoryOf(root: string, path: string): Promise<string> {
  await using program = serving(root);
  const url = await program.filesUrl();
  const before = await residentMb(program.pid);
  await download(`${url}${path}`);
  return `${await peakMb(program.pid) - before} MB more`;
}
