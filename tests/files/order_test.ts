/** The order of a listing. */

import { assert, assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import { BusyError } from "../../core/errors.ts";
import type { Entry } from "../../files/listing/entry.ts";
import { ordered } from "../../files/listing/read.ts";
import { renderMarkdown } from "../../files/render/markdown.ts";
import { served } from "../support/uploads.ts";

Deno.test("names are in natural order", () => {
  const names = ["b", "A10", "a9", "a09", "ä8", "a", "Z", "100", "20", "3", "_x", "a 2", "a 10", "É", "e1"];
  const entries = names.map((name) => ({ name, size: 1, modified: null }));
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

Deno.test("the order of names with numbers does not depend on the order in which they are read", () => {
  const parts = ["", "0", "00", "1", "01", "10", "9", "a", "b", "-", "A1", "a10", "é2", "漢"];
  const names = parts.flatMap((first) => parts.map((second) => `${first}.${second}`)).filter((name) => name);
  const entries = names.map((name) => ({ name, size: 1, modified: null }));
  const ascending = ordered(entries, { sort: "name", descending: false });
  const shuffled = entries.toSorted((a, b) => hash(a.name) - hash(b.name));
  assertEquals(ordered(shuffled, { sort: "name", descending: false }), ascending);
  assertEquals(ordered(shuffled, { sort: "name", descending: true }), ascending.toReversed());
});

Deno.test("numbers in names are sorted by their value", () => {
  const sorted = [
    ["a", "a0", "a1", "a2", "a10", "a11", "a100", "b"],
    ["1", "2", "9", "10", "123456789", "1234567890", "9".repeat(30), "1".repeat(300)],
    ["a1b2", "a1b10", "a2b1", "a10b1"],
    ["a-1", "a1", "aa"], // a number sorts where its digits do
    ["é1", "é2", "é10"],
    ["x" + "1".repeat(90), "x" + "2".repeat(90)],
    ["a001", "a01", "a1", "a002"],
  ];
  for (const names of sorted) {
    const entries = names.toReversed().map((name) => ({ name, size: 1, modified: null }));
    assertEquals(ordered(entries, { sort: "name", descending: false }).map(({ name }) => name), names);
  }
});

function hash(name: string): number {
  return [...name].reduce((sum, character) => Math.imul(sum + character.codePointAt(0)!, 2654435761), 7);
}

Deno.test("the latest entry is last, and entries without a time count as the oldest", () => {
  const entries = ([["b", 20], ["c", null], ["d", 10], ["a", 20], ["e", null]] as [string, number | null][])
    .map(([name, time]) => ({
      name,
      size: 1,
      modified: time,
    }));
  const names = (descending: boolean) =>
    ordered(entries, { sort: "time", descending }).map(({ name }) => name).join("");
  assertEquals([names(false), names(true)], ["cedab", "badec"]);
});

Deno.test("folders come first, then files by size", () => {
  const random = (i: number) => Math.imul(i, 2654435761) >>> 0;
  const entries = Array.from({ length: 2000 }, (_, i) => ({
    name: `file ${random(i)}`,
    size: random(i) % 7 === 0 ? undefined : random(i) % 100,
    modified: null,
  }));
  const sorted = ordered(entries, { sort: "size", descending: true });
  assertEquals(new Set(sorted.map(({ name }) => name)), new Set(entries.map(({ name }) => name)));
  const isFolder = ({ size }: Entry) => size === undefined;
  sorted.slice(1).forEach((entry, i) => {
    const before = sorted[i];
    assertEquals(isFolder(before) || !isFolder(entry), true, "folders come first");
    if (!isFolder(before)) assertEquals(before.size! >= entry.size!, true, "the largest first");
  });
});

// Markdown as HTML: the displayed text, and markup that cannot get into a page.

Deno.test("Markdown becomes HTML, with links to other Markdown as pages", () => {
  const cases: [markdown: string, html: string][] = [
    ["**a** _b_ `c<d`", "<p><strong>a</strong> <em>b</em> <code>c&lt;d</code></p>\n"],
    ["# A b!\n# A b!", '<h1 id="a-b">A b!</h1>\n<h1 id="a-b-1">A b!</h1>\n'],
    ["[x](y.md#z)", '<p><a href="y.md?view#z">x</a></p>\n'],
    ["[x](https://e.com/y.md)", '<p><a href="https://e.com/y.md" rel="noreferrer">x</a></p>\n'],
    ["![x](y.png)", '<p><img src="y.png" alt="x" loading="lazy"></p>\n'],
    ["- [x] a", "<ul>\n<li>☑ a</li>\n</ul>\n"],
    ["~~a~~", "<p><del>a</del></p>\n"],
    ["```sh\n# a\n```", '<pre tabindex="0"><code># a</code></pre>\n'],
    ["```nothing\n<a>\n```", '<pre tabindex="0"><code>&lt;a&gt;</code></pre>\n'],
  ];
  for (const [markdown, html] of cases) assertEquals(renderMarkdown(markdown), html, markdown);
  assertStringIncludes(renderMarkdown("| a |\n|---|\n| b |"), "<thead><tr><th>a</th></tr>");
});

Deno.test("only a few harmless HTML elements in Markdown remain", () => {
  const cases: [markdown: string, html: string][] = [
    ["a <script>b</script>", "a b"],
    ['a <kbd onclick="x">b</kbd>', "a <kbd>b</kbd>"],
    ['a <img src="a.png" onerror="x">', 'a <img src="a.png" alt="" loading="lazy">'],
    ['a <img src="//e.com/a.png" alt="b">', 'a <a href="//e.com/a.png" rel="noreferrer">b</a>'],
    ["![b](https://e.com/a.png)", '<a href="https://e.com/a.png" rel="noreferrer">b</a>'],
    ["[a](javascript:b)", "<a>a</a>"],
    ['a <a href="java&#10;script:b">b</a>', 'a <a href="java&amp;#10;script:b">b</a>'], // no scheme
    ['a <a href="JaVaScRiPt:b">b</a>', "a <a>b</a>"],
    ["[a](data:text/html,b)", "<a>a</a>"],
    ["[a](vbscript:b)", "<a>a</a>"],
    ["a <!-- b -->c", "a c"],
  ];
  for (const [markdown, html] of cases) assertEquals(renderMarkdown(markdown), `<p>${html}</p>\n`, markdown);
  const hostile = [
    "<svg onload=alert(1)>",
    "<iframe src=x>",
    "<math><mtext></mtext><script>1</script>",
    "<style>*{}</style>",
    "<img src=x onerror=alert(1)//",
    '[a](x "onmouseover=alert(1)\\" onclick=\\"b")',
    "</article></main><script>1</script>",
    "<a href='x' onclick='y'>z</a>",
    "<details open ontoggle=alert(1)>",
    '![a" onerror="b](c)',
    "<form action=x><button>y</button></form>",
    "<base href=//e.com>",
    "<meta http-equiv=refresh content=0>",
    "&lt;script&gt;",
    "<scr<script>ipt>alert(1)</scr</script>ipt>",
    "<!--><script>1</script>-->",
    "a <kbd><img src=x onerror=alert(1)//",
    "<pre><svg onload=alert(1)//",
    "<script>\n<img src=x onerror=alert(1)//",
  ];
  for (const text of hostile) {
    const html = renderMarkdown(text);
    const tags = [...html.matchAll(/<\/?([a-z0-9]+)((?:\s+[\w-]+(?:="[^"<>]*")?)*)\s*>/gi)];
    const left = tags.reduce((rest, [tag]) => rest.replace(tag, ""), html);
    assert(!/[<]/.test(left), `${text}: ${html}`); // anything that is not a tag of the table is text
    for (const [, name, attributes] of tags) {
      assertMatch(name, /^(?:p|a|img|pre|code|div|details|span|br|kbd|h\d)$/, text);
      assert(!/\b(?:on\w+|style|srcdoc)=/.test(attributes.replace(/"[^"]*"/g, '""')), `${text}: ${html}`);
    }
  }
});

Deno.test("a text that takes the library too long ends at its time limit", () => {
  const slow = ["_a__".repeat(30_000), "[".repeat(300_000), "![a](".repeat(60_000)];
  for (const text of slow) assertThrows(() => renderMarkdown(text, 50), BusyError, "takes too long");
});

Deno.test("a folder shows its README.md, and a file's page its text", async () => {
  await served(async (root, ask) => {
    const text = async (path: string) => await (await ask(path)).text();
    Deno.writeTextFileSync(`${root}/a.ts`, "const a = 1; // <b>");
    Deno.writeTextFileSync(`${root}/plain.txt`, "# no heading <b>");
    assert(!(await text("/")).includes("<article"));
    Deno.writeTextFileSync(`${root}/README.md`, "# Hello\n\n<script>1</script>");
    const page = await ask("/"), html = await page.text();
    assertStringIncludes(html, '<article class="prose" aria-label="README.md">\n<h1 id="hello">Hello</h1>');
    assertMatch(page.headers.get("content-security-policy")!, /default-src 'none'.*img-src 'self'/);
    assert(!(await text("/?q=a")).includes("<article"));
    assert(!(await text("/?view=gallery")).includes("<article"));
    assertStringIncludes(await text("/README.md?view"), '<h1 id="hello">Hello</h1>');
    assertStringIncludes(await text("/a.ts?view"), "\nconst a = 1; // &lt;b&gt;</pre>");
    assertStringIncludes(await text("/plain.txt?view"), "\n# no heading &lt;b&gt;</pre>");
    assertEquals(await text("/README.md"), "# Hello\n\n<script>1</script>"); // the file itself is unchanged
  });
});
