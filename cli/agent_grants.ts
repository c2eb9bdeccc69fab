/** `deskhand agent list` and `deskhand agent forget`: what agents may control, and how a user revokes it. */

import { type PolicyEntry, PolicyFile, type Program, programText } from "../control/operator/agent_policy.ts";
import { UsageError } from "../core/errors.ts";
import type { Output } from "../core/output.ts";
import { printable } from "../core/printable.ts";
import type { Settings } from "./option_table.ts";
import { apiOf } from "./own_server.ts";

/** The response of `GET /api/agents`, as far as it concerns programs. */
interface Grants {
  questions?: (Program & { id: number; client: string; action: string })[];
  grants?: (Program & { agent: string })[];
  programs?: PolicyEntry[];
  default?: string;
}

const FAILED = 1;

/**
 * Runs `deskhand agent list`, or `deskhand agent forget [PROGRAM]`, on a running deskhand, or on the file of
 * `--agent-allow`, which a running deskhand reloads.
 * @returns The exit code: 1 if the control API refuses, or there is nothing to revoke.
 * @throws UsageError if no deskhand answers, the file is invalid, or for other words.
 */
export async function runAgentGrants(
  [verb, ...names]: readonly string[],
  settings: Settings,
  output: Output,
): Promise<number> {
  const [name] = names, path = settings.agentAllow;
  if (names.length > (verb === "forget" ? 1 : 0)) {
    throw new UsageError(
      verb === "forget" ? "agent forget takes one program at most" : "agent list takes no arguments",
    );
  }
  if (path !== undefined) return await ofFile(await PolicyFile.open(path), verb === "forget", name, output);
  const api = apiOf(settings);
  const answer = verb === "forget"
    ? await api("POST", "/api/agents/forget", name === undefined ? {} : { program: name })
    : await api("GET", "/api/agents");
  const told = await answer.json();
  if (!answer.ok) {
    output.notice(`deskhand: ${told.error}`);
    return FAILED;
  }
  if (verb === "forget") return report(told.forgotten, name, output);
  for (const line of listed(told)) output.result(line);
  return 0;
}

async function ofFile(
  file: PolicyFile,
  forgets: boolean,
  name: string | undefined,
  output: Output,
): Promise<number> {
  if (!forgets) {
    for (const line of listed({ ...file.policy, grants: [] })) output.result(line);
    return 0;
  }
  if (name === undefined) throw new UsageError("agent forget takes the program to remove from the file");
  return report((await file.forget(name)).length, name, output);
}

function report(count: number, name: string | undefined, output: Output): number {
  const where = name === undefined ? "" : ` in ${printable(name)}`;
  output.result(
    count ? `revoked: ${count} grant${count > 1 ? "s" : ""}${where}` : `no grant to revoke${where}`,
  );
  return count ? 0 : FAILED;
}

function listed({ questions = [], grants, programs = [], default: other }: Grants): string[] {
  if (!grants) return ["agents may act in every program: deskhand was started without --agent-allow"];
  return [
    ...questions.map((row) =>
      `asks     ${programText(row)}  ${printable(row.client)}: ${printable(row.action)}`
    ),
    ...grants.map((row) => `session  ${programText(row)}  ${printable(row.agent)}`),
    ...programs.map((row) => {
      const until = row.until === undefined ? "" : `  until ${row.until}`;
      return `${row.may.padEnd(7)}  ${programText(row)}${until}`;
    }),
    `${other?.padEnd(7)}  all other programs`,
  ];
}
