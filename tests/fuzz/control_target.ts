/** The control API. */

import { createControlGuard } from "../../control/http/access/rules.ts";
import { ENDPOINTS } from "../../control/http/endpoints.ts";
import { createControlHandler } from "../../control/http/handler.ts";
import { Operator } from "../../control/operator/operator.ts";
import { VirtualDesktop } from "../../ffi/virtual/mod.ts";
import { servicesOf } from "../support/control.ts";
import type { Random } from "./random.ts";
import { headers, METHODS, raw, TOKEN } from "./requests.ts";
import { mustBe, type Target } from "./target.ts";
import { NAMES, object, value } from "./values.ts";

/** A body: of the endpoint's fields, of any, or no JSON at all. */
function body(random: Random, fields: string[]): string {
  if (random.once(8)) return random.text(60);
  if (random.once(20)) return "[".repeat(random.below(200));
  const own = Object.fromEntries(fields.filter(() => !random.once(5)).map((name) => [name, value(random)]));
  // A wait of seconds gets a short time limit.
  const json = JSON.stringify({
    ...own,
    ...(random.once(4) ? object(random) : {}),
    timeout_ms: random.below(20) + 1,
  });
  return random.once(10) ? json.slice(0, random.below(json.length + 1)) : json;
}

/** The control API, behind its real guard, on a desktop in memory. */
export function controlTarget(): Target {
  const desktop = new VirtualDesktop(), operator = new Operator(desktop);
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
  // Streams and replays do not end by themselves.
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
      if (services.runner.trace) await (await services.runner.traces()).stop("the case is over");
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
    end() {
      operator.close();
      mustBe(operator.held().length === 0, "something stays pressed");
    },
  };
}
