/**
 * The table of endpoints. The router, start message, `/api`, `/openapi.json` and 405 answers derive from it.
 * This file also has the rows of monitoring (liveness, readiness, metrics) and of traces, whose file is sent
 * as it grows.
 */

import { ACTIONS } from "../actions/mod.ts";
import { RECORDING_LIMIT, RECORDING_SCHEMA } from "../recording/format.ts";
import { readRecording } from "../recording/files.ts";
import {
  flag,
  group,
  type JsonSchema,
  list,
  objectSchema,
  optional,
  parseQuery,
  text,
} from "../schema/schema.ts";
import { AGENT_ENDPOINTS } from "./agents.ts";
import { type Endpoint, OK, OK_TEXT, route } from "./endpoint.ts";
import { LINK_ENDPOINTS } from "./links.ts";
import {
  CLIPBOARD_ENDPOINTS,
  COMPARE_ENDPOINT,
  ELEMENT_ENDPOINTS,
  FIND_ENDPOINT,
  FOLDER_ENDPOINT,
  TEXT_ENDPOINT,
} from "./lookups.ts";
import { LIVE_ENDPOINT, PAGE_ENDPOINTS, SOUND_ENDPOINTS } from "./page.ts";
import { readPieces } from "./request.ts";
import { headersOf, jsonText, publicText } from "./responses.ts";
import { STEPS_ENDPOINT } from "./steps.ts";
import { passedOn } from "../../http/stream.ts";
import { styled } from "../../core/output.ts";
import { inColumns } from "../../core/printable.ts";

const QUERY = {
  name: optional(ACTIONS.removeTrace.input.name),
  follow: optional(flag("Keep sending while the trace is recorded; default true")),
  download: optional(flag("Let a browser save the file")),
};

/**
 * Content-Security-Policy of a trace. The file's own policy allows only its own script; the sandbox prevents
 * that script from calling the API.
 */
const POLICY = "sandbox allow-scripts allow-downloads; default-src 'none'; script-src 'unsafe-inline'; " +
  "style-src 'unsafe-inline'; img-src data: blob:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

const STATUSES = { 409: "A trace is already being recorded, or no trace is being recorded" };
/** Options of endpoints closed to guests, who must not see earlier events or decide what is kept. */
const OWNED = { owners: true, statuses: STATUSES };

const TRACE: Endpoint = {
  method: "GET",
  path: "/api/trace",
  id: "trace",
  summary: "A trace as a page: the trace that is being recorded, or else the newest",
  effect: "private",
  owners: true,
  query: QUERY,
  answer: { "text/html": { type: "string" } },
  statuses: { 404: "There is no such trace" },
  async handle({ services: { runner }, request, query }) {
    const { name, follow = true, download = false } = parseQuery(QUERY, query);
    const ends = AbortSignal.any([request.signal, runner.pictures.closing]);
    const file = await (await runner.traces()).read(name, follow, ends);
    if (request.method === "HEAD") await file.stream.cancel();
    const disposition = `${download ? "attachment" : "inline"}; filename="${file.name}"`;
    const headers = headersOf("text/html; charset=utf-8", {
      "content-security-policy": POLICY,
      "content-disposition": disposition,
    });
    return new Response(request.method === "HEAD" ? null : passedOn(file.stream), { headers });
  },
};

const TRACE_ENDPOINTS: readonly Endpoint[] = [
  TRACE,
  route("POST", "/api/trace/start", ACTIONS.startTrace, OWNED),
  route("POST", "/api/trace/stop", ACTIONS.stopTrace, OWNED),
  route("POST", "/api/trace/mark", ACTIONS.markTrace, { statuses: STATUSES }),
  route("POST", "/api/trace/pause", ACTIONS.pauseTrace, OWNED),
  route("POST", "/api/trace/resume", ACTIONS.resumeTrace, OWNED),
  route("GET", "/api/trace/state", ACTIONS.traceState),
  route("GET", "/api/traces", ACTIONS.traces, { owners: true }),
  route("DELETE", "/api/traces", ACTIONS.removeTrace, {
    owners: true,
    statuses: { 404: "There is no such trace", 409: "The trace is being written" },
  }),
];

/** Prometheus' text format, version 0.0.4 (https://prometheus.io/docs/instrumenting/exposition_formats/). */
const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/**
 * Whether the process is alive. Public, since probes send no token and address the machine by its IP address;
 * the answer reveals no more than an open port.
 */
export const HEALTH_ENDPOINT: Endpoint = {
  method: "GET",
  path: "/healthz",
  id: "health",
  summary: "Check whether deskhand answers",
  effect: "read",
  public: true,
  answer: { "application/json": OK },
  handle: () => Promise.resolve(jsonText(OK_TEXT)),
};

/** Whether the desktop answers. Public, since probes send no token. */
export const READY_ENDPOINT: Endpoint = {
  method: "GET",
  path: "/readyz",
  id: "ready",
  summary: "Check whether the desktop answers",
  effect: "read",
  public: true,
  answer: { "application/json": OK },
  async handle({ services: { runner } }) {
    await runner.operator.check();
    return jsonText(OK_TEXT);
  },
};

