/** Preconditions and If-Range, by table. */

import { assertEquals } from "@std/assert";
import { httpDate, precondition, rangeApplies } from "../../files/conditional.ts";

const TIME = "Wed, 21 Oct 2026 07:28:00 GMT", BEFORE = "Wed, 21 Oct 2026 07:27:59 GMT";
const AFTER = "Wed, 21 Oct 2026 07:28:01 GMT";
const FILE = { etag: '"a"', modified: Date.parse(TIME) / 1000 };
const CONDITIONS: [headers: Record<string, string>, status: 304 | 412 | undefined][] = [
  [{}, undefined],
  [{ "if-match": '"a"' }, undefined],
  [{ "if-match": '"b", "a"' }, undefined],
  [{ "if-match": "*" }, undefined],
  [{ "if-match": '"b"' }, 412],
  [{ "if-match": 'W/"a"' }, 412],
  [{ "if-unmodified-since": TIME }, undefined],
  [{ "if-unmodified-since": BEFORE }, 412],
  [{ "if-unmodified-since": "nonsense" }, undefined],
  [{ "if-match": '"a"', "if-unmodified-since": BEFORE }, undefined],
  [{ "if-none-match": '"a"' }, 304],
  [{ "if-none-match": 'W/"a"' }, 304],
  [{ "if-none-match": '"b", "a"' }, 304],
  [{ "if-none-match": "*" }, 304],
  [{ "if-none-match": '"b"' }, undefined],
  [{ "if-modified-since": TIME }, 304],
  [{ "if-modified-since": AFTER }, 304],
  [{ "if-modified-since": BEFORE }, undefined],
  [{ "if-modified-since": "nonsense" }, undefined],
  [{ "if-none-match": '"b"', "if-modified-since": AFTER }, undefined],
  [{ "if-match": '"b"', "if-none-match": '"a"' }, 412],
  [{ "if-match": '"a"', "if-none-match": '"a"' }, 304],
];

Deno.test("preconditions are evaluated in their order", () => {
  for (const [headers, status] of CONDITIONS) {
    assertEquals(precondition(new Headers(headers), FILE), status, JSON.stringify(headers));
  }
  const ifRange: [string | null, boolean][] = [
    [null, true],
    ['"a"', true],
    ['W/"a"', false],
    ['"b"', false],
    [TIME, true],
    [BEFORE, false],
    [AFTER, false],
    ["x", false],
  ];
  for (const [value, applies] of ifRange) assertEquals(rangeApplies(value, FILE), applies, String(value));
  assertEquals(httpDate("Sunday, 06-Nov-94 08:49:37 GMT"), 784111777);
  assertEquals(httpDate("5"), undefined);
});
