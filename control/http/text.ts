/** Text on the screen over HTTP, as JSON or as plain text. */

import type { AnyAction } from "../actions/action.ts";
import { ACTIONS } from "../actions/mod.ts";
import { choice, type Fields, optional, parseQuery } from "../actions/schema.ts";
import { type Endpoint, route } from "./endpoint.ts";

const PATH = "/api/text";
const FORMATS = ["json", "text"] as const;
const QUERY = {
  ...ACTIONS.text.input,
  format: optional(choice(FORMATS, "text has the lines alone; json if left out")),
} satisfies Fields;

function reading(action: AnyAction): Endpoint {
  return route("GET", PATH, action, {
    read: (_, query) => {
      const { format: _format, ...values } = parseQuery(QUERY, query);
      return Promise.resolve(values);
    },
  });
}

const READINGS = { json: reading(ACTIONS.text), text: reading(ACTIONS.textLines) };

export const TEXT_ENDPOINT: Endpoint = {
  ...READINGS.json,
  query: QUERY,
  answer: { ...READINGS.json.answer, ...READINGS.text.answer },
  statuses: { 409: "A language is missing; the message says where its file belongs" },
  handle: (call) => READINGS[parseQuery(QUERY, call.query).format ?? "json"].handle(call),
};
