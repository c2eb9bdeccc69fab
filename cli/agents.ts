/** Reads the settings of AI agents, and loads what serves them at the first call. */

import type { AgentDesk } from "../control/agents/desk.ts";
import type { ActionRunner } from "../control/actions/runner.ts";
import { viewSetting } from "../control/view/view.ts";
import type { Lifetime } from "../core/lifetime.ts";
import type { Output } from "../core/output.ts";
import { openLog } from "../http/log.ts";
import type { Settings } from "./option_table.ts";

/** Makes the desk of a runner, once. */
export type DeskMaker = (runner: ActionRunner) => () => Promise<AgentDesk>;

/**
 * Reads the settings of agents.
 * @param lifetime Waits for the log at the end.
 * @throws UsageError if one of them is wrong.
 */
export async function agentDesks(
  { view, viewDisplay, tools, agentLog }: Settings,
  output: Output,
  lifetime: Lifetime,
): Promise<DeskMaker> {
  const setting = viewSetting(view), names = tools?.split(",").map((name) => name.trim());
  // A start that names no tools need not load them.
  if (names) (await import("../control/agents/desk.ts")).checkTools(names);
  const log = agentLog === undefined ? undefined : openLog(agentLog, "--agent-log");
  if (log) lifetime.beforeEnd(() => log.flushed());
  return (runner) => {
    let desk: Promise<AgentDesk> | undefined;
    const load = async () => {
      const { AgentDesk } = await import("../control/agents/desk.ts");
      return new AgentDesk(runner, {
        view: setting,
        display: viewDisplay,
        tools: names,
        log: log && ((line) => log.add(line)),
        report: output.report,
      });
    };
    return () => desk ??= load();
  };
}
