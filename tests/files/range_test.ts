/** Range headers, by table. */

import { assertEquals } from "@std/assert";
import { parseRange } from "../../files/plan.ts";

/** Places that do not touch. */
const parts = (count: number) => Array.from({ length: count }, (_, i) => 2 * i);

const RANGES: [header: string, size: number, ranges: [number, number][] | undefined][] = [
  ["bytes=0-99", 1000, [[0, 99]]],
  ["bytes=0-0", 1000, [[0, 0]]],
  ["bytes=999-999", 1000, [[999, 999]]],
  ["bytes=990-2000", 1000, [[990, 999]]],
  ["bytes=990-", 1000, [[990, 999]]],
  ["bytes=0-", 1000, [[0, 999]]],
  ["bytes=-1", 1000, [[999, 999]]],
  ["bytes=-5000", 1000, [[0, 999]]],
  ["BYTES=0-1", 1000, [[0, 1]]],
  ["bytes=0-1, 5-6", 1000, [[0, 1], [5, 6]]],
  ["bytes=5-6,0-1", 1000, [[5, 6], [0, 1]]],
  ["bytes=0-5,3-9", 1000, [[0, 9]]],
  ["bytes=0-4,5-9", 1000, [[0, 9]]],
  ["bytes=0-1,,5-6,", 1000, [[0, 1], [5, 6]]],
  ["bytes=0-1,2000-3000", 1000, [[0, 1]]],
  ["bytes=1000-", 1000, []],
  ["bytes=1000-1001,2000-", 1000, []],
  ["bytes=-0", 1000, []],
  ["bytes=0-", 0, []],
  ["bytes=-5", 0, []],
  ["bytes=4294967296-4294967297", 5e9, [[4294967296, 4294967297]]],
  ["bytes=99999999999999999999-", 1000, []],
  ["bytes=5-4", 1000, undefined],
  ["bytes=", 1000, undefined],
  ["bytes=-", 1000, undefined],
  ["bytes=a-b", 1000, undefined],
  ["bytes=1-2-3", 1000, undefined],
  ["bytes=0x1-5", 1000, undefined],
  ["bytes=+1-5", 1000, undefined],
  ["bytes=1 - 5", 1000, undefined],
  ["items=0-1", 1000, undefined],
  ["0-1", 1000, undefined],
  ["", 1000, undefined],
  [`bytes=${Array.from({ length: 1000 }, () => "0-").join(",")}`, 1000, [[0, 999]]],
  [`bytes=${parts(64).map((i) => `${i}-${i}`)}`, 1000, parts(64).map((i) => [i, i])],
  [`bytes=${parts(65).map((i) => `${i}-${i}`)}`, 1000, undefined],
  [`bytes=${Array.from({ length: 1000 }, (_, i) => `${i * 2}-${i * 2}`).join(",")}`, 5000, undefined],
  [`bytes=${Array.from({ length: 5000 }, () => "0-0").join(",")}`, 1000, undefined],
];

Deno.test("a Range is read by the rules of RFC 9110 section 14", () => {
  for (const [header, size, ranges] of RANGES) {
    assertEquals(
      parseRange(header, size),
      ranges?.map(([start, end]) => ({ start, end })),
      header.slice(0, 60),
    );
  }
});
