/** Counts the requests of the servers, for metrics. */

import { Histogram } from "../core/histogram.ts";
import type { Handler } from "./handler.ts";
import { targetOf } from "./target.ts";

/** The name of routes and methods that are not in a table: what clients make up must not fill memory. */
export const OTHER = "other";
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"]);

/** Requests of one method and route. */
export class RouteTraffic {
  /** Answers by status. */
  readonly statuses = new Map<number, number>();
  /** From the head of the request to the head of the answer. */
  readonly duration = new Histogram();

  /** @param ms How long the answer took, in milliseconds. */
  add(status: number, ms: number): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    this.duration.add(ms);
  }
}

/** Requests of one server. */
export class ServerTraffic {
  /** By route, then by method. */
  readonly routes = new Map<string, Map<string, RouteTraffic>>();
  /** Bytes of files that were given to the system to be sent. */
  sentBytes = 0;

  /** @param name As the log has it: `control`, `files`. */
  constructor(readonly name: string) {}

  /** The requests of a method and route; methods that are unknown count as one. */
  of(method: string, route: string): RouteTraffic {
    let methods = this.routes.get(route);
    if (!methods) this.routes.set(route, methods = new Map());
    const known = METHODS.has(method) ? method : OTHER;
    let traffic = methods.get(known);
    if (!traffic) methods.set(known, traffic = new RouteTraffic());
    return traffic;
  }
}

/**
 * Counts the requests of a handler. It adds less than 1 us to a request.
 * @param routeOf Gives the route of a path, one of a bounded number.
 * @returns A handler that answers like the given one.
 */
export function counted(
  handler: Handler,
  traffic: ServerTraffic,
  routeOf: (path: string) => string,
): Handler {
  // Clients ask for the same again and again.
  let last: { url: string; method: string; route: RouteTraffic } | undefined;
  return (request, peer) => {
    const start = performance.now();
    // Read before the handler runs: a WebSocket's upgrade closes the request, and reading it afterwards throws.
    const { method, url } = request;
    if (last?.url !== url || last.method !== method) {
      last = { url, method, route: traffic.of(method, routeOf(targetOf(url).path)) };
    }
    const { route } = last;
    const count = (answer: Response) => {
      route.add(answer.status, performance.now() - start);
      return answer;
    };
    // An async function would take three turns of the microtask queue where this takes one.
    const answer = handler(request, peer);
    return answer instanceof Promise ? answer.then(count) : count(answer);
  };
}
