/**
 * The rule for web pages that may use the file server's answers: pages of its own origin, or all pages with
 * `--files-cors` (Fetch standard, "CORS protocol" and "Cross-Origin-Resource-Policy header").
 */

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
