/** What is fuzzed: each target makes a case of its grammar, and throws if the answer is not as it must be. */

import { createControlGuard } from "../../control/access/guard.ts";
import { ENDPOINTS } from "../../control/endpoints.ts";
import { createControlHandler } from "../../control/handler.ts";
import { KEYS } from "../../control/keys.ts";
import { Operator } from "../../control/operator.ts";
import { Quit } from "../../control/prompt/command.ts";
import { COMMANDS, runLine } from "../../control/prompt/commands.ts";
import { balanced } from "../../control/recording/balance.ts";
import { formatRecording, parseRecordingText } from "../../control/recording/format.ts";
import { recordingScript } from "../../control/recording/script.ts";
import { InputError, RequestError, StateError } from "../../errors.ts";
import { VirtualDesktop } from "../../ffi/virtual/mod.ts";
import { copied } from "../support/copied.ts";
import { createFilesHandler } from "../../files/handler.ts";
import type { Handler } from "../../http/handler.ts";
import { servicesOf } from "../support/control.ts";
import { PEER } from "../support/control.ts";
import type { Random } from "./random.ts";

/** Something to fuzz. */
export interface Target {
  /** Runs one case; gives what was sent, for the report, and throws what is wrong. */
  run(random: Random, note: (what: string) => void): Promise<void>;
  /** Checks what must hold after all cases. */
  end?(): void;
}

const TOKEN = "the-token-of-the-fuzzer";
const METHODS = ["GET", "HEAD", "POST", "PUT", "OPTIONS", "DELETE", "PATCH", "get"];
/** Commands that write files or wait for long, which a fuzzer leaves alone. */
const LEFT_ALONE = /^\s*(?:shot|save|load|play|quit|exit|q)\b/;

/** A JSON value that may or may not be what a field wants. */
function value(random: Random, depth = 0): unknown {
  const makers: (() => unknown)[] = [
    () => random.below(1400),
    () => random.below(800) - 400,
    () => random.pick([1.5, 1e300, -0, 2 ** 31, 1e21, NaN]),
    () => random.pick(["left", "right", "up", "down", "ctrl+a", "f5", "#ff0000", "back"]),
    () => random.text(20),
    () => random.pick([null, true, false]),
    () => depth < 3 ? Array.from({ length: random.below(4) }, () => value(random, depth + 1)) : [],
    () => depth < 3 ? object(random, depth + 1) : {},
  ];
  return random.pick(makers)();
}

const NAMES = [
  "x",
  "y",
  "button",
  "count",
  "direction",
  "amount",
  "key",
  "keys",
  "text",
  "from",
  "to",
  "pixel",
  "stable",
  "hex",
  "ms",
  "timeout_ms",
  "speed",
  "times",
  "keyboard",
  "__proto__",
  "constructor",
  "toString",
];

function object(random: Random, depth = 0): Record<string, unknown> {
  return Object.fromEntries(
    Array.from({ length: random.below(6) }, () => [random.pick(NAMES), value(random, depth)]),
  );
}

/** A body: of the endpoint's fields, of any, or no JSON at all. */
function body(random: Random, fields: string[]): string {
  if (random.once(8)) return random.text(60);
  if (random.once(20)) return "[".repeat(random.below(200));
  const own = Object.fromEntries(fields.filter(() => !random.once(5)).map((name) => [name, value(random)]));
  // What would wait for seconds is told to give up soon.
  const json = JSON.stringify({
    ...own,
    ...(random.once(4) ? object(random) : {}),
    timeout_ms: random.below(20) + 1,
  });
  return random.once(10) ? json.slice(0, random.below(json.length + 1)) : json;
}

async function raw(
  handler: Handler,
  method: string,
  url: string,
  headers: Record<string, string>,
  content?: string,
): Promise<Response> {
  const sent = new Headers();
  for (const [name, text] of Object.entries(headers)) {
    try {
      sent.set(name, text);
    } catch {
      // What no header can hold is not sent.
    }
  }
  const request = new Request("http://127.0.0.1/", {
    method,
    headers: sent,
    body: /^(GET|HEAD)$/i.test(method) ? undefined : content,
  });
  Object.defineProperty(request, "url", { value: url });
  return copied(await handler(request, PEER));
}

