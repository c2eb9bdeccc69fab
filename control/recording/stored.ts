/**
 * A complete recording, stored as the lines of its file. A million events as objects would take 100 MB more
 * and cause garbage collection pauses, and most recordings are only sent or saved.
 */

import type { Bytes } from "../../core/bytes.ts";
import { printableJson } from "../../core/printable.ts";
import type { RecordedEvent, Recording } from "./format.ts";
import { inTurns } from "../../core/until.ts";

/** Bytes that another thread receives without a copy. */
type SharedBytes = Uint8Array<SharedArrayBuffer>;

type RecordingHead = Omit<Recording, "events">;

/** Parts of a stored recording, in a form that another thread receives without copying the events. */
export interface StoredParts {
  head: RecordingHead;
  count: number;
  /** Time of the last event, in milliseconds from the start. */
  lastMs: number;
  /** Whether presses include the elements that they were on. */
  hasElements: boolean;
  /** The file's event lines, as UTF-8; the separator between two pieces is at the start of the second. */
  pieces: SharedBytes[];
}

/** Events per piece: a few milliseconds of work. */
const PIECE_EVENTS = 1000;
const encoder = new TextEncoder(), decoder = new TextDecoder();

/** A recording that no longer changes. */
export class StoredRecording {
  constructor(readonly parts: StoredParts) {}

  /** Stores a recording in one go. */
  static of(recording: Recording): StoredRecording {
    return new StoredRecording(storedParts(recording, [...eventPieces(recording.events)]));
  }

  /** Stores a recording, yielding to other work in between. */
  static async inTurns(recording: Recording): Promise<StoredRecording> {
    const pieces: SharedBytes[] = [];
    for await (const piece of inTurns(eventPieces(recording.events))) pieces.push(piece);
    return new StoredRecording(storedParts(recording, pieces));
  }

  get head(): RecordingHead {
    return this.parts.head;
  }

  get count(): number {
    return this.parts.count;
  }

  /** Length of the file in bytes. */
  get size(): number {
    return [this.#start, ...this.parts.pieces, this.#end].reduce((sum, { length }) => sum + length, 0);
  }

  /**
   * The bytes of the file: one event per line, so that people and diff can read it. Each piece has its own
   * memory.
   */
  *file(): Generator<Bytes, void> {
    yield this.#start;
    for (const piece of this.parts.pieces) yield piece.slice();
    yield this.#end;
  }

  /** The events in batches, each a few milliseconds of work. */
  batches(): Generator<RecordedEvent[], void> {
    return eventBatches(this.parts.pieces);
  }

  get events(): RecordedEvent[] {
    return [...this.batches()].flat();
  }

  get #start(): Bytes {
    return encoder.encode(`${JSON.stringify(this.head).slice(0, -1)},"events":[`);
  }

  get #end(): Bytes {
    return encoder.encode("\n]}\n");
  }
}

/** Reads the pieces of a stored recording: the events in batches, each a few milliseconds of work. */
export function* eventBatches(pieces: StoredParts["pieces"]): Generator<RecordedEvent[], void> {
  for (const piece of pieces) yield JSON.parse(`[${decoder.decode(piece).replace(/^,/, "")}]`);
}

function storedParts({ events, ...head }: Recording, pieces: SharedBytes[]): StoredParts {
  const hasElements = events.some((event) => event.type === "button" && event.element !== undefined);
  return { head, count: events.length, lastMs: events.at(-1)?.t ?? 0, hasElements, pieces };
}

function* eventPieces(events: readonly RecordedEvent[]): Generator<SharedBytes, void> {
  for (let from = 0; from < events.length; from += PIECE_EVENTS) {
    const lines = events.slice(from, from + PIECE_EVENTS).map((event) => "\n" + JSON.stringify(event));
    yield shared(encoder.encode((from ? "," : "") + printableJson(lines.join(","))));
  }
}

function shared(bytes: Uint8Array): SharedBytes {
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length));
  copy.set(bytes);
  return copy;
}
