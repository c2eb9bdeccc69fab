/** Reads a trace file, even an incomplete one. */

import { describeFileError, UsageError } from "../../core/errors.ts";
import { counted, printable, printableJson } from "../../core/printable.ts";
import { FORMAT_VERSION, parseLine, type PictureLine, type TraceEntry } from "./entry.ts";
import { MARK } from "./folder.ts";
import type { Output } from "../../core/output.ts";

/**
 * The entries of a file in the order in which they were written, pictures without their content.
 * @throws UsageError if the file cannot be read, is not a trace, or has a later version.
 */
async function* readTrace(path: string): AsyncGenerator<TraceEntry | PictureLine> {
  const name = printable(path, 200);
  let file: Deno.FsFile;
  try {
    file = await Deno.open(path);
  } catch (error) {
    throw new UsageError(`cannot read ${name}: ${describeFileError(error)}`, { cause: error });
  }
  let isTrace = false;
  try {
    for await (const line of linesOf(file)) {
      if (!isTrace && !line.startsWith(MARK)) throw new UsageError(`${name} is not a deskhand trace`);
      isTrace = true;
      const entry = parseLine(line);
      if (entry?.kind === "trace" && entry.version > FORMAT_VERSION) {
        throw new UsageError(
          `${name} was written by deskhand ${entry.deskhand}, which is newer than this one`,
        );
      }
      if (entry) yield entry;
    }
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`cannot read ${name}: ${describeFileError(error)}`, { cause: error });
  }
  if (!isTrace) throw new UsageError(`${name} is not a deskhand trace`);
}

async function* linesOf(file: Deno.FsFile): AsyncGenerator<string> {
  let rest = "";
  for await (const text of file.readable.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop()!;
    yield* lines;
  }
  if (rest) yield rest;
}

// Trace entries as lines of text.

/** Functions that write entries as text after their time, by kind. */
type Writers = { [K in TraceEntry["kind"]]: (entry: Extract<TraceEntry, { kind: K }>) => string };

const WRITERS: Writers = {
  trace: ({ name, desktop, started, deskhand, part }) =>
    `trace ${name ?? ""}${name ? " " : ""}of ${desktop}, begun at ${started} by deskhand ${deskhand}${
      part > 1 ? `, part ${part}` : ""
    }`,
  screen: ({ width, height }) => `screen ${width}x${height}`,
  action: ({ name, values, by, client, ms, error, seen }) =>
    [
      name,
      Object.entries(values).map(([key, value]) =>
        `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`
      )
        .join(" "),
      `(${client ? `${by}, ${client}` : by}; ${ms} ms)`,
      seen ? `${seen.verdict}: ${seen.reason}` : "",
      error === undefined ? "" : `FAILED: ${error}`,
    ].filter((part) => part).join(" "),
  person: (entry) => {
    const who = entry.by ?? "person";
    if (entry.what === "keys") return `${who} pressed ${counted(entry.count, "key")}`;
    const place = `${entry.at.x},${entry.at.y}`;
    if (entry.what === "scroll") return `${who} scrolled ${entry.direction} ${entry.amount} at ${place}`;
    const end = entry.to ? ` to ${entry.to.x},${entry.to.y}` : "";
    return `${who} ${entry.what === "drag" ? "dragged" : "clicked"} ${entry.button} at ${place}${end}`;
  },
  window: ({ title }) => title ? `window ${JSON.stringify(title)}` : "no window is active",
  mark: ({ text }) => `-- ${text}`,
  pause: ({ why }) => `paused${why ? `: ${why}` : ""}`,
  resume: () => "resumed",
  problem: ({ message }) => message,
  end: ({ why, next }) => `end: ${why}${next ? `; goes on in ${next}` : ""}`,
};

/** The line of an entry; undefined for a picture, or a kind unknown to this version. */
function lineOf(entry: TraceEntry | PictureLine): string | undefined {
  if (entry.kind === "picture" || !Object.hasOwn(WRITERS, entry.kind)) return undefined;
  const write = WRITERS[entry.kind] as (entry: TraceEntry) => string;
  return printable(`${(entry.t / 1000).toFixed(1).padStart(7)} ${write(entry)}`);
}

// The `trace` subcommand, which prints the entries of a trace.

/**
 * Prints a trace: one line per entry, or its JSON.
 * @returns The exit code.
 * @throws UsageError if the file cannot be read or is not a trace.
 */
export async function printTrace(path: string, isJson: boolean, output: Output): Promise<number> {
  for await (const entry of readTrace(path)) {
    const text = isJson ? printableJson(JSON.stringify(entry)) : lineOf(entry);
    if (text !== undefined) output.result(text);
  }
  return 0;
}
