/** Media types of files by their names. */

import { contentType } from "@std/media-types";

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
