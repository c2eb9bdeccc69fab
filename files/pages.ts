/** The file door's own pages: errors and redirects, and what all its answers share. */

import { STATUS_TEXT } from "@std/http/status";
import { escape } from "@std/html";
import { zeroCopyBody } from "../http/zero_copy_body.ts";
import { contentDisposition } from "./disposition.ts";

/** The type of all pages. */
export const HTML = "text/html; charset=utf-8";
/** The only style a page of ours has; allowed by its digest, so that nothing else is. */
const STYLE =
  ":root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;margin:15vh auto;max-width:30rem;" +
  "padding:0 1.25rem}h1{font-size:1.5rem;font-weight:600}";

/** Headers of every answer of the file door. */
export const COMMON: [string, string][] = [
  ["accept-ranges", "bytes"],
  ["x-content-type-options", "nosniff"],
];

/** What paragraphs say, where the reason is the same each time. */
const PARAGRAPHS: Record<number, string> = {
  412: "The file is not the version that was asked for.",
  416: "The file has no such range.",
  500: "An internal server error occurred.",
};

/**
 * A Content-Security-Policy for a page with one style and nothing else.
 * @returns Allows that style alone.
 */
export async function stylePolicy(style: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(style)));
  const hash = btoa(String.fromCharCode(...digest));
  return `default-src 'none'; style-src 'sha256-${hash}'; form-action 'none'; base-uri 'none'; frame-ancestors 'self'`;
}

const POLICY = await stylePolicy(STYLE);

/**
 * An error page.
 * @param message The paragraph; the usual one of the status if left out.
 */
export function errorPage(status: number, message?: string, headers: Record<string, string> = {}): Response {
  const text = STATUS_TEXT[status as keyof typeof STATUS_TEXT] ?? "Error";
  const heading = `${status} ${text}`;
  const paragraph = message ?? PARAGRAPHS[status] ?? text;
  return page(status, heading, `<h1>${heading}</h1>\n<p>${escape(paragraph)}</p>`, headers);
}

/**
 * Sends a browser elsewhere below this folder.
 * @param target Relative, so that no `//host` can come of it.
 */
export function redirect(target: string): Response {
  // A query may hold anything that was sent; a header may not.
  const location = target.replace(
    /[^\x21-\x7e]/gu,
    (character) => encodeURIComponent(character.toWellFormed()),
  );
  const link = `<h1>301 Moved Permanently</h1>\n<p><a href="${escape(location)}">It is here.</a></p>`;
  return page(301, "301 Moved Permanently", link, { location });
}

function page(status: number, title: string, body: string, headers: Record<string, string>): Response {
  const html = `<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n` +
    `<meta name="viewport" content="width=device-width">\n<title>${title}</title>\n<style>${STYLE}</style>\n` +
    `</head>\n<body>\n${body}\n</body>\n</html>\n`;
  return ownAnswer(new TextEncoder().encode(html), {
    name: `${status}.html`,
    type: HTML,
    status,
    headers: { "content-security-policy": POLICY, ...headers },
  });
}

/** What goes with content of our own. */
export interface OwnContent {
  /** The name under which it would be saved. */
  name: string;
  /** Its media type. */
  type: string;
  /** 200 if left out. */
  status?: number;
  headers?: Record<string, string>;
}

/** An answer with content that is no file's. */
export function ownAnswer(
  content: Uint8Array<ArrayBuffer>,
  { name, type, status, headers = {} }: OwnContent,
): Response {
  return new Response(zeroCopyBody(content), {
    status,
    headers: [
      ...COMMON,
      ["content-type", type],
      ["content-length", String(content.length)],
      ["content-disposition", contentDisposition(name, type)],
      ["cache-control", "no-cache"],
      ...Object.entries(headers),
    ],
  });
}
