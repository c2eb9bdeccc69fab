/** Requests that a stranger may send. */

import type { Handler } from "../../http/handler.ts";
import { PEER } from "../support/control.ts";
import { copied } from "../support/copied.ts";
import type { Random } from "./random.ts";

/** The token that is right. */
export const TOKEN = "the-token-of-the-fuzzer";
/** Methods, right and wrong. */
export const METHODS = ["GET", "HEAD", "POST", "PUT", "OPTIONS", "DELETE", "PATCH", "get"];
/** An answer that has left. */
export interface Answer {
  status: number;
  headers: Headers;
  bytes: Uint8Array;
}

/**
 * Makes a request as it may come over a socket, without the parts that `Request` refuses.
 * @param url As a client sends it: not normalised.
 */
export async function raw(
  handler: Handler,
  method: string,
  url: string,
  headers: Record<string, string>,
  content?: string,
): Promise<Answer> {
  const sent = new Headers();
  for (const [name, text] of Object.entries(headers)) {
    try {
      sent.set(name, text);
    } catch {
      // A text that no header can hold is not sent.
    }
  }
  const request = new Request("http://127.0.0.1/", {
    method,
    headers: sent,
    body: /^(GET|HEAD)$/i.test(method) ? undefined : content,
  });
  Object.defineProperty(request, "url", { value: url });
  const left = Promise.withResolvers<void>();
  const response = await handler(request, { ...PEER, completed: left.promise });
  const bytes = await copied(response).bytes();
  left.resolve();
  return { status: response.status, headers: response.headers, bytes };
}

/** Headers that decide about access and about the answer. */
export function headers(random: Random): Record<string, string> {
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
