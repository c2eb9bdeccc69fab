/** The endpoint that takes files into the served folder, if uploads are allowed. */

import { StateError } from "../../core/errors.ts";
import { join } from "../../core/path.ts";
import { objectSchema, parseQuery, plainText, text } from "../actions/schema.ts";
import type { Endpoint } from "./endpoint.ts";
import { jsonText } from "./responses.ts";

const INPUT = { name: plainText("The name of the file") };

/** Takes a file. */
export const FOLDER_ENDPOINT: Endpoint = {
  method: "PUT",
  path: "/api/file",
  id: "putFile",
  summary: "Put a file into the served folder",
  effect: "act",
  query: INPUT,
  bytes: ["application/octet-stream"],
  answer: { "application/json": objectSchema({ path: text("Where the file is on the desktop's machine") }) },
  statuses: {
    201: "All of the file has arrived",
    202: "A part of the file is missing; Upload-Offset says from which byte on",
    409: "No folder takes uploads, or the folder has a file of this name",
    413: "The file is larger than --upload-limit",
    507: "The disk is full",
  },
  async handle({ request, query, services: { folder } }) {
    const { name } = parseQuery(INPUT, query);
    if (!folder) {
      throw new StateError("no folder takes files: start deskhand with --files FOLDER --allow-upload");
    }
    const taken = await folder.take(name, request);
    const said = (await taken.text()).trim(), isTaken = taken.status < 300;
    const json = jsonText(JSON.stringify(isTaken ? { path: join(folder.path, name) } : { error: said }));
    const offset = taken.headers.get("upload-offset");
    if (offset !== null) json.headers.set("upload-offset", offset);
    return new Response(json.body, { status: taken.status, headers: json.headers });
  },
};
