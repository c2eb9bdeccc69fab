/** The table of endpoints. Router, start message, `/api`, `/openapi.json` and 405 answers derive from it. */

import { ACTIONS } from "../actions/mod.ts";
import { RECORDING_LIMIT, RECORDING_SCHEMA } from "../recording/format.ts";
import { readRecording } from "../recording/loading.ts";
import { group, type JsonSchema, list, objectSchema, text } from "../schema/schema.ts";
import { AGENT_ENDPOINTS } from "./agents.ts";
import { type Endpoint, route } from "./endpoint.ts";
import { HEALTH_ENDPOINT, METRICS_ENDPOINT, READY_ENDPOINT } from "./health.ts";
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
import { readPieces } from "./request_body.ts";
import { publicText } from "./responses.ts";
import { STEPS_ENDPOINT } from "./steps.ts";
import { TRACE_ENDPOINTS } from "./trace.ts";

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

/** The stream of input events. The events reveal what a person types, so --read-only closes the stream. */
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
  404: "No window fits",
  408: "The change timed out",
  409: "Several windows match, or the change cannot be made; the message says why",
};
const CONFLICT = { 409: "The recorder's state does not allow the call" };

/** Every endpoint, in the order of the documents. */
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
  // An agent may come by a guest's link itself, and an answer may count for good.
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

/** The endpoints that lists and documents show. */
export const LISTED_ENDPOINTS: readonly Endpoint[] = ENDPOINTS.filter(({ part }) => !part);

// Endpoints in groups by subject, as the start message lists their paths.

/** A group's name and how the paths of its endpoints begin. */
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
 * Sorts paths into groups, each path once, in their order.
 * @returns Groups that have paths, each with its name.
 */
export function groupedPaths(paths: Iterable<string>): [name: string, paths: string[]][] {
  const groups = new Map<string, string[]>([...GROUPS.map(([name]) => name), REST].map((name) => [name, []]));
  for (const path of new Set(paths)) groups.get(groupOf(path))!.push(path);
  return [...groups].filter(([, paths]) => paths.length);
}

/**
 * A path belongs to the group with the longest matching beginning: `/api/screenshot` is not in the group `/api/screen`.
 */
function groupOf(path: string): string {
  const fits = GROUPS.flatMap(([name, beginnings]) =>
    beginnings.filter((beginning) => path.startsWith(beginning)).map((beginning) =>
      [name, beginning] as const
    )
  );
  return fits.sort(([, a], [, b]) => b.length - a.length)[0]?.[0] ?? REST;
}
