/** What is printed when the control API is ready. */

import type { Endpoint } from "./endpoint.ts";

/**
 * The start message: the port, then every endpoint.
 * @param port The port really bound.
 * @param endpoints Those that are listed and open.
 */
export function startMessage(port: number, endpoints: readonly Endpoint[]): string {
  const longest = (texts: string[]) => Math.max(...texts.map((text) => text.length));
  const methods = longest(endpoints.map(({ method }) => method)),
    paths = longest(endpoints.map(({ path }) => path)) + 2;
  return [
    `HTTP server started on port ${port}`,
    ...endpoints.map(({ method, path, summary }) =>
      `  ${method.padEnd(methods)} ${path.padEnd(paths)}${summary}`
    ),
  ].join("\n");
}

/**
 * How to call with the token: a curl line, and a link to the page for each address. The token stands behind `#`,
 * in the part of a link that browsers do not send.
 * @param urls Without a final slash; the one for this machine first.
 */
export function invitation(urls: string[], token: string): string {
  return [
    `curl -H 'Authorization: Bearer ${token}' ${urls[0]}/api/position`,
    ...urls.map((url) => `${url}/#token=${token}`),
  ].join("\n");
}
