/** QR codes of links, for a phone's camera. The first code loads the library that encodes them. */

/** Light modules around a code; ISO/IEC 18004 asks for four. */
const BORDER = 4;
/** The border of a code on a terminal, where each module costs space; readers take two. */
const TERMINAL_BORDER = 2;
/** White on black, in place of the terminal's own colors (xterm's 256 colors). */
const WHITE_ON_BLACK = "\x1b[38;5;231;48;5;16m";
const RESET = "\x1b[0m";

/**
 * Draws a QR code as an SVG document of one path: black on white, so that it reads on a dark page too.
 * @param text The code's content, such as a link, which is nowhere else in the SVG.
 * @returns The markup of an `<svg>` element without width and height, which the page decides. The element has no
 * script and no style, so that any Content-Security-Policy allows it.
 * @throws Error if the text is longer than a code can hold (2953 bytes).
 * @example
 * ```ts
 * const svg = await qrSvg("http://192.168.1.5:4001/");
 * ```
 */
export async function qrSvg(text: string): Promise<string> {
  const { encodeQR } = await import("qr");
  const rows = encodeQR(text, "raw", { ecc: "medium", border: BORDER });
  const size = rows.length;
  const path = rows.flatMap((row, y) =>
    darkRuns(row).map(({ x, length }) => `M${x} ${y}h${length}v1h-${length}z`)
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges">` +
    `<path fill="#fff" d="M0 0h${size}v${size}H0z"/><path d="${path.join("")}"/></svg>`;
}

/**
 * Draws a QR code for a terminal, two rows of modules a line.
 * @param text The code's content, such as a link.
 * @param terminal `color`: whether the terminal shows colors; without colors the code is right on a dark terminal
 * only. `columns`: the terminal's width in characters.
 * @returns Lines without an end of line behind the last; undefined if the terminal is too narrow.
 * @throws Error if the text is longer than a code can hold (2953 bytes).
 */
export async function qrTerminal(
  text: string,
  { color, columns }: { color: boolean; columns: number },
): Promise<string | undefined> {
  const { encodeQR } = await import("qr");
  const lines = encodeQR(text, "ascii", { ecc: "low", border: TERMINAL_BORDER }).trimEnd().split("\n");
  if (lines[0].length > columns) return undefined;
  return lines.map((line) => color ? `${WHITE_ON_BLACK}${line}${RESET}` : line).join("\n");
}

/** The runs of dark modules of a row. */
function darkRuns(row: readonly boolean[]): { x: number; length: number }[] {
  const runs: { x: number; length: number }[] = [];
  row.forEach((isDark, x) => {
    if (!isDark) return;
    const last = runs.at(-1);
    if (last && last.x + last.length === x) last.length++;
    else runs.push({ x, length: 1 });
  });
  return runs;
}
