/** Media types of clipboard content. Pure. */

import { CLIPBOARD_KINDS, type ClipboardContent, type ClipboardKind } from "../../../control/desktop.ts";
import type { Bytes } from "../../../core/bytes.ts";
import { contentOf } from "../../clipboard_readings.ts";

/** X11's type of texts in Latin-1 (ICCCM section 2.7.1). */
const LATIN1 = "STRING";
/** Types of each kind, the best first; old X11 programs know those in capitals. */
export const MEDIA_TYPES: Readonly<Record<ClipboardKind, readonly string[]>> = {
  text: ["text/plain;charset=utf-8", "UTF8_STRING", "text/plain", "TEXT", LATIN1],
  png: ["image/png"],
};

/** The best type of a kind among those that are offered; undefined if there is none. */
export function bestType(kind: ClipboardKind, offered: readonly string[]): string | undefined {
  return MEDIA_TYPES[kind].find((type) => offered.includes(type));
}

/** The kinds of content that types offer. */
export function kindsOf(offered: readonly string[]): ClipboardKind[] {
  return CLIPBOARD_KINDS.filter((kind) => bestType(kind, offered));
}

/**
 * Encodes content for each type that it is offered in.
 * @param texts Types of texts.
 */
export function encoded(content: ClipboardContent, texts = MEDIA_TYPES.text): ReadonlyMap<string, Bytes> {
  if ("png" in content) return new Map(MEDIA_TYPES.png.map((type) => [type, content.png]));
  const utf8 = new TextEncoder().encode(content.text);
  return new Map(texts.map((type) => [type, utf8]));
}

/** Decodes content of a type. */
export function decoded(kind: ClipboardKind, type: string, bytes: Bytes): ClipboardContent {
  return contentOf(kind, bytes, type === LATIN1);
}
