/** What is told of a file: its type, validators and headers, worked out once for as long as it stays the same. */

import { basename } from "@std/path";
import type { Validators } from "./conditional.ts";
import { contentDisposition } from "./disposition.ts";
import { isActive, mediaType } from "./media.ts";
import { COMMON } from "./pages.ts";
import { millisecondsOf } from "./times.ts";

/** See the module's comment. */
export interface Representation {
  size: number;
  type: string;
  /** Whether its entity tag is a strong one. */
  settled: boolean;
  validators: Validators;
  /** Headers of a 200. */
  headers: [string, string][];
  /** The same where the query asks for another disposition. */
  headersFor(query: string): [string, string][];
}

/** What a description depends on beside the file. */
export interface Circumstances {
  /** Whether the file's times tell it from any later version. */
  settled: boolean;
  /** Whether files that may hold scripts go without a sandbox. */
  trustHtml: boolean;
}

/**
 * Describes a file.
 * @param path The name it was asked for by is the last of it.
 */
export function describe(
  path: string,
  info: Deno.FileInfo,
  { settled, trustHtml }: Circumstances,
): Representation {
  const name = basename(path);
  const type = mediaType(name);
  // Never later than the answer (RFC 9110 section 8.8.2.1).
  const modified = Math.floor(Math.min(millisecondsOf(info.mtime), Date.now()) / 1000);
  const etag = entityTag(info, settled);
  const headersFor = (query: string): [string, string][] => [
    ...COMMON,
    ["content-type", type],
    ["content-length", String(info.size)],
    ["content-disposition", contentDisposition(name, type, query)],
    ["etag", etag],
    ["last-modified", new Date(modified * 1000).toUTCString()],
    ["cache-control", "no-cache"],
    // In a sandbox a page has an origin of its own, and no way into this one or the control API's.
    ...(isActive(type) && !trustHtml
      ? [["content-security-policy", "sandbox allow-scripts"] as [string, string]]
      : []),
  ];
  return {
    size: info.size,
    type,
    settled,
    validators: { etag, modified },
    headers: headersFor(""),
    headersFor,
  };
}

/**
 * Strong, since it changes with anything that the system says of a file's content: size, times, the file itself. Weak
 * for a file that was changed just now, whose times may not tell it from its next version (RFC 9110 section 8.8.1).
 */
function entityTag({ size, mtime, ctime, ino }: Deno.FileInfo, settled: boolean): string {
  const part = (value: number | null) => (value ?? 0).toString(36);
  return `${settled ? "" : "W/"}"${part(size)}-${part(millisecondsOf(mtime))}-${
    part(millisecondsOf(ctime))
  }-${part(ino)}"`;
}
