/// <reference lib="deno.worker" />
/** The thread on which text is read, so that no other request waits for it. */

import { lowerPriority } from "../../core/priority.ts";
import { answerCalls } from "../../core/worker_entry.ts";
import { Engine, unpacked } from "./engine.ts";
import { greyOf } from "./grey.ts";
import { type LanguageFiles, OWN_LANGUAGE } from "./languages.ts";
import type { ReadAnswer, ReadCall } from "./reader.ts";
import { Reading } from "./reading.ts";
import { placesOf } from "./spans.ts";

/** The reading of the languages that were asked for last: an engine takes 100 MB. */
let opened: { names: string; reading: Reading } | undefined;

async function readingIn(languages: LanguageFiles): Promise<Reading> {
  const names = JSON.stringify(languages);
  if (opened?.names === names) return opened.reading;
  opened = undefined;
  const data = new Map<string, Uint8Array>();
  for (const [name, path] of languages) data.set(name, await dataOf(name, path));
  const engine = await Engine.open(data), reading = new Reading((page, isLine) => engine.read(page, isLine));
  opened = { names, reading };
  return reading;
}

async function dataOf(name: string, path: string | undefined): Promise<Uint8Array> {
  if (path !== undefined) return await Deno.readFile(path);
  if (name !== OWN_LANGUAGE) throw new Error(`no file of ${name}`);
  return await unpacked(new URL("./tesseract/eng.traineddata.gz", import.meta.url));
}

async function answer({ screen, languages, left, wanted, isFirstEnough }: ReadCall): Promise<ReadAnswer> {
  const reading = await readingIn(languages), gone = new Int32Array(left);
  const hasLeft = () => Atomics.load(gone, 0) !== 0, grey = greyOf(screen);
  if (!wanted) return { lines: reading.lines(grey, { hasLeft }), found: [], nearest: [] };
  const lines = reading.lines(grey, {
    hasLeft,
    letters: [...wanted.text].length,
    ...(isFirstEnough ? { isEnough: (lines) => hasEqual(lines.map(({ words }) => words), wanted) } : {}),
  });
  return { lines: [], ...placesOf(lines.map(({ words }) => words), wanted) };
}

const hasEqual = (...given: Parameters<typeof placesOf>) => placesOf(...given).found[0]?.match === 1;

lowerPriority();
answerCalls<ReadCall, ReadAnswer>(answer);
