/** Lines that a ready control API prints, and `status` again. */

import { styled } from "../../core/output.ts";
import { inColumns } from "../../core/printable.ts";
import type { Endpoint } from "./endpoint.ts";
import { groupedPaths } from "./endpoints.ts";

/**
 * The start message: the port, then the endpoints (on a terminal their paths in groups, elsewhere one on each line).
 * @param port The port really bound.
 * @param endpoints The listed endpoints that are open.
 * @param columns The terminal's width in characters; undefined if there is no terminal.
 */
export function startMessage(port: number, endpoints: readonly Endpoint[], columns?: number): string {
  const listed = columns === undefined ? [endpointList(endpoints)] : inColumns(
    groupedPaths(endpoints.map(({ path }) => path)).map(([name, paths]) => [`  ${name}`, paths.join(" ")]),
    columns,
    (name) => styled("dim", name),
  );
  return [styled("bold", `HTTP server started on port ${port}`), ...listed].join("\n");
}

/**
 * Lists every endpoint with its method and its purpose, each in a line.
 * @param columns Characters in a line; lines are not broken if left out.
 */
export function endpointList(endpoints: readonly Endpoint[], columns?: number): string {
  const methods = Math.max(...endpoints.map(({ method }) => method.length));
  const rows = endpoints.map(({ method, path, summary }) =>
    [`  ${method.padEnd(methods)} ${path}`, summary] as const
  );
  return inColumns(rows, columns).join("\n");
}

/** The ways to reach the control API. */
export interface Access {
  /** The addresses without a final slash; the one for this machine first. */
  urls: readonly string[];
  token: string;
  /** Whether callers on this machine need the token too. */
  needsToken: boolean;
  /** Whether other machines reach the server, whose callers need the token. */
  isOpen: boolean;
}

/**
 * Returns how to call the control API: a line of curl, with the token if some callers need it, and a link to the page for
 * each address. The token stands behind `#`, in the part of a link that browsers do not send.
 */
export function invitation({ urls, token, needsToken, isOpen }: Access): string {
  const call = `curl ${needsToken ? `-H 'Authorization: Bearer ${token}' ` : ""}${urls[0]}/api/position`;
  return [
    styled("name", call),
    ...isOpen && !needsToken ? [`from other machines with -H 'Authorization: Bearer ${token}'`] : [],
    ...urls.map((url) => styled("link", `${url}/#token=${token}`)),
  ].join("\n");
}
