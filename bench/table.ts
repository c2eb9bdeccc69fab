/** The tables of measurements: all figures for maintainers, comparisons with other programs for users. */

/** One comparison. */
export interface Row {
  what: string;
  ours: string;
  against: string;
  theirs: string;
  /** The ratio of deskhand's figure to the other program's; undefined if there is no other figure. */
  ratio?: number;
  aim: string;
}

const HEAD = "| what | deskhand | against | it | ratio | aim |\n| --- | --- | --- | --- | --- | --- |";
const COMPARED_HEAD = "| what | deskhand | beside | it | times as fast |\n| --- | --- | --- | --- | --- |";
/**
 * Rows without a program that a user could choose instead: a bare server, deskhand itself, a runtime's start.
 */
const NO_PEER = /^(bare |deskhand|alone|`deno run`|the program alone)/;
/** The marks around the text that the benchmark writes into a page. */
const MARKS = {
  compared: { begin: "<!-- compared -->", end: "<!-- end of what was compared -->" },
  measured: { begin: "<!-- measured -->", end: "<!-- end of what was measured -->" },
  live: { begin: "<!-- live -->", end: "<!-- end of the live picture -->" },
  slow: { begin: "<!-- slow -->", end: "<!-- end of the slow network -->" },
} as const;

/** Formats rows as a Markdown table. */
export function table(rows: readonly Row[]): string {
  const lines = rows.map(({ what, ours, against, theirs, ratio, aim }) =>
    `| ${what} | ${ours} | ${against} | ${theirs} | ${ratio?.toFixed(2) ?? ""} | ${aim} |`
  );
  return [HEAD, ...lines].join("\n");
}

/** Formats the rows that compare deskhand with another program, without goals. */
export function comparedTable(rows: readonly Row[]): string {
  const lines = rows.filter(({ ratio, against }) => ratio !== undefined && !NO_PEER.test(against))
    .map(({ what, ours, against, theirs, ratio }) =>
      `| ${what} | ${ours} | ${against} | ${theirs} | ${ratio!.toFixed(2)} |`
    );
  return [COMPARED_HEAD, ...lines].join("\n");
}

/**
 * Replaces the text between the marks in a file.
 * @param part The name of the marks.
 * @throws Error if the marks are missing.
 */
export async function writeMeasured(
  file: string | URL,
  text: string,
  part: keyof typeof MARKS = "measured",
): Promise<void> {
  const { begin, end } = MARKS[part];
  const document = await Deno.readTextFile(file);
  const from = document.indexOf(begin), to = document.indexOf(end);
  if (from < 0 || to < from) throw new Error(`${file} lacks ${begin} and ${end}`);
  await Deno.writeTextFile(
    file,
    `${document.slice(0, from + begin.length)}\n\n${text}\n\n${document.slice(to)}`,
  );
}

/**
 * Returns a row per peer.
 * @param best The measured figures by peer, including deskhand's.
 * @param aim Returns the goal for each peer.
 */
export function rowsOf(
  what: string,
  best: Record<string, number>,
  aim: (peer: string) => string,
  show: (value: number) => string = rate,
): Row[] {
  return Object.keys(best).filter((name) => name !== "deskhand").map((name) => ({
    what,
    ours: show(best.deskhand),
    against: name,
    theirs: show(best[name]),
    ratio: best.deskhand / best[name],
    aim: aim(name),
  }));
}

/** Formats a rate for people. */
function rate(perSecond: number): string {
  return `${perSecond >= 100 ? Math.round(perSecond).toLocaleString("en") : perSecond.toFixed(1)}/s`;
}
