/**
 * The skill in an agent's folder, installed and removed without a trace; and agents' grants, listed and
 * revoked.
 */

import { assert, assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import { join } from "@std/path";
import { AGENTS, runAgent } from "../../cli/agent.ts";
import { runAgentGrants } from "../../cli/agent_grants.ts";
import { SKILL } from "../../cli/skill.ts";
import type { Settings } from "../../cli/option_table.ts";
import { UsageError } from "../../core/errors.ts";
import type { Output } from "../../core/output.ts";
import { mustRun } from "../support/shell.ts";
import { stepOf } from "../../control/agents/steps/step.ts";

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

Deno.test("each agent's skill is installed and removed, and the home folder is as before", async () => {
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

Deno.test("grants in a file are listed, and removed unless they restrict agents", async () => {
  const path = await Deno.makeTempFile();
  await Deno.writeTextFile(
    path,
    JSON.stringify({
      default: "ask",
      programs: [
        { exe: "/usr/bin/gedit", may: "act", until: "2026-12-24" },
        { class: "gedit", may: "read" },
        { class: "Firefox", may: "act" },
      ],
    }),
  );
  const grants = async (...words: string[]) => {
    const said: string[] = [], note = (text: string) => void said.push(text);
    const output = { result: note, notice: note } as unknown as Output;
    const code = await runAgentGrants(words, { agentAllow: path } as Settings, output);
    return [code, ...said];
  };
  const rest = ["read     gedit", "act      Firefox", "ask      all other programs"];
  assertEquals(await grants("list"), [0, "act      gedit (/usr/bin/gedit)  until 2026-12-24", ...rest]);
  assertEquals(await grants("forget", "gedit"), [0, "revoked: 1 grant in gedit"]);
  assertEquals(await grants("forget", "gedit"), [1, "no grant to revoke in gedit"]);
  assertEquals(await grants("list"), [0, ...rest]);
  for (const words of [["list", "gedit"], ["forget"], ["forget", "a", "b"]]) {
    await assertRejects(() => grants(...words), UsageError, "agent");
  }
  await Deno.remove(path);
});

// The skill: its length, and that deskhand accepts each step of its examples.

Deno.test("the skill has at most 60 lines", () => {
  assert(SKILL.trimEnd().split("\n").length <= 60);
});

Deno.test("deskhand accepts every step that the skill names", () => {
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
