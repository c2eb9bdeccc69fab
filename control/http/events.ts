/** Input events as an endpoint. */

import type { Endpoint } from "./endpoint.ts";

/** The stream. It tells what a person types, so that --read-only closes it. */
export const EVENTS_ENDPOINT: Endpoint = {
  method: "GET",
  path: "/api/events",
  id: "events",
  summary: "Input events as they happen (server-sent events)",
  effect: "read",
  answer: { "text/event-stream": { type: "string" } },
  handle: ({ services, request }) => services.events.answer(request.signal),
};
