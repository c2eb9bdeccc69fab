/** Starts deskhand. */

import { run } from "./cli/run.ts";

if (import.meta.main) Deno.exit(await run(Deno.args));
