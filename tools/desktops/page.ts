/** docs/maintainers/desktops.md: the human-readable table, generated from the results. */

import { type Cell, cellName, type Outcome, OUTCOMES, type Part, type Result, worst } from "./cell.ts";
import { ROOTS } from "./packages.ts";
import { cellsOf, DESKTOP_COLUMN } from "./plan.ts";
import { isDesktopTerminal, PROGRAMS } from "./programs.ts";
import { type InputMethod, type Row, ROWS } from "./rows.ts";
import { DESKTOP_THINGS } from "./things/names.ts";

/** Returns a cell's result; undefined if the cell has not been tested. */
type Known = (cell: Cell) => Result | undefined;
/** Returns a result for every cell. */
type Read = (cell: Cell) => Result;

const METHODS: Readonly<Record<InputMethod, string>> = {
  "none": "",
  "ibus": ", IBus",
  "ibus+pinyin": ", IBus with Pinyin on",
  "ibus+anthy": ", IBus with Anthy on",
  "ibus+hangul": ", IBus with Hangul on",
  "fcitx5": ", fcitx5",
  "fcitx5+pinyin": ", fcitx5 with Pinyin on",
};

/** The column of the desktops' own terminals. */
const TERMINAL = "the desktop's terminal";
const TEXT_COLUMNS: readonly [title: string, names: readonly string[]][] = [
  ...PROGRAMS.filter(({ name }) => name === "xterm").map(column),
  [TERMINAL, PROGRAMS.filter(isDesktopTerminal).map(({ name }) => name)],
  ...PROGRAMS.filter((program) => program.name !== "xterm" && !isDesktopTerminal(program)).map(column),
];

function column({ name, title }: { name: string; title: string }): [string, string[]] {
  return [title, [name]];
}

const INTRODUCTION = `# Desktops

How deskhand works on complete Debian desktops. Each desktop runs headless in its own session, with the session's programs
and, if the row names one, an input method. \`deno task desktops\` generates this page.

- **delivered**: the correct input arrived, as the receiving program confirms: by the file that an editor saved, by the
  output of \`cat\` in a terminal, by the events and text of a page in a browser, or by the position that the X server or
  the shell reports.
- **refused**: deskhand reported that the action is not possible, and why.
- **silent**: deskhand returned \`ok\` although something else arrived, which is a bug.
- **not run**: the action could not be tested, for a reason outside deskhand. **–** means that it has not been tested yet.

Each program receives the four texts of the tests (ASCII, any script, the same characters again, 60 Chinese characters that
are on no key), the 95 ASCII characters, 200 different characters from 25 scripts, and shortcuts. A cell names what was not
delivered; it is empty if the row does not include the program. There are no Electron programs in the table, because Debian
has none.

While a person uses the desktop, in a Chromium page: **keyboards** is text after a person has typed with a German layout,
**held-key** is text while a person holds \`y\`, then Shift, **aids** is text with Slow, Bounce and Sticky Keys on, and
**workspace** is a screenshot of a window on another workspace and activating it. The person is simulated by the X server's own
keyboard or, on Wayland, by another deskhand. Rows that name only a window manager include only these tests. On Debian 12, these
four tests were run with \`--here\`, with the desktops' packages next to those of the tests, and without the Plasma shell.
`;

/**
 * Generates the page.
 * @param known Returns the existing results; a cell without one is not run.
 * @param rows The table's rows.
 */
export function desktopsPage(known: Known, rows: readonly Row[] = ROWS): string {
  const read = (cell: Cell) => known(cell) ?? untried(cell);
  const results = rows.flatMap((row) => cellsOf(row)).map(known).filter((result) => result !== undefined);
  if (!results.length) return `${INTRODUCTION}\nNo cell has been tested yet.\n`;
  const things = rows.filter(({ isVariant }) => !isVariant);
  return [
    INTRODUCTION,
    `${dates(results)}\n`,
    "## Counts\n",
    counts(rows.flatMap((row) => cellsOf(row)).map(read)),
    "## Text\n",
    table(
      rows.filter(({ isBare }) => !isBare),
      TEXT_COLUMNS.map(([title]) => title),
      (row, i) => textCell(row, TEXT_COLUMNS[i][1], read),
      (cell) => cell.column !== DESKTOP_COLUMN,
    ),
    "## Everything else\n",
    table(
      things,
      DESKTOP_THINGS,
      (row, i) => {
        const { outcome, parts } = read({ row: row.id, column: DESKTOP_COLUMN, thing: DESKTOP_THINGS[i] });
        return shown(outcome, parts);
      },
      (cell) => cell.column === DESKTOP_COLUMN,
    ),
    section("silent", "Silent", rows, read),
    section("refused", "Refused", rows, read),
    section("not run", "Not run", rows, read),
  ].join("\n");

  function table(
    rows: readonly Row[],
    columns: readonly string[],
    cell: (row: Row, i: number) => string,
    isHere: (cell: Cell) => boolean,
  ): string {
    const lines = rows.map((row) => [
      titleOf(row, read),
      ...columns.map((_, i) => cell(row, i)),
      commits(cellsOf(row).filter(isHere).map(read)),
    ]);
    const all = [["desktop", ...columns, "commit"], ["---", ...columns.map(() => "---"), "---"], ...lines];
    return all.map((cells) => `| ${cells.join(" | ")} |\n`).join("");
  }
}

