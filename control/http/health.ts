/** Endpoints for monitoring: whether the process answers, whether its desktop does, and figures. */

import { type Endpoint, OK, OK_TEXT } from "./endpoint.ts";
import { headersOf, jsonText } from "./responses.ts";

/** Prometheus' text format, version 0.0.4 (https://prometheus.io/docs/instrumenting/exposition_formats/). */
const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/**
 * Whether the process answers. The endpoint is public, since probes send no token and name the machine by its
 * address; the answer reveals no more than an open port.
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

/** Figures for Prometheus, for callers that may call other endpoints too. */
export const METRICS_ENDPOINT: Endpoint = {
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
