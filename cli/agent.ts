/**
 * `deskhand agent`: installs this version's skill where AI agents on the command line read it, or removes it.
 */

import { attempt, UsageError } from "../core/errors.ts";
import type { Output } from "../core/output.ts";
import { dirname, join } from "../core/path.ts";
import { printable } from "../core/printable.ts";
import { removeIfThere, replaceFile } from "../core/state_files.ts";
import { SKILL } from "./skill.ts";

/** Skill folders below the home folder, by agent. */
const FOLDERS: Readonly<Record<string, string>> = {
  claude: ".claude/skills",
  codex: ".agents/skills",
  gemini: ".agents/skills",
  opencode: ".agents/skills",
};
/** The supported agents. */
export const AGENTS: readonly string[] = Object.keys(FOLDERS);

/** The line that marks a skill written by deskhand; a file without it is the user's own. */
const MARK = /^<!-- deskhand \S+ -->$/m;
const FAILED = 1;
/** Readable by anyone, writable by the owner. */
const MODE = 0o644;

/**
 * Runs `deskhand agent install AGENT` or `deskhand agent uninstall AGENT`. Prints each change before making
 * it; on a terminal, asks the user first.
 * @returns The exit code: 1 if the user's own file is in the way, or the user declines.
 * @throws UsageError for other words.
 */
export function runAgent([verb, agent, ...more]: readonly string[], output: Output): number {
  const folder = FOLDERS[agent ?? ""];
  if (verb !== "install" && verb !== "uninstall" || !folder || more.length) {
    throw new UsageError(
      `agent takes list, forget [PROGRAM], install NAME or uninstall NAME, where NAME is one of ${
        AGENTS.join(", ")
      }`,
    );
  }
  const path = join(homeFolder(), ...folder.split("/"), "deskhand", "SKILL.md"), present = textOf(path);
  const shared = AGENTS.filter((name) => FOLDERS[name] === folder);
  if (present !== undefined && !MARK.test(present)) {
    output.notice(`deskhand: ${printable(path)} was not created by deskhand, so it is left unchanged`);
    return FAILED;
  }
  if (present === (verb === "install" ? SKILL : undefined)) {
    output.result(`nothing to do: ${printable(path)} is ${verb === "install" ? "there" : "not there"}`);
    return 0;
  }
  const act = verb === "install" ? present === undefined ? "writes" : "replaces" : "removes";
  output.result(
    `deskhand ${act} ${printable(path)}, which ${shared.join(", ")} read${shared.length > 1 ? "" : "s"}`,
  );
  if (Deno.stdin.isTerminal() && !confirm("Do it?")) return FAILED;
  if (verb === "install") {
    Deno.mkdirSync(dirname(path), { recursive: true });
    replaceFile(path, SKILL, MODE);
  } else {
    removeIfThere(path);
    let at = dirname(path);
    for (const _ of ["deskhand", ...folder.split("/")]) {
      attempt(() => Deno.removeSync(at)); // folders that the user uses are not empty
      at = dirname(at);
    }
  }
  return 0;
}

function homeFolder(): string {
  const home = Deno.env.get(Deno.build.os === "windows" ? "USERPROFILE" : "HOME");
  if (home) return home;
  throw new UsageError("cannot install the skill: HOME is not set");
}

/** A file's text; undefined if it does not exist. */
function textOf(path: string): string | undefined {
  try {
    return Deno.readTextFileSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw new UsageError(`${printable(path)}: ${(error as Error).message}`);
  }
}
