/** The page of a file. */

import { readAtOnce } from "../read.ts";
import type { Resolved, Root } from "../resolve.ts";
import type { ShownFile } from "./entry.ts";
import { kindOf } from "./kind.ts";
import type { Renderer } from "../render/renderer.ts";
import { isRendered } from "../render/rendered.ts";

/** The most bytes of a text that a page shows. */
export const TEXT_LIMIT = 512 * 1024;
/** Marks of UTF-16 at the beginning of a file (Unicode section 23.8). */
const UTF_16: Record<string, string> = { fffe: "utf-16le", feff: "utf-16be" };

/**
 * Reads the content for the page of a file: the beginning of a text. A file whose name does not tell its type is a
 * text if it is valid UTF-8 without NUL.
 * @param name The last name of the path.
 * @throws RequestError 404 if the file is gone; FileChangedError if it changed while it was read.
 */
export async function shownFile(
  root: Root,
  file: Resolved,
  name: string,
  renderer: Renderer,
): Promise<ShownFile> {
  const kind = kindOf(name), { size } = file.info;
  if (kind !== undefined && kind !== "text") return { name, kind, size };
  const open = await root.open(file);
  const length = Math.min(open.info.size, TEXT_LIMIT), isCut = open.info.size > length;
  const bytes = readAtOnce(open, length ? [{ start: 0, end: length - 1 }] : [], true);
  const text = textIn(bytes, isCut, kind === "text");
  if (text === undefined) return { name, kind: undefined, size };
  const rendered = isRendered(name, text) ? await renderer.rendered(name, text) : undefined;
  return { name, kind: "text", size, text, isCut, rendered };
}

/**
 * Decodes a text.
 * @param isCut Whether the last character may be incomplete.
 * @param isText Whether malformed bytes are shown as U+FFFD, rather than making the file no text.
 */
function textIn(bytes: Uint8Array, isCut: boolean, isText: boolean): string | undefined {
  const encoding = UTF_16[bytes.subarray(0, 2).toHex()] ?? "utf-8";
  if (!isText && encoding === "utf-8" && bytes.includes(0)) return undefined;
  try {
    return new TextDecoder(encoding, { fatal: !isText }).decode(bytes, { stream: isCut });
  } catch {
    return undefined; // the file is no text
  }
}
