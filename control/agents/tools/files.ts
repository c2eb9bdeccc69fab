/** The tool that reads the served folder. */

import { InputError, NotFoundError } from "../../../core/errors.ts";
import { ACTIONS } from "../../actions/mod.ts";
import { integer, optional, text } from "../../actions/schema.ts";
import { type AnyTool, said, tool } from "../tool.ts";

/** Reads the served folder as a file server does: answers a GET of a path with headers. */
export type FileReader = (path: string, headers: Record<string, string>) => Promise<Response>;

/** Bytes of a file, and entries of a folder, in one answer. */
const MOST_BYTES = 20_000, MOST_ENTRIES = 200;
/** Content types whose files are read as text. */
const TEXT = /^(text\/|application\/(json|xml|javascript|x-sh|yaml|toml))|\+(json|xml)\b/;

/** The used fields of a folder's description by `?format=json`. */
interface Listing {
  entries: { name: string; type: string; size?: number }[];
}

/** Makes the tool. */
export function filesTool(read: FileReader): AnyTool {
  return tool({
    name: "files",
    title: "Read the served folder",
    description: "Lists a folder of the served files, or reads a text file, 20,000 bytes from a byte on.",
    action: ACTIONS.screenshot,
    input: {
      path: optional(text("Such as notes/a.txt; the whole folder if left out")),
      from: optional(integer(0, Number.MAX_SAFE_INTEGER, "First byte")),
    },
    async run({ path = "", from = 0 }) {
      const clean = path.replace(/^\/+/, ""), url = `/${clean.split("/").map(encodeURIComponent).join("/")}`;
      const answer = await read(url, { range: `bytes=${from}-${from + MOST_BYTES - 1}` });
      if (answer.status === 301 || url.endsWith("/") && answer.ok) {
        await answer.body?.cancel();
        return said(await listing(read, url.replace(/\/*$/, "/")));
      }
      return said(await content(answer, clean, from));
    },
  });
}

async function listing(read: FileReader, url: string): Promise<string> {
  const answer = await read(`${url}?format=json`, {});
  const { entries } = await answer.json() as Listing;
  const lines = entries.slice(0, MOST_ENTRIES).map(({ name, type, size }) =>
    type === "folder" ? `${JSON.stringify(name)}/` : `${JSON.stringify(name)} ${size} bytes`
  );
  if (entries.length > MOST_ENTRIES) lines.push(`and ${entries.length - MOST_ENTRIES} more`);
  return lines.join("\n") || "the folder is empty";
}

async function content(answer: Response, path: string, from: number): Promise<string> {
  const type = answer.headers.get("content-type") ?? "";
  const [, all = answer.headers.get("content-length")] =
    /\/(\d+)$/.exec(answer.headers.get("content-range") ?? "") ?? [];
  if (!answer.ok || !TEXT.test(type)) await answer.body?.cancel();
  if (answer.status === 416) throw new InputError(`from must be below the file's size, ${all} bytes`);
  if (!answer.ok) throw new NotFoundError(`there is no file ${JSON.stringify(path)} in the served folder`);
  if (!TEXT.test(type)) return `${JSON.stringify(path)} is no text file: ${type}, ${all} bytes`;
  const bytes = await answer.bytes(), words = new TextDecoder().decode(bytes);
  const end = from + bytes.length;
  return end < Number(all) ? `${words}\n… ${end} of ${all} bytes; go on with from ${end}` : words;
}
