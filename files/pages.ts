/** The file server's own pages: errors and redirects, and the headers that all its answers share. */

import { escape } from "@std/html";
import { STATUS_TEXT } from "@std/http/status";
import { COMPRESSIBLE, zeroCopyBody } from "../http/stream.ts";
import { targetOf } from "../http/request.ts";
import { contentDisposition } from "./disposition.ts";

// The rule for web pages that may use the file server's answers: pages of its own origin, or all pages with
// `--files-cors` (Fetch standard, "CORS protocol" and "Cross-Origin-Resource-Policy header").

/** Headers by which a web page asks for part of a file, or for a certain version. */
const REQUEST_HEADERS =
  "Authorization, If-Match, If-Modified-Since, If-None-Match, If-Range, If-Unmodified-Since, Range";
const EXPOSED = "Accept-Ranges, Content-Disposition, Content-Length, Content-Range, ETag";
/** The time that a browser may remember a preflight's answer, in seconds. */
const PREFLIGHT_SECONDS = "600";

/** The directive of a Content-Security-Policy that lets pages of the same origin alone frame an answer. */
export const FRAMED_BY_ITSELF = "frame-ancestors 'self'";

/**
 * The headers that say which pages may use an answer.
 * @param all Whether pages of all origins may.
 */
export function originHeaders(all: boolean): [string, string][] {
  return [
    ["x-frame-options", "SAMEORIGIN"],
    ["cross-origin-resource-policy", all ? "cross-origin" : "same-origin"],
    ...(all ? CORS : []),
  ];
}

const CORS: [string, string][] = [
  ["access-control-allow-origin", "*"],
  ["access-control-expose-headers", EXPOSED],
];

/**
 * Adds headers to an answer that is not made of a file: a redirect, a listing, an error page.
 * @param headers As {@linkcode originHeaders} makes them.
 * @returns The same answer.
 */
export function withOriginHeaders(response: Response, headers: [string, string][]): Response {
  for (const [name, value] of headers) response.headers.set(name, value);
  if (!response.headers.has("content-security-policy")) {
    response.headers.set("content-security-policy", FRAMED_BY_ITSELF);
  }
  return response;
}

/** Answers a browser's question (a preflight request) whether a page may send headers of its own. */
export function preflightAnswer(): Response {
  return new Response(null, {
    status: 204,
    headers: [
      ["allow", "GET, HEAD, OPTIONS"],
      ["access-control-allow-methods", "GET, HEAD"],
      ["access-control-allow-headers", REQUEST_HEADERS],
      ["access-control-max-age", PREFLIGHT_SECONDS],
    ],
  });
}

/** The type of all pages. */
export const HTML = "text/html; charset=utf-8";
/** The only style of these pages, in the colours of listings. The policy allows it by its digest. */
const STYLE = ":root{color-scheme:light dark;--link:#0b57d0;--page:#fff;--text:#1b1b1f;--soft:#5f5f69}" +
  "@media(prefers-color-scheme:dark){:root{--link:#8ab4f8;--page:#17181c;--text:#e6e6ea;--soft:#a0a0ac}}" +
  'body{font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;margin:0 auto;max-width:32rem;' +
  "padding:20vh 1.25rem 2rem;background:var(--page);color:var(--text);overflow-wrap:anywhere}" +
  "h1{font-size:1.5rem;line-height:1.25;font-weight:600;margin:0 0 .5rem}p{color:var(--soft);margin:0 0 1.5rem}" +
  "a{color:var(--link)}:focus-visible{outline:2px solid;outline-offset:2px}";

/** Headers of every answer of the file server. */
export const COMMON: [string, string][] = [
  ["accept-ranges", "bytes"],
  ["x-content-type-options", "nosniff"],
];

/** Texts of paragraphs whose reason is the same each time. */
const PARAGRAPHS: Record<number, string> = {
  412: "The file is not the requested version.",
  416: "The file has no such range.",
  500: "An internal server error occurred.",
};

/** Styles and scripts within a page. */
interface Inline {
  /** Texts of its style elements. */
  styles: readonly string[];
  /** Texts of its scripts; none if left out. */
  scripts?: readonly string[];
  /** Further directives. */
  directives: readonly string[];
}

/**
 * A Content-Security-Policy for a page of deskhand's own.
 * @returns A policy that allows these styles and scripts by their digests, and otherwise only the given directives.
 */
