/** Preconditions and If-Range, by table. */

import { assertEquals } from "@std/assert";
import { parseRange, plan } from "../../files/plan.ts";
import { precondition, rangeApplies } from "../../files/conditional.ts";
import { contentDisposition, isActive, mediaType, typeOf } from "../../files/disposition.ts";
import { describe } from "../../files/representation.ts";

const TIME = "Wed, 21 Oct 2026 07:28:00 GMT", BEFORE = "Wed, 21 Oct 2026 07:27:59 GMT";
const AFTER = "Wed, 21 Oct 2026 07:28:01 GMT";
const FILE = { etag: '"a"', modified: Date.parse(TIME) / 1000 };
/** The file's facts, changed just now. */
const FRESH = { ...FILE, etag: 'W/"a"' };

/** The status for a file with a strong tag, and for one with a weak tag if different. */
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

// Range headers, by table.

/** Ranges that do not touch. */
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

Deno.test("Range is parsed by the rules of RFC 9110 section 14", () => {
  for (const [header, size, ranges] of RANGES) {
    assertEquals(
      parseRange(header, size),
      ranges?.map(([start, end]) => ({ start, end })),
      header.slice(0, 60),
    );
  }
});

// Disposition and media type, by file name.

const NAMES: [name: string, type: string, query: string, header: string][] = [
  ["a.txt", "text/plain; charset=utf-8", "", 'inline; filename="a.txt"'],
  ["a.png", "image/png", "", 'inline; filename="a.png"'],
  ["a.zip", "application/zip", "", 'attachment; filename="a.zip"'],
  ["a.zip", "application/zip", "inline", 'inline; filename="a.zip"'],
  ["a.txt", "text/plain", "download", 'attachment; filename="a.txt"'],
  ["a.txt", "text/plain", "x=1&download=1", 'attachment; filename="a.txt"'],
  ["a.txt", "text/plain", "downloads", 'inline; filename="a.txt"'],
  ['q"b\\c.txt', "text/plain", "", 'inline; filename="q\\"b\\\\c.txt"'],
  [
    "ü €.txt",
    "text/plain",
    "",
    "inline; filename=\"Ã¼ â\u0082¬.txt\"; filename*=UTF-8''%C3%BC%20%E2%82%AC.txt",
  ],
  [
    "é'(1)*.txt",
    "text/plain",
    "",
    "inline; filename=\"Ã©'(1)*.txt\"; filename*=UTF-8''%C3%A9%27%281%29%2A.txt",
  ],
  ["a\r\nx: y", "text/plain", "", "inline; filename=\"a__x: y\"; filename*=UTF-8''a%0D%0Ax%3A%20y"],
  ["100%.txt", "text/plain", "", 'inline; filename="100%.txt"'],
  ["a%20b.txt", "text/plain", "", "inline; filename=\"a%20b.txt\"; filename*=UTF-8''a%2520b.txt"],
];

Deno.test("dispositions follow RFC 6266 and RFC 8187", () => {
  for (const [name, type, query, header] of NAMES) {
    assertEquals(contentDisposition(name, type, query), header);
  }
});

/** Beginnings of files, and their types. */
const BY_CONTENT: [name: string, content: string | Uint8Array, type: string][] = [
  ["README", "text ü", "text/plain; charset=utf-8"],
  ["program", "\0\x01", "application/octet-stream"],
  ["empty", "", "application/octet-stream"],
  ["a.unknown", "text", "application/octet-stream"],
  ["a.ts", "let a = 1;", "text/plain; charset=utf-8"],
  ["a.ts", new Uint8Array(400).fill(0x47), "video/mp2t"],
  ["a.mts", new Uint8Array(400).fill(0x47), "video/mp2t"],
  ["a.mts", "let a = 1;", "text/plain; charset=utf-8"],
  ["a.html", new Uint8Array([0xcf, 0xf0, 0xe8]), "text/html"],
  ["a.html", "ü", "text/html; charset=utf-8"],
  ["a.txt", new Uint8Array([0xfc]), "text/plain"],
  ["a.svgz", new Uint8Array([0x1f, 0x8b, 8]), "image/svg+xml"],
];

Deno.test("the content decides the type if the name is missing or misleading", () => {
  for (const [name, content, type] of BY_CONTENT) {
    const head = typeof content === "string" ? new TextEncoder().encode(content) : content;
    assertEquals([name, typeOf(name, head).type], [name, type]);
  }
  assertEquals(typeOf("a.svgz", new Uint8Array([0x1f, 0x8b, 8])).coding, "gzip");
  // A character truncated at the end of the inspected part.
  assertEquals(typeOf("a.txt", new Uint8Array([0x61, 0xc3]), true).type, "text/plain; charset=utf-8");
});

const TYPES: [name: string, type: string, active: boolean][] = [
  ["a.html", "text/html; charset=utf-8", true],
  ["a.HTML", "text/html; charset=utf-8", true],
  ["a.svg", "image/svg+xml", true],
  ["a.xml", "application/xml", true],
  ["a.xhtml", "application/xhtml+xml", true],
  ["a.txt", "text/plain; charset=utf-8", false],
  ["a.css", "text/css; charset=utf-8", false],
  ["a.json", "application/json; charset=utf-8", false],
  ["a.mp4", "video/mp4", false],
  ["a.pdf", "application/pdf", false],
  ["a.unknown", "application/octet-stream", false],
  ["README", "application/octet-stream", false],
  ["a.ts", "text/plain; charset=utf-8", false],
  ["a.py", "text/plain; charset=utf-8", false],
  ["a.wav", "audio/wav", false],
  ["a.flac", "audio/flac", false],
];

Deno.test("text has a charset, and types that may contain scripts are active", () => {
  for (const [name, type, active] of TYPES) {
    assertEquals([mediaType(name), isActive(mediaType(name))], [type, active], name);
  }
});

// Planned answers, by table: status, headers that differ, pieces.

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

/** The headers that are checked: `content-length`, `content-range`. */
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

Deno.test("the query decides the disposition, also of a 304", () => {
  for (const given of [{}, { "if-none-match": etag }] as Record<string, string>[]) {
    const planned = plan({ method: "GET", headers: new Headers(given), query: "download" }, STRONG);
    assertEquals(new Map(planned.headers).get("content-disposition"), 'attachment; filename="a.txt"');
  }
});
