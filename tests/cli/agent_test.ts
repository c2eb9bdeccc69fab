/** The skill in an agent's folder: written, renewed and taken back, without a trace and without a file of the person's. */

import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { join } from "@std/path";
import { AGENTS, runAgent } from "../../cli/agent.ts";
import { SKILL } from "../../cli/skill.ts";
import { UsageError } from "../../core/errors.ts";
import type { Output } from "../../core/output.ts";
import { mustRun } from "../support/shell.ts";

/** Runs the subcommand in a home folder. */
function run(home: string, ...words: string[]): { code: number; said: string } {
  const said: string[] = [], before = Deno.env.get("HOME")!;
  const note = (text: string) => void said.push(text);
  Deno.env.set("HOME", home);
  try {
    return { code: runAgent(words, { result: note, notice: note } as Output), said: said.join("\n") };
  } finally {
    Deno.env.set("HOME", before);
  }
}

const files = async (home: string) => (await mustRun("find", [home])).split("\n").sort().join("\n");

Deno.test("each agent's skill is written and taken back, and the home folder is as before", async () => {
  const home = await Deno.makeTempDir();
  await Deno.mkdir(join(home, ".claude"));
  await Deno.writeTextFile(join(home, ".claude/settings.json"), "{}");
  const before = await files(home);
  for (const agent of AGENTS) {
    const path = join(home, agent === "claude" ? ".claude" : ".agents", "skills/deskhand/SKILL.md");
    const { code, said } = run(home, "install", agent);
    assertEquals(code, 0);
    assertStringIncludes(said, `deskhand writes ${path}, which`);
    assertEquals(await Deno.readTextFile(path), SKILL);
    assertStringIncludes(run(home, "install", agent).said, "nothing to do");
    await Deno.writeTextFile(path, SKILL.replace(/deskhand \S+ -->/, "deskhand 0.0.1 -->"));
    assertStringIncludes(run(home, "install", agent).said, "deskhand replaces");
    assertEquals(await Deno.readTextFile(path), SKILL);
    assertStringIncludes(run(home, "uninstall", agent).said, "deskhand removes");
    assertEquals(await files(home), before);
    assertStringIncludes(run(home, "uninstall", agent).said, "nothing to do");
  }
  await Deno.remove(home, { recursive: true });
});

Deno.test("a person's own skill of that name stays, and unknown words are refused", async () => {
  const home = await Deno.makeTempDir(), path = join(home, ".claude/skills/deskhand/SKILL.md");
  await Deno.mkdir(join(home, ".claude/skills/deskhand"), { recursive: true });
  await Deno.writeTextFile(path, "my own");
  for (const verb of ["install", "uninstall"]) assertEquals(run(home, verb, "claude").code, 1);
  assertEquals(await Deno.readTextFile(path), "my own");
  for (const words of [[], ["install"], ["install", "vim"], ["add", "claude"], ["install", "claude", "x"]]) {
    assertThrows(() => run(home, ...words), UsageError, "claude, codex, gemini, opencode");
  }
  await Deno.remove(home, { recursive: true });
});
