/** Callers who may upload, or share files. */

import type { Peer } from "../../http/handler.ts";
import { isLoopbackAddress, isLoopbackName, parseHost, PROXY_HEADER } from "../../http/host.ts";
import { RequestError } from "../../http/request_error.ts";

const UPLOADS = { what: "upload", done: "taken" };

/**
 * Refuses uploads of web pages of other origins, and, if no password is needed, uploads from other machines.
 * @param hasPassword Whether the request came with the right password of `--files-auth`.
 * @param what The caller's wish, for the message.
 * @throws RequestError 403.
 */
export function checkCaller(
  { headers, url }: Request,
  peer: Peer,
  hasPassword: boolean,
  { what, done }: { what: string; done: string } = UPLOADS,
): void {
  const authority = /^(https?:\/\/)([^/?#]*)/i.exec(url);
  if (!isOwnPage(headers, authority?.[0] ?? "")) {
    throw new RequestError(403, `Web pages of other origins may not ${what} files.`);
  }
  if (hasPassword) return;
  const host = parseHost(authority?.[2] ?? "");
  const isLocal = isLoopbackAddress(peer.remoteAddr.hostname) && host && isLoopbackName(host.name);
  if (!isLocal || [...headers.keys()].some((name) => PROXY_HEADER.test(name))) {
    throw new RequestError(403, `Files are ${done} from this machine alone, unless --files-auth is set.`);
  }
}

/** @param own The origin of the request's own address. */
function isOwnPage(headers: Headers, own: string): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin" || site === "none";
  const origin = headers.get("origin"); // browsers send one with each PUT
  return origin === null || origin.toLowerCase() === own.toLowerCase();
}
