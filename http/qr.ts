/** QR codes of links, for a phone's camera. The encoding library is loaded with the first code. */

import { COLORS_END, WHITE_ON_BLACK } from "../core/printable.ts";

/**
 * Quiet zone in modules. ISO/IEC 18004 requires four, but terminal space is scarce, and readers accept two.
 */
const BORDER = 2;

/**
 * Draws a QR code for a terminal, two rows of modules per line.
 * @param text The code's content, such as a link.
 * @param terminal `color`: whether the terminal supports colours; without them the code is only readable on a
 * dark terminal. `columns`: the terminal's width in characters.
 * @returns Lines, without a line end after the last; undefined if the terminal is too narrow.
 * @throws Error if the text is longer than a code can hold (2953 bytes).
 */
export async function qrTerminal(
  text: string,
  { color, columns }: { color: boolean; columns: number },
): Promise<string | undefined> {
  const { encodeQR } = await import("qr");
  const lines = encodeQR(text, "ascii", { ecc: "low", border: BORDER }).trimEnd().split("\n");
  if (lines[0].length > columns) return undefined;
  return lines.map((line) => color ? `${WHITE_ON_BLACK}${line}${COLORS_END}` : line).join("\n");
}

/**
 * Draws a QR code as a picture.
 * @param text The code's content, such as a link.
 * @returns The text of an SVG file.
 * @throws Error if the text is longer than a code can hold (2953 bytes).
 */
export async function qrSvg(text: string): Promise<string> {
  const { encodeQR } = await import("qr");
  return encodeQR(text, "svg", { ecc: "low", border: BORDER });
}
