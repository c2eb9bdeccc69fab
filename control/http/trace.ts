/** Traces over HTTP; the file of one that is recorded is sent as it grows. */

import { ACTIONS } from "../actions/mod.ts";
import { flag, optional, parseQuery } from "../schema/schema.ts";
import { type Endpoint, route } from "./endpoint.ts";
import { headersOf } from "./responses.ts";

const QUERY = {
  name: optional(ACTIONS.removeTrace.input.name),
  follow: optional(flag("Keep sending while the trace is recorded; default true")),
  download: optional(flag("Let a browser save the file")),
};

/**
 * The Content-Security-Policy of a trace's answer. The file's own policy allows only its own script; the sandbox
 * keeps this script from calling the API.
 */
const POLICY = "sandbox allow-scripts allow-downloads; default-src 'none'; script-src 'unsafe-inline'; " +
  "style-src 'unsafe-inline'; img-src data: blob:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

const STATUSES = { 409: "A trace is already being recorded, or no trace is being recorded" };
/** Options of endpoints that are closed to guests, who must not see earlier events or decide what is kept. */
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
    const file = (await runner.traces()).read(name, follow, ends);
    if (request.method === "HEAD") await file.stream.cancel();
    const disposition = `${download ? "attachment" : "inline"}; filename="${file.name}"`;
    const headers = headersOf("text/html; charset=utf-8", {
      "content-security-policy": POLICY,
      "content-disposition": disposition,
    });
    return new Response(request.method === "HEAD" ? null : file.stream, { headers });
  },
};

/** Endpoints of traces. */
export const TRACE_ENDPOINTS: readonly Endpoint[] = [
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
