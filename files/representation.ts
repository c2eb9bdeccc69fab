/** A file's description for clients: type, validators and headers, made once per file version. */

import { basename } from "../core/path.ts";
import { type Coding, COMPRESSIBLE as VARY } from "../http/stream.ts";
import { isCompressible } from "./compressor.ts";
import type { Validators } from "./conditional.ts";
import { COMMON, FRAMED_BY_ITSELF } from "./pages.ts";
import { contentDisposition, isActive, typeOf } from "./disposition.ts";
import { type FileVersion, hasStrongValidator, millisecondsOf, modifiedOf } from "./identity.ts";

/** A file as clients see it. */
export interface Representation {
  size: number;
  type: string;
  /** Whether the file is compressed for clients that accept it. */
  compressible: boolean;
  /** Whether the file's entity tag is strong. */
  strong: boolean;
  validators: Validators;
  /** Headers of a 200. */
  headers: [string, string][];
  /** The headers if the query asks for another disposition. */
  headersFor(query: string): [string, string][];
  /** Describes the same content, compressed to `size` bytes. */
  compressed(coding: Coding, size: number): Representation;
}

export interface DescribeOptions {
  /** Whether every later version of the file will have other times. */
  strong: boolean;
  /** Whether files that may contain scripts are sent without a sandbox. */
  trustHtml: boolean;
  /** Headers shared by all responses. */
  shared: [string, string][];
}

/**
 * Describes a file.
 * @param path The file's path, ending with the name that the client asked for.
 * @param head The beginning of the file; if omitted, the type depends only on the name.
 */
export function describe(
  path: string,
  info: FileVersion,
  options: DescribeOptions,
  head?: Uint8Array,
): Representation {
  const name = basename(path);
  const { size } = info, { type, coding } = typeOf(name, head, head !== undefined && head.length < size);
  return represent({
    name,
    type,
    size,
    compressible: coding === undefined && isCompressible({ type, size }),
    ownCoding: coding,
    tag: fileTag(info),
    modified: modifiedOf(info),
  }, options);
}

/** Content that is sent like a file. */
interface Content {
  /** The name under which a browser would save the file. */
  name: string;
  /** The content's media type. */
  type: string;
  /** Size in bytes. */
  size: number;
  /** Whether the response depends on the codings that a client accepts; defaults to false. */
  compressible?: boolean;
  /** The coding used to compress the content. */
  coding?: Coding;
  /** The coding of the file itself, such as `.svgz`. */
  ownCoding?: Coding;
  /** Characters for an entity tag, which change with the content. */
  tag: string;
  /** Milliseconds since 1970. */
  modified: number;
}

/** Describes content that is sent like a file. */
export function represent(content: Content, { strong, trustHtml, shared }: DescribeOptions): Representation {
  const { name, type, size, compressible = false, coding, ownCoding } = content;
  // Never later than the response (RFC 9110 section 8.8.2.1).
  const modified = Math.floor(Math.min(content.modified, Date.now()) / 1000);
  const etag = `${strong ? "" : "W/"}"${content.tag}${coding ? `-${coding}` : ""}"`;
  // A sandboxed page has an opaque origin, without access to this origin or the control API's.
  const sandbox = isActive(type) && !trustHtml ? "sandbox allow-scripts; " : "";
  const policy = sandbox + FRAMED_BY_ITSELF;
  const versionHeaders: [string, string][] = [
    ...coding ?? ownCoding ? [["content-encoding", coding ?? ownCoding] as [string, string]] : [],
    ["last-modified", new Date(modified * 1000).toUTCString()],
    ...compressible ? [VARY] : [],
  ];
  const headersFor = (query: string): [string, string][] => [
    ...COMMON,
    ...shared,
    ["content-type", type],
    ["content-length", String(size)],
    ["content-disposition", contentDisposition(name, type, query)],
    ["etag", etag],
    ...versionHeaders,
    ["cache-control", "no-cache"],
    ["content-security-policy", policy],
  ];
  return {
    size,
    type,
    compressible,
    strong,
    // The file has the same date in all codings: based on it, a client could combine ranges of two.
    validators: { etag, modified, isDateShared: compressible },
    headers: headersFor(""),
    headersFor,
    compressed: (coding, size) => represent({ ...content, coding, size }, { strong, trustHtml, shared }),
  };
}

/**
 * The entity tag sent with a file.
 * @param now Milliseconds since 1970.
 */
export function entityTag(info: FileVersion, now: number): string {
  return `${hasStrongValidator(info, now) ? "" : "W/"}"${fileTag(info)}"`;
}

/**
 * A file's entity tag, derived from its size, times and identity. The tag is weak for a file that has just
 * changed, because its next version may have the same times (RFC 9110 section 8.8.1).
 */
function fileTag({ size, mtime, ctime, ino }: FileVersion): string {
  return [size, millisecondsOf(mtime), millisecondsOf(ctime), ino ?? 0].map((part) => part.toString(36)).join(
    "-",
  );
}
