/** Planned answers, by table: status, headers that differ, pieces. */

import { assertEquals } from "@std/assert";
import { plan } from "../../files/plan.ts";
import { describe } from "../../files/representation.ts";

const MODIFIED = "Wed, 21 Oct 2026 07:28:00 GMT";
const INFO = {
  size: 1000,
  mtime: new Date(MODIFIED),
  ctime: new Date(MODIFIED),
  ino: 1,
  dev: 1,
} as Deno.FileInfo;
const STRONG = describe("/root/a.txt", INFO, { strong: true, trustHtml: false, shared: [] });
const WEAK = describe("/root/a.txt", INFO, { strong: false, trustHtml: false, shared: [] });
const EMPTY = describe("/root/a.txt", { ...INFO, size: 0 }, { strong: true, trustHtml: false, shared: [] });
const { etag } = STRONG.validators, weakTag = WEAK.validators.etag;
const ALL = { start: 0, end: 999 }, FIRST = { start: 0, end: 9 };

/** Headers that are looked at: `content-length`, `content-range`. */
type Expected = [status: number, length: string | undefined, range: string | undefined, pieces: unknown[]];

const CASES: [what: string, headers: Record<string, string>, expected: Expected, file?: typeof STRONG][] = [
  ["no condition", {}, [200, "1000", undefined, [ALL]]],
  ["an empty file", {}, [200, "0", undefined, []], EMPTY],
  ["one range", { range: "bytes=0-9" }, [206, "10", "bytes 0-9/1000", [FIRST]]],
  ["the last bytes", { range: "bytes=-5" }, [206, "5", "bytes 995-999/1000", [{ start: 995, end: 999 }]]],
  ["a range of everything", { range: "bytes=0-" }, [206, "1000", "bytes 0-999/1000", [ALL]]],
  ["ranges that touch", { range: "bytes=0-4,5-9" }, [206, "10", "bytes 0-9/1000", [FIRST]]],
  ["a range beyond the end", { range: "bytes=1000-" }, [416, undefined, "bytes */1000", []]],
  ["a range of an empty file", { range: "bytes=0-" }, [416, undefined, "bytes */0", []], EMPTY],
  ["a malformed range", { range: "bytes=x" }, [200, "1000", undefined, [ALL]]],
  ["If-Range with the tag", { range: "bytes=0-9", "if-range": etag }, [206, "10", "bytes 0-9/1000", [FIRST]]],
  ["If-Range with another tag", { range: "bytes=0-9", "if-range": '"x"' }, [200, "1000", undefined, [ALL]]],
  [
    "If-Range with a weak tag",
    { range: "bytes=0-9", "if-range": weakTag },
    [200, "1000", undefined, [ALL]],
    WEAK,
  ],
  ["If-None-Match with the tag", { "if-none-match": etag }, [304, undefined, undefined, []]],
  ["If-None-Match with a weak tag", { "if-none-match": weakTag }, [304, undefined, undefined, []], WEAK],
  ["If-None-Match with another tag", { "if-none-match": '"x"' }, [200, "1000", undefined, [ALL]]],
  ["If-Modified-Since", { "if-modified-since": MODIFIED }, [304, undefined, undefined, []]],
  ["If-Match with another tag", { "if-match": '"x"' }, [412, undefined, undefined, []]],
  ["a precondition before a range", { "if-match": '"x"', range: "bytes=1000-" }, [
    412,
    undefined,
    undefined,
    [],
  ]],
  ["304 before a range", { "if-none-match": etag, range: "bytes=0-9" }, [304, undefined, undefined, []]],
];

Deno.test("preconditions decide first, then ranges", () => {
  for (const [what, given, [status, length, range, pieces], file = STRONG] of CASES) {
    const headers = new Headers(given);
    const planned = plan({ method: "GET", headers, query: "" }, file);
    const sent = new Map(planned.headers);
    assertEquals(
      [planned.status, sent.get("content-length"), sent.get("content-range"), planned.pieces],
      [status, length, range, pieces],
      what,
    );
    assertEquals(new Set(sent.keys()).size, planned.headers.length, `${what}: no header is doubled`);
    const head = plan({ method: "HEAD", headers, query: "" }, file);
    assertEquals(head, { ...planned, pieces: [] }, `${what}: HEAD has the same headers and no content`);
  }
});

Deno.test("several ranges are planned as parts, with the length of the whole body", () => {
  const headers = new Headers({ range: "bytes=0-9,500-509" });
  const planned = plan({ method: "GET", headers, query: "" }, STRONG, () => "BOUNDARY");
  const text = planned.pieces.map((piece) =>
    piece instanceof Uint8Array ? new TextDecoder().decode(piece) : piece
  );
  const head = (range: string) =>
    `\r\n--BOUNDARY\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-range: bytes ${range}/1000\r\n\r\n`;
  assertEquals(text, [
    head("0-9"),
    FIRST,
    head("500-509"),
    { start: 500, end: 509 },
    "\r\n--BOUNDARY--\r\n",
  ]);
  const sent = new Map(planned.headers);
  assertEquals(sent.get("content-type"), "multipart/byteranges; boundary=BOUNDARY");
  const length = 20 + text.reduce((sum, piece) => sum + (typeof piece === "string" ? piece.length : 0), 0);
  assertEquals(sent.get("content-length"), `${length}`);
});

Deno.test("the query decides on the disposition, of a 304 too", () => {
  for (const given of [{}, { "if-none-match": etag }] as Record<string, string>[]) {
    const planned = plan({ method: "GET", headers: new Headers(given), query: "download" }, STRONG);
    assertEquals(new Map(planned.headers).get("content-disposition"), 'attachment; filename="a.txt"');
  }
});
