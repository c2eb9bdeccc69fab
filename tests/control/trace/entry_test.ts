/** Lines of a trace: each is read again as it was written, and no text ends a comment or becomes markup. */

import { assert, assertEquals } from "@std/assert";
import { entryLine, parseLine, pictureLine, type TraceEntry } from "../../../control/trace/entry.ts";

/** Texts that would break out of a comment, an element or JSON. */
const HOSTILE = [
  "-->",
  "--!>",
  "><script>alert(1)</script>",
  "<!-- <!--a{} --> -->",
  "\0 nul",
  "\ud800 a lone surrogate",
  "\u2028 a line\nand another\r\n",
  "]]>",
  'a "quoted" \\ text',
  "‮gpj.exe",
];

Deno.test("an entry with any text is one comment, and is read as it was", () => {
  for (const text of HOSTILE) {
    const entry: TraceEntry = { kind: "mark", t: 1, text }, line = entryLine(entry);
    assert(line.endsWith("-->\n"), text);
    assertEquals([line.indexOf(">"), line.indexOf("\n")], [line.length - 2, line.length - 1], text);
    assertEquals(parseLine(line.trimEnd()), entry, text);
  }
});

Deno.test("a picture's line tells its time and size", () => {
  for (const length of [0, 1, 2, 3, 1000]) {
    const line = pictureLine(12.5, length === 3, new Uint8Array(length)).trimEnd();
    assertEquals(parseLine(line), { kind: "picture", t: 12.5, key: length === 3, bytes: length });
  }
});

Deno.test("other lines, and lines that were cut off, are no entries", () => {
  const line = entryLine({ kind: "mark", t: 1, text: "hello" }).trimEnd();
  for (const other of ["", "<style>", line.slice(0, -1), line.slice(0, -4), "<!--a{-->", "<!--p x AAAA-->"]) {
    assertEquals(parseLine(other), undefined, other);
  }
});
