/** The OpenAPI 3.1 document (https://spec.openapis.org/oas/v3.1.0), built from the table of endpoints. */

import type { Endpoint } from "./endpoint.ts";
import type { JsonSchema } from "../schema/schema.ts";
import { VERSION } from "../../core/version.ts";

const ERROR: JsonSchema = {
  type: "object",
  properties: { error: { type: "string" } },
  required: ["error"],
};

/** Statuses that any endpoint may return. */
const COMMON_STATUSES: Record<number, string> = {
  400: "The request is invalid; the message says what is wrong",
  401: "The token is missing or wrong",
  403: "Not allowed for this host name, or not under --read-only",
  414: "The path and query are too long",
  429: "Too many wrong tokens from this address; Retry-After says when to try again",
  500: "An internal error of deskhand",
  503: "The desktop is gone, or too much is going on",
};
const ACTING_STATUSES: Record<number, string> = {
  409: "The call conflicts with the current state, such as a replay",
};
/** Statuses of endpoints that accept a body. */
const BODY_STATUSES: Record<number, string> = {
  408: "The body did not arrive in time",
  413: "The body is too large",
};

/**
 * Describes endpoints.
 * @returns The document, to be sent as JSON.
 */
export function openApi(endpoints: readonly Endpoint[]): JsonSchema {
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const row of endpoints) {
    (paths[row.path] ??= {})[row.method.toLowerCase()] = operation(row);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "deskhand control API",
      version: VERSION,
      description: "Pointer, keyboard and screen of a desktop over HTTP.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/" }],
    paths,
    components: { securitySchemes: { token: { type: "http", scheme: "bearer" } } },
    security: [{}, { token: [] }],
  };
}

function operation(row: Endpoint): JsonSchema {
  const statuses = {
    ...COMMON_STATUSES,
    ...(row.effect === "read" ? {} : ACTING_STATUSES),
    ...(row.body || row.bytes ? BODY_STATUSES : {}),
    ...row.statuses,
  };
  const content = Object.entries(row.answer);
  return {
    operationId: row.id,
    summary: row.summary,
    ...(row.query
      ? {
        parameters: Object.entries(row.query).map(([name, { required, schema }]) => ({
          name,
          in: "query",
          required,
          schema,
        })),
      }
      : {}),
    ...requestBody(row),
    responses: {
      ...(content.length
        ? {
          200: {
            description: "Done",
            content: Object.fromEntries(content.map(([type, schema]) => [type, { schema }])),
          },
        }
        : { 101: { description: "The connection switches to the requested protocol" } }),
      ...Object.fromEntries(
        Object.entries(statuses).map(([status, description]) => [status, {
          description,
          content: { "application/json": { schema: ERROR } },
        }]),
      ),
    },
  };
}

function requestBody({ body, bytes = [] }: Endpoint): JsonSchema {
  if (!body && !bytes.length) return {};
  const schema = { type: "string", format: "binary" };
  return {
    requestBody: {
      required: !body || "required" in body || "then" in body,
      content: {
        ...(body ? { "application/json": { schema: body } } : {}),
        ...Object.fromEntries(bytes.map((type) => [type, { schema }])),
      },
    },
  };
}
