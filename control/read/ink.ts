/** The pixels that may belong to letters: edges between light and dark, without borders. */

import type { Grey } from "./grey.ts";

/** The difference of neighbours at an edge, of 255. */
const EDGE = 20;
/** Straight edges of this length on are borders and separators, in pixels. */
const STRAIGHT = 34;

/** Kinds of edges: bit 0 for the edge to the pixel on the left, bit 1 for the edge to the pixel above. */
const LEFT = 1, ABOVE = 2;

/** Gives a byte for each pixel; 0 where there is no ink. */
export function inkOf({ width, height, data }: Grey): Uint8Array {
  const ink = new Uint8Array(width * height), fall = new Int32Array(width);
  for (let y = 0, at = 0; y < height; y++) {
    let run = 0;
    for (let x = 0; x < width; x++, at++) {
      const value = data[at];
      let edges = 0;
      if (x > 0 && differs(value, data[at - 1])) {
        edges = LEFT;
        fall[x]++;
      } else if (fall[x]) endFall(ink, width, x, y, fall);
      if (y > 0 && differs(value, data[at - width])) {
        edges |= ABOVE;
        run++;
      } else if (run) {
        if (run >= STRAIGHT) clear(ink, at - run, run, 1, ABOVE);
        run = 0;
      }
      ink[at] = edges;
    }
    if (run >= STRAIGHT) clear(ink, at - run, run, 1, ABOVE);
  }
  for (let x = 0; x < width; x++) if (fall[x]) endFall(ink, width, x, height, fall);
  return ink;
}

function differs(a: number, b: number): boolean {
  const by = a - b;
  return by > EDGE || by < -EDGE;
}

/** Ends the edge that came down a column to above a row. */
function endFall(ink: Uint8Array, width: number, x: number, y: number, fall: Int32Array): void {
  if (fall[x] >= STRAIGHT) clear(ink, (y - fall[x]) * width + x, fall[x], width, LEFT);
  fall[x] = 0;
}

function clear(ink: Uint8Array, from: number, count: number, step: number, kind: number): void {
  for (let i = 0, at = from; i < count; i++, at += step) ink[at] &= ~kind;
}
