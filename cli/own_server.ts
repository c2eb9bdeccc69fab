/** Requests of a command to a running deskhand of the same user. */

import { UsageError } from "../core/errors.ts";
import type { Serving } from "./running.ts";

/** A request of a command. */
export interface OwnRequest {
  method: string;
  /** The path and query. */
  path: string;
  headers?: Record<string, string>;
  /** A value that is sent as JSON. */
  body?: unknown;
}

/**
 * Sends a request.
 * @param server Its certificate, if it has one, is trusted, under the name `localhost` too.
 * @param missing The message if nothing answers.
 * @throws UsageError if nothing answers, or the certificate is for another name.
 */
export async function askServer(
  { url, cert }: Serving,
  { method, path, headers, body }: OwnRequest,
  missing: string,
): Promise<Response> {
  using client = cert === undefined
    ? undefined
    : Deno.createHttpClient({ caCerts: [Deno.readTextFileSync(cert)] });
  const target = new URL(path, url);
  if (cert !== undefined && target.hostname === "127.0.0.1") target.hostname = "localhost";
  try {
    const response = await fetch(target, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      client,
    });
    return new Response(await response.bytes(), response);
  } catch (cause) {
    const why = cert === undefined ? "" : ` (${(cause as Error).message})`;
    throw new UsageError(missing + why, { cause });
  }
}
