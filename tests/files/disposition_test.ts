/** Disposition and media type, by a file's name. */

import { assertEquals } from "@std/assert";
import { contentDisposition, isActive, mediaType } from "../../files/disposition.ts";

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

Deno.test("text has a charset, and types that may hold scripts are active", () => {
  for (const [name, type, active] of TYPES) {
    assertEquals([mediaType(name), isActive(mediaType(name))], [type, active], name);
  }
});
