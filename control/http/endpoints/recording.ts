/** Endpoints of recording and replay, and of input events as they happen. */

import { headersOf } from "../responses.ts";
import { readJson } from "../request_body.ts";
import { endpoint } from "../endpoint.ts";
import { formatRecording, parseRecording, RECORDING_LIMIT } from "../../recording/format.ts";
import { SPEED, TIMES_LIMIT } from "../../recording/schedule.ts";
import { flag, integer, number, optional } from "../../schema.ts";

const JSON_HEADERS = headersOf("application/json");
const OBJECT = { "application/json": { type: "object" } };
const CONFLICT = { 409: "Does not fit what the recorder is doing" };

/** See the module's comment. */
export const RECORDING_ENDPOINTS = [
  endpoint({
    method: "GET",
    path: "/api/recording",
    summary: "The recording, as it would be saved",
    readOnly: false,
    answer: OBJECT,
    statuses: CONFLICT,
    handle({ services: { recorder }, request, peer }) {
      const recording = recorder.recording();
      if (request.method === "GET") peer.completed.then(() => recorder.saved(recording), () => {});
      return new Response(formatRecording(recording), { headers: JSON_HEADERS });
    },
  }),
  endpoint({
    method: "PUT",
    path: "/api/recording",
    summary: "Load a recording",
    readOnly: false,
    bodySchema: { type: "object", description: "A recording; see docs/recording.schema.json" },
    async handle({ request, services }) {
      services.recorder.load(parseRecording(await readJson(request, RECORDING_LIMIT)));
    },
  }),
  endpoint({
    method: "GET",
    path: "/api/recording/state",
    summary: "What the recorder is doing",
    readOnly: false,
    answer: {
      "application/json": {
        type: "object",
        properties: {
          state: { enum: ["idle", "recording", "playing"] },
          events: { type: "integer" },
          ms: { type: "number" },
        },
      },
    },
    handle: ({ services }) => services.recorder.status(),
  }),
  endpoint({
    method: "POST",
    path: "/api/recording/start",
    summary: "Record what is done on the desktop",
    readOnly: false,
    body: { keyboard: optional(flag("Whether keys are recorded, which may be passwords; true if left out")) },
    handle: ({ body, services }) => services.recorder.start({ keyboard: body.keyboard }),
  }),
  endpoint({
    method: "POST",
    path: "/api/recording/stop",
    summary: "Stop recording or playing",
    readOnly: false,
    body: {},
    handle: ({ services }) => services.recorder.stop(),
  }),
  endpoint({
    method: "POST",
    path: "/api/recording/play",
    summary: "Replay the recording; answers when it has begun",
    readOnly: false,
    body: {
      speed: optional(number(SPEED.least, SPEED.most, "2 is twice as fast")),
      times: optional(integer(1, TIMES_LIMIT, "How often")),
      scale: optional(flag("Whether places are scaled to a desktop of another size")),
    },
    handle({ body, services: { recorder } }) {
      // How it ends, the state tells.
      recorder.play(body).catch(() => {});
      return recorder.begun;
    },
  }),
  endpoint({
    method: "GET",
    path: "/api/events",
    summary: "Input events as they happen (server-sent events)",
    readOnly: false,
    answer: { "text/event-stream": { type: "string" } },
    handle: ({ services, request }) => services.events.answer(request.signal),
  }),
];
