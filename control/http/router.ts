/** Finds the endpoint of a request in the table. */

import { nearest } from "../../core/printable.ts";
import { RequestError } from "../../http/request_error.ts";
import type { Endpoint } from "./endpoint.ts";

/**
 * The length above which a path is not compared with those of the table, since comparing would delay other requests.
 */
const LONGEST_PATH = 64;

/** Paths and methods of a table of endpoints, looked up without walking through it. */
export class Router {
  readonly #paths = new Map<string, Map<string, Endpoint>>();

  constructor(endpoints: readonly Endpoint[]) {
    for (const row of endpoints) {
      const methods = this.#paths.get(row.path) ?? new Map<string, Endpoint>();
      this.#paths.set(row.path, methods.set(row.method, row));
      // RFC 9110 section 9.3.2: HEAD is GET without the content.
      if (row.method === "GET") methods.set("HEAD", row);
    }
  }

  /**
   * The methods of a path, for `Allow`.
   * @returns A list such as `GET, HEAD, OPTIONS`; for an unknown path, all methods of the API.
   */
  allowed(path: string): string {
    const methods = this.#paths.get(path)?.keys() ?? ["GET", "HEAD", "POST", "PUT"];
    return [...methods, "OPTIONS"].join(", ");
  }

  /**
   * Tells whether the answer is the same for every caller: that of a public endpoint, or the 404 below `/.well-known/`.
   * Clients of MCP ask there, without the token, for ways to get one, and give up on anything but a 404.
   */
  isPublic(method: string, path: string): boolean {
    const methods = this.#paths.get(path);
    return methods ? methods.get(method)?.public ?? false : path.startsWith("/.well-known/");
  }

  /**
   * Finds an endpoint.
   * @throws RequestError 404 for an unknown path, 405 with `Allow` for a wrong method.
   */
  find(method: string, path: string): Endpoint {
    const methods = this.#paths.get(path);
    if (!methods) {
      throw new RequestError(404, `no such path${this.#meant(path)}; GET /api lists what there is`);
    }
    const row = methods.get(method);
    if (!row) {
      const allow = this.allowed(path);
      throw new RequestError(405, `this path takes ${allow}`, { allow });
    }
    return row;
  }

  /** The most similar known path, as a question; empty if none is similar. */
  #meant(path: string): string {
    const meant = path.length > LONGEST_PATH ? undefined : nearest(path, [...this.#paths.keys()]);
    return meant === undefined ? "" : ` (did you mean ${meant}?)`;
  }
}
