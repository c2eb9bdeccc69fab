/** Endpoints that describe the control API itself. */

import { group, type JsonSchema, list, objectSchema, text } from "../actions/schema.ts";
import type { Endpoint } from "./endpoint.ts";
import { publicText } from "./responses.ts";

const LIST = objectSchema({
  endpoints: list(
    group({
      method: text("HTTP method"),
      path: text("Path"),
      summary: text("Purpose"),
    }, "An endpoint"),
    "Every endpoint that is open",
  ),
});

/** An OpenAPI document, whose own schema says the rest. */
const DOCUMENT: JsonSchema = {
  type: "object",
  properties: {
    openapi: { type: "string" },
    info: { type: "object", properties: { title: { type: "string" }, version: { type: "string" } } },
    paths: { type: "object" },
    components: { type: "object" },
  },
  required: ["openapi", "info", "paths"],
};

/**
 * Makes the endpoints that list and describe the table.
 * @param table Returns the whole table, these rows included.
 */
export function aboutEndpoints(table: () => readonly Endpoint[]): Endpoint[] {
  return [
    {
      method: "GET",
      path: "/api",
      id: "listEndpoints",
      summary: "The list of all calls",
      effect: "read",
      answer: { "application/json": LIST },
      handle: ({ request, services: { runner } }) =>
        publicJson(request, {
          endpoints: table().filter((row) => runner.isOpen(row)).map(({ method, path, summary }) => ({
            method,
            path,
            summary,
          })),
        }),
    },
    {
      method: "GET",
      path: "/openapi.json",
      id: "openApi",
      summary: "This API as an OpenAPI document",
      effect: "read",
      answer: { "application/json": DOCUMENT },
      async handle({ request }) {
        const { openApi } = await import("./openapi.ts");
        return await publicJson(request, openApi(table()));
      },
    },
  ];
}

function publicJson(request: Request, value: unknown): Promise<Response> {
  return publicText(request, JSON.stringify(value), "application/json");
}
