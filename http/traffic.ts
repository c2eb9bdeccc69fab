/** Counts the servers' requests, for metrics. */

import { Histogram } from "../core/json.ts";
import { type Handler, targetOf } from "./request.ts";

/** The common name for all routes and methods outside the table: clients' inventions must not fill memory. */
export const OTHER = "other";
/** The only method with its own histogram: others may wait, and a histogram takes eight lines of metrics. */
const TIMED_METHOD = "GET";

/** Requests of one route: either those with the GET method, or those with other methods. */
class RouteTraffic {
  requests = 0;
  /** Number of requests answered with a status of 500 or more. */
  failures = 0;

  /**
   * @param server The server, which counts the statuses across all its routes.
   * @param duration The time from a request's headers to its response's headers, for this method.
   */
  constructor(readonly server: ServerTraffic, readonly duration: Histogram) {}

  /** @param ms The response time in milliseconds. */
  add(status: number, ms: number): void {
    const { statuses } = this.server;
    this.requests++;
    if (status >= 500) this.failures++;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    this.duration.add(ms);
  }
}

/** Requests of one server. */
export class ServerTraffic {
  /** Counters by route, then by method. */
  readonly routes = new Map<string, Map<string, RouteTraffic>>();
  /** Response times by method. */
  readonly durations = new Map<string, Histogram>();
  /** Number of responses by status. */
  readonly statuses = new Map<number, number>();
  /** Number of file bytes handed to the system for sending. */
  sentBytes = 0;

  /** @param name The server's name, as in the log: `control` or `files`. */
  constructor(readonly name: string) {}

  /** The requests of a method and route. */
  of(method: string, route: string): RouteTraffic {
    const timed = method === TIMED_METHOD ? method : OTHER;
    const byMethod = entry(this.routes, route, () => new Map<string, RouteTraffic>());
    const duration = entry(this.durations, timed, () => new Histogram());
    return entry(byMethod, timed, () => new RouteTraffic(this, duration));
  }
}

/** The value of a key, created if missing. */
function entry<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) map.set(key, value = make());
  return value;
}

/**
 * Counts a handler's requests. Adds less than 1 us to a request.
 * @param routeOf Returns the route of a method and path, one of a bounded number.
 * @returns A handler that answers like the given one.
 */
export function counted(
  handler: Handler,
  traffic: ServerTraffic,
  routeOf: (method: string, path: string) => string,
): Handler {
  // Caches the last route, because clients often repeat a request.
  let last: { url: string; method: string; route: RouteTraffic } | undefined;
  return (request, peer) => {
    const start = performance.now();
    // Reads the fields before the handler runs: a WebSocket upgrade closes the request, and reading them
    // later throws.
    const { method, url } = request;
    if (last?.url !== url || last.method !== method) {
      last = { url, method, route: traffic.of(method, routeOf(method, targetOf(url).path)) };
    }
    const { route } = last;
    const count = (answer: Response) => {
      route.add(answer.status, performance.now() - start);
      return answer;
    };
    // Uses then(), which takes one turn of the microtask queue; an async function takes three.
    return handler(request, peer).then(count);
  };
}
