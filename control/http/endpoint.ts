/** What a row of the table of endpoints is. */

import type { Peer } from "../../http/handler.ts";
import type { LiveView } from "../live/live.ts";
import type { Operator } from "../operator.ts";
import type { EventStream } from "./event_stream.ts";
import type { Recorder } from "../recording/recorder.ts";
import type { Fields, JsonSchema, Values } from "../schema.ts";

/** What endpoints work with. */
export interface Services {
  operator: Operator;
  recorder: Recorder;
  events: EventStream;
  live: LiveView;
}

/** One request, checked. */
export interface Call<Q, B> {
  query: Q;
  body: B;
  /** Its signal is aborted when the client goes away. */
  request: Request;
  peer: Peer;
  services: Services;
}

/** What an endpoint answers with: a response of its own, a value sent as JSON, or nothing, sent as `{"ok":true}`. */
export type Answer = Response | object | void;

/** A row of the table. Router, start message, `/api`, `/openapi.json` and 405 answers derive from it. */
export interface Endpoint<Q extends Fields = Fields, B extends Fields = Fields> {
  method: "GET" | "POST" | "PUT";
  path: string;
  /** One line for the start message and the documents. */
  summary: string;
  /** Whether it is open under `--read-only`. */
  readOnly: boolean;
  /**
   * Whether it is the same for everybody and holds no secret: a browser sends no token with a navigation, so
   * it is answered without one.
   */
  public?: boolean;
  /** Whether it is a part of what another row answers with, and left out of lists. */
  part?: boolean;
  query?: Q;
  /** Fields of the JSON body; left out if the endpoint takes no body or reads it by itself. */
  body?: B;
  /** Schema of the body, for the documents, where the endpoint reads it by itself. */
  bodySchema?: JsonSchema;
  /** The answer's content for the documents, by media type; `{"ok":true}` if left out, empty for a WebSocket. */
  answer?: Record<string, JsonSchema>;
  /** Statuses it has of its own, beside those of every endpoint (openapi.ts). */
  statuses?: Record<number, string>;
  handle(call: Call<Values<Q>, Values<B>>): Answer | Promise<Answer>;
}

/** A row, with the types of its fields worked out for its handler. */
export function endpoint<Q extends Fields = Record<never, never>, B extends Fields = Record<never, never>>(
  row: Endpoint<Q, B>,
): Endpoint {
  return row as unknown as Endpoint;
}
