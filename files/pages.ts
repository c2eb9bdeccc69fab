/** The file server's own pages: errors and redirects, and the headers shared by all responses. */

import { sha256 } from "../core/bytes.ts";
import { escape } from "@std/html";
import { STATUS_TEXT } from "@std/http/status";
import { COMPRESSIBLE, zeroCopyBody } from "../http/stream.ts";
import { targetOf } from "../http/request.ts";
import { contentDisposition } from "./disposition.ts";

// The web pages that may use the file server's responses: pages of its own origin, or all pages with
// `--files-cors` (Fetch standard, "CORS protocol" and "Cross-Origin-Resource-Policy header").

/** Headers with which a web page asks for part of a file, or for a certain version. */
const REQUEST_HEADERS =
  "Authorization, If-Match, If-Modified-Since, If-None-Match, If-Range, If-Unmodified-Since, Range";
const EXPOSED = "Accept-Ranges, Content-Disposition, Content-Length, Content-Range, ETag";
/** How long a browser may cache the response to a preflight, in seconds. */
const PREFLIGHT_SECONDS = "600";

/** The Content-Security-Policy directive that lets only pages of the same origin frame a response. */
export const FRAMED_BY_ITSELF = "frame-ancestors 'self'";

/**
 * The headers that declare which pages may use a response.
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
 * Adds headers to a response that is not a file: a redirect, a listing, an error page.
 * @param headers The result of {@linkcode originHeaders}.
 * @returns The same response.
 */
export function withOriginHeaders(response: Response, headers: [string, string][]): Response {
  for (const [name, value] of headers) response.headers.set(name, value);
  if (!response.headers.has("content-security-policy")) {
    response.headers.set("content-security-policy", FRAMED_BY_ITSELF);
  }
  return response;
}

/** Answers a preflight request, with which a browser asks whether a page may send custom headers. */
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

/** The media type of all pages. */
export const HTML = "text/html; charset=utf-8";
/** The only style of these pages, in the colours of listings. The policy allows it by digest. */
const STYLE = ":root{color-scheme:light dark;--link:#0b57d0;--page:#fff;--text:#1b1b1f;--soft:#5f5f69}" +
  "@media(prefers-color-scheme:dark){:root{--link:#8ab4f8;--page:#17181c;--text:#e6e6ea;--soft:#a0a0ac}}" +
  'body{font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;margin:0 auto;max-width:32rem;' +
  "padding:20vh 1.25rem 2rem;background:var(--page);color:var(--text);overflow-wrap:anywhere}" +
  "h1{font-size:1.5rem;line-height:1.25;font-weight:600;margin:0 0 .5rem}p{color:var(--soft);margin:0 0 1.5rem}" +
  "a{color:var(--link)}:focus-visible{outline:2px solid;outline-offset:2px}";

/** Headers of every file server response. */
export const COMMON: [string, string][] = [
  ["accept-ranges", "bytes"],
  ["x-content-type-options", "nosniff"],
];

/** Default paragraphs by status. */
const PARAGRAPHS: Record<number, string> = {
  412: "The file is not the requested version.",
  416: "The file has no such range.",
  500: "An internal server error occurred.",
};

/** Inline styles and scripts of a page. */
interface Inline {
  /** Contents of its style elements. */
  styles: readonly string[];
  /** Contents of its scripts; defaults to none. */
  scripts?: readonly string[];
  /** Further directives. */
  directives: readonly string[];
}

/**
 * A Content-Security-Policy for one of deskhand's own pages.
 * @returns A policy that allows these styles and scripts by digest, and otherwise only the given directives.
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
  const digests = await Promise.all(
    texts.map(async (text) => `'sha256-${(await sha256(text)).toBase64()}'`),
  );
  return digests.length ? [`${directive} ${digests.join(" ")}`] : [];
}

const POLICY = await inlinePolicy({ styles: [STYLE], directives: ["form-action 'none'"] });

/**
 * Creates an error page, or another page that reports the outcome of a request.
 * @param message The paragraph; defaults to that of the status.
 * @param up Where the page's link leads, relative to the request's path: defaults to a file's folder; null
 * for no link. See {@linkcode folderAbove}.
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

/** Reports a request's outcome: {@linkcode errorPage}, {@linkcode errorText} or {@linkcode errorJson}. */
export type Saying = typeof errorPage;

/** Reports the outcome like {@linkcode errorPage}, as a line of text. */
export function errorText(status: number, message?: string, headers: Record<string, string> = {}): Response {
  const name = `${status}.txt`, type = "text/plain; charset=utf-8";
  const content = new TextEncoder().encode(`${messageOf(status, message)}\n`);
  return ownAnswer(content, { name, type, status, headers });
}

/** Reports the outcome like {@linkcode errorPage}, as JSON. */
function errorJson(status: number, message?: string, headers: Record<string, string> = {}): Response {
  const error = messageOf(status, message),
    content = new TextEncoder().encode(`${JSON.stringify({ error })}\n`);
  return ownAnswer(content, { name: `${status}.json`, type: "application/json", status, headers });
}

function messageOf(status: number, message?: string): string {
  return message ?? PARAGRAPHS[status] ?? STATUS_TEXT[status as keyof typeof STATUS_TEXT] ?? "Error";
}

/**
 * Chooses the response format. A change is answered with text unless the client's Accept header names HTML.
 * If a request for a JSON listing fails, the error is JSON. All other responses are pages.
 */
export function sayingFor({ method, headers, url }: Request): Saying {
  if (["GET", "HEAD", "POST"].includes(method)) {
    return /(?:^|&)format=json(?:&|$)/.test(targetOf(url).query) ? errorJson : errorPage;
  }
  return /\btext\/html\b/i.test(headers.get("accept") ?? "") ? errorPage : errorText;
}

/**
 * The relative path to the folder above a path. A reference like `../` cannot lead to another host.
 * @param path As sent.
 */
export function folderAbove(path: string): string {
  return path.endsWith("/") ? "../" : "./";
}

/**
 * Redirects a browser to another path below this folder.
 * @param target Relative, so that it cannot become a `//host`.
 */
export function redirect(target: string): Response {
  // A query may contain anything that was sent; a header must not.
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

/** Describes content that is not a file. */
export interface OwnContent {
  /** The name under which a browser would save the content. */
  name: string;
  /** The content's media type. */
  type: string;
  /** The response's status; defaults to 200. */
  status?: number;
  headers?: Record<string, string>;
}

/** A compressible response with content that is not a file. */
export function ownAnswer(content: Uint8Array<ArrayBuffer>, about: OwnContent): Response {
  const { status } = about;
  return new Response(zeroCopyBody(content), { status, headers: ownHeaders(content.length, about) });
}

/**
 * The headers of one of the server's own responses.
 * @param length The content's length in bytes.
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
