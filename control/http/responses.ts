/** Answers of the control API: their headers, and the single form of errors. */

import {
  BusyError,
  ChangedError,
  DesktopUnavailableError,
  ExpectedError,
  ForbiddenError,
  InputError,
  NoDesktopError,
  NotFoundError,
  OverdueError,
  StateError,
  TimeLimitError,
  UnsupportedError,
} from "../../core/errors.ts";
import { printableJson } from "../../core/printable.ts";
import { compressedFor, COMPRESSIBLE, streamOf } from "../../http/stream.ts";
import { type Peer, RequestError } from "../../http/request.ts";
import type { Content } from "../actions/action.ts";

/** Headers of every answer, including refusals. */
const COMMON: [string, string][] = [
  ["access-control-allow-origin", "*"],
  ["cache-control", "no-store"],
  ["x-content-type-options", "nosniff"],
  ["cross-origin-resource-policy", "same-origin"],
  ["x-frame-options", "DENY"],
  ["referrer-policy", "no-referrer"],
];
const CONTENT_SECURITY_POLICY = "default-src 'none'; frame-ancestors 'none'";

/**
 * The headers of an answer.
 * @param type Content-Type.
 * @param more Further headers; a Content-Security-Policy among them replaces the strict default.
 */
export function headersOf(type: string, more: Record<string, string> = {}): [string, string][] {
  return [
    ...COMMON,
    ["content-security-policy", CONTENT_SECURITY_POLICY] as [string, string],
    ["content-type", type] as [string, string],
  ].filter(([name]) => !(name in more)).concat(Object.entries(more));
}

const JSON_HEADERS = headersOf("application/json");

/**
 * A JSON answer from text that is already JSON. Deno.serve adds its length, which as a header here would cost
 * 0.4 us.
 */
export function jsonText(text: string): Response {
  return new Response(text, { headers: JSON_HEADERS });
}

/**
 * An answer with text that is the same for every caller, compressed if the caller accepts it. Text with
 * secrets must not be compressed, since its length would reveal something about them.
 * @param content In memory: text, or its UTF-8.
 * @param type Content-Type.
 * @param more As in {@linkcode headersOf}.
 */
export async function publicText(
  request: Request,
  content: string | Uint8Array<ArrayBuffer>,
  type: string,
  more: Record<string, string> = {},
): Promise<Response> {
  const headers = [...headersOf(type, more), COMPRESSIBLE];
  return await compressedFor(request, new Response(content, { headers }));
}

/** Maximum length of an answer stored for repetition, in UTF-16 code units. */
const REPEATED_LIMIT = 1024;

/**
 * Makes JSON answers that often equal the previous one. Copying a response costs 0.4 us, a new response with
 * these headers 15 us (Deno 2.9.6).
 * @returns A function that makes an answer from JSON text.
 */
export function repeatedJson(): (text: string) => Response {
  let last: string | undefined;
  let answer: Response;
  return (text) => {
    if (text.length > REPEATED_LIMIT) return jsonText(printableJson(text));
    if (text !== last) answer = jsonText(printableJson(last = text));
    return answer.clone();
  };
}

/**
 * An answer whose body is an action's content.
 * @param peer Reports when the answer was sent or the client has left, so that the content ends even if its
 * body is never read to the end.
 */
export function contentResponse(content: Content, peer: Peer): Response {
  const end = () => content.end();
  peer.completed.then(end, end);
  const { type, fileName } = content;
  const headers = headersOf(
    type,
    fileName ? { "content-disposition": `attachment; filename="${fileName}"` } : {},
  );
  if (content.length !== undefined) headers.push(["content-length", String(content.length)]);
  return new Response(streamOf(() => content.next(), end), { headers });
}

/**
 * An answer with a status and the API's error object.
 * @param more Further fields of that object.
 */
export function refusal(
  status: number,
  message: string,
  headers: Record<string, string> = {},
  more: Record<string, unknown> = {},
): Response {
  return new Response(printableJson(JSON.stringify({ error: message, ...more })), {
    status,
    headers: Object.keys(headers).length ? headersOf("application/json", headers) : JSON_HEADERS,
  });
}

/** The status of each kind of expected error. */
const STATUS: [new (message: string) => Error, number][] = [
  [InputError, 400],
  [ForbiddenError, 403],
  [NotFoundError, 404],
  [TimeLimitError, 408],
  [StateError, 409],
  [UnsupportedError, 409],
  [BusyError, 503],
  [OverdueError, 503],
  [DesktopUnavailableError, 503],
  [NoDesktopError, 503],
];

/** The fields about a place that no longer matches the caller's picture. */
function changedFields(error: unknown): Record<string, unknown> {
  if (!(error instanceof ChangedError)) return {};
  return { changed: error.regions, ...(error.picture ? { picture: error.picture.toBase64() } : {}) };
}

/**
 * The answer to a request whose handling threw.
 * @param error An expected error, whose message is meant for clients; anything else is a bug that only
 * `report` receives.
 * @param report Receives errors whose details the client must not see.
 * @param more Further fields of the answer to an expected error.
 */
export function errorAnswer(
  error: unknown,
  report: (error: unknown) => void,
  more: Record<string, unknown> = {},
): Response {
  if (error instanceof RequestError) return refusal(error.status, error.message, error.headers, more);
  for (const [kind, status] of STATUS) {
    if (error instanceof kind) {
      return refusal(status, error.message, {}, { ...more, ...changedFields(error) });
    }
  }
  if (error instanceof ExpectedError) return refusal(500, error.message, {}, more);
  if (error instanceof DOMException && error.name === "AbortError") {
    return refusal(499, "the client went away");
  }
  report(error);
  return refusal(500, "an internal error occurred");
}
