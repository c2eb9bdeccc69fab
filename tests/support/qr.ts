/** Reads QR codes that a terminal shows. */

import decodeQR from "qr/decode";

/** The light halves of a character: upper, lower. */
const HALVES: Record<string, [upper: boolean, lower: boolean]> = {
  "█": [true, true],
  "▀": [true, false],
  "▄": [false, true],
  " ": [false, false],
};
/** Pixels a module: a decoder needs some. */
const SCALE = 4;

/** Reads a code of two rows of modules a line, light modules drawn. */
export function readTerminalQr(code: string): string {
  // deno-lint-ignore no-control-regex
  const lines = code.replaceAll(/\x1b\[[\d;]*m/g, "").split("\n");
  const width = Math.max(...lines.map((line) => line.length));
  const rows = lines.flatMap((line) => {
    const halves = [...line.padEnd(width)].map((character) => HALVES[character]);
    return [halves.map(([upper]) => upper), halves.map(([, lower]) => lower)];
  });
  const data = new Uint8Array(width * rows.length * SCALE * SCALE * 4);
  for (let y = 0, at = 0; y < rows.length * SCALE; y++) {
    for (let x = 0; x < width * SCALE; x++, at += 4) {
      const isLight = rows[Math.floor(y / SCALE)][Math.floor(x / SCALE)];
      data.set(isLight ? [255, 255, 255, 255] : [0, 0, 0, 255], at);
    }
  }
  return decodeQR({ width: width * SCALE, height: rows.length * SCALE, data });
}
