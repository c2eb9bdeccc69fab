/** Fuzz targets: the control API, the file server, the prompt and recordings. */

import { KEYS } from "../../control/desktop/keys.ts";
import { createControlGuard } from "../../control/http/access/rules.ts";
import { ENDPOINTS } from "../../control/http/endpoints.ts";
import { createControlHandler } from "../../control/http/handler.ts";
import { Operator } from "../../control/operator/operator.ts";
import { Quit } from "../../control/prompt/command.ts";
import { COMMANDS, runLine } from "../../control/prompt/commands.ts";
import { balanced } from "../../control/recording/format.ts";
import { scriptPieces } from "../../control/recording/script.ts";
import { StoredRecording } from "../../control/recording/stored.ts";
import { ExpectedError, InputError } from "../../core/errors.ts";
import { VirtualDesktop } from "../../ffi/virtual/mod.ts";
import { createFilesHandler } from "../../files/handler.ts";
import { runnerOf, servicesOf } from "../support/control.ts";
import { formatRecording, parseRecordingText } from "../support/recordings.ts";
import { headers, METHODS, NAMES, object, type Random, raw, TOKEN, value } from "./values.ts";

/** A fuzzed part of the program. */
export interface Target {
  /** Runs one case: notes its input for the report, and throws if the response is wrong. */
  run(random: Random, note: (what: string) => void): Promise<void>;
  /** Checks the state after all cases. */
  end?(): void;
}

/** @throws Error if the condition does not hold. */
export function mustBe(condition: boolean, what: string) {
  if (!condition) throw new Error(what);
}

// The control API.

/** A body: the endpoint's fields, other fields, or no JSON at all. */
function body(random: Random, fields: string[]): string {
  if (random.once(8)) return random.text(60);
  if (random.once(20)) return "[".repeat(random.below(200));
  const own = Object.fromEntries(fields.filter(() => !random.once(5)).map((name) => [name, value(random)]));
  // Waits of seconds get a short timeout.
  const json = JSON.stringify({
    ...own,
    ...(random.once(4) ? object(random) : {}),
    timeout_ms: random.below(20) + 1,
  });
  return random.once(10) ? json.slice(0, random.below(json.length + 1)) : json;
}

/** Closes an operator, and checks that nothing stays pressed. */
function closeOf(operator: Operator): void {
  operator.close();
  mustBe(operator.held().length === 0, "something stays pressed");
}

/** The control API behind its real guard on a virtual desktop, and the errors that it reports. */
export function guardedApi() {
  const operator = new Operator(new VirtualDesktop());
  const reported: unknown[] = [], services = servicesOf(operator);
  const handler = createControlHandler({
    endpoints: ENDPOINTS,
    services,
    guard: createControlGuard({
      token: TOKEN,
      requireToken: false,
      allowOrigins: [],
      allowHosts: [],
      tls: false,
      links: services.links,
    }),
    report: (error) => reported.push(error),
  });
  return { operator, services, handler, reported, end: () => closeOf(operator) };
}

