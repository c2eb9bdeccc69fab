/**
 * `deskhand share`: links to files in the folder that a running deskhand serves; and `deskhand link`: links
 * to its desktop for others.
 */

import { UsageError } from "../core/errors.ts";
import type { Output } from "../core/output.ts";
import { isWithinFolder } from "../core/path.ts";
import { counted, printable } from "../core/printable.ts";
import { isLoopbackName } from "../http/host.ts";
import { SHARE_PATH } from "../http/secret.ts";
import type { Settings } from "./option_table.ts";
import { apiOf, askServer } from "./own_server.ts";
import { listensOn, runningFiles, serverAt, type Serving } from "./running.ts";

/** A share in the file server's JSON. */
interface Told {
  id: string;
  path: string;
  ends: string;
  uses: number;
  limit?: number;
  hasPassword: boolean;
  /** Whether the link accepts uploads. */
  collects?: boolean;
  urls: string[];
}

/**
 * Runs `deskhand share`: creates a link, or lists or revokes open ones.
 * @param file The file or folder to share; empty to list or revoke.
 * @returns The exit code: 1 if the file server refused.
 * @throws UsageError if no file server answers, or options cannot be combined.
 */
export async function runShare(file: string, settings: Settings, output: Output): Promise<number> {
  const { list, revoke, count, password, collect } = settings;
  if ([file !== "", list, revoke !== undefined].filter(Boolean).length !== 1) {
    throw new UsageError("share takes a FILE, or --list, or --revoke ID");
  }
  const real = file === "" ? undefined : realPath(file);
  const body = revoke !== undefined
    ? { revoke }
    : list
    ? undefined
    : { file: real, hours: settings.hours ?? "24", count, password, collect: collect || undefined };
  const answer = await ask(settings, real, body);
  if (!answer.ok) {
    output.notice(`deskhand: ${await reasonOf(answer)}`);
    return 1;
  }
  const told = await answer.json();
  if (list) {
    for (const share of told.shares) {
      output.result(`${share.id}  ${printable(share.path)}  ${termsOf(share)}`);
    }
    if (!told.shares.length) output.result("nothing is shared");
  } else if (file) {
    for (const url of told.urls) output.result(url);
    output.result(`It ${termsOf(told)}; deskhand share --revoke ${told.id} ends it at once.`);
  }
  return 0;
}

function termsOf({ ends, limit, uses, hasPassword, collects }: Told): string {
  const count = limit === undefined ? "" : ` or after ${counted(limit, collects ? "upload" : "download")}`;
  const used = uses ? `, ${uses} so far` : "";
  return `ends ${local(ends)}${count}${used}${hasPassword ? ", password required" : ""}`;
}

function realPath(file: string): string {
  try {
    return Deno.realPathSync(file);
  } catch {
    throw new UsageError(
      `file not found: ${JSON.stringify(file)}; name a file of the served folder by its path from here, ` +
        printable(Deno.cwd()),
    );
  }
}

/** Calls the file server that {@linkcode serverOf} finds. @param file The real path of the file to share. */
async function ask(settings: Settings, file: string | undefined, body?: object): Promise<Response> {
  const { filesAuth, uploadAuth = filesAuth } = settings, server = serverOf(settings, file);
  const headers: Record<string, string> = { accept: "application/json" };
  if (uploadAuth !== undefined) {
    headers.authorization = `Basic ${new TextEncoder().encode(uploadAuth).toBase64()}`;
  }
  return await askServer(
    server,
    { method: body ? "POST" : "GET", path: SHARE_PATH, headers, body },
    `no file server answers at ${server.url}: start one with --files --allow-share, or name its --files-port`,
  );
}

/**
 * Finds this user's file server by its record, because another program could be listening on the port, and
 * must not receive passwords: the server on `--files-port`, or the one that serves the file, or the only one.
 * DESKHAND_FILES_URL can name any other.
 * @throws UsageError if there is none.
 */
function serverOf({ filesPort }: Settings, file: string | undefined): Serving {
  const named = Deno.env.get("DESKHAND_FILES_URL"), all = runningFiles();
  if (named) return serverAt(named, all) ?? { url: named };
  const serving = all.filter(({ root }) => file === undefined || isWithinFolder(file, root));
  const found = all.find((server) => listensOn(server, filesPort)) ??
    (serving.length === 1 ? serving[0] : undefined);
  if (found) return found;
  throw new UsageError(
    `no file server of this user runs on port ${filesPort}: start one with --files --allow-share, pass its ` +
      "--files-port, or set DESKHAND_FILES_URL to the address of another user's server",
  );
}

/** The sentence of an error page. */
async function reasonOf(answer: Response): Promise<string> {
  const text = await answer.text(), said = /<p>([^<]*)<\/p>/.exec(text)?.[1];
  if (answer.status === 404 && !said?.startsWith("There is no share")) {
    return "the file server shares nothing: start it with --allow-share";
  }
  return said ?? `${answer.status}`;
}

/** A link in the control API's JSON. */
interface SharedDesktop {
  id: string;
  name: string;
  rights: string;
  ends: string;
  links?: string[];
}

/**
 * Runs `deskhand link`: creates a link, or lists or revokes open ones.
 * @returns The exit code: 1 if the control API refused.
 * @throws UsageError if no deskhand answers, or options cannot be combined.
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

function made({ links = [], ends, id, rights }: SharedDesktop): string[] {
  const what = rights === "look" ? "only looks" : "may act";
  const isLocal = links.every((link) => isLoopbackName(new URL(link).hostname.replace(/^\[|\]$/g, "")));
  return [
    ...links,
    `It ${what} until ${local(ends)}; deskhand link --revoke ${id} ends it at once.`,
    ...isLocal
      ? ["It works on this machine only: guests elsewhere need a deskhand with --host, or a proxy."]
      : [],
  ];
}

function listed(links: SharedDesktop[]): string[] {
  if (!links.length) return ["no link is open"];
  return links.map(({ id, name, rights, ends }) =>
    [id, rights, `until ${local(ends)}`, ...name ? [printable(name)] : []].join("  ")
  );
}

/** A time on this machine's clock: `2026-11-28 21:26:10`. The C locale of services would write 11/28/2026. */
function local(time: string): string {
  return new Date(time).toLocaleString("sv");
}

function hoursOf(text: string): number {
  const hours = Number(text);
  if (text.trim() && Number.isFinite(hours)) return hours;
  throw new UsageError(`--hours takes a number such as 2 or 0.5, not ${JSON.stringify(text)}`);
}
