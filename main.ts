/** Starts deskhand. */

import { startedAs, type XdotoolCall, xdotoolCall } from "./cli/xdotool/call.ts";

/**
 * Runs an xdotool command without loading the rest of the program. It is imported by URL, so that executables
 * contain it as separate files, as with a Worker; otherwise modules shared with other parts would be split
 * into many small files.
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
