/**
 * Generates parts of the Python and TypeScript clients (tools/clients/) from the tables of endpoints. They
 * are not in git; `deno task check`, `deno task test` and `deno task package` generate them too.
 *
 *     deno task clients
 */

import { writeClients } from "./clients/sources.ts";

await writeClients();
