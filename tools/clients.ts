/**
 * Writes the generated parts of the clients for Python and TypeScript (tools/clients/) from the tables of endpoints: git
 * does not hold them. `deno task check`, `deno task test` and `deno task package` write them, too.
 *
 *     deno task clients
 */

import { writeClients } from "./clients/sources.ts";

await writeClients();