/** Requests to the control API. */
export function controlTarget(): Target {
  const { services, handler, reported, end } = guardedApi();
  // Streams and replays do not end on their own.
  const rows = ENDPOINTS.filter(({ path }) => !/events|stream|live|recording\/(?:play|start)/.test(path));
  return {
    async run(random, note) {
      const row = random.pick(rows);
      const method = random.once(6) ? random.pick(METHODS) : row.method;
      const query = random.once(3)
        ? `?${random.pick(NAMES)}=${encodeURIComponent(random.text(8).toWellFormed())}&${random.text(10)}`
        : "";
      const path = random.once(8) ? `/${random.text(20)}` : row.path + query;
      const content = body(random, Object.keys(row.body?.properties ?? {}));
      const sent = headers(random);
      note(`${method} ${path} ${JSON.stringify(sent)} ${content.slice(0, 300)}`);
      const answer = await raw(handler, method, `http://${sent.host}${path}`, sent, content);
      const traces = services.runner.loadedTraces;
      if (traces && traces.status.state !== "off") await traces.stop("the case is over");
      const text = new TextDecoder().decode(answer.bytes);
      mustBe(reported.length === 0, `an internal error: ${reported[0]}`);
      mustBe(answer.status < 500, `status ${answer.status}: ${text}`);
      mustBe(answer.headers.get("access-control-allow-origin") === "*", "no Access-Control-Allow-Origin");
      if (answer.status >= 400) {
        const fields = Object.keys(JSON.parse(text)).join();
        const isError = fields === "error" || row.path === "/mcp" && fields === "jsonrpc,error,id" ||
          row.path === "/api/steps" && fields === "error,done";
        mustBe(isError, `not an error object: ${text}`);
        mustBe(!/at file:|node_modules|\/tmp\//.test(text), `tells of this machine: ${text}`);
      }
    },
    end,
  };
}

// The file server.

/**
 * Requests to the file server.
 * @param root The folder: contains a.txt, big.bin and sub/, and is next to secret.txt.
 */
export function filesTarget(root: string): Target {
  const reported: unknown[] = [];
  const handler = createFilesHandler({ root, report: (error) => reported.push(error) });
  return {
    async run(random, note) {
      const names = [
        "a.txt",
        "big.bin",
        "sub",
        "..",
        ".",
        "%2e%2e",
        "secret.txt",
        "%00",
        "CON",
        "",
        "a.txt%20",
        "..%2f",
        "..\\",
      ];
      const path = "/" +
        Array.from(
          { length: random.below(4) + 1 },
          () => random.once(6) ? random.text(10) : random.pick(names),
        ).join("/");
      const method = random.once(6) ? random.pick(METHODS) : "GET";
      const sent = headers(random);
      const query = random.pick([
        "",
        "",
        "?download",
        "?format=json",
        "?sort=size&order=desc",
        "?q=a&deep",
        "?view",
        "?view=gallery&sort=time",
        `?${random.text(10)}`,
      ]);
      note(`${method} ${path}${query} ${JSON.stringify(sent)}`);
      const answer = await raw(
        handler,
        method,
        `http://${sent.host}${path}${query}`,
        sent,
      );
      mustBe(reported.length === 0, `an internal error: ${Deno.inspect(reported[0])}`);
      mustBe(answer.status < 500, `status ${answer.status}`);
      mustBe(
        !new TextDecoder().decode(answer.bytes).includes("the secret"),
        "a file outside the folder was sent",
      );
      mustBe(answer.headers.get("accept-ranges") === "bytes", "no Accept-Ranges");
      const length = answer.headers.get("content-length");
      if (length !== null && method !== "HEAD") {
        mustBe(Number(length) === answer.bytes.length, "a wrong Content-Length");
      }
    },
  };
}

// The prompt.

/** Skipped commands: they write files, wait for long, or quit. */
const LEFT_ALONE = /^\s*(?:shot|save|load|play|trace|wait|waitwin|quit|exit|q)\b/;

/** Prompt lines. */
export function promptTarget(): Target {
  const operator = new Operator(new VirtualDesktop());
  const context = {
    runner: runnerOf(operator),
    signal: new AbortController().signal,
    by: "prompt" as const,
    notice: () => {},
  };
  return {
    async run(random, note) {
      const point = () => `${random.below(1500) - 100}-${random.below(900) - 100}`;
      // The time of a drag grows with its distance.
      const nearPoints = () => {
        const x = random.below(1500) - 100, y = random.below(900) - 100;
        return `${x}-${y} ${x + random.below(40)}-${y + random.below(40)}`;
      };
      const { name } = random.pick(COMMANDS);
      const line = random.pick([
        () => name + point(),
        () => `${name} ${random.text(10)}`,
        () => `k ${random.pick(KEYS).name}+${random.text(3)}`,
        () => `drag ${nearPoints()}`,
        () => random.text(30),
      ])();
      if (LEFT_ALONE.test(line)) return;
      note(JSON.stringify(line));
      try {
        await runLine(line, context);
      } catch (error) {
        const expected = error instanceof ExpectedError || error instanceof Quit;
        if (!expected) throw error;
      }
    },
    end: () => closeOf(operator), // releases what press lines hold
  };
}

// Recordings.

/** Recording files. */
export function recordingTarget(): Target {
  return {
    run(random, note) {
      const event = (index: number) => {
        const type = random.pick(["move", "button", "scroll", "key", random.text(5)]);
        const whole: Record<string, unknown> = {
          t: index * 7 + random.below(8),
          type,
          x: random.below(1280),
          y: random.below(720),
          button: random.pick(["left", "right"]),
          down: random.once(2),
          direction: random.pick(["up", "left"]),
          amount: random.below(5) + 1,
          key: random.pick(["a", "ctrl", "enter", "é"]),
        };
        if (random.once(6)) whole[random.pick(Object.keys(whole))] = value(random);
        return whole;
      };
      const events = Array.from({ length: random.below(30) }, (_, index) => event(index));
      const recording: Record<string, unknown> = {
        format: "deskhand-recording",
        version: 1,
        desktop: { width: 1280, height: 720 },
        started: "2026-01-01T00:00:00Z",
        events,
      };
      if (random.once(5)) recording[random.pick(Object.keys(recording))] = value(random);
      let text = JSON.stringify(recording);
      if (random.once(10)) text = text.slice(0, random.below(text.length));
      note(text.slice(0, 2000));
      let parsed;
      try {
        parsed = parseRecordingText(text);
      } catch (error) {
        if (!(error instanceof InputError)) throw error;
        return Promise.resolve();
      }
      const whole = { ...parsed, events: balanced(parsed.events) };
      parseRecordingText(formatRecording(whole));
      const down = new Set<string>();
      for (const item of whole.events) {
        if (item.type === "key" || item.type === "button") {
          const name = item.type === "key" ? item.key : item.button;
          if (item.down) down.add(name);
          else down.delete(name);
        }
      }
      mustBe(down.size === 0, `a replay would leave ${[...down]} pressed`);
      Array.from(scriptPieces(StoredRecording.of(whole)));
      return Promise.resolve();
    },
  };
}
