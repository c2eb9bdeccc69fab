/** The version of deskhand, read from deno.json. */

import manifest from "../deno.json" with { type: "json" };

/** deskhand's version, as in deno.json. */
export const VERSION: string = manifest.version;
