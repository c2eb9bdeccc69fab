/** The workflows, as far as they can be judged without running them. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { parse } from "yaml";
import { executableName, TARGETS } from "../../tools/compile/targets.ts";

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

Deno.test("each action is pinned by its commit", () => {
  for (const { name } of Deno.readDirSync(FOLDER)) {
    for (const { uses, steps = [] } of Object.values(jobsOf(name))) {
      const used = [uses, ...steps.map((step) => step.uses)].filter((action) => action !== undefined);
      for (const action of used) assertMatch(action, /^\.\/|^[\w-]+\/[\w-]+@[0-9a-f]{40}$/, name);
    }
  }
});

Deno.test("nothing is published before each executable that a runner can start has been tried", () => {
  const { smoke, release } = jobsOf("release.yml");
  assert(release.needs!.includes("smoke"));
  const commands = smoke.strategy!.matrix.include.map(({ command }) => command);
  const named = TARGETS.filter((target) =>
    commands.some((command) => command.endsWith(` tools/smoke.ts dist/${executableName(target)}`))
  );
  assertEquals(named.map(({ name }) => name), ["linux-x64", "linux-arm64", "windows-x64"]);
  assertEquals(commands.filter((command) => command.includes("--files-only")).length, 1);
});
