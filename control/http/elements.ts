/** Elements over HTTP; a list as JSON or as text. */

import type { AnyAction } from "../actions/action.ts";
import { ACTIONS } from "../actions/mod.ts";
import { choice, type Fields, optional, parseQuery } from "../actions/schema.ts";
import { type Endpoint, route } from "./endpoint.ts";

const PATH = "/api/elements";
const FORMATS = ["json", "text"] as const;
const QUERY = {
  ...ACTIONS.elements.input,
  format: optional(choice(FORMATS, "text is short, for people and models; json if left out")),
} satisfies Fields;

const STATUSES = {
  404: "No element or window fits, or the element is gone; the message names the nearest",
  409: "Several elements fit, or the action cannot be done; the message says why",
};

function list(action: AnyAction): Endpoint {
  return route("GET", PATH, action, {
    read: (_, query) => {
      const { format: _format, ...values } = parseQuery(QUERY, query);
      return Promise.resolve(values);
    },
  });
}

const LISTS = { json: list(ACTIONS.elements), text: list(ACTIONS.elementLines) };

const ELEMENTS_ENDPOINT: Endpoint = {
  ...LISTS.json,
  query: QUERY,
  answer: { ...LISTS.json.answer, ...LISTS.text.answer },
  statuses: STATUSES,
  handle: (call) => LISTS[parseQuery(QUERY, call.query).format ?? "json"].handle(call),
};

/** Endpoints of elements. */
export const ELEMENT_ENDPOINTS: readonly Endpoint[] = [
  ELEMENTS_ENDPOINT,
  route("POST", PATH, ACTIONS.switchElements, {
    statuses: { 409: "The desktop has no switch for accessibility, or the session has no accessibility" },
  }),
  route("POST", "/api/element/click", ACTIONS.clickOnElement, { statuses: STATUSES }),
  route("POST", "/api/element/set", ACTIONS.setElementText, { statuses: STATUSES }),
  route("POST", "/api/element/focus", ACTIONS.focusOnElement, { statuses: STATUSES }),
];
