/** Content-Disposition: whether a browser shows a file or saves it, and under which name (RFC 6266, RFC 8187). */

import { contentType } from "@std/media-types";

/** Types that browsers show safely. */
const SHOWN =
  /^(?:text\/|image\/|audio\/|video\/|application\/(?:pdf|json|xhtml\+xml|xml|(?:ld|manifest)\+json)\b)/;

/**
 * Returns the header's value.
 * @param name The file's name.
 * @param type Its media type.
 * @param query The request's query: `download` forces attachment, `inline` forces inline.
 * @example
 * contentDisposition("50%.txt", "text/plain"); // "inline; filename=\"50%.txt\""
 */
export function contentDisposition(name: string, type: string, query = ""): string {
  const asked = /(?:^|&)(download|inline)(?:[=&]|$)/.exec(query)?.[1];
  const shown = asked === undefined ? SHOWN.test(type) : asked === "inline";
  const quoted = name.toWellFormed().replace(/\p{Cc}/gu, "_").replace(/["\\]/g, "\\$&");
  const header = `${shown ? "inline" : "attachment"}; filename="${bytesOf(quoted)}"`;
  // Chromium decodes `%20` in the plain form (RFC 6266 appendix D).
  const isPlain = /^[\x20-\x7e]*$/.test(name) && !/%[0-9a-f]{2}/i.test(name);
  return isPlain ? header : `${header}; filename*=UTF-8''${extendedValue(name)}`;
}

/**
 * The UTF-8 bytes of a text as a header value has them, one character per byte. curl, axel and others that do
 * not support the extended form use these bytes as the name.
 */
function bytesOf(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join("");
}

/** RFC 8187 section 3.2.1: everything but attr-char is percent-encoded. Lone surrogates have no UTF-8. */
function extendedValue(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /['()*]/g,
    (character) => "%" + character.charCodeAt(0).toString(16).toUpperCase(),
  );
}

// Media types by file name.

const UNKNOWN = "application/octet-stream";
const TEXT_PLAIN = "text/plain; charset=utf-8";
/**
 * Types that the registry lacks or defines differently: `.ts` is rarely an MPEG stream where code is served.
 */
const OWN: Record<string, string> = {
  ".ts": "text/plain; charset=utf-8",
  ".log": "text/plain; charset=utf-8",
  ".py": "text/plain; charset=utf-8",
  ".rs": "text/plain; charset=utf-8",
  ".go": "text/plain; charset=utf-8",
  ".mkv": "video/x-matroska",
  // The registry's audio/wave and audio/x-flac make Chromium save the file instead of playing it.
  ".wav": "audio/wav",
  ".flac": "audio/flac",
};
/** Types in which a browser may run scripts, besides HTML. */
const ACTIVE =
  /^(?:text\/html|application\/xhtml\+xml|image\/svg\+xml|(?:text|application)\/xml|[^;]+\+xml)\b/i;

/** Number of bytes at the beginning of a file that determine its type. */
export const HEAD = 64 * 1024;
/** The sync byte of each MPEG transport stream packet, and the packet length (ISO/IEC 13818-1). */
const SYNC = 0x47, PACKET = 188;

/**
 * Whether the type depends on the beginning of the file in addition to its name: whether text is UTF-8,
 * whether `.ts` is code or video, and whether a file without an extension is text.
 */
export function dependsOnContent(name: string): boolean {
  return /charset=/.test(mediaType(name)) || /^[^.]+$|\.m?ts$|\.svgz$/i.test(name);
}

/**
 * The media type of a file.
 * @param head The first bytes of the file, up to {@linkcode HEAD}; without them the type depends on the name
 * alone.
 * @param isCut Whether the file is longer.
 * @returns The type, and the content coding if the file itself is compressed.
 */
export function typeOf(name: string, head?: Uint8Array, isCut = false): { type: string; coding?: "gzip" } {
  const type = mediaType(name);
  if (!head || !dependsOnContent(name)) return { type };
  if (/\.svgz$/i.test(name)) {
    return head[0] === 0x1f && head[1] === 0x8b ? { type: "image/svg+xml", coding: "gzip" } : { type };
  }
  if (/\.m?ts$/i.test(name) && head[0] === SYNC && (head.length <= PACKET || head[PACKET] === SYNC)) {
    return { type: "video/mp2t" };
  }
  const isText = isUtf8(head, isCut), isCode = /\.m?ts$/i.test(name);
  if (type === UNKNOWN || isCode) {
    return {
      type: isText && !head.includes(0) && (head.length || isCode)
        ? TEXT_PLAIN
        : isCode
        ? "text/plain"
        : type,
    };
  }
  // Without a charset, a browser uses what the page declares, or guesses.
  return { type: isText ? type : type.replace(/;\s*charset=[^;]+/, "") };
}

function isUtf8(bytes: Uint8Array, isCut: boolean): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: isCut });
    return true;
  } catch {
    return false;
  }
}

/** The media type for a file name's extension, with a charset for text. */
export function mediaType(name: string): string {
  const extension = /\.[^.]+$/.exec(name)?.[0].toLowerCase();
  if (extension === undefined) return UNKNOWN;
  const type = OWN[extension] ?? contentType(extension) ?? UNKNOWN;
  return type.replace("charset=UTF-8", "charset=utf-8");
}

/** Whether a browser could run scripts in a file of this type. */
export function isActive(type: string): boolean {
  return ACTIVE.test(type);
}
