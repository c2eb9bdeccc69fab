/** A file server's handler on a folder of the test's own, without a socket. */

import { createFilesHandler, type FilesOptions } from "../../files/handler.ts";
import { PEER } from "./control.ts";
import { copied } from "./copied.ts";

/** Sends a request for a path, which is not normalised. */
export type Ask = (path: string, init?: RequestInit) => Promise<Response>;

/** A clock by which all files were changed long ago, so that they are cached at once. */
export const LATER = () => Date.now() + 3600_000;

/**
 * Makes a folder and a handler that serves it. Beside the folder is a file that must not be served.
 * @param options The options of the handler; a function gets the folder.
 */
export async function served(
  use: (root: string, ask: Ask, reported: unknown[]) => Promise<void>,
  options: Partial<FilesOptions> | ((root: string) => Partial<FilesOptions>) = {},
) {
  const base = Deno.realPathSync(await Deno.makeTempDir());
  const root = `${base}/root`;
  await Deno.mkdir(root);
  await Deno.writeTextFile(`${base}/secret.txt`, "secret");
  const reported: unknown[] = [];
  const handler = createFilesHandler({
    root,
    report: (error) => reported.push(error),
    ...(typeof options === "function" ? options(root) : options),
  });
  // The path is put in raw: Request would normalise it.
  const ask: Ask = async (path, init) => {
    const request = new Request("http://127.0.0.1/", init);
    Object.defineProperty(request, "url", { value: `http://127.0.0.1${path}` });
    return copied(await handler(request, PEER));
  };
  try {
    await use(root, ask, reported);
  } finally {
    await Deno.remove(base, { recursive: true });
  }
}

/** The status of an answer whose content does not matter. */
export async function statusOf(answer: Promise<Response>): Promise<number> {
  const response = await answer;
  await response.body?.cancel();
  return response.status;
}
