/**
 * Randomly draws doc comments from the source and sentences from the docs, to be graded by a reader who sees
 * each alone.
 *
 *     deno task draw [SEED] [COUNT]
 *
 * The same seed draws the same texts from the same files; without one, a new seed is used and printed. COUNT
 * is the number of texts of each kind, 50 by default.
 */

import { Random } from "../tests/fuzz/values.ts";
import { commentsOf, type Piece, sentencesOf } from "./draw/texts.ts";

const ROOT = new URL("..", import.meta.url);
const COUNT = 50;

/** The kinds of texts: the files that contain them, and the function that finds them. */
const KINDS: Record<string, { files: RegExp; find: (text: string) => Piece[] }> = {
  "Doc comments": {
    files: /^(?:main\.ts|(?:bench|cli|clients|control|core|ffi|files|http|tests|tools)\/.*\.ts)$/,
    find: commentsOf,
  },
  "Sentences of docs": {
    files: /^(?:(?:README|CONTRIBUTING|SECURITY)\.md|docs\/.*\.md)$/,
    find: sentencesOf,
  },
};

/** A piece and its file. */
interface Drawn extends Piece {
  path: string;
}

/** The files tracked by git, in order of name. */
async function keptFiles(): Promise<string[]> {
  const { stdout, success } = await new Deno.Command("git", {
    args: ["ls-files", "-z"],
    cwd: ROOT,
    stderr: "inherit",
  }).output();
  if (!success) throw new Error("git ls-files failed");
  return new TextDecoder().decode(stdout).split("\0").filter(Boolean).sort();
}

async function piecesOf(paths: readonly string[], find: (text: string) => Piece[]): Promise<Drawn[]> {
  const all = await Promise.all(paths.map(async (path) => {
    const text = await Deno.readTextFile(new URL(path, ROOT));
    return find(text).map((piece) => ({ path, ...piece }));
  }));
  return all.flat();
}

/** Draws some of the values, each at most once. */
function draw<T>(values: readonly T[], count: number, random: Random): T[] {
  const left = [...values];
  return Array.from(
    { length: Math.min(count, left.length) },
    () => left.splice(random.below(left.length), 1)[0],
  );
}

function numberOf(word: string | undefined, otherwise: number): number {
  if (word === undefined) return otherwise;
  if (/^\d+$/.test(word)) return Number(word);
  throw new Error(`usage: deno task draw [SEED] [COUNT], numbers; not ${JSON.stringify(word)}`);
}

if (import.meta.main) {
  const seed = numberOf(Deno.args[0], crypto.getRandomValues(new Uint32Array(1))[0]);
  const count = numberOf(Deno.args[1], COUNT), paths = await keptFiles();
  for (const [name, { files, find }] of Object.entries(KINDS)) {
    const pieces = await piecesOf(paths.filter((path) => files.test(path)), find);
    console.log(`# ${name}: ${count} of ${pieces.length}, seed ${seed}\n`);
    for (const [index, { path, line, text }] of draw(pieces, count, new Random(seed)).entries()) {
      console.log(`${index + 1}. ${path}:${line}\n   ${text.replaceAll("\n", "\n   ")}\n`);
    }
  }
}
