/** The version, from the one place that has it. */

import manifest from "../deno.json" with { type: "json" };

/** deskhand's version, as in deno.json. */
export const VERSION: string = manifest.version;