function headers(random: Random): Record<string, string> {
  return {
    host: random.once(6)
      ? random.text(20)
      : random.pick(["127.0.0.1:4000", "localhost", "[::1]:4000", "example.com"]),
    ...(random.once(4)
      ? { authorization: random.pick([`Bearer ${TOKEN}`, "Bearer x", random.text(20)]) }
      : {}),
    ...(random.once(4) ? { origin: random.pick(["http://127.0.0.1:4000", "null", random.text(20)]) } : {}),
    ...(random.once(5) ? { "sec-fetch-site": random.pick(["same-origin", "cross-site", "none"]) } : {}),
    ...(random.once(9) ? { "x-forwarded-for": random.text(10) } : {}),
    ...(random.once(3)
      ? { range: random.pick(["bytes=0-5", "bytes=-1", `bytes=${random.text(20)}`, "bytes=1-2,4-5,0-"]) }
      : {}),
    ...(random.once(5) ? { "if-none-match": random.pick(["*", '"x"', random.text(10)]) } : {}),
    ...(random.once(5) ? { "if-range": random.text(20) } : {}),
  };
}

function mustBe(condition: boolean, what: string) {
  if (!condition) throw new Error(what);
}

/** The control door, behind its real guard, on a desktop in memory. */
export function controlTarget(): Target {
  const desktop = new VirtualDesktop(), operator = new Operator(desktop);
  const reported: unknown[] = [];
  const handler = createControlHandler({
    endpoints: ENDPOINTS,
    services: servicesOf(operator),
    readOnly: false,
    guard: createControlGuard({
      token: TOKEN,
      requireToken: false,
      allowOrigins: [],
      allowHosts: [],
      tls: false,
    }),
    report: (error) => reported.push(error),
  });
  // Streams and replays do not end by themselves.
  const rows = ENDPOINTS.filter(({ path }) => !/events|live|recording\/(?:play|start)/.test(path));
  return {
    async run(random, note) {
      const row = random.pick(rows);
      const method = random.once(6) ? random.pick(METHODS) : row.method;
      const query = random.once(3)
        ? `?${random.pick(NAMES)}=${encodeURIComponent(random.text(8).toWellFormed())}&${random.text(10)}`
        : "";
      const path = random.once(8) ? `/${random.text(20)}` : row.path + query;
      const content = body(random, Object.keys(row.body ?? {}));
      const sent = headers(random);
      note(`${method} ${path} ${JSON.stringify(sent)} ${content.slice(0, 300)}`);
      const response = await raw(handler, method, `http://${sent.host}${path}`, sent, content);
      const text = await response.text();
      mustBe(reported.length === 0, `an internal error: ${reported[0]}`);
      mustBe(response.status < 500, `status ${response.status}: ${text}`);
      mustBe(response.headers.get("access-control-allow-origin") === "*", "no Access-Control-Allow-Origin");
      if (response.status >= 400) {
        mustBe(Object.keys(JSON.parse(text)).join() === "error", `not an error object: ${text}`);
        mustBe(!/at file:|node_modules|\/tmp\//.test(text), `tells of this machine: ${text}`);
      }
    },
    end() {
      operator.releaseAll();
      mustBe(operator.held().length === 0, "something stays pressed");
    },
  };
}

/**
 * The file door on a folder.
 * @param root It has a.txt, big.bin and sub/, and beside it secret.txt.
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
        `?${random.text(10)}`,
      ]);
      note(`${method} ${path}${query} ${JSON.stringify(sent)}`);
      const response = await raw(handler, method, `http://${sent.host}${path}${query}`, sent);
      const bytes = await response.bytes();
      mustBe(reported.length === 0, `an internal error: ${Deno.inspect(reported[0])}`);
      mustBe(response.status < 500, `status ${response.status}`);
      mustBe(!new TextDecoder().decode(bytes).includes("the secret"), "a file outside the folder was sent");
      mustBe(response.headers.get("accept-ranges") === "bytes", "no Accept-Ranges");
      const length = response.headers.get("content-length");
      if (length !== null && method !== "HEAD") {
        mustBe(Number(length) === bytes.length, "a wrong Content-Length");
      }
    },
  };
}

/** Lines of the prompt. */
export function promptTarget(): Target {
  const operator = new Operator(new VirtualDesktop());
  const context = { services: servicesOf(operator), signal: new AbortController().signal, notice: () => {} };
  return {
    async run(random, note) {
      const point = () => `${random.below(1500) - 100}-${random.below(900) - 100}`;
      const { name } = random.pick(COMMANDS);
      const line = random.pick([
        () => name + point(),
        () => `${name} ${random.text(10)}`,
        () => `k ${random.pick(KEYS).name}+${random.text(3)}`,
        () => `drag ${point()} ${point()}`,
        () => random.text(30),
      ])();
      if (LEFT_ALONE.test(line)) return;
      note(JSON.stringify(line));
      try {
        await runLine(line, false, context);
      } catch (error) {
        const expected = [InputError, StateError, RequestError, Quit].some((kind) => error instanceof kind);
        if (!expected) throw error;
      }
    },
    end() {
      mustBe(operator.held().length === 0, "something stays pressed");
    },
  };
}

/** Files of recordings. */
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
      recordingScript(whole);
      return Promise.resolve();
    },
  };
}
