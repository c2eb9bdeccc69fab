/**
 * Metrics in Prometheus' text format, version 0.0.4: families of samples with the same name, preceded by
 * their help and type. Loaded by the first request for it.
 */

import { BOUNDS_MS, type Histogram } from "../../core/json.ts";
import { within } from "../../core/until.ts";
import { VERSION } from "../../core/version.ts";
import type { ServerTraffic } from "../../http/traffic.ts";
import type { ActionCounts } from "../actions/runner.ts";
import { RECORDER_STATES } from "../recording/recorder.ts";
import type { Services } from "./endpoint.ts";

/** How long to wait for the desktop to answer before it counts as down, in milliseconds. */
const UP_MS = 1000;

type Labels = Record<string, string | number>;
type Sample = [labels: Labels, value: number];

/**
 * The metrics of a running deskhand.
 * @returns Text that ends with a line feed.
 */
export async function metricsText(services: Services): Promise<string> {
  const { runner, live, events, traffic } = services, { operator, recorder } = runner;
  const { state } = recorder.status();
  const up = await within(UP_MS, operator.check().then(() => 1, () => 0)) ?? 0;
  return [
    gauge("build_info", "The version that runs", [[{ version: VERSION }, 1]]),
    gauge("desktop_up", "Whether the desktop answers", [[{ kind: operator.desktop.kind }, up]]),
    ...requestFamilies(traffic),
    actionFamily(runner.counts),
    gauge("waiting_actions", "Actions that wait for their turn", [[{}, operator.waiting]]),
    histogram("picture_duration_seconds", "How long the desktop took for a picture of the screen", [
      [{}, operator.pictureDuration],
    ]),
    gauge("viewers", "Clients that look at the live picture", [[{}, live.count]]),
    gauge("event_readers", "Clients that read input events", [[{}, events.count]]),
    gauge(
      "recorder_state",
      "What the recorder is doing: 1 for the present state",
      RECORDER_STATES.map((name) => [{ state: name }, Number(name === state)]),
    ),
    gauge("resident_memory_bytes", "Memory of the process", [[{}, Deno.memoryUsage().rss]]),
  ].join("");
}

/**
 * Durations and statuses are not counted per route, since a histogram for each route would take a thousand
 * lines.
 */
function requestFamilies(traffic: readonly ServerTraffic[]): string[] {
  const routes = traffic.flatMap(({ name: server, routes }) =>
    Array.from(routes, ([route, byMethod]) => {
      const all = [...byMethod.values()];
      return {
        labels: { server, route },
        requests: all.reduce((sum, { requests }) => sum + requests, 0),
        failures: all.reduce((sum, { failures }) => sum + failures, 0),
      };
    })
  );
  return [
    counter(
      "requests_total",
      "Requests that were answered",
      routes.map(({ labels, requests }) => [labels, requests]),
    ),
    counter(
      "failures_total",
      "Requests that were answered with a status of 500 or more",
      routes.filter(({ failures }) => failures).map(({ labels, failures }) => [labels, failures]),
    ),
    counter(
      "responses_total",
      "Answers by status",
      traffic.flatMap(({ name: server, statuses }) =>
        Array.from(statuses, ([status, count]): Sample => [{ server, status }, count])
      ),
    ),
    histogram(
      "request_duration_seconds",
      "From the head of a request to the head of its answer",
      traffic.flatMap(({ name: server, durations }) =>
        Array.from(durations, ([method, duration]): [Labels, Histogram] => [{ server, method }, duration])
      ),
    ),
    counter(
      "files_sent_bytes_total",
      "Bytes of files that the file server gave to the system to be sent",
      traffic.filter(({ name }) => name === "files").map(({ sentBytes }) => [{}, sentBytes]),
    ),
  ];
}

/** Metrics of actions from every interface, including actions without a request. */
function actionFamily(counts: ActionCounts): string {
  return counter(
    "actions_total",
    "Actions that were done, and those that were refused or failed",
    Array.from(counts).flatMap(([action, { done, failed }]): Sample[] => [
      [{ action, result: "done" }, done],
      [{ action, result: "failed" }, failed],
    ]).filter(([, value]) => value),
  );
}

function gauge(name: string, help: string, samples: Sample[]): string {
  return family("gauge", name, help, samples.map((sample) => line(name, ...sample)));
}

function counter(name: string, help: string, samples: Sample[]): string {
  return family("counter", name, help, samples.map((sample) => line(name, ...sample)));
}

function histogram(name: string, help: string, rows: [Labels, Histogram][]): string {
  const lines = rows.flatMap(([labels, { counts, sumMs }]) => {
    let below = 0;
    const buckets = Array.from(counts, (count, i) => {
      const le = i < BOUNDS_MS.length ? BOUNDS_MS[i] / 1000 : "+Inf";
      return line(`${name}_bucket`, { ...labels, le }, below += count);
    });
    return [...buckets, line(`${name}_sum`, labels, sumMs / 1000), line(`${name}_count`, labels, below)];
  });
  return family("histogram", name, help, lines);
}

/** Leaves out a family without values. */
function family(type: string, name: string, help: string, lines: string[]): string {
  if (!lines.length) return "";
  return `# HELP deskhand_${name} ${help}.\n# TYPE deskhand_${name} ${type}\n${lines.join("")}`;
}

function line(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(String(text))}"`);
  return `deskhand_${name}${pairs.length ? `{${pairs.join(",")}}` : ""} ${value}\n`;
}

function escaped(text: string): string {
  return text.replace(/[\\"\n]/g, (sign) => sign === "\n" ? "\\n" : `\\${sign}`);
}
