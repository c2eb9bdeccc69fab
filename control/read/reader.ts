/** Reads text on a desktop's screen. */

import { timeByLoad } from "../../core/proc.ts";
import { askState } from "../../core/state_files.ts";
import { CallWorker, unansweredBy } from "../../core/worker.ts";
import { Mutex } from "../../core/mutex.ts";
import type { Region } from "../desktop/input.ts";
import type { WindowInfo } from "../desktop/windows.ts";
import { FrameMemory, type SharedFrame } from "../image/bitmap.ts";
import type { Operator } from "../operator/operator.ts";
import { type LanguageFiles, languageFiles, namedLanguages, OWN_LANGUAGE } from "./languages.ts";
import type { ReadLine } from "./reading.ts";
import type { Span, Wanted } from "./spans.ts";

/** A message to the Worker: a screen to read. */
export interface ReadCall {
  screen: SharedFrame;
  languages: LanguageFiles;
  /** The text to find; the whole screen is read if left out. */
  wanted?: Wanted;
  /** Ends reading at the first exact match. */
  isFirstEnough?: boolean;
  /** A number that is 0 until the caller leaves. */
  left: SharedArrayBuffer;
}

/** The Worker's answer: the lines, or the places of the text. */
export interface ReadAnswer {
  lines: ReadLine[];
  found: Span[];
  nearest: Span[];
}

/** A text to find, or a region to read. */
interface ReadRequest {
  /** The region to read, as in `Operator.region`. */
  region: Partial<Region>;
  /** The window to read, even if others cover it; the screen if left out. */
  window?: WindowInfo;
  /** Language names joined by `+`, such as `eng+deu`; those of the option if left out. */
  language?: string;
  wanted?: Wanted;
  isFirstEnough?: boolean;
  /** An earlier picture of the region, which is read instead of the screen. */
  picture?: SharedFrame;
  /** Aborted when the caller leaves: reading ends after the current page, within 0.2 s. */
  signal: AbortSignal;
}

/** How long the Worker stays without a call, in milliseconds: it takes 100 MB, and 0.1 s to start. */
const IDLE_MS = 60_000;
/**
 * Maximum time of a reading on a machine with a free processor, in milliseconds: a dense screen of 1920x1080
 * takes 4 s. The Worker itself ends sooner if a page takes too long.
 */
const START_MS = 20_000, PIXEL_MS = 0.02;

/**
 * The Worker that reads screens.
 * @param onIdle Called when it is terminated because it was idle.
 */
export function readingWorker(onIdle?: () => void): CallWorker<ReadCall, ReadAnswer> {
  return new CallWorker({
    url: new URL("./worker.ts", import.meta.url),
    idleMs: IDLE_MS,
    limitOf: ({ screen: { width, height } }) => timeByLoad(START_MS + PIXEL_MS * width * height),
    onIdle,
  });
}

/** Maximum number of queued readings; further ones are rejected. */
const WAITING_LIMIT = 64;

/** Reads the screen in its own Worker, one reading at a time. */
export class TextReader {
  readonly #turns = new Mutex(
    WAITING_LIMIT,
    `${WAITING_LIMIT} readings of text are waiting already; try again later`,
  );
  readonly #worker: CallWorker<ReadCall, ReadAnswer>;
  readonly #memory = new FrameMemory();

  /** @param languages The languages, as `languageFiles` accepts them. */
  constructor(readonly operator: Operator, readonly languages: readonly string[] = [OWN_LANGUAGE]) {
    this.#worker = readingWorker(() => this.#memory.free());
  }

  /**
   * Reads the screen as it is when the reading has its turn.
   * @returns Places in desktop pixels.
   * @throws UnsupportedError if a language is missing; BusyError if the queue is full; InputError if there is
   * too much text; OverdueError if the Worker hangs.
   */
  async read(
    { region, window, language, wanted, isFirstEnough, picture, signal }: ReadRequest,
  ): Promise<ReadAnswer> {
    await askState(); // the user's own languages are there
    const languages = language === undefined ? languageFiles(this.languages) : namedLanguages(language);
    return await this.#turns.run(async () => {
      signal.throwIfAborted();
      const whole = this.operator.region(region);
      const screen = picture ?? await this.operator.share(whole, false, this.#memory, window);
      const left = new SharedArrayBuffer(4), leave = () => Atomics.store(new Int32Array(left), 0, 1);
      signal.addEventListener("abort", leave);
      try {
        const answer = await this.#worker.call({ screen, languages, wanted, isFirstEnough, left })
          .catch(unansweredBy("the text reader"));
        return moved(answer, whole);
      } finally {
        signal.removeEventListener("abort", leave);
      }
    }, { waiter: { signal } });
  }
}

/** Converts places in a region to places on the desktop. */
function moved({ lines, found, nearest }: ReadAnswer, { x, y }: Region): ReadAnswer {
  const at = <R extends Region>(region: R): R => ({ ...region, x: region.x + x, y: region.y + y });
  return {
    lines: lines.map((line) => ({ ...at(line), words: line.words.map(at) })),
    found: found.map(at),
    nearest: nearest.map(at),
  };
}
