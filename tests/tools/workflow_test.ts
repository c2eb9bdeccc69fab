/** Checks that need no run of the workflows; generated pictures, sentences and references. */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { parse } from "yaml";
import { apiReference, recordingSchema, REFERENCE, SCHEMA } from "../../tools/api_reference.ts";
import { bundle, BundleError } from "../../tools/compile/bundle.ts";
import { executableName, TARGETS } from "../../tools/compile/targets.ts";
import { droppedResources } from "../../tools/compile/using.ts";
import { commentsOf, sentencesOf, splitSentences } from "../../tools/draw/texts.ts";
import { draw, PICTURE, record } from "../../tools/picture.ts";
import { need } from "../support/need.ts";
import { temporary } from "../support/shell.ts";

const FOLDER = new URL("../../.github/workflows/", import.meta.url);

interface Job {
  needs?: string | string[];
  uses?: string;
  steps?: { uses?: string; run?: string }[];
  strategy?: { matrix: { include: { runner: string; command: string }[] } };
}

function jobsOf(name: string): Record<string, Job> {
  return parse(Deno.readTextFileSync(new URL(name, FOLDER))).jobs;
}

Deno.test("pins each action to a commit", () => {
  for (const { name } of Deno.readDirSync(FOLDER)) {
    for (const { uses, steps = [] } of Object.values(jobsOf(name))) {
      const used = [uses, ...steps.map((step) => step.uses)].filter((action) => action !== undefined);
      for (const action of used) assertMatch(action, /^\.\/|^[\w-]+\/[\w-]+@[0-9a-f]{40}$/, name);
    }
  }
});

Deno.test("publishes only after every executable that a runner can start has been tested", () => {
  const { smoke, release } = jobsOf("release.yml");
  assert(release.needs!.includes("smoke"));
  const commands = smoke.strategy!.matrix.include.map(({ command }) => command);
  const named = TARGETS.filter((target) =>
    commands.some((command) => command.endsWith(` tools/smoke.ts dist/${executableName(target)}`))
  );
  assertEquals(named.map(({ name }) => name), ["linux-x64", "linux-arm64", "windows-x64"]);
  assertEquals(commands.filter((command) => command.includes("--files-only")).length, 1);
});

// Resources that a bundle would not dispose of.

/** Blocks, and names whose `using` esbuild would drop when it inlines a value into its only use. */
const RESOURCES: [block: string, dropped: string[]][] = [
  ["using file = open();\nreturn file !== undefined;", ["file"]],
  ["using file = open(); // it is closed\nreturn file;", ["file"]],
  ["await using file = await open(\n  path,\n);\nreturn { ok: true, is: file ? 1 : 2 };", ["file"]],
  ["using hooks = new Hooks();\n\nhooks.watch();", ["hooks"]],
  ["using file = open();\nreturn file ? file.size : 0;", []],
  ["using _place = enter();\nreturn 1;", []],
  ["using file = open();\nconst size = sizeOf();\nreturn [size, file];", []],
  ["using file = open();\nreturn path.file;", []],
];

Deno.test("finds and refuses resources that a bundle would not dispose of", async () => {
  for (const [block, dropped] of RESOURCES) {
    const text = `function use() {\n  ${block.replaceAll("\n", "\n  ")}\n}\nconst file = 1, hooks = 2;\n`;
    assertEquals(droppedResources(text), dropped, text);
  }
  await temporary(async (folder) => {
    const main = join(folder, "main.ts");
    await Deno.writeTextFile(main, "function use() {\n  using a = open();\n  return a === 1;\n}\nuse();\n");
    const made = bundle(folder, { modules: [main], workers: [], files: [] }, join(folder, "stage"));
    await assertRejects(() => made, BundleError, '"using a" would be dropped');
  });
});

// The session's picture matches the program.

Deno.test({
  ...need("script", "bash", "curl", "file"),
  name: "the README's session matches the program's output",
}, async () => {
  const drawn = draw(await record());
  assertEquals(await Deno.readTextFile(PICTURE), drawn, "deno task picture draws it anew");
});

// Doc comments and sentences that `deno task draw` finds.

Deno.test("sentences do not end at a colon, abbreviation, file name or code", () => {
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

Deno.test("finds a page's sentences in paragraphs, quotations and lists, not in code and tables", () => {
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

Deno.test("finds doc comments with their lines, without stars", () => {
  const source =
    "/** One. */\nconst a = 1; /* not */\n\n  /**\n   * Two\n   * lines.\n   *\n   * @returns it\n   */\n";
  assertEquals(commentsOf(source), [
    { line: 1, text: "One." },
    { line: 4, text: "Two\nlines.\n\n@returns it" },
  ]);
});

// The committed references match the program.

Deno.test("docs/api.md and docs/recording.schema.json match `deno task reference`", async () => {
  assertEquals(await Deno.readTextFile(REFERENCE), await apiReference());
  assertEquals(await Deno.readTextFile(SCHEMA), await recordingSchema());
});
