/** Endpoints that describe the control API itself. */

import { type Endpoint, endpoint } from "../endpoint.ts";
import { openApi } from "../openapi.ts";

/**
 * See the module's comment.
 * @param table Gives the whole table, these rows included.
 */
export function aboutEndpoints(table: () => readonly Endpoint[]): Endpoint[] {
  return [
    endpoint({
      method: "GET",
      path: "/api",
      summary: "This list",
      readOnly: true,
      answer: { "application/json": { type: "object" } },
      handle: () => ({
        endpoints: table().map(({ method, path, summary }) => ({ method, path, summary })),
      }),
    }),
    endpoint({
      method: "GET",
      path: "/openapi.json",
      summary: "This API as an OpenAPI document",
      readOnly: true,
      answer: { "application/json": { type: "object" } },
      handle: () => openApi(table()),
    }),
  ];
}
