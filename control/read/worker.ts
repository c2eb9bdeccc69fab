/// <reference lib="deno.worker" />
/**
 * The thread that finds the lines of a screen, so that no other request has to wait. Other threads read the
 * lines.
 */

import { OverdueError, StateError } from "../../core/errors.ts";
import { timeByLoad } from "../../core/proc.ts";
import { CallWorker, unansweredBy } from "../../core/worker.ts";
import { lowerCompilers, lowerPriority } from "../../core/v8_threads.ts";
import { answerCalls } from "../../core/worker_entry.ts";
import { greyOf, type Word } from "./grey.ts";
import type { LanguageFiles } from "./languages.ts";
import type { PageCall } from "./page_worker.ts";
import type { ReadAnswer, ReadCall } from "./reader.ts";
import { type PageReader, Reading } from "./reading.ts";
import { placesOf } from "./spans.ts";

/**
 * The threads with engines, and how long they stay without a page, in milliseconds. Each thread takes 100 MB,
 * and 0.2 s to start; the second reads only if many lines are new.
 */
const ENGINES = [
  { url: new URL("./page_worker.ts", import.meta.url), idleMs: 60_000 },
  { url: { url: new URL("./page_worker.ts", import.meta.url), role: "spare" }, idleMs: 10_000 },
].slice(0, navigator.hardwareConcurrency).map((options) =>
  new CallWorker<PageCall, Word[][]>({ ...options, limitOf: pageMs })
);
/**
 * Maximum time of a page on a machine with a free processor, in milliseconds: 1.3 ms for each unit of text, and
 * the start of the engine.
 */
const START_MS = 10_000, UNIT_MS = 10;

function pageMs({ lines }: PageCall): number {
  return timeByLoad(lines.reduce((ms, { width, height }) => ms + UNIT_MS * width / height, START_MS));
}

/** The reading of a set of languages. */
interface OpenReading {
  names: string;
  reading: Reading;
  /** Rejects if a language's data is damaged, even without lines to read. */
  ready: Promise<unknown>;
}

/** The reading of the most recently requested languages. */
let opened: OpenReading | undefined;

/**
 * Opens the reading of a set of languages. All engines start while lines are being found, since the first
 * reading has many new lines.
 */
function readingIn(languages: LanguageFiles): OpenReading {
  const names = JSON.stringify(languages);
  if (opened?.names === names) return opened;
  let late: unknown;
  const readers = ENGINES.map((engine): PageReader => async (lines) => {
    try {
      return await engine.call({ languages, lines }).catch(unansweredBy("the text reader"));
    } catch (error) {
      if (late !== undefined && error instanceof StateError) throw late; // it was closed with the late one
      if (!(error instanceof OverdueError)) throw error;
      late = error;
      for (const each of ENGINES) each.close(); // their pages would delay the next reading
      throw error;
    }
  });
  const [ready, ...others] = readers.map((read) => read([]));
  for (const other of others) other.catch(() => {}); // the first promise reports the same error
  return opened = { names, reading: new Reading(readers), ready };
}

async function answer(call: ReadCall): Promise<ReadAnswer> {
  const { reading, ready } = readingIn(call.languages);
  try {
    const [answer] = await Promise.all([answerOf(reading, call), ready]);
    return answer;
  } catch (error) {
    await ready.catch(() => opened = undefined);
    throw error;
  }
}

async function answerOf(
  reading: Reading,
  { screen, left, wanted, isFirstEnough }: ReadCall,
): Promise<ReadAnswer> {
  const gone = new Int32Array(left), grey = greyOf(screen);
  const hasLeft = () => Atomics.load(gone, 0) !== 0;
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
lowerCompilers();
answerCalls<ReadCall, ReadAnswer>(answer);