const UNTRIED: Part = { name: "cell", outcome: "not run", why: "not tested yet" };
const isUntried = (part: Part) => part === UNTRIED;

function untried(cell: Cell): Result {
  return { ...cell, outcome: "not run", parts: [UNTRIED], date: "", version: "", desktop: "" };
}

/** A row's title, such as `GNOME 43.9 (Debian 12), IBus`. */
function titleOf(row: Row, read: Read): string {
  const version = cellsOf(row).map(read).find(({ desktop }) => desktop)?.desktop ?? "";
  return `${row.title}${version && ` ${version}`} (${ROOTS[row.root]})${METHODS[row.inputMethod]}`;
}

function shown(outcome: Outcome, parts: readonly Part[] = []): string {
  if (parts.some(isUntried)) return "–";
  return outcome === "silent" ? "**silent**" : outcome;
}

/** The combined outcome of the actions tested with any of the named programs. */
function textCell(row: Row, names: readonly string[], read: Read): string {
  const results = cellsOf(row).filter(({ column }) => names.includes(column)).map(read);
  if (!results.length) return "";
  const faults = results.filter(({ outcome }) => outcome !== "delivered");
  if (!faults.length) return "delivered";
  const outcome = worst(faults.map(({ thing, outcome }) => ({ name: thing, outcome })));
  const isSame = faults.every((fault) => fault.outcome === outcome);
  if (faults.length === results.length && isSame) return shown(outcome, faults[0].parts);
  return faults.map((fault) => `${fault.thing}: ${shown(fault.outcome, fault.parts)}`).join(", ");
}

function counts(results: readonly Result[]): string {
  const rows = OUTCOMES.map((
    outcome,
  ) => [outcome, results.filter((result) => result.outcome === outcome).length]);
  return ["| outcome | cells |\n| --- | ---: |\n", ...rows.map(([name, count]) => `| ${name} | ${count} |\n`)]
    .join("");
}

/** The tested commits of deskhand; the version, where the commit is unknown. */
function commits(results: readonly Result[]): string {
  const versions = results.map(({ version }) => /\(([0-9a-f, ]+)\)$/.exec(version)?.[1] ?? version);
  return [...new Set(versions)].filter(Boolean).sort().join(", ") || "–";
}

function dates(results: readonly Result[]): string {
  const days = [...new Set(results.map(({ date }) => date.slice(0, 10)))].sort();
  const versions = [...new Set(results.map(({ version }) => version.replace(/ \([0-9a-f, ]+\)$/, "")))]
    .sort();
  const when = days.length > 1 ? `from ${days[0]} to ${days.at(-1)}` : `on ${days[0]}`;
  return `The cells were tested ${when}, with ${versions.join(", ")} at the commits listed in the rows.`;
}

/** The cells with an outcome, and their reasons; cells with the same reason share a line. */
function section(outcome: Outcome, title: string, rows: readonly Row[], read: Read): string {
  const reasons = new Map<string, string[]>();
  let left = 0;
  for (const row of rows) {
    for (const cell of cellsOf(row)) {
      for (const part of read(cell).parts) {
        if (part.outcome !== outcome) continue;
        if (isUntried(part)) left++;
        else reasons.set(reason(part), [...reasons.get(reason(part)) ?? [], cellName(cell)]);
      }
    }
  }
  const lines = Array.from(reasons, ([why, cells]) => `${why}\n  ${gathered(cells)}\n`);
  const parts = lines.length
    ? [
      `Each reason is followed by the cells in which it occurred:\n`,
      `\`\`\`text\n${lines.join("")}\`\`\`\n`,
    ]
    : left
    ? []
    : [`No cell is ${outcome}.\n`];
  if (left) parts.push(`${left} cells have not been tested yet.\n`);
  return `## ${title}\n\n${parts.join("\n")}`;
}

/** Why a part failed: deskhand's message, or the received text next to the sent one. */
function reason({ name, outcome, why = "" }: Part): string {
  const sentence = why.replaceAll("```", "'''").replaceAll(/\s+/g, " ");
  return outcome === "silent" ? `${name}: ${sentence}` : sentence;
}

/** Joins cell names, grouping those of one row and column. */
function gathered(names: readonly string[]): string {
  const things = new Map<string, string[]>();
  for (const name of new Set(names)) {
    const at = name.lastIndexOf("/"), place = name.slice(0, at);
    things.set(place, [...things.get(place) ?? [], name.slice(at + 1)]);
  }
  return Array.from(things, ([place, list]) => `${place} (${list.join(", ")})`).join("; ");
}
