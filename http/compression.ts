/** Compression of answers (RFC 9110 sections 8.4 and 12.5.3). */

import { nodeModule } from "../core/lazy_node.ts";

/**
 * A header of text answers of deskhand's own: whether they are compressed depends on the request. An answer with this
 * header that is not compressed yet must have its body in memory.
 */
export const COMPRESSIBLE: [name: string, value: string] = ["vary", "accept-encoding"];

/** Codings that deskhand makes, the preferred one first. */
export const CODINGS = ["br", "gzip"] as const;
/** A coding: one of {@linkcode CODINGS}. */
export type Coding = typeof CODINGS[number];

/** Other names of codings (RFC 9110 section 8.4.1.3). */
const ALIASES: Record<string, string> = { "x-gzip": "gzip" };

/**
 * Tells which coding a client prefers.
 * @param headers The headers of the request; without Accept-Encoding no coding is meant.
 * @param offered Of codings with the same weight the first is chosen.
 * @returns undefined if the client prefers no coding.
 * @example
 * ```ts
 * preferredCoding(new Headers({ "accept-encoding": "gzip, br" }), ["br", "gzip"]); // "br"
 * preferredCoding(new Headers({ "accept-encoding": "br;q=0.5, *" }), ["br", "gzip"]); // "gzip"
 * ```
 */
export function preferredCoding<C extends Coding>(
  headers: Headers,
  offered: readonly C[],
): C | undefined {
  const accepted = headers.get("accept-encoding");
  if (accepted === null) return undefined;
  const weights = new Map<string, number>();
  for (const item of accepted.toLowerCase().split(",")) {
    const [, coding, weight = "1"] = /^\s*([^\s;]+)\s*(?:;\s*q=([\d.]+)\s*)?$/.exec(item) ?? [];
    if (coding) weights.set(ALIASES[coding] ?? coding, Number(weight));
  }
  const weight = (coding: C) => weights.get(coding) ?? weights.get("*") ?? 0;
  const best = offered.reduce((best, coding) => weight(coding) > weight(best) ? coding : best);
  return weight(best) > 0 && weight(best) >= (weights.get("identity") ?? 0) ? best : undefined;
}

/**
 * Tells whether a client prefers gzip to no coding.
 * @param headers As {@linkcode preferredCoding} takes them.
 */
export function acceptsGzip(headers: Headers): boolean {
  return preferredCoding(headers, ["gzip"]) !== undefined;
}

/**
 * Compresses an answer for a client that accepts it.
 * @param answer Any answer; an answer with {@linkcode COMPRESSIBLE} is compressed if that makes it shorter.
 * @returns An answer with the same status and headers but for Content-Encoding and Content-Length.
 */
export function compressedFor({ headers }: Request, answer: Response): Response | Promise<Response> {
  const [name, value] = COMPRESSIBLE;
  if (answer.headers.get(name) !== value || answer.headers.has("content-encoding")) return answer;
  // Reads `answer.body` last: reading it turns a body in memory into a stream, which Deno sends without a length.
  return acceptsGzip(headers) && answer.body ? compressed(answer) : answer;
}

async function compressed(answer: Response): Promise<Response> {
  const plain = await answer.bytes();
  const gzip = new Uint8Array(nodeModule("node:zlib").gzipSync(plain));
  const headers = new Headers(answer.headers);
  const shorter = gzip.length < plain.length;
  if (shorter) headers.set("content-encoding", "gzip");
  headers.set("content-length", String(Math.min(gzip.length, plain.length)));
  return new Response(shorter ? gzip : plain, { status: answer.status, headers });
}
