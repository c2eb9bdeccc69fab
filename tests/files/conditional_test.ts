/** Preconditions and If-Range, by table. */

import { assertEquals } from "@std/assert";
import { precondition, rangeApplies } from "../../files/conditional.ts";

const TIME = "Wed, 21 Oct 2026 07:28:00 GMT", BEFORE = "Wed, 21 Oct 2026 07:27:59 GMT";
const AFTER = "Wed, 21 Oct 2026 07:28:01 GMT";
const FILE = { etag: '"a"', modified: Date.parse(TIME) / 1000 };
/** The facts of the file, changed just now. */
const FRESH = { ...FILE, etag: 'W/"a"' };

/** The status for a file with a strong tag, and for one with a weak tag where that differs. */
const CONDITIONS: [headers: Record<string, string>, status: 304 | 412 | undefined, fresh?: 412][] = [
  [{}, undefined],
  [{ "if-match": '"a"' }, undefined, 412],
  [{ "if-match": '"b", "a"' }, undefined, 412],
  [{ "if-match": "*" }, undefined],
  [{ "if-match": '"b"' }, 412],
  [{ "if-match": 'W/"a"' }, 412],
  [{ "if-unmodified-since": TIME }, undefined],
  [{ "if-unmodified-since": BEFORE }, 412],
  [{ "if-unmodified-since": "nonsense" }, undefined],
  [{ "if-unmodified-since": "Monday 2001" }, undefined],
  [{ "if-match": '"a"', "if-unmodified-since": BEFORE }, undefined, 412],
  [{ "if-none-match": '"a"' }, 304],
  [{ "if-none-match": 'W/"a"' }, 304],
  [{ "if-none-match": '"b", "a"' }, 304],
  [{ "if-none-match": "*" }, 304],
  [{ "if-none-match": '"b"' }, undefined],
  [{ "if-modified-since": TIME }, 304],
  [{ "if-modified-since": AFTER }, 304],
  [{ "if-modified-since": BEFORE }, undefined],
  [{ "if-modified-since": "nonsense" }, undefined],
  [{ "if-modified-since": "Mon 2030" }, undefined],
  [{ "if-none-match": '"b"', "if-modified-since": AFTER }, undefined],
  [{ "if-match": '"b"', "if-none-match": '"a"' }, 412],
  [{ "if-match": '"a"', "if-none-match": '"a"' }, 304, 412],
];

Deno.test("preconditions are evaluated in the order of RFC 9110 section 13.2.2", () => {
  for (const [headers, status, fresh = status] of CONDITIONS) {
    assertEquals(precondition(new Headers(headers), FILE), status, JSON.stringify(headers));
    assertEquals(precondition(new Headers(headers), FRESH), fresh, `fresh: ${JSON.stringify(headers)}`);
  }
});

Deno.test("an answer without validators matches no tag, and any date", () => {
  const cases: [headers: Record<string, string>, status: 304 | 412 | undefined][] = [
    [{ "if-match": '"a"' }, 412],
    [{ "if-match": "*" }, undefined],
    [{ "if-unmodified-since": BEFORE }, undefined],
    [{ "if-none-match": "*" }, 304],
    [{ "if-none-match": '"a"' }, undefined],
    [{ "if-modified-since": AFTER }, undefined],
  ];
  for (const [headers, status] of cases) {
    assertEquals(precondition(new Headers(headers), {}), status, JSON.stringify(headers));
  }
});

Deno.test("If-Range applies to an equal strong validator only", () => {
  const cases: [ifRange: string | null, applies: boolean, fresh: boolean][] = [
    [null, true, true],
    ['"a"', true, false],
    ['W/"a"', false, false],
    ['"b"', false, false],
    [TIME, true, false],
    [BEFORE, false, false],
    [AFTER, false, false],
    ["Wed, 2026", false, false],
    ["x", false, false],
  ];
  for (const [value, applies, fresh] of cases) {
    assertEquals(rangeApplies(value, FILE), applies, `${value}`);
    assertEquals(rangeApplies(value, FRESH), fresh, `fresh: ${value}`);
  }
});
