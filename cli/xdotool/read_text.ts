/** Files that commands read. */

import { describeFileError } from "../../core/errors.ts";

/**
 * Reads a text.
 * @param path `-` is standard input.
 * @throws Error with xdotool's message for the cause.
 */
export function readText(path: string): string {
  try {
    return new TextDecoder().decode(path === "-" ? readStandardInput() : Deno.readFileSync(path));
  } catch (error) {
    throw new Error(fileError(error), { cause: error });
  }
}

/** The C library's names of causes why a file cannot be read (strerror(3)). */
export function fileError(error: unknown): string {
  if (error instanceof Deno.errors.NotFound) return "No such file or directory";
  if (error instanceof Deno.errors.PermissionDenied) return "Permission denied";
  if (error instanceof Deno.errors.IsADirectory) return "Is a directory";
  return describeFileError(error);
}

function readStandardInput(): Uint8Array<ArrayBuffer> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  for (const piece of inputPieces(Deno.stdin)) pieces.push(piece);
  const whole = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/** A source of bytes, in pieces as they arrive. */
function* inputPieces(input: { readSync(bytes: Uint8Array): number | null }) {
  for (;;) {
    const bytes = new Uint8Array(64 * 1024), count = input.readSync(bytes);
    if (count === null) return;
    yield bytes.slice(0, count);
  }
}

/** Reads lines without their line ends; yields lines together if they arrived together. */
export function* linesOf(input: { readSync(bytes: Uint8Array): number | null }): Generator<string[]> {
  const decoder = new TextDecoder();
  let rest = "";
  for (const piece of inputPieces(input)) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split("\n");
    rest = lines.pop()!;
    yield lines;
  }
  if (rest) yield [rest];
}
