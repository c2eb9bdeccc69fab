/** MCP on standard input and output: one client, until it ends its input. */

import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { nodeModule } from "../../core/path.ts";
import type { AgentServer } from "./desk.ts";
import { serverOf } from "./mcp.ts";

/**
 * Serves the client that started this program.
 * @returns When its input ends. The protocol has standard output to itself.
 */
export async function runMcpOnStdio(desk: AgentServer): Promise<void> {
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const { stdin, stdout } = nodeModule("node:process");
  stdin.once("end", resolve);
  stdin.once("close", resolve);
  stdout.once("error", resolve); // the reader of stdout is gone
  const { close } = serveStdio(() => serverOf(desk, {}));
  await ended;
  await close();
  await desk.settled();
}
