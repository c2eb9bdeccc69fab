/** Doc comments and sentences, as `deno task draw` finds them. */

import { assertEquals } from "@std/assert";
import { commentsOf, sentencesOf, splitSentences } from "../../tools/draw/texts.ts";

Deno.test("sentences end at no colon, abbreviation, name of a file or code, and begin in any case", () => {
  const cases: [paragraph: string, ...sentences: string[]][] = [
    ["It waits. curl asks again.", "It waits.", "curl asks again."],
    ["Use a list: one. Two?", "Use a list: one.", "Two?"],
    ["A letter, e.g. a. It is sent, i.e. done.", "A letter, e.g. a.", "It is sent, i.e. done."],
    ["Deno 2.9.6 reads deno.json. It stops", "Deno 2.9.6 reads deno.json.", "It stops"],
    ["Write `a. b` there. See [this](a.md. b). End!", "Write `a. b` there.", "See [this](a.md. b).", "End!"],
    [
      "It ends (as it says. Always) here. **Then.** More",
      "It ends (as it says. Always) here.",
      "**Then.**",
      "More",
    ],
  ];
  for (const [paragraph, ...sentences] of cases) assertEquals(splitSentences(paragraph), sentences);
});

Deno.test("a page's sentences are those of paragraphs, quotations and lists, and none of code and tables", () => {
  const page = `# Heading. No

First one
goes on. Second one:

    code. Not this

- An item
  of two lines.

  A paragraph of it.
- Another. With two that ends with
  404. Behind it.

    steps:
      - code. Not this

\`\`\`
fenced. Not this
\`\`\`

| a. b | c. d |

> Quoted one.
<img src="x. y">
`;
  assertEquals(sentencesOf(page).map(({ line, text }) => `${line} ${text}`), [
    "3 First one goes on.",
    "3 Second one:",
    "8 An item of two lines.",
    "11 A paragraph of it.",
    "12 Another.",
    "12 With two that ends with 404.",
    "12 Behind it.",
    "24 Quoted one.",
  ]);
});

Deno.test("doc comments are found with their lines, without stars", () => {
  const source =
    "/** One. */\nconst a = 1; /* not */\n\n  /**\n   * Two\n   * lines.\n   *\n   * @returns it\n   */\n";
  assertEquals(commentsOf(source), [
    { line: 1, text: "One." },
    { line: 4, text: "Two\nlines.\n\n@returns it" },
  ]);
});
