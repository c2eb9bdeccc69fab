/** Counts the requests of the servers, for metrics. */

import { Histogram } from "../core/json.ts";
import { type Handler, targetOf } from "./request.ts";

/** The common name of all routes and methods outside the table: names that clients invent must not fill memory. */
export const OTHER = "other";
/**
 * The only method with a histogram: requests of other methods may wait, and a histogram takes eight lines of metrics.
 */
const TIMED_METHOD = "GET";

/** Requests of one route: either those with the method GET, or those with other methods. */
class RouteTraffic {
  requests = 0;
  /** Requests that were answered with a status of 500 or more. */
  failures = 0;

  /**
   * @param server The server, which counts the statuses of all its routes.
   * @param duration The time from the head of a request with this method to the head of its answer.
   */
  constructor(readonly server: ServerTraffic, readonly duration: Histogram) {}

  /** @param ms How long the answer took, in milliseconds. */
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
  /** Histograms by route, then by their names. */
  readonly routes = new Map<string, Map<string, RouteTraffic>>();
  /** The durations of answers, by method. */
  readonly durations = new Map<string, Histogram>();
  /** Answers by status. */
  readonly statuses = new Map<number, number>();
  /** Bytes of files that were given to the system to be sent. */
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

/** The value of a key, which is made if there is none. */
function entry<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) map.set(key, value = make());
  return value;
}

/**
 * Counts the requests of a handler. It adds less than 1 us to a request.
 * @param routeOf Gives the route of a method and path, one of a bounded number.
 * @returns A handler that answers like the given one.
 */
export function counted(
  handler: Handler,
  traffic: ServerTraffic,
  routeOf: (method: string, path: string) => string,
): Handler {
  // Remembers the last route, since clients often repeat a request.
  let last: { url: string; method: string; route: RouteTraffic } | undefined;
  return (request, peer) => {
    const start = performance.now();
    // Reads the fields before the handler runs: a WebSocket's upgrade closes the request, and later reading throws.
    const { method, url } = request;
    if (last?.url !== url || last.method !== method) {
      last = { url, method, route: traffic.of(method, routeOf(method, targetOf(url).path)) };
    }
    const { route } = last;
    const count = (answer: Response) => {
      route.add(answer.status, performance.now() - start);
      return answer;
    };
    // Uses then(), which takes one turn of the microtask queue where an async function takes three.
    return handler(request, peer).then(count);
  };
}
