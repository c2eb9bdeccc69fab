/** Content-Disposition: whether a browser shows a file or saves it, and under which name (RFC 6266, RFC 8187). */

import { contentType } from "@std/media-types";

/** Types that browsers show safely. */
const SHOWN =
  /^(?:text\/|image\/|audio\/|video\/|application\/(?:pdf|json|xhtml\+xml|xml|(?:ld|manifest)\+json)\b)/;

/**
 * Makes the header.
 * @param name The file's name.
 * @param type Its media type.
 * @param query `download` in it forces attachment, `inline` inline.
 * @example
 * contentDisposition("ü.txt", "text/plain"); // "inline; filename=\"_.txt\"; filename*=UTF-8''%C3%BC.txt"
 */
export function contentDisposition(name: string, type: string, query = ""): string {
  const asked = /(?:^|&)(download|inline)(?:[=&]|$)/.exec(query)?.[1];
  const shown = asked === undefined ? SHOWN.test(type) : asked === "inline";
  const plain = name.replace(/[^\x20-\x7e]/gu, "_").replace(/["\\]/g, "\\$&");
  const header = `${shown ? "inline" : "attachment"}; filename="${plain}"`;
  return /^[\x20-\x7e]*$/.test(name) ? header : `${header}; filename*=UTF-8''${extendedValue(name)}`;
}

/** RFC 8187 section 3.2.1: everything but attr-char is percent-encoded. Lone surrogates have no UTF-8. */
function extendedValue(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /['()*]/g,
    (character) => "%" + character.charCodeAt(0).toString(16).toUpperCase(),
  );
}

// Media types of files by their names.

const UNKNOWN = "application/octet-stream";
/** Types that the registry lacks or gives another meaning: `.ts` is rarely an MPEG stream where code is served. */
const OWN: Record<string, string> = {
  ".ts": "text/plain; charset=utf-8",
  ".log": "text/plain; charset=utf-8",
  ".py": "text/plain; charset=utf-8",
  ".rs": "text/plain; charset=utf-8",
  ".go": "text/plain; charset=utf-8",
  ".mkv": "video/x-matroska",
  // The registry has audio/wave and audio/x-flac, which Chromium saves and does not play.
  ".wav": "audio/wav",
  ".flac": "audio/flac",
};
/** Types in which a browser may find a script to run, beside HTML. */
const ACTIVE =
  /^(?:text\/html|application\/xhtml\+xml|image\/svg\+xml|(?:text|application)\/xml|[^;]+\+xml)\b/i;

/** The media type of a file by the ending of its name, with a charset for text. */
export function mediaType(name: string): string {
  const extension = /\.[^.]+$/.exec(name)?.[0].toLowerCase();
  if (extension === undefined) return UNKNOWN;
  const type = OWN[extension] ?? contentType(extension) ?? UNKNOWN;
  return type.replace("charset=UTF-8", "charset=utf-8");
}

/** Tells whether a browser could run scripts of a file of this type. */
export function isActive(type: string): boolean {
  return ACTIVE.test(type);
}
