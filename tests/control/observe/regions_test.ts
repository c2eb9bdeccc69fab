/** Regions of change: parts of small pictures that the borders of tiles cut. */

import { assertEquals } from "@std/assert";
import type { Region } from "../../../control/desktop/desktop.ts";
import { uncut } from "../../../control/observe/motion.ts";

/** x, y, width and height. */
type Numbers = [number, number, number, number];

/** Tiles are 64 pixels wide and high. */
const CASES: [name: string, parts: Numbers[], wholes: Numbers[]][] = [
  ["a caret across two rows of tiles", [[704, 62, 5, 2], [704, 64, 5, 11]], [[704, 62, 5, 13]]],
  ["a caret across two columns", [[701, 70, 3, 13], [704, 70, 3, 13]], [[701, 70, 6, 13]]],
  [
    "a caret across a corner",
    [[701, 62, 3, 2], [704, 62, 3, 2], [701, 64, 3, 11], [704, 64, 3, 11]],
    [[701, 62, 6, 13]],
  ],
  ["two carets", [[10, 10, 2, 15], [80, 10, 2, 15]], [[10, 10, 2, 15], [80, 10, 2, 15]]],
  ["a button stays in its parts", [[20, 20, 44, 40], [64, 20, 30, 40]], [[20, 20, 44, 40], [64, 20, 30, 40]]],
  [
    "a row of small parts that is longer than a caret",
    [[44, 10, 20, 5], [64, 10, 20, 5]],
    [[44, 10, 20, 5], [64, 10, 20, 5]],
  ],
  [
    "a caret beside a button",
    [[100, 100, 28, 20], [704, 62, 5, 2], [704, 64, 5, 11]],
    [[100, 100, 28, 20], [704, 62, 5, 13]],
  ],
];

const region = ([x, y, width, height]: Numbers): Region => ({ x, y, width, height });

for (const [name, parts, wholes] of CASES) {
  Deno.test(`parts of small pictures: ${name}`, () => {
    assertEquals(uncut(parts.map(region)), wholes.map(region));
  });
}
