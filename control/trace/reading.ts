/** Reads the file of a trace, even if the file is not complete. */

import { describeFileError, UsageError } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";
import { FORMAT_VERSION, parseLine, type PictureLine, type TraceEntry } from "./entry.ts";
import { MARK } from "./folder.ts";

/**
 * The entries of a file, pictures without their content, in the order in which they were written.
 * @throws UsageError if the file cannot be read, is no trace, or has a later version.
 */
export async function* readTrace(path: string): AsyncGenerator<TraceEntry | PictureLine> {
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
      if (!isTrace && !line.startsWith(MARK)) throw new UsageError(`${name} is no trace of deskhand`);
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
  if (!isTrace) throw new UsageError(`${name} is no trace of deskhand`);
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
