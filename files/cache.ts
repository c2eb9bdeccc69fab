/**
 * What is known of files, the contents of small ones and answers made of them, kept in memory while the files stay as
 * they are.
 */

import { CoalescedRead } from "../core/coalesced_read.ts";
import type { Found } from "./resolve.ts";
import { isUnchanged } from "./version.ts";

/** The largest content that is kept, and the largest body of an answer, in bytes. */
export const KEPT_CONTENT_LIMIT = 256 * 1024;
/** What all of them and their answers may take together, in bytes. */
export const KEPT_TOTAL = 64 * 1024 * 1024;
/** What a file counts for beside its content, and an answer beside its body. */
const OVERHEAD = 1024;
/** Answers kept of one file: the whole and some ranges. */
const ANSWERS_LIMIT = 16;

/** A file as it was found. */
export interface Kept extends Found {
  /** Its path, links not followed. */
  place: string;
  /** undefined of a large one. */
  content?: Uint8Array<ArrayBuffer>;
}

interface Entry<T> {
  file: T;
  /** Sees whether the file is still the same and still there: a folder on the way may lead elsewhere by now. */
  look: CoalescedRead<boolean>;
  /** By what tells them apart; undefined of those that were made once. */
  answers: Map<string, Response | undefined>;
  bytes: number;
}

/** Least recently used files go first when the bound is reached. */
export class ContentCache<T extends Kept> {
  readonly #entries = new Map<string, Entry<T>>();
  #bytes = 0;

  /**
   * @param find Looks at a place as it is now; undefined if nothing is to be had there.
   * @param limit Bytes.
   */
  constructor(readonly find: (place: string) => Found | undefined, readonly limit = KEPT_TOTAL) {}

  /** Bytes that are kept. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Finds a file.
   * @param key What it was kept under.
   * @returns undefined if it is not kept; else what was kept, or undefined if the file is no longer the same.
   */
  get(key: string): Promise<T | undefined> | undefined {
    const entry = this.#entries.get(key);
    return entry?.look.get().then((same) => same ? entry.file : undefined);
  }

  /** Keeps a file, if there is room for it. */
  set(key: string, file: T): void {
    const old = this.#entries.get(key);
    if (old) this.#forget(key, old);
    const bytes = weightOf(file);
    if (bytes > this.limit) return;
    const entry: Entry<T> = {
      file,
      look: new CoalescedRead(() => this.#isSame(key, entry)),
      answers: new Map(),
      bytes,
    };
    this.#remember(key, entry);
    this.#trim();
  }

  /**
   * Gives an answer that is kept. A copy of a response costs 0.4 us, where a new one costs 15 (Deno 2.9.6).
   * @param key Of a file that is kept.
   * @param file What {@linkcode get} gave for the key.
   * @param which Tells answers of one file apart.
   */
  answer(key: string, file: T, which: string): Response | undefined {
    const entry = this.#entries.get(key);
    return entry?.file === file ? entry.answers.get(which)?.clone() : undefined;
  }

  /**
   * Keeps an answer that is made for the second time, if its body is small, which means that it is bytes and no stream.
   * @param file What {@linkcode get} gave for the key, or {@linkcode set} was given.
   */
  keepAnswer(key: string, file: T, which: string, answer: Response): void {
    const entry = this.#entries.get(key);
    if (entry?.file !== file) return;
    if (!entry.answers.has(which)) {
      if (entry.answers.size === ANSWERS_LIMIT) {
        entry.answers.clear();
        this.#weigh(entry, weightOf(file));
      }
      entry.answers.set(which, undefined);
      return;
    }
    if (entry.answers.get(which)) return; // it was made for several who asked at one moment
    const length = Number(answer.headers.get("content-length") ?? NaN);
    if (!answer.ok || !(length <= KEPT_CONTENT_LIMIT)) return;
    entry.answers.set(which, answer.clone());
    this.#weigh(entry, entry.bytes + length + OVERHEAD);
    this.#trim();
  }

  #isSame(key: string, entry: Entry<T>): boolean {
    const { place, real, info } = entry.file;
    const now = this.find(place);
    const same = now !== undefined && now.real === real && isUnchanged(info, now.info);
    if (this.#entries.get(key) === entry) {
      this.#forget(key, entry);
      if (same) this.#remember(key, entry); // the most recent is the last
    }
    return same;
  }

  #weigh(entry: Entry<T>, bytes: number): void {
    this.#bytes += bytes - entry.bytes;
    entry.bytes = bytes;
  }

  #remember(key: string, entry: Entry<T>): void {
    this.#entries.set(key, entry);
    this.#bytes += entry.bytes;
  }

  #forget(key: string, entry: Entry<T>): void {
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
  }

  #trim(): void {
    for (const [oldest, entry] of this.#entries) {
      if (this.#bytes <= this.limit) break;
      this.#forget(oldest, entry);
    }
  }
}

function weightOf({ content }: Kept): number {
  return (content?.length ?? 0) + OVERHEAD;
}
