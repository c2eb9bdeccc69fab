/** Starts deskhand. */

import { startedAs, type XdotoolCall, xdotoolCall } from "./cli/xdotool/call.ts";

/**
 * Runs a command of xdotool, which loads nothing of the rest. By its address it becomes files of its own in executables,
 * as a Worker does: its modules are those of other parts too, and would be in many small files.
 */
async function runXdotool(call: XdotoolCall): Promise<number> {
  const { href } = new URL("./cli/xdotool/main.ts", import.meta.url);
  const { main }: { main(call: XdotoolCall): Promise<number> } = await import(href);
  return await main(call);
}

if (import.meta.main) {
  const call = xdotoolCall(Deno.args, startedAs());
  Deno.exit(call ? await runXdotool(call) : await (await import("./cli/run.ts")).run(Deno.args));
}
