/** The line feed behind answers that a person's terminal shows. */

/** How programs that print an answer as it comes begin their User-Agent. */
const PRINTING = /^(?:curl|Wget|HTTPie|xh)\//;

/** Whether the client is a program that prints answers, mostly on a terminal. */
export function isPrinting(request: Request): boolean {
  return PRINTING.test(request.headers.get("user-agent") ?? "");
}

/**
 * Ends an answer in JSON with a line feed, so that the shell's next prompt stands on a line of its own. To parsers the
 * line feed is white space (RFC 8259 section 2).
 * @param response Its content is in memory. An answer with a Content-Length, an encoding, or a file's name stays as it is.
 */
export async function endLine(response: Response): Promise<Response> {
  const { headers, status } = response;
  const isJson = headers.get("content-type") === "application/json" && response.body !== null;
  const isFixed = ["content-length", "content-encoding", "content-disposition"].some((name) =>
    headers.has(name)
  );
  return isJson && !isFixed ? new Response(`${await response.text()}\n`, { status, headers }) : response;
}
