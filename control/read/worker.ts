/// <reference lib="deno.worker" />
/** The thread on which a screen's lines are found, so that no other request waits for it; it has them read by others. */

import { CallWorker } from "../../core/call_worker.ts";
import { lowerPriority } from "../../core/priority.ts";
import { answerCalls } from "../../core/worker_entry.ts";
import { greyOf } from "./grey.ts";
import type { LanguageFiles } from "./languages.ts";
import type { PageCall } from "./page_worker.ts";
import type { ReadAnswer, ReadCall } from "./reader.ts";
import { type PageReader, Reading } from "./reading.ts";
import { placesOf } from "./spans.ts";
import type { Word } from "./word.ts";

/**
 * How long the threads with engines stay without a page, in milliseconds. Each takes 100 MB, and 0.2 s to start; the
 * second one reads only where there is much that is new.
 */
const IDLE_MS = [60_000, 10_000];

const engines = IDLE_MS.slice(0, navigator.hardwareConcurrency).map((idleMs) =>
  new CallWorker<PageCall, Word[][]>({ url: new URL("./page_worker.ts", import.meta.url), idleMs })
);

/** The reading of the languages that were asked for last. */
let opened: { names: string; reading: Reading } | undefined;

async function readingIn(languages: LanguageFiles): Promise<Reading> {
  const names = JSON.stringify(languages);
  if (opened?.names === names) return opened.reading;
  opened = undefined;
  const readers = engines.map((engine): PageReader => (lines) => engine.call({ languages, lines }));
  await readers[0]([]); // damaged data is told where there is nothing to read as well
  const reading = new Reading(readers);
  opened = { names, reading };
  return reading;
}

async function answer({ screen, languages, left, wanted, isFirstEnough }: ReadCall): Promise<ReadAnswer> {
  const reading = await readingIn(languages), gone = new Int32Array(left);
  const hasLeft = () => Atomics.load(gone, 0) !== 0, grey = greyOf(screen);
  if (!wanted) return { lines: await reading.lines(grey, { hasLeft }), found: [], nearest: [] };
  const lines = await reading.lines(grey, {
    hasLeft,
    letters: [...wanted.text].length,
    ...(isFirstEnough ? { isEnough: (lines) => hasEqual(lines.map(({ words }) => words), wanted) } : {}),
  });
  return { lines: [], ...placesOf(lines.map(({ words }) => words), wanted) };
}

const hasEqual = (...given: Parameters<typeof placesOf>) => placesOf(...given).found[0]?.match === 1;

lowerPriority();
answerCalls<ReadCall, ReadAnswer>(answer);
