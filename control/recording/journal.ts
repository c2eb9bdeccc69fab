/** The journal: a recording on disk while it is made, and until it is saved or discarded. */

import { describeFileError } from "../../core/errors.ts";
import { createLocked } from "../../core/process_record.ts";
import { join } from "../../core/path.ts";
import { removeIfThere } from "../../core/replace_file.ts";
import type { JournalSink } from "./event_recorder.ts";
import type { RecordedEvent, Recording } from "./format.ts";
import { journalLines, journalName } from "./journal_format.ts";

/** The longest time until events are written, in milliseconds; a crash may lose that much. */
const FLUSH_MS = 500;

/** Writes one recording at a time. A disk that is full ends the journal, not the recording. */
export class Journal implements JournalSink {
  #file: Deno.FsFile | undefined;
  #path = "";
  #pending: string[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * @param folder The folder of journals, which exists and is closed to other users.
   * @param desktop The recorded desktop.
   */
  constructor(readonly folder: string, readonly desktop: string, readonly notice: (text: string) => void) {}

  begin(recording: Recording): void {
    this.discard();
    this.#path = join(this.folder, journalName(this.desktop));
    try {
      this.#file = createLocked(this.#path);
    } catch (error) {
      return this.#giveUp(error);
    }
    this.#wait(journalLines(recording));
  }

  append(events: RecordedEvent[]): void {
    if (this.#file) this.#wait(events.map((event) => JSON.stringify(event)));
  }

  /** Tells whether the recording that was begun last is on disk. */
  get isKept(): boolean {
    return this.#file !== undefined;
  }

  /** Writes the waiting events. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (!this.#file || !this.#pending.length) return;
    try {
      const bytes = new TextEncoder().encode(this.#pending.join("\n") + "\n");
      for (let at = 0; at < bytes.length;) at += this.#file.writeSync(bytes.subarray(at));
      this.#pending = [];
    } catch (error) {
      this.#giveUp(error);
    }
  }

  discard(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#pending = [];
    if (!this.#file) return;
    this.#file.close();
    this.#file = undefined;
    removeIfThere(this.#path);
  }

  #wait(lines: string[]) {
    if (!this.#file) return;
    for (const line of lines) this.#pending.push(line);
    this.#timer ??= setTimeout(() => this.flush(), FLUSH_MS);
  }

  #giveUp(error: unknown) {
    this.#file?.close();
    this.#file = undefined;
    this.#pending = [];
    this.notice(`this recording is not kept against a crash: ${describeFileError(error)}`);
  }
}
