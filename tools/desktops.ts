/**
 * Tries deskhand on realistic desktops, and writes docs/maintainers/desktops.md. The desktops are installed
 * into roots by debootstrap(8); each session is complete, in a separate sandbox, and deskhand runs in it as
 * an ordinary user. Must be run as root. Results are stored in tools/desktops/results/, so that an
 * interrupted run can be resumed.
 *
 *     deno task desktops                        all cells that have no result yet
 *     deno task desktops xfce-bookworm-ibus     the cells of a row; ROW/COLUMN, ROW/COLUMN/THING choose fewer
 *     deno task desktops any/xterm              one column of all rows; `any` stands for any row, column or thing
 *     deno task desktops --again ROW            also those that have a result
 *     deno task desktops --root trixie          the rows of one root
 *     deno task desktops --list                 lists the cells that would be run
 *     deno task desktops --page                 writes the page from existing results
 *     --folder FOLDER     where the roots are: /var/tmp/deskhand-desktops
 *     --results FOLDER    where to store results instead
 *     --source FOLDER     another deskhand than this one
 *     --here              uses this machine's own packages instead of a root of its release
 *     --minutes N         time limit for each root: 60
 *     --at-once N         number of rows to run at the same time: 2
 */

import { parseArgs } from "@std/cli";
import { fromFileUrl, join } from "@std/path";
import { mustRun } from "../tests/support/shell.ts";
import { type Cell, cellName } from "./desktops/cell.ts";
import { desktopsPage } from "./desktops/page.ts";
import { type RootName, ROOTS } from "./desktops/packages.ts";
import { cellsOf } from "./desktops/plan.ts";
import { Results } from "./desktops/results.ts";
import { makeRoot, packageVersion, USER } from "./desktops/roots.ts";
import { type Row, ROWS } from "./desktops/rows.ts";
import { runRow } from "./desktops/run_row.ts";
import type { Ground } from "./desktops/sandbox.ts";

const SOURCE = fromFileUrl(new URL("..", import.meta.url));
const PAGE = join(SOURCE, "docs/maintainers/desktops.md"), RESULTS = join(SOURCE, "tools/desktops/results");

/** Parsed command line options. */
interface Options {
  folder: string;
  source: string;
  list: boolean;
  /** Whether to use this machine's own packages instead of a root. */
  here: boolean;
  page: boolean;
  /** Time limit per root, in minutes. */
  minutes: number;
  /** Number of rows that run at the same time. */
  atOnce: number;
  results: Results;
  names: RootName[];
  /** The rows of a root with their cells to run. */
  todo(name: RootName): { row: Row; cells: Cell[] }[];
}

function read(args: string[]): Options {
  const strings = ["folder", "results", "source", "minutes", "at-once", "root"],
    booleans = ["again", "list", "page", "here"];
  const options = parseArgs(args, {
    boolean: booleans,
    string: strings,
    default: { folder: "/var/tmp/deskhand-desktops", source: SOURCE, minutes: "60", "at-once": "2" },
    unknown: (word: string) => {
      if (!word.startsWith("-")) return true;
      throw new Error(
        `unknown ${word}; there are ${[...booleans, ...strings].map((name) => `--${name}`).join(", ")}`,
      );
    },
  });
  const wantedRoot = options.here ? release() : options.root;
  const names = (Object.keys(ROOTS) as RootName[]).filter((name) => (wantedRoot ?? name) === name);
  if (!names.length) {
    throw new Error(`there is no root ${wantedRoot}; there are ${Object.keys(ROOTS).join(", ")}`);
  }
  const minutes = Number(options.minutes), atOnce = Number(options["at-once"]);
  if (!(minutes > 0)) throw new Error(`--minutes needs a number above 0, not ${options.minutes}`);
  if (!(atOnce >= 1)) throw new Error(`--at-once needs a number from 1 on, not ${options["at-once"]}`);
  const wanted = options._.map(String), results = new Results(options.results ?? RESULTS);
  const todo = (name: RootName) =>
    ROWS.filter(({ root }) => root === name)
      .map((row) => ({ row, cells: results.missing(cellsOf(row), wanted, options.again) }))
      .filter(({ cells }) => cells.length);
  return { ...options, names, minutes, atOnce, results, todo };
}

async function main(args: string[]): Promise<void> {
  const options = read(args), { names, todo, results } = options;
  if (options.list) {
    const cells = names.flatMap((name) => todo(name).flatMap(({ cells }) => cells));
    for (const cell of cells) console.log(cellName(cell));
    return;
  }
  if (!options.page) { for (const name of names) await runRoot(name, options); }
  await Deno.writeTextFile(PAGE, desktopsPage((cell) => results.read(cell)));
  await mustRun(Deno.execPath(), ["fmt", "-q", PAGE]);
}

/** Runs the missing cells of a root's rows, some rows at the same time, until its time is up. */
async function runRoot(name: RootName, { folder, source, here, minutes, atOnce, results, todo }: Options) {
  const rows = todo(name);
  if (!rows.length) return;
  if (Deno.uid() !== 0) throw new Error("roots and sandboxes need root: run it as root");
  const root = here ? "/" : await makeRoot(folder, name);
  const ground: Ground = { root, source, denoDir: join(folder, "deno-dir") };
  await warm(ground);
  const version = await versionOf(source), end = Date.now() + minutes * 60_000;
  const left = rows.values();
  const runNext = async () => {
    for (const { row, cells } of left) {
      if (Date.now() > end) {
        console.log(`${name}: its time is over; the next run goes on with ${row.id}`);
        return;
      }
      const desktop = await packageVersion(ground.root, row.package);
      await runRow({ row: row.id, cells, ground, results: results.folder, version, desktop }, end);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, rows.length) }, runNext));
}

/** The codename of this machine's Debian release. */
function release(): string | undefined {
  return /^VERSION_CODENAME=(.*)$/m.exec(Deno.readTextFileSync("/etc/os-release"))?.[1];
}

/** Makes Deno fetch deskhand's packages into a folder owned by the sessions' user. */
async function warm({ source, denoDir }: Ground): Promise<void> {
  await mustRun(Deno.execPath(), ["cache", "-q", "main.ts"], { cwd: source, env: { DENO_DIR: denoDir } });
  await mustRun("chown", ["-R", `${USER.uid}:${USER.uid}`, denoDir]);
}

/** deskhand's version and, in a repository, its commit. */
async function versionOf(source: string): Promise<string> {
  const version = await mustRun(Deno.execPath(), ["run", "-A", "main.ts", "--version"], { cwd: source });
  const commit = await mustRun("git", ["-C", source, "rev-parse", "--short", "HEAD"]).catch(() => "");
  return `${version.trim().split("\n")[0]}${commit && ` (${commit.trim()})`}`;
}

if (import.meta.main) {
  try {
    await main(Deno.args);
  } catch (error) {
    console.error(`desktops: ${(error as Error).message}`);
    Deno.exit(1);
  }
}
