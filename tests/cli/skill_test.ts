/** The skill: its length, and that each step of its examples is one that deskhand takes. */

import { assert, assertEquals } from "@std/assert";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { SKILL } from "../../cli/skill.ts";
import { stepOf } from "../../control/agents/steps/step.ts";

Deno.test("the skill has at most 60 lines, 1,200 tokens, and a description of 60 tokens", () => {
  assert(SKILL.trimEnd().split("\n").length <= 60);
  assert(encode(SKILL).length <= 1200, `${encode(SKILL).length}`);
  const [, description] = /^description: (.*)$/m.exec(SKILL)!;
  assert(encode(description).length <= 60, `${encode(description).length}`);
});

Deno.test("deskhand takes every step that the skill names", () => {
  const commands = [...SKILL.matchAll(/deskhand do (.*)/g)].flatMap(([, words]) =>
    [...words.matchAll(/'([^']+)'|(\w+)/g)].map(([, quoted, plain]) => quoted ?? plain)
  );
  const listed = [...SKILL.matchAll(/`([^`]+)`/g)].map(([, words]) => words)
    .filter((words) => !words.startsWith("deskhand") && !words.includes("…"))
    .map((words) => words.replace(/ to=desk\.png$/, ""));
  assert(commands.length >= 5 && listed.length >= 20);
  for (const line of [...commands, ...listed]) {
    const bare = /^(wait window|file)$/.test(line) ? `${line} "x"` : line;
    assertEquals(typeof stepOf(bare, line).verb, "string", line);
  }
});
