/** `deskhand link`: links for others to the desktop of a deskhand that runs. */

import { readToken } from "../control/http/access/token.ts";
import { UsageError } from "../core/errors.ts";
import type { Output } from "../core/output.ts";
import { printable } from "../core/printable.ts";
import { HTTP_PORT, type Settings } from "./option_table.ts";
import { askServer } from "./own_server.ts";
import { listensOn, runningControls, serverAt, type Serving } from "./running.ts";

/** A link as the control API's JSON describes it. */
interface Told {
  id: string;
  name: string;
  rights: string;
  ends: string;
  links?: string[];
}

/**
 * Runs `deskhand link`: makes a link, or lists or revokes those that are open.
 * @returns The exit code: 1 if the control API refused.
 * @throws UsageError if no deskhand answers, or options do not go together.
 */
export async function runLink(settings: Settings, output: Output): Promise<number> {
  const { list, revoke, look, hours, name } = settings;
  if (list && revoke !== undefined) throw new UsageError("--list and --revoke do not go together");
  const api = apiOf(settings);
  const answer = list
    ? await api("GET", "/api/links")
    : revoke !== undefined
    ? await api("DELETE", `/api/links?id=${encodeURIComponent(revoke)}`)
    : await api("POST", "/api/links", {
      rights: look ? "look" : "act",
      hours: hoursOf(hours ?? "2"),
      name: name ?? "",
    });
  const told = await answer.json();
  if (!answer.ok) {
    output.notice(`deskhand: ${told.error}`);
    return 1;
  }
  for (const line of list ? listed(told.links) : revoke !== undefined ? [] : made(told)) output.result(line);
  return 0;
}

function made({ links = [], ends, id, rights }: Told): string[] {
  const what = rights === "look" ? "only looks" : "may act";
  return [...links, `It ${what} until ${local(ends)}; deskhand link --revoke ${id} ends it at once.`];
}

function listed(links: Told[]): string[] {
  if (!links.length) return ["no link is open"];
  return links.map(({ id, name, rights, ends }) =>
    [id, rights, `until ${local(ends)}`, ...name ? [printable(name)] : []].join("  ")
  );
}

function local(time: string): string {
  return new Date(time).toLocaleString();
}

function hoursOf(text: string): number {
  const hours = Number(text);
  if (text.trim() && Number.isFinite(hours)) return hours;
  throw new UsageError(`--hours takes a number such as 2 or 0.5, not ${JSON.stringify(text)}`);
}

/** A control API, and the token that it gets. */
interface Peer {
  server: Serving;
  token: string;
}

/** Calls of the control API that {@linkcode peerOf} finds. */
function apiOf(settings: Settings) {
  const { server, token } = peerOf(settings);
  const missing = `no deskhand answers at ${server.url}: start it with --http, or name its port`;
  const headers = { authorization: `Bearer ${token}` };
  return (method: string, path: string, body?: unknown): Promise<Response> =>
    askServer(server, { method, path, body, headers }, missing);
}

/**
 * Finds the control API of this user on the port of `--http`, or at DESKHAND_URL, by its record: another program could
 * listen there. Only a token that the user gives with the command goes to a server without a record.
 * @throws UsageError if there is none, or its token is missing.
 */
function peerOf(settings: Settings): Peer {
  const { http, token, tokenFile } = settings, isGiven = token !== undefined || tokenFile !== undefined;
  const named = http === undefined ? Deno.env.get("DESKHAND_URL") || undefined : undefined;
  const port = http ?? HTTP_PORT, all = runningControls();
  const record = named !== undefined ? serverAt(named, all) : all.find((server) => listensOn(server, port)) ??
    (http === undefined && all.length === 1 ? all[0] : undefined);
  if (isGiven) {
    return { server: record ?? unknownServer(named, port, settings), token: readToken(settings).value };
  }
  if (record?.hasKeptToken) return { server: record, token: readToken(settings).value };
  const where = named ?? `port ${port}`;
  throw new UsageError(
    record
      ? `the deskhand at ${record.url} was started with a token of its own: --token or --token-file gives it`
      : `no deskhand of this user runs at ${where}: start it with --http, or name its port; ` +
        "the kept token goes to no other program, and --token or --token-file gives another one",
  );
}

function unknownServer(named: string | undefined, port: number, { cert }: Settings): Serving {
  return named !== undefined
    ? { url: named }
    : cert === undefined
    ? { url: `http://127.0.0.1:${port}` }
    : { url: `https://localhost:${port}`, cert };
}
