/** Rows of the table of endpoints, and the conversion of actions to endpoints. */

import { ForbiddenError } from "../../core/errors.ts";
import type { TextFolder } from "../desktop/desktop.ts";
import { nearest } from "../../core/printable.ts";
import { type Peer, RequestError } from "../../http/request.ts";
import type { ServerTraffic } from "../../http/traffic.ts";
import { type AnyAction, type Content, type Effect, isContent } from "../actions/action.ts";
import { OBSERVE, OBSERVE_WORD, SEEN, seenValues } from "../actions/observe_fields.ts";
import type { ActionRunner } from "../actions/runner.ts";
import type { Caller } from "../operator/calls.ts";
import {
  type Fields,
  ignoredIn,
  type JsonSchema,
  namingIgnored,
  objectSchema,
  parseCall,
  parseQuery,
} from "../schema/schema.ts";
import type { AgentServer } from "../agents/desk.ts";
import type { LiveView } from "./live/live.ts";
import type { LiveSound } from "./live/sound.ts";
import type { Link, Links } from "./access/links.ts";
import type { EventStream } from "./event_stream.ts";
import { BODIES, clientOf, type HasLeft, readJson, WatchedClient } from "./request.ts";
import { contentResponse, repeatedJson } from "./responses.ts";

/** The objects that endpoints work with. */
export interface Services {
  runner: ActionRunner;
  events: EventStream;
  live: LiveView;
  sound: LiveSound;
  /** Request counters of every server, including the control API. */
  traffic: readonly ServerTraffic[];
  /** The server of agent tools; loaded on first use. */
  agents(): Promise<AgentServer>;
  /** Checks whether a client has left; left out if the system cannot tell. */
  hasLeft?: HasLeft;
  /** Links that let guests in. */
  links: Links;
  /** Addresses of the control API, without trailing slashes; this machine's own first. */
  urls: readonly string[];
  /** The served folder; left out if uploads are off. */
  folder?: ServedFolder;
}

export interface HttpCall {
  /** The request; its signal is aborted when the client leaves. */
  request: Request;
  /** The query of the address without `?`. */
  query: string;
  peer: Peer;
  services: Services;
  /** The caller's link; undefined for a caller with full rights. */
  link?: Link;
}

/** A row of the table. The router, start message, `/api`, `/openapi.json` and 405 answers derive from it. */
export interface Endpoint {
  method: "GET" | "POST" | "PUT" | "DELETE";
  path: string;
  /** The operation ID in the OpenAPI document. */
  id: string;
  /** One line for the start message and the documents. */
  summary: string;
  /** Determines whether the endpoint is available under `--read-only`. */
  effect: Effect;
  /** Whether the endpoint is closed to callers with a link. */
  owners?: boolean;
  /** Whether some of the endpoint's calls act, though others only look. */
  mayAct?: boolean;
  /**
   * Whether the endpoint is the same for every caller and holds no secret: a browser sends no token when it
   * navigates, so the endpoint needs none.
   */
  public?: boolean;
  /** Whether the endpoint is part of another endpoint's page; such endpoints are not listed. */
  part?: boolean;
  query?: Fields;
  /** Schema of the JSON body; left out if there is none. */
  body?: JsonSchema;
  /** Media types of a body that is read as bytes; left out if there is none. */
  bytes?: readonly string[];
  /** The answer's content by media type; empty for a WebSocket. */
  answer: Record<string, JsonSchema>;
  /** Statuses specific to this endpoint, in addition to the common ones (openapi.ts). */
  statuses?: Record<number, string>;
  handle(call: HttpCall): Promise<Response>;
}

/** Reads an action's values from a request and its query without `?`. */
type ValueReader = (request: Request, query: string) => Promise<Record<string, unknown>>;

/** Where an endpoint differs from what its action implies. */
interface RouteOptions {
  /** Reads the action's values from the request if they are not simply a query or a JSON body. */
  read?: ValueReader;
  /** Schema of the body if `read` reads it. */
  body?: JsonSchema;
  /** Schemas of the answer if content has one. */
  answer?: Record<string, JsonSchema>;
  statuses?: Record<number, string>;
  /** As in `Endpoint`. */
  owners?: boolean;
}

/** The answer of an action without a result. */
export const OK: JsonSchema = { type: "object", properties: { ok: { const: true } }, required: ["ok"] };
/** The `ok` answer as text. */
export const OK_TEXT = '{"ok":true}';

