/** `deskhand link`: links for others to the desktop of a deskhand that runs. */

import { UsageError } from "../core/errors.ts";
import type { Output } from "../core/output.ts";
import { printable } from "../core/printable.ts";
import type { Settings } from "./option_table.ts";
import { apiOf } from "./own_server.ts";

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
  if (list && revoke !== undefined) throw new UsageError("--list and --revoke cannot be combined");
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
