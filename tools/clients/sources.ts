/** The generated parts of the clients, which are not in git, and their paths. */

import { fromFileUrl } from "@std/path";
import { LISTED_ENDPOINTS } from "../../control/http/endpoints.ts";
import { openApi } from "../../control/http/openapi.ts";
import { formatted } from "../format.ts";
import { clientModel } from "./model.ts";
import { pythonClient } from "./python.ts";
import { typescriptClient } from "./typescript.ts";

/** The folder of the clients. */
export const CLIENTS = fromFileUrl(new URL("../../clients/", import.meta.url));

/** Generates each file; returns its path and text. */
export async function clientSources(): Promise<[path: string, text: string][]> {
  const model = clientModel(openApi(LISTED_ENDPOINTS));
  return [
    [`${CLIENTS}python/deskhand/_api.py`, pythonClient(model)],
    // Formatting only converges on the second pass: the first one breaks lines that the second one joins.
    [
      `${CLIENTS}typescript/src/api.ts`,
      await formatted(await formatted(await typescriptClient(model), "ts"), "ts"),
    ],
  ];
}

/** Writes the generated parts of the clients, unless they are up to date. */
export async function writeClients(): Promise<void> {
  for (const [path, text] of await clientSources()) {
    if (await Deno.readTextFile(path).catch(() => "") === text) continue;
    const staged = `${path}.${crypto.randomUUID()}`; // a check and a test run may write at the same time
    await Deno.writeTextFile(staged, text);
    await Deno.rename(staged, path);
  }
}
