/** The tables of measurements: all figures for maintainers, comparisons with other programs for users. */

/** One comparison. */
export interface Row {
  what: string;
  ours: string;
  against: string;
  theirs: string;
  /** The ratio of deskhand's figure to that of the other program; undefined if there is no other figure. */
  ratio?: number;
  aim: string;
}

const HEAD = "| what | deskhand | against | it | ratio | aim |\n| --- | --- | --- | --- | --- | --- |";
const COMPARED_HEAD = "| what | deskhand | beside | it | times as fast |\n| --- | --- | --- | --- | --- |";
/** Rows beside no program that a user could take instead: a bare server, deskhand itself, a runtime's start. */
const NO_PEER = /^(bare |deskhand|alone|`deno run`|the program alone)/;
/** The text that the benchmark writes into a page, and the marks around it. */
const MARKS = {
  compared: { begin: "<!-- compared -->", end: "<!-- end of what was compared -->" },
  measured: { begin: "<!-- measured -->", end: "<!-- end of what was measured -->" },
  live: { begin: "<!-- live -->", end: "<!-- end of the live picture -->" },
  slow: { begin: "<!-- slow -->", end: "<!-- end of the slow network -->" },
} as const;

/** Writes rows as a table of Markdown. */
export function table(rows: readonly Row[]): string {
  const lines = rows.map(({ what, ours, against, theirs, ratio, aim }) =>
    `| ${what} | ${ours} | ${against} | ${theirs} | ${ratio?.toFixed(2) ?? ""} | ${aim} |`
  );
  return [HEAD, ...lines].join("\n");
}

/** Writes the rows that compare deskhand with another program, without aims. */
export function comparedTable(rows: readonly Row[]): string {
  const lines = rows.filter(({ ratio, against }) => ratio !== undefined && !NO_PEER.test(against))
    .map(({ what, ours, against, theirs, ratio }) =>
      `| ${what} | ${ours} | ${against} | ${theirs} | ${ratio!.toFixed(2)} |`
    );
  return [COMPARED_HEAD, ...lines].join("\n");
}

/**
 * Puts a text in the place of the one between the marks of a file.
 * @param part The name in the marks.
 * @throws Error if the marks are not there.
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
 * A row for each peer.
 * @param best The measured figures by peer, deskhand's included.
 * @param aim The aim beside each peer.
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

/** Writes a rate for people. */
function rate(perSecond: number): string {
  return `${perSecond >= 100 ? Math.round(perSecond).toLocaleString("en") : perSecond.toFixed(1)}/s`;
}
