/** The table of endpoints. Router, start message, `/api`, `/openapi.json` and 405 answers derive from it. */

import { ACTIONS } from "../actions/mod.ts";
import { parseRecording, RECORDING_LIMIT, RECORDING_SCHEMA } from "../recording/format.ts";
import { aboutEndpoints } from "./about.ts";
import { type Endpoint, route } from "./endpoint.ts";
import { eventsEndpoint } from "./event_stream.ts";
import { LIVE_ENDPOINT, PAGE_ENDPOINTS } from "./page.ts";
import { readJson } from "./request_body.ts";

const CONFLICT = { 409: "Does not fit what the recorder is doing" };

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
  route("POST", "/api/wait", ACTIONS.wait, { statuses: { 408: "The time was over first" } }),
  route("POST", "/api/key", ACTIONS.key),
  route("POST", "/api/type", ACTIONS.type),
  route("GET", "/api/recording", ACTIONS.recording, {
    answer: { "application/json": RECORDING_SCHEMA },
    statuses: CONFLICT,
  }),
  route("PUT", "/api/recording", ACTIONS.loadRecording, {
    read: async (request) => ({ recording: parseRecording(await readJson(request, RECORDING_LIMIT)) }),
    body: RECORDING_SCHEMA,
  }),
  route("GET", "/api/recording/state", ACTIONS.recordingState),
  route("POST", "/api/recording/start", ACTIONS.startRecording),
  route("POST", "/api/recording/stop", ACTIONS.stopRecording),
  route("POST", "/api/recording/play", ACTIONS.playRecording),
  eventsEndpoint,
  ...PAGE_ENDPOINTS,
  LIVE_ENDPOINT,
  ...aboutEndpoints(() => ENDPOINTS.filter(({ part }) => !part)),
];
