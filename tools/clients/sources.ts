/** The generated parts of the clients, which git does not hold, and where they stand. */

import { fromFileUrl } from "@std/path";
import { LISTED_ENDPOINTS } from "../../control/http/endpoints.ts";
import { openApi } from "../../control/http/openapi.ts";
import { formatted } from "../format.ts";
import { clientModel } from "./model.ts";
import { pythonClient } from "./python.ts";
import { typescriptClient } from "./typescript.ts";

/** The folder of the clients. */
export const CLIENTS = fromFileUrl(new URL("../../clients/", import.meta.url));

/** Makes each file; gives its path and text. */
export async function clientSources(): Promise<[path: string, text: string][]> {
  const model = clientModel(openApi(LISTED_ENDPOINTS));
  return [
    [`${CLIENTS}python/deskhand/_api.py`, pythonClient(model)],
    // The formatter comes to rest with the second pass: the first one breaks lines that the second one joins.
    [
      `${CLIENTS}typescript/src/api.ts`,
      await formatted(await formatted(await typescriptClient(model), "ts"), "ts"),
    ],
  ];
}

/** Writes the generated parts of the clients, unless they stand there already. */
export async function writeClients(): Promise<void> {
  for (const [path, text] of await clientSources()) {
    if (await Deno.readTextFile(path).catch(() => "") === text) continue;
    const staged = `${path}.${crypto.randomUUID()}`; // a check and a run of tests may write at once
    await Deno.writeTextFile(staged, text);
    await Deno.rename(staged, path);
  }
}
