/** The control API called without a socket, on a virtual desktop. */

import { AgentServer, type AgentSettings } from "../../control/agents/desk.ts";
import { ENDPOINTS } from "../../control/http/endpoints.ts";
import { Links } from "../../control/http/access/links.ts";
import { createControlHandler } from "../../control/http/handler.ts";
import { ActionRunner, TRACE_DEFAULTS } from "../../control/actions/runner.ts";
import { judgedDesktop } from "../../control/operator/judged_desktop.ts";
import { Operator } from "../../control/operator/operator.ts";
import type { ProgramPermission } from "../../control/operator/program_permission.ts";
import type { Services } from "../../control/http/endpoint.ts";
import { LiveView } from "../../control/http/live/live.ts";
import { LiveSound } from "../../control/http/live/sound.ts";
import { EventStream } from "../../control/http/event_stream.ts";
import { Recorder } from "../../control/recording/recorder.ts";
import type { Door } from "../../control/rfb/handshake.ts";
import type { Desktop } from "../../control/desktop/desktop.ts";
import { join } from "@std/path";
import { copied } from "./pictures.ts";
import { VirtualDesktop } from "../../ffi/virtual/mod.ts";
import type { Guard, Peer } from "../../http/request.ts";

/** A peer on this machine. */
export const PEER: Peer = {
  remoteAddr: { transport: "tcp", hostname: "127.0.0.1", port: 50000 },
  completed: new Promise(() => {}), // a test does not report that it has read a response
};

/** A VNC door on loopback that requires no password. */
export const OPEN: Door = {
  isOpen: true,
  check: () => undefined,
  wait: () => undefined,
  failed: () => undefined,
  forgive: () => {},
};

/** A control API and the desktop behind it. */
export interface ControlApi<D extends Desktop> {
  desktop: D;
  operator: Operator;
  runner: ActionRunner;
  /** Errors that clients do not see. */
  reported: unknown[];
  /** Sends a request; a body that is not a string is sent as JSON. */
  request(method: string, path: string, body?: unknown, init?: RequestInit): Promise<Response>;
}

/** The traces of this file's tests, which are removed when it ends. */
const TRACES = `/tmp/deskhand-traces-${crypto.randomUUID()}`;
addEventListener("unload", () => {
  try {
    Deno.removeSync(TRACES, { recursive: true });
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error; // no test made a trace
  }
});

/** Runs actions on a desktop. */
export function runnerOf(operator: Operator, readOnly = false): ActionRunner {
  // No test may find another's traces.
  const tracing = { ...TRACE_DEFAULTS, folder: join(TRACES, crypto.randomUUID()) };
  return new ActionRunner({ operator, recorder: new Recorder(operator), readOnly, tracing });
}

/** The context of endpoints. */
export function servicesOf(
  operator: Operator,
  readOnly = false,
  agents: Partial<AgentSettings> = {},
  programs?: ProgramPermission,
): Services {
  const runner = runnerOf(operator, readOnly);
  if (programs) runner.permission.programs = programs;
  const desk = new AgentServer(runner, { view: "auto", report: fail, ...agents });
  return {
    runner,
    events: new EventStream(operator.desktop),
    live: new LiveView(runner),
    sound: new LiveSound("no sound in this test"),
    traffic: [],
    agents: () => Promise.resolve(desk),
    links: new Links(),
    urls: ["http://127.0.0.1:4000"],
  };
}

function fail(error: unknown): never {
  throw error;
}

/** Makes a control API. */
export function controlApi<D extends Desktop = VirtualDesktop>(
  {
    desktop = new VirtualDesktop() as Desktop as D,
    readOnly = false,
    guard = () => undefined,
    agents,
    programs,
    marginMs,
  }: {
    desktop?: D;
    /** Time for each action besides its texts, pauses and waits, in milliseconds; defaults to 10 s. */
    marginMs?: number;
    readOnly?: boolean;
    guard?: Guard;
    agents?: Partial<AgentSettings>;
    /** The programs that agents may control; defaults to all. */
    programs?: ProgramPermission;
  } = {},
): ControlApi<D> {
  const reported: unknown[] = [];
  const judged = programs ? judgedDesktop(desktop, programs.judge) : desktop;
  const operator = new Operator(judged, marginMs);
  const services = servicesOf(operator, readOnly, agents, programs);
  const handler = createControlHandler({
    endpoints: ENDPOINTS,
    services,
    guard,
    report: (error) => reported.push(error),
  });
  return {
    desktop,
    operator,
    runner: services.runner,
    reported,
    async request(method, path, body, init) {
      const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
      const request = new Request(`http://127.0.0.1:4000${path}`, { method, body: text, ...init });
      return copied(await handler(request, PEER));
    },
  };
}
