/** The pure parts of the file door, by table. */

import { assertEquals, assertThrows } from "@std/assert";
import { ContentCache, type Kept } from "../../files/cache.ts";
import { httpDate, precondition, rangeApplies } from "../../files/conditional.ts";
import { contentDisposition } from "../../files/disposition.ts";
import { isActive, mediaType } from "../../files/media.ts";
import { ordered } from "../../files/listing/order.ts";
import { parseRange } from "../../files/range.ts";
import { pathNames } from "../../files/resolve.ts";
import { isSpecialOnWindows } from "../../files/windows_names.ts";
import { RequestError } from "../../errors.ts";

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
  [`bytes=${Array.from({ length: 1000 }, (_, i) => `${i * 2}-${i * 2}`).join(",")}`, 5000, undefined],
  [`bytes=${Array.from({ length: 5000 }, () => "0-0").join(",")}`, 1000, undefined],
];

Deno.test("a Range is read as RFC 9110 has it", () => {
  for (const [header, size, ranges] of RANGES) {
    assertEquals(
      parseRange(header, size),
      ranges?.map(([start, end]) => ({ start, end })),
      header.slice(0, 60),
    );
  }
});

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

const NAMES: [name: string, type: string, query: string, header: string][] = [
  ["a.txt", "text/plain; charset=utf-8", "", 'inline; filename="a.txt"'],
  ["a.png", "image/png", "", 'inline; filename="a.png"'],
  ["a.zip", "application/zip", "", 'attachment; filename="a.zip"'],
  ["a.zip", "application/zip", "inline", 'inline; filename="a.zip"'],
  ["a.txt", "text/plain", "download", 'attachment; filename="a.txt"'],
  ["a.txt", "text/plain", "x=1&download=1", 'attachment; filename="a.txt"'],
  ["a.txt", "text/plain", "downloads", 'inline; filename="a.txt"'],
  ['q"b\\c.txt', "text/plain", "", 'inline; filename="q\\"b\\\\c.txt"'],
  ["ü €.txt", "text/plain", "", "inline; filename=\"_ _.txt\"; filename*=UTF-8''%C3%BC%20%E2%82%AC.txt"],
  [
    "é'(1)*.txt",
    "text/plain",
    "",
    "inline; filename=\"_'(1)*.txt\"; filename*=UTF-8''%C3%A9%27%281%29%2A.txt",
  ],
  ["a\r\nx: y", "text/plain", "", "inline; filename=\"a__x: y\"; filename*=UTF-8''a%0D%0Ax%3A%20y"],
  ["100%.txt", "text/plain", "", 'inline; filename="100%.txt"'],
];

