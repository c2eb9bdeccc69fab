/** Requests from a command to the same user's running deskhand. */

import { readToken } from "../control/http/access/token.ts";
import { UsageError } from "../core/errors.ts";
import { whileAnswering } from "../core/until.ts";
import { HTTP_PORT, type Settings } from "./option_table.ts";
import { ASK_MS, checkAlive, listensOn, runningControls, serverAt, type Serving } from "./running.ts";

interface OwnRequest {
  method: string;
  path: string;
  headers?: Record<string, string>;
  /** The bytes of a picture, or a value to send as JSON. */
  body?: unknown;
}

/**
 * Sends a request, and waits for the answer as long as the server answers other requests.
 * @param server If it has a certificate, that is trusted, also for the name `localhost`.
 * @param missing The message if nothing answers.
 * @throws UsageError if nothing answers, such as a stopped process, or the certificate is for another name.
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
  const leave = new AbortController();
  try {
    const answer = fetch(target, {
      method,
      headers,
      body: body === undefined || body instanceof Uint8Array ? body as BodyInit : JSON.stringify(body),
      client,
      signal: leave.signal,
    }).then(async (response) => new Response(await response.bytes(), response));
    return await whileAnswering(answer, ASK_MS, () => checkAlive(target, client));
  } catch (cause) {
    if ((cause as Error).name === "TimeoutError") throw new UsageError(`${url} does not answer`, { cause });
    const why = cert === undefined ? "" : ` (${(cause as Error).message})`;
    throw new UsageError(missing + why, { cause });
  } finally {
    leave.abort();
  }
}

// The user's control API, for commands such as `link` and `do`.

/** A control API, and the token to send to it. */
interface Peer {
  server: Serving;
  token: string;
}

/**
 * Returns a function that calls the user's running control API.
 * @param more Additional headers of each call.
 * @throws UsageError if there is none, or its token is missing.
 */
export function apiOf(settings: Settings, more: Record<string, string> = {}) {
  const { server, token } = peerOf(settings);
  const missing = `no deskhand answers at ${server.url}: start it with --http, or name its port`;
  const headers = { ...more, authorization: `Bearer ${token}` };
  return (method: string, path: string, body?: unknown): Promise<Response> =>
    askServer(server, { method, path, body, headers }, missing);
}

/**
 * Finds the user's control API on the port of `--http`, or at DESKHAND_URL, by its record, because another
 * program could be listening there. A server without a record only receives a token that the user gave with
 * the command.
 * @throws UsageError if there is none, or its token is missing.
 */
function peerOf(settings: Settings): Peer {
  const { http, token, tokenFile } = settings, isGiven = token !== undefined || tokenFile !== undefined;
  const named = http === undefined ? Deno.env.get("DESKHAND_URL") || undefined : undefined;
  const port = http ?? HTTP_PORT, all = runningControls();
  const record = named !== undefined ? serverAt(named, all) : all.find((server) => listensOn(server, port)) ??
    (http === undefined && all.length === 1 ? all[0] : undefined);
  if (isGiven) {
    return { server: record ?? unknownServer(named, port, settings), token: readToken(settings).value };
  }
  if (record?.hasKeptToken) return { server: record, token: readToken(settings).value };
  const where = named ?? `port ${port}`;
  throw new UsageError(
    record
      ? `the deskhand at ${record.url} uses another token: pass it with --token or --token-file`
      : `no deskhand of this user runs at ${where}: start it with --http, or name its port; ` +
        "the stored token is never sent to another program; pass another one with --token or --token-file",
  );
}

function unknownServer(named: string | undefined, port: number, { cert }: Settings): Serving {
  return named !== undefined
    ? { url: named }
    : cert === undefined
    ? { url: `http://127.0.0.1:${port}` }
    : { url: `https://localhost:${port}`, cert };
}