/**
 * Makes the endpoint of an action: GET and DELETE read the action's fields from the query, other methods from
 * a JSON body.
 * @example
 * route("POST", "/api/move", ACTIONS.move);
 */
export function route(
  method: Endpoint["method"],
  path: string,
  action: AnyAction,
  { read, body, answer, statuses, owners }: RouteOptions = {},
): Endpoint {
  const { name, summary, effect, output } = action;
  const isObservable = effect === "act" && !isContent(output);
  const takesQuery = method === "GET" || method === "DELETE";
  const observe: Fields = isObservable ? { observe: takesQuery || read ? OBSERVE_WORD : OBSERVE } : {};
  const input: Fields = read ? action.input : { ...action.input, ...observe };
  const readOwn = read && isObservable ? alsoObserving(read) : read;
  const readValues = readOwn ?? (takesQuery ? queryReader(input) : bodyReader(input));
  const json = repeatedJson();
  return {
    method,
    path,
    id: name,
    summary,
    effect,
    ...(takesQuery ? { query: input } : {}),
    ...(read && isObservable ? { query: observe } : {}),
    // Only documents need the schemas: startup builds none.
    get body() {
      return takesQuery ? undefined : body ?? objectSchema(input);
    },
    get answer() {
      return answer ?? answerOf(output, isObservable);
    },
    statuses,
    ...(owners ? { owners } : {}),
    // An async function around the handlers would cost 0.5 us per answer, as much as the access rules.
    handle({ request, query, peer, services: { runner, hasLeft }, link }) {
      const answer = (result: unknown) => {
        if (isContent(output)) return contentResponse(result as Content, peer);
        return json(result === undefined ? OK_TEXT : JSON.stringify(result));
      };
      const runFor = (caller: Caller, given: Record<string, unknown>) => {
        if (given.observe === undefined) return runner.run(action, given, caller).then(answer);
        const { observe, ...values } = given;
        if (!observe) return runner.run(action, values, caller).then(answer);
        return runner.observe(action, values, caller, { readsElements: observe === "elements" }).then((
          { result, seen },
        ) => json(JSON.stringify({ ok: true, ...result as object, seen: seenValues(seen) })));
      };
      const run = action.waits
        ? async (values: Record<string, unknown>) => {
          using client = new WatchedClient(request, peer, hasLeft);
          return await runFor(client, values);
        }
        : (values: Record<string, unknown>) => runFor(new RequestCaller(request), values);
      const refused = (error: unknown): never => {
        runner.calls.refused(action, new RequestCaller(request), error);
        throw error;
      };
      const guarded = (values: Record<string, unknown>) => {
        const keeps = values.seen !== undefined;
        // Checked for the action, too: an endpoint that looks may lead to one that acts.
        const reason = linkRefusal(link, action) ?? (keeps ? keepsNone(request, link) : undefined);
        if (reason !== undefined) return refused(new ForbiddenError(reason));
        const done = run(values), ignored = ignoredIn(values);
        return ignored === undefined ? done : done.catch((error) => {
          throw namingIgnored(error, ignored);
        });
      };
      return readValues(request, query).then(guarded, refused);
    },
  };
}

/** The reason why a link does not grant access to an endpoint or an action; undefined if it does. */
export function linkRefusal(
  link: Link | undefined,
  { owners, mayAct, effect }: Pick<Endpoint, "owners" | "mayAct" | "effect">,
): string | undefined {
  if (!link) return undefined;
  if (owners) return "a guest link does not allow this: use the token";
  return link.rights === "look" && (mayAct || effect !== "read") ? "this link is view-only" : undefined;
}

/**
 * The reason why a request cannot store a picture. A stored picture replaces another of the same name, which
 * may guard another caller's press.
 */
function keepsNone({ method, headers }: Request, link: Link | undefined): string | undefined {
  if (link?.rights === "look") return "this link is view-only: seen cannot be used";
  const mode = headers.get("sec-fetch-mode"); // any page can make a browser send these two modes of a GET
  if (method === "POST" || mode !== "navigate" && mode !== "no-cors") return undefined;
  return "seen keeps the picture, which a link or an image of a web page must not do: fetch the picture";
}

/** The client of an action that takes no time. Its signal is created only on first use. */
class RequestCaller implements Caller {
  readonly #request: Request;

