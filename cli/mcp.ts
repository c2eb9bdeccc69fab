/** `deskhand mcp`: tools for one AI agent, on standard input and output. */

import { runMcpOnStdio } from "../control/agents/mcp.ts";
import type { Lifetime } from "../core/lifetime.ts";
import type { Output } from "../core/output.ts";
import type { Settings } from "./option_table.ts";
import { openServices } from "./services.ts";

/**
 * Serves until the client ends its input.
 * @returns The exit code.
 * @throws UsageError if a setting is wrong; NoDesktopError if there is no desktop.
 */
export async function runMcp(settings: Settings, output: Output, lifetime: Lifetime): Promise<number> {
  lifetime.watch(output.report);
  const services = await openServices(settings, output, lifetime);
  await runMcpOnStdio(await services().agents());
  return 0;
}
