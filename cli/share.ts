/** `deskhand share`: links to files of the folder that a running deskhand serves. */

import { UsageError } from "../core/errors.ts";
import type { Output } from "../core/output.ts";
import { SHARE_PATH } from "../http/secret.ts";
import type { Settings } from "./option_table.ts";

/** A share as the file server's JSON describes it. */
interface Told {
  id: string;
  path: string;
  ends: string;
  uses: number;
  limit?: number;
  hasPassword: boolean;
  urls: string[];
}

/**
 * Runs `deskhand share`: makes a link, or lists or revokes those that are open.
 * @param file The file or folder to share; empty to list or revoke.
 * @returns The exit code: 1 if the file server refused.
 * @throws UsageError if no file server answers, or options do not go together.
 */
export async function runShare(file: string, settings: Settings, output: Output): Promise<number> {
  const { list, revoke, count, password } = settings;
  if ([file !== "", list, revoke !== undefined].filter(Boolean).length !== 1) {
    throw new UsageError("share takes a FILE, or --list, or --revoke ID");
  }
  const body = revoke !== undefined
    ? { revoke }
    : list
    ? undefined
    : { file: realPath(file), hours: settings.hours ?? "24", count, password };
  const answer = await ask(settings, body);
  if (!answer.ok) {
    output.notice(`deskhand: ${await reasonOf(answer)}`);
    return 1;
  }
  const told = await answer.json();
  if (list) {
    for (const share of told.shares) output.result(`${share.id}  ${share.path}  ${termsOf(share)}`);
    if (!told.shares.length) output.result("nothing is shared");
  } else if (file) {
    for (const url of told.urls) output.result(url);
    output.result(`It ${termsOf(told)}; deskhand share --revoke ${told.id} ends it at once.`);
  }
  return 0;
}

function termsOf({ ends, limit, uses, hasPassword }: Told): string {
  const count = limit === undefined ? "" : `, after ${limit} downloads at the latest`;
  const used = uses ? `, ${uses} so far` : "";
  return `ends ${new Date(ends).toLocaleString()}${count}${used}${
    hasPassword ? ", asks for its password" : ""
  }`;
}

function realPath(file: string): string {
  try {
    return Deno.realPathSync(file);
  } catch {
    throw new UsageError(`there is no file ${JSON.stringify(file)}`);
  }
}

async function ask({ filesPort, filesAuth, cert }: Settings, body?: object): Promise<Response> {
  const url = Deno.env.get("DESKHAND_FILES_URL") ??
    (cert ? `https://localhost:${filesPort}` : `http://127.0.0.1:${filesPort}`);
  const headers: Record<string, string> = { accept: "application/json" };
  if (filesAuth !== undefined) {
    headers.authorization = `Basic ${new TextEncoder().encode(filesAuth).toBase64()}`;
  }
  try {
    const method = body ? "POST" : "GET";
    return await fetch(new URL(SHARE_PATH, url), { method, headers, body: body && JSON.stringify(body) });
  } catch (cause) {
    const message =
      `no file server answers at ${url}: start one with --files --allow-share, or name its --files-port`;
    throw new UsageError(message, { cause });
  }
}

/** The sentence of an error page. */
async function reasonOf(answer: Response): Promise<string> {
  const text = await answer.text(), said = /<p>([^<]*)<\/p>/.exec(text)?.[1];
  if (answer.status === 404 && !said?.startsWith("There is no share")) {
    return "the file server shares nothing: start it with --allow-share";
  }
  return said ?? `${answer.status}`;
}