/** Prometheus metrics, for callers that may call other endpoints too. */
const METRICS_ENDPOINT: Endpoint = {
  method: "GET",
  path: "/metrics",
  id: "metrics",
  summary: "Metrics in the Prometheus text format",
  effect: "read",
  answer: { "text/plain": { type: "string" } },
  async handle({ services }) {
    const { metricsText } = await import("./metrics_text.ts");
    return new Response(await metricsText(services), { headers: headersOf(METRICS_TYPE) });
  },
};

// Endpoints that describe the control API itself.

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

/** An OpenAPI document, described by its own schema. */
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
 * @param table Returns the whole table, including these rows.
 */
function aboutEndpoints(table: () => readonly Endpoint[]): Endpoint[] {
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

/**
 * The stream of input events. The events reveal what a person types, so the stream is closed under
 * --read-only.
 */
const EVENTS_ENDPOINT: Endpoint = {
  method: "GET",
  path: "/api/events",
  id: "events",
  summary: "Input events as they happen (server-sent events)",
  effect: "private",
  answer: { "text/event-stream": { type: "string" } },
  handle: ({ services, request }) => services.events.answer(request.signal),
};

const WINDOW_STATUSES = {
  404: "No window matches",
  408: "The change timed out",
  409: "Several windows match, or the change cannot be made; the message says why",
};
const CONFLICT = { 409: "The recorder's state does not allow the call" };

/** Every endpoint, in document order. */
export const ENDPOINTS: readonly Endpoint[] = [
  route("GET", "/api/position", ACTIONS.position),
  route("POST", "/api/move", ACTIONS.move),
  route("POST", "/api/click", ACTIONS.click),
  route("POST", "/api/scroll", ACTIONS.scroll),
  route("POST", "/api/press", ACTIONS.press),
  route("POST", "/api/release", ACTIONS.release),
  route("POST", "/api/drag", ACTIONS.drag),
  route("GET", "/api/screenshot", ACTIONS.screenshot),
  route("GET", "/api/screen", ACTIONS.screen),
  route("GET", "/api/history", ACTIONS.history, {
    statuses: { 404: "This desktop is real and keeps no history" },
  }),
  route("GET", "/api/pixel", ACTIONS.pixel),
  FIND_ENDPOINT,
  COMPARE_ENDPOINT,
  TEXT_ENDPOINT,
  route("POST", "/api/wait", ACTIONS.wait, { statuses: { 408: "The wait timed out" } }),
  route("GET", "/api/changes", ACTIONS.changes),
  route("POST", "/api/key", ACTIONS.key),
  route("POST", "/api/type", ACTIONS.type),
  STEPS_ENDPOINT,
  route("GET", "/api/windows", ACTIONS.windows),
  route("POST", "/api/window/activate", ACTIONS.activateWindow, { statuses: WINDOW_STATUSES }),
  route("POST", "/api/window/minimize", ACTIONS.minimizeWindow, { statuses: WINDOW_STATUSES }),
  route("POST", "/api/window/maximize", ACTIONS.maximizeWindow, { statuses: WINDOW_STATUSES }),
  route("POST", "/api/window/restore", ACTIONS.restoreWindow, { statuses: WINDOW_STATUSES }),
  route("POST", "/api/window/fullscreen", ACTIONS.fullscreenWindow, { statuses: WINDOW_STATUSES }),
  route("POST", "/api/window/place", ACTIONS.placeWindow, { statuses: WINDOW_STATUSES }),
  route("POST", "/api/window/close", ACTIONS.closeWindow, { statuses: WINDOW_STATUSES }),
  ...ELEMENT_ENDPOINTS,
  ...CLIPBOARD_ENDPOINTS,
  route("GET", "/api/recording", ACTIONS.recording, {
    answer: {
      "application/json": RECORDING_SCHEMA,
      "text/x-shellscript": { type: "string" },
      "text/plain": { type: "string" },
    },
    statuses: CONFLICT,
  }),
  route("PUT", "/api/recording", ACTIONS.loadRecording, {
    read: async (request) => ({ recording: await readRecording(await readPieces(request, RECORDING_LIMIT)) }),
    body: RECORDING_SCHEMA,
  }),
  route("DELETE", "/api/recording", ACTIONS.discardRecording, { statuses: CONFLICT }),
  route("GET", "/api/recording/state", ACTIONS.recordingState),
  route("POST", "/api/recording/start", ACTIONS.startRecording),
  route("POST", "/api/recording/stop", ACTIONS.stopRecording),
  route("POST", "/api/recording/play", ACTIONS.playRecording),
  ...TRACE_ENDPOINTS,
  route("GET", "/api/agents", ACTIONS.agents),
  route("POST", "/api/agents", ACTIONS.allowAgents),
  // An agent may itself come by a guest's link, and an answer may be permanent.
  route("POST", "/api/agents/answer", ACTIONS.answerAgent, { owners: true }),
  route("POST", "/api/agents/forget", ACTIONS.forgetGrants, { owners: true }),
  ...AGENT_ENDPOINTS,
  FOLDER_ENDPOINT,
  ...LINK_ENDPOINTS,
  EVENTS_ENDPOINT,
  ...PAGE_ENDPOINTS,
  LIVE_ENDPOINT,
  ...SOUND_ENDPOINTS,
  HEALTH_ENDPOINT,
  READY_ENDPOINT,
  METRICS_ENDPOINT,
  ...aboutEndpoints(() => LISTED_ENDPOINTS),
];

/** The endpoints shown in lists and documents. */
export const LISTED_ENDPOINTS: readonly Endpoint[] = ENDPOINTS.filter(({ part }) => !part);

// Endpoints grouped by subject, as in the start message.

/** Group names, and the path prefixes of their endpoints. */
const GROUPS: readonly (readonly [name: string, beginnings: readonly string[]])[] = [
  ["input", [
    ...["/api/position", "/api/move", "/api/click", "/api/scroll", "/api/press", "/api/release", "/api/drag"],
    ...["/api/key", "/api/type", "/api/steps"],
  ]],
  ["screen", [
    ...["/api/screenshot", "/api/screen", "/api/history", "/api/pixel", "/api/find", "/api/compare"],
    ...["/api/text", "/api/wait", "/api/changes"],
  ]],
  ["windows", ["/api/window", "/api/element", "/api/clipboard"]],
  ["recording", ["/api/recording", "/api/trace"]],
  ["agents", ["/api/agents", "/api/act", "/mcp"]],
];
/** The group of all other endpoints. */
const REST = "server";

/**
 * Sorts paths into groups, each path once, in the groups' order.
 * @returns The non-empty groups with their names.
 */
export function groupedPaths(paths: Iterable<string>): [name: string, paths: string[]][] {
  const groups = new Map<string, string[]>([...GROUPS.map(([name]) => name), REST].map((name) => [name, []]));
  for (const path of new Set(paths)) groups.get(groupOf(path))!.push(path);
  return [...groups].filter(([, paths]) => paths.length);
}

/**
 * A path belongs to the group with the longest matching prefix: `/api/screenshot` is not in the group
 * `/api/screen`.
 */
function groupOf(path: string): string {
  const fits = GROUPS.flatMap(([name, beginnings]) =>
    beginnings.filter((beginning) => path.startsWith(beginning)).map((beginning) =>
      [name, beginning] as const
    )
  );
  return fits.sort(([, a], [, b]) => b.length - a.length)[0]?.[0] ?? REST;
}

// Lines printed when the control API is ready, and again by `status`.

/**
 * The start message: the port, then the endpoints (on a terminal their paths in groups, elsewhere one per
 * line).
 * @param port The port actually bound.
 * @param endpoints The listed endpoints that are available.
 * @param columns Terminal width in characters; undefined without a terminal.
 */
export function startMessage(port: number, endpoints: readonly Endpoint[], columns?: number): string {
  const listed = columns === undefined ? [endpointList(endpoints)] : inColumns(
    groupedPaths(endpoints.map(({ path }) => path)).map(([name, paths]) => [`  ${name}`, paths.join(" ")]),
    columns,
    (name) => styled("dim", name),
  );
  return [styled("bold", `HTTP server started on port ${port}`), ...listed].join("\n");
}

/**
 * Lists every endpoint with its method and purpose, one per line.
 * @param columns Line width in characters; lines are not wrapped if left out.
 */
export function endpointList(endpoints: readonly Endpoint[], columns?: number): string {
  const methods = Math.max(...endpoints.map(({ method }) => method.length));
  const rows = endpoints.map(({ method, path, summary }) =>
    [`  ${method.padEnd(methods)} ${path}`, summary] as const
  );
  return inColumns(rows, columns).join("\n");
}

/** How to reach the control API. */
interface Access {
  /** Addresses without trailing slashes; this machine's own first. */
  urls: readonly string[];
  token: string;
  /** Whether callers on this machine also need the token. */
  needsToken: boolean;
  /** Whether other machines can reach the server; their callers need the token. */
  isOpen: boolean;
}

/**
 * Describes how to call the control API: a curl command, with the token if some callers need it, and a link
 * to the page for each address. The token follows `#`, in the part of a link that browsers do not send.
 */
export function invitation({ urls, token, needsToken, isOpen }: Access): string {
  const call = `curl ${needsToken ? `-H 'Authorization: Bearer ${token}' ` : ""}${urls[0]}/api/position`;
  return [
    styled("name", call),
    ...isOpen && !needsToken ? [`from other machines with -H 'Authorization: Bearer ${token}'`] : [],
    ...urls.map((url) => styled("link", `${url}/#token=${token}`)),
  ].join("\n");
}
