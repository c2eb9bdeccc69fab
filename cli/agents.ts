/** Reads the settings for AI agents; the first call loads the code that serves them. */

import type { AgentServer } from "../control/agents/desk.ts";
import type { FileReader } from "../control/agents/tools/files.ts";
import type { ActionRunner } from "../control/actions/runner.ts";
import type { Desktop } from "../control/desktop/desktop.ts";
import type { ProgramPermission } from "../control/operator/program_permission.ts";
import { UsageError } from "../core/errors.ts";
import { viewSetting } from "../control/view/view.ts";
import type { Lifetime } from "../core/lifetime.ts";
import type { Output } from "../core/output.ts";
import type { Peer } from "../http/request.ts";
import type { Settings } from "./option_table.ts";

/** Creates a runner's desk, once. */
type DeskMaker = (runner: ActionRunner) => () => Promise<AgentServer>;

/**
 * Reads the settings for agents.
 * @param lifetime Waits for the log before the exit.
 * @throws UsageError if one of them is wrong.
 */
export async function agentDesks(
  settings: Settings,
  output: Output,
  lifetime: Lifetime,
): Promise<DeskMaker> {
  const { view, viewDisplay, agentLog } = settings, setting = viewSetting(view);
  const names = listOf(settings.tools), programs = listOf(settings.agentOpen);
  if (programs?.some((name) => !name)) {
    throw new UsageError("--agent-open takes program names, such as firefox,mousepad");
  }
  // Loads the tools only if the start names any.
  if (names) (await import("../control/agents/desk.ts")).checkTools(names);
  const log = agentLog === undefined
    ? undefined
    : (await import("../http/log.ts")).openLog(agentLog, "--agent-log");
  if (log) lifetime.beforeEnd(() => log.flushed());
  const questions = settings.agentAllow === undefined ? undefined : await import("./agent_questions.ts");
  return (runner) => {
    let desk: Promise<AgentServer> | undefined;
    const load = async () => {
      const { AgentServer } = await import("../control/agents/desk.ts");
      return new AgentServer(runner, {
        view: setting,
        display: viewDisplay,
        tools: names,
        programs,
        files: settings.files === undefined ? undefined : await fileReader(settings.files, settings),
        log: log && ((line) => log.add(line)),
        report: output.report,
      });
    };
    const { programs: permission } = runner.permission;
    if (log && permission) questions?.logQuestions(permission, (line) => log.add(line));
    if (permission) questions?.notifyQuestions(permission, output);
    return () => desk ??= load();
  };
}

/** The per-program permission, and a wrapper for the desktop that asks it. */
interface AgentPrograms {
  permission: ProgramPermission;
  judged(desktop: Desktop): Desktop;
}

/**
 * Reads the file of `--agent-allow`.
 * @returns undefined without the option.
 * @throws UsageError if the file is invalid.
 */
export async function agentPrograms({ agentAllow }: Settings): Promise<AgentPrograms | undefined> {
  if (agentAllow === undefined) return undefined;
  const [{ PolicyFile }, { ProgramPermission }, { judgedDesktop }] = await Promise.all([
    import("../control/operator/agent_policy.ts"),
    import("../control/operator/program_permission.ts"),
    import("../control/operator/judged_desktop.ts"),
  ]);
  const permission = new ProgramPermission(await PolicyFile.open(agentAllow));
  return { permission, judged: (desktop) => judgedDesktop(desktop, permission.judge) };
}

/** The entries of a comma-separated list. */
function listOf(text: string | undefined): string[] | undefined {
  return text?.split(",").map((entry) => entry.trim());
}

/**
 * Reads the served folder for agents. They do not need the password of `--files-auth`, because they have
 * passed the access rules of the control API.
 */
async function fileReader(root: string, settings: Settings): Promise<FileReader> {
  const [{ createFilesHandler }, { secretPaths }] = await Promise.all([
    import("../files/handler.ts"),
    import("./secret_paths.ts"),
  ]);
  const handler = createFilesHandler({ root, noHidden: settings.noHidden, secrets: secretPaths(settings) });
  return async (path, headers) => await handler(new Request(`http://127.0.0.1${path}`, { headers }), INSIDE);
}

/** Represents the client of a request without a socket. */
const INSIDE: Peer = {
  remoteAddr: { transport: "tcp", hostname: "127.0.0.1", port: 0 },
  completed: Promise.resolve(),
};