Deno.test("dispositions follow RFC 6266 and RFC 8187", () => {
  for (const [name, type, query, header] of NAMES) {
    assertEquals(contentDisposition(name, type, query), header);
  }
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

Deno.test("types come with a charset for text, and what may hold scripts is known", () => {
  for (const [name, type, active] of TYPES) {
    assertEquals([mediaType(name), isActive(mediaType(name))], [type, active], name);
  }
});

const PATHS: [path: string, names: string[] | number][] = [
  ["/", [""]],
  ["/a", ["a"]],
  ["/a/", ["a", ""]],
  ["/a/b%20c", ["a", "b c"]],
  ["/%E6%BC%A2", ["漢"]],
  ["/%252e%252e/x", ["%2e%2e", "x"]],
  ["/...", ["..."]],
  ["/..", 400],
  ["/../x", 400],
  ["/%2e%2e/x", 400],
  ["/a/./b", 400],
  ["/a%2fb", 400],
  ["/a%5cb", 400],
  ["/a\\b", 400],
  ["/a%00", 400],
  ["/%", 400],
  ["/%zz", 400],
  ["/%ff", 400],
  ["/%c0%ae%c0%ae/", 400],
  ["*", 400],
  ["", 400],
  ["//a", 404],
  ["/a//b", 404],
];

Deno.test("paths are decoded once and never lead up", () => {
  for (const [path, expected] of PATHS) {
    if (typeof expected === "number") {
      assertEquals(assertThrows(() => pathNames(path, false), RequestError).status, expected, path);
    } else assertEquals(pathNames(path, false), expected, path);
  }
});

const SPECIAL = "CON con nul.txt COM1 lpt9.log COM¹ CONIN$ a.txt::$DATA C: a. x.txt. PROGRA~1 a?b a* a|b"
  .split(" ");

Deno.test("names that Windows would take for something else are refused there, and only there", () => {
  for (const name of [...SPECIAL, "a ", "aux .txt"]) {
    assertEquals(isSpecialOnWindows(name), true, name);
    const path = "/" + encodeURIComponent(name);
    assertEquals(assertThrows(() => pathNames(path, true), RequestError).status, 404, name);
    assertEquals(pathNames(path, false), [name]);
  }
  for (const name of ["console", "a.con", "com10", "comx", "a~b", "normal.txt", ".hidden", "nulls.txt"]) {
    assertEquals(isSpecialOnWindows(name), false, name);
  }
});

Deno.test("the cache keeps what is unchanged, within its bound", async () => {
  const info = (size: number, time: number) =>
    ({ size, ino: 1, dev: 1, mtime: new Date(time), ctime: new Date(0) }) as Deno.FileInfo;
  let now: Deno.FileInfo | null = info(3000, 5);
  let looks = 0;
  const cache = new ContentCache<Kept>(() => (looks++, now), 10_000);
  const file = { place: "/a", info: now, content: new Uint8Array(3000) };
  cache.set("a", file);
  assertEquals(await Promise.all([cache.get("a"), cache.get("a")]), [file, file]);
  assertEquals(looks, 1, "who asks at one moment shares a look");
  assertEquals(await cache.get("a"), file);
  assertEquals(looks, 2, "who asks later gets another");
  now = info(3000, 6);
  assertEquals(await cache.get("a"), undefined);
  assertEquals([cache.get("a"), cache.bytes], [undefined, 0]);
  now = info(3000, 5);
  for (const name of ["a", "b"]) cache.set(name, file);
  await cache.get("a"); // used: b is the oldest now
  cache.set("c", file);
  assertEquals(["a", "b", "c"].map((name) => cache.get(name) !== undefined), [true, false, true]);
  assertEquals(cache.bytes <= 10_000, true);
  now = null;
  assertEquals(await cache.get("a"), undefined);
});

Deno.test("a look that began before a file was kept anew leaves the new one alone", async () => {
  const info = { size: 1 } as Deno.FileInfo;
  let now: Deno.FileInfo | null = null;
  const cache = new ContentCache<Kept>(() => now);
  const older = { place: "/a", info, content: new Uint8Array(1) }, newer = { ...older };
  cache.set("a", older);
  const asked = cache.get("a");
  cache.set("a", newer);
  assertEquals(await asked, undefined);
  now = info;
  assertEquals(await cache.get("a") === newer, true);
  for (let i = 0; i < 2; i++) {
    cache.keepAnswer("a", older, "", new Response("made", { headers: { "content-length": "4" } }));
  }
  assertEquals([cache.answer("a", older, ""), cache.answer("a", newer, "")], [undefined, undefined]);
  assertEquals(cache.bytes, 1 + 1024, "no answer is kept with another file than its own");
});

Deno.test("answers of a kept file count to the bound, and go with the file", async () => {
  const info = { size: 3000 } as Deno.FileInfo;
  let now: Deno.FileInfo | null = info;
  const cache = new ContentCache<Kept>(() => now, 100_000);
  const file = { place: "/a", info, content: new Uint8Array(3000) };
  const keepOnce = (which: string, length = 100, status = 200) => {
    const headers = { "content-length": String(length) };
    cache.keepAnswer("a", file, which, new Response(which.padEnd(100, "."), { status, headers }));
  };
  const keep = (...answer: Parameters<typeof keepOnce>) => {
    keepOnce(...answer);
    keepOnce(...answer);
  };
  keep("x");
  assertEquals([cache.answer("a", file, "x"), cache.bytes], [undefined, 0], "nothing is kept of no file");
  cache.set("a", file);
  const alone = cache.bytes;
  keepOnce("x");
  assertEquals([cache.answer("a", file, "x"), cache.bytes], [undefined, alone], "it was asked for once only");
  keepOnce("x");
  for (let i = 0; i < 3; i++) assertEquals(await cache.answer("a", file, "x")!.text(), "x".padEnd(100, "."));
  const withAnswer = cache.bytes;
  assertEquals(withAnswer > alone + 100, true);
  for (let i = 0; i < 1000; i++) keep(`${i}`);
  assertEquals(cache.bytes < alone + 17 * (withAnswer - alone), true, "the answers of one file are bounded");
  keep("bad", 100, 416);
  keep("large", 1_000_000);
  assertEquals([cache.answer("a", file, "bad"), cache.answer("a", file, "large")], [undefined, undefined]);
  now = null;
  assertEquals(await cache.get("a"), undefined);
  assertEquals([cache.answer("a", file, "999"), cache.bytes], [undefined, 0]);
});

Deno.test("names are in the order in which people count", () => {
  const names = ["b", "A10", "a9", "a09", "ä8", "a", "Z", "100", "20", "3", "_x", "a 2", "a 10", "É", "e1"];
  const entries = names.map((name) => ({ name, folder: false, size: 1, modified: null }));
  const sorted = ordered(entries, { sort: "name", descending: false });
  assertEquals(sorted.map(({ name }) => name), [
    "3",
    "20",
    "100",
    "_x",
    "a",
    "a 2",
    "a 10",
    "ä8",
    "a09",
    "a9",
    "A10",
    "b",
    "É",
    "e1",
    "Z",
  ]);
});

Deno.test("folders come first, then what was asked for", () => {
  const random = (i: number) => Math.imul(i, 2654435761) >>> 0;
  const entries = Array.from({ length: 2000 }, (_, i) => ({
    name: `file ${random(i)}`,
    folder: random(i) % 7 === 0,
    size: random(i) % 100,
    modified: null,
  }));
  const sorted = ordered(entries, { sort: "size", descending: true });
  assertEquals(sorted.length, entries.length);
  assertEquals(new Set(sorted).size, entries.length);
  sorted.slice(1).forEach((entry, i) => {
    const before = sorted[i];
    assertEquals(before.folder || !entry.folder, true, "folders come first");
    if (before.folder === entry.folder) assertEquals(before.size! >= entry.size!, true, "the largest first");
  });
});