export async function inlinePolicy({ styles, scripts = [], directives }: Inline): Promise<string> {
  return [
    "default-src 'none'",
    ...await sources("style-src", styles),
    ...await sources("script-src", scripts),
    ...directives,
    "base-uri 'none'",
    FRAMED_BY_ITSELF,
  ].join("; ");
}

async function sources(directive: string, texts: readonly string[]): Promise<string[]> {
  const digests = await Promise.all(texts.map(async (text) => {
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
    return `'sha256-${btoa(String.fromCharCode(...digest))}'`;
  }));
  return digests.length ? [`${directive} ${digests.join(" ")}`] : [];
}

const POLICY = await inlinePolicy({ styles: [STYLE], directives: ["form-action 'none'"] });

/**
 * Makes an error page, or another page that reports the outcome of a request.
 * @param message The paragraph; the usual one of the status if left out.
 * @param up Where the page's link leads, relative to the request's path: the folder of a file if left out; null for no
 * link. See {@linkcode folderAbove}.
 */
export function errorPage(
  status: number,
  message?: string,
  headers: Record<string, string> = {},
  up: string | null = "./",
): Response {
  const text = STATUS_TEXT[status as keyof typeof STATUS_TEXT] ?? "Error";
  const heading = `${status} ${text}`;
  const paragraph = messageOf(status, message);
  const link = up === null ? "" : `\n<nav><a href="${up}">Folder above</a></nav>`;
  return page(
    status,
    heading,
    `<main>\n<h1>${heading}</h1>\n<p>${escape(paragraph)}</p>${link}\n</main>`,
    headers,
  );
}

/** The function that writes an answer's outcome: {@linkcode errorPage}, {@linkcode errorText} or {@linkcode errorJson}. */
export type Saying = typeof errorPage;

/** Writes the page of {@linkcode errorPage} as a line of text. */
export function errorText(status: number, message?: string, headers: Record<string, string> = {}): Response {
  const name = `${status}.txt`, type = "text/plain; charset=utf-8";
  const content = new TextEncoder().encode(`${messageOf(status, message)}\n`);
  return ownAnswer(content, { name, type, status, headers });
}

/** Writes the message of {@linkcode errorPage} as JSON. */
function errorJson(status: number, message?: string, headers: Record<string, string> = {}): Response {
  const error = messageOf(status, message),
    content = new TextEncoder().encode(`${JSON.stringify({ error })}\n`);
  return ownAnswer(content, { name: `${status}.json`, type: "application/json", status, headers });
}

function messageOf(status: number, message?: string): string {
  return message ?? PARAGRAPHS[status] ?? STATUS_TEXT[status as keyof typeof STATUS_TEXT] ?? "Error";
}

/**
 * Chooses the form of an answer. A change is answered in text, unless the client's Accept header names HTML. The error of a request
 * for a listing in JSON is JSON. All other answers are pages.
 */
export function sayingFor({ method, headers, url }: Request): Saying {
  if (["GET", "HEAD", "POST"].includes(method)) {
    return /(?:^|&)format=json(?:&|$)/.test(targetOf(url).query) ? errorJson : errorPage;
  }
  return /\btext\/html\b/i.test(headers.get("accept") ?? "") ? errorPage : errorText;
}

/**
 * The folder above a path, relative to it. A reference like `../` cannot lead to another host.
 * @param path As it was sent.
 */
export function folderAbove(path: string): string {
  return path.endsWith("/") ? "../" : "./";
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

/** Headers of content that is no file's. */
export interface OwnContent {
  /** The name under which a browser would save the content. */
  name: string;
  /** The content's media type. */
  type: string;
  /** The status of the answer; 200 if left out. */
  status?: number;
  headers?: Record<string, string>;
}

/** An answer with content that is no file's, which can be compressed. */
export function ownAnswer(content: Uint8Array<ArrayBuffer>, about: OwnContent): Response {
  const { status } = about;
  return new Response(zeroCopyBody(content), { status, headers: ownHeaders(content.length, about) });
}

/**
 * The headers of an answer of the server's own.
 * @param length The length of the content in bytes.
 */
export function ownHeaders(length: number, { name, type, headers = {} }: OwnContent): [string, string][] {
  return [
    ...COMMON,
    COMPRESSIBLE,
    ["content-type", type],
    ["content-length", String(length)],
    ["content-disposition", contentDisposition(name, type)],
    ["cache-control", "no-cache"],
    ...Object.entries(headers),
  ];
}