  constructor(request: Request) {
    this.#request = request;
  }

  get signal(): AbortSignal {
    return this.#request.signal;
  }

  get client(): string | undefined {
    return clientOf(this.#request);
  }

  inputRead(): void {
    BODIES.release(this.#request);
  }
}

/** Adds `observe` from the query to the values read. */
function alsoObserving(read: NonNullable<RouteOptions["read"]>): NonNullable<RouteOptions["read"]> {
  return async (request, query) => {
    const { observe } = parseQuery({ observe: OBSERVE_WORD }, query);
    const values = await read(request, query);
    return observe ? { ...values, observe } : values;
  };
}

function queryReader(input: Fields): ValueReader {
  if (Object.keys(input).length) return (_, query) => Promise.try(() => parseQuery(input, query, parseCall));
  return () => Promise.resolve({}); // a query that nothing reads is ignored
}

function bodyReader(input: Fields): ValueReader {
  return (request) => readJson(request).then((json) => parseCall(input, json));
}

function answerOf(output: AnyAction["output"], isObservable: boolean): Record<string, JsonSchema> {
  if (isContent(output)) {
    return Object.fromEntries(output.map((type) => [type, { type: "string", format: "binary" }]));
  }
  const schema = Object.keys(output).length ? objectSchema(output) : OK;
  if (!isObservable) return { "application/json": schema };
  const properties = { ...schema.properties as JsonSchema, seen: SEEN.schema };
  return { "application/json": { ...schema, properties } };
}

// Finds a request's endpoint in the table.

/**
 * Maximum length of a path to compare with those of the table for suggestions: comparing longer ones would
 * delay other requests.
 */
const LONGEST_PATH = 64;

/** Paths and methods of a table of endpoints, indexed for lookup. */
export class Router {
  readonly #paths = new Map<string, Map<string, Endpoint>>();

  constructor(endpoints: readonly Endpoint[]) {
    for (const row of endpoints) {
      const methods = this.#paths.get(row.path) ?? new Map<string, Endpoint>();
      this.#paths.set(row.path, methods.set(row.method, row));
      // RFC 9110 section 9.3.2: HEAD is GET without the content.
      if (row.method === "GET") methods.set("HEAD", row);
    }
  }

  /**
   * The methods of a path, for the `Allow` header.
   * @returns A list such as `GET, HEAD, OPTIONS`; for an unknown path, all methods of the API.
   */
  allowed(path: string): string {
    const methods = this.#paths.get(path)?.keys() ?? ["GET", "HEAD", "POST", "PUT"];
    return [...methods, "OPTIONS"].join(", ");
  }

  /**
   * Whether the answer is the same for every caller: that of a public endpoint, or the 404 below
   * `/.well-known/`. MCP clients look there for ways to get a token, before they have one, and give up on any
   * answer but 404.
   */
  isPublic(method: string, path: string): boolean {
    const methods = this.#paths.get(path);
    return methods ? methods.get(method)?.public ?? false : path.startsWith("/.well-known/");
  }

  /**
   * Finds an endpoint.
   * @throws RequestError 404 for an unknown path, 405 with `Allow` for a wrong method.
   */
  find(method: string, path: string): Endpoint {
    const methods = this.#paths.get(path);
    if (!methods) {
      throw new RequestError(404, `no such path${this.#meant(path)}; GET /api lists all paths`);
    }
    const row = methods.get(method);
    if (!row) {
      const allow = this.allowed(path);
      throw new RequestError(405, `this path supports only ${allow}`, { allow });
    }
    return row;
  }

  /** The most similar known path, as a question; empty if none is similar. */
  #meant(path: string): string {
    const meant = path.length > LONGEST_PATH ? undefined : nearest(path, [...this.#paths.keys()]);
    return meant === undefined ? "" : ` (did you mean ${meant}?)`;
  }
}

/** The file server's folder as the control API uses it. */
export interface ServedFolder {
  /** The folder's path on this machine. */
  path: string;
  /**
   * Stores a file, or a part of one (`Content-Range`), under a name.
   * @returns The file server's answer: 200 or 201 if the file is complete, 202 with `Upload-Offset` while
   * parts are missing, otherwise a status with the reason as text.
   */
  take(name: string, request: Pick<Request, "headers" | "body">): Promise<Response>;
  /** The folder's files, as programs of the virtual desktop open and save them. */
  texts: TextFolder;
}
