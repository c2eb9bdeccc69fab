/** xdotool scripts: lines of words, with quotes, comments, arguments and variables. */

import { describeFileError } from "../../core/errors.ts";

/** Thrown for a script that cannot continue; the message is xdotool's. */
export class ScriptError extends Error {
  override name = "ScriptError";
}

interface ScriptArguments {
  /** The name by which the program was started. */
  program: string;
  /** The script's path, or `-`. */
  path: string;
  /** `$1` and so on. */
  values: readonly string[];
  /** Looks up environment variables. */
  env(name: string): string | undefined;
}

/**
 * Splits a line into words. A quote at the beginning of a word extends to the next such quote; a word that
 * begins with a dollar sign, even in quotes, stands for an argument or a variable.
 * @returns An empty list for an empty line or a comment.
 * @throws ScriptError if an argument or a variable is missing.
 * @example
 * scriptWords("key 'a b'", { program: "xdotool", path: "-", values: [], env: () => undefined }); // ["key", "a b"]
 */
export function scriptWords(line: string, given: ScriptArguments): string[] {
  let rest = line.replace(/^[ \t]+/, "");
  if (rest.startsWith("#")) return [];
  const words: string[] = [];
  while (rest) {
    const quote = /^["']/.exec(rest)?.[0];
    if (quote) rest = rest.slice(1);
    const end = rest.search(quote ? new RegExp(quote) : /[ \t]/);
    const word = end < 0 ? rest : rest.slice(0, end);
    words.push(word.startsWith("$") ? expanded(word.slice(1), given) : word);
    rest = end < 0 ? "" : rest.slice(end + 1).replace(/^[ \t]+/, "");
  }
  return words;
}

function expanded(name: string, { program, path, values, env }: ScriptArguments): string {
  if (/^\d/.test(name)) {
    const number = parseInt(name, 10);
    if (number === 0) return path;
    const value = values[number - 1];
    if (value !== undefined) return value;
    throw new ScriptError(
      `${program}: error: \`${path}' needs at least ${number} ${number === 1 ? "argument" : "arguments"}; ` +
        `only ${values.length} given`,
    );
  }
  const value = env(name);
  if (value !== undefined) return value;
  throw new ScriptError(`${program}: error: environment variable $${name} is not set.`);
}

// Files that commands read.

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

/** The C library's descriptions of why a file cannot be read (strerror(3)). */
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

/** Yields bytes in pieces as they arrive. */
function* inputPieces(input: { readSync(bytes: Uint8Array): number | null }) {
  for (;;) {
    const bytes = new Uint8Array(64 * 1024), count = input.readSync(bytes);
    if (count === null) return;
    yield bytes.slice(0, count);
  }
}

/** Reads lines without their line ends; yields lines together that arrived together. */
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
