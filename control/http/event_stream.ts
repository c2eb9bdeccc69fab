/** Input events as they happen, as server-sent events (WHATWG HTML, section 9.2). */

import type { Desktop, ObservedAction, Watch } from "../desktop/desktop.ts";
import { attempt, BusyError } from "../../core/errors.ts";
import { headersOf } from "./responses.ts";

/** Maximum number of simultaneous readers. */
const READERS = 32;
/** Maximum number of events queued for a slow reader; a `gap` event then reports how many it missed. */
const WAITING = 1000;
/** Interval between comments, which keep proxies from closing an idle stream, in milliseconds. */
const KEEP_ALIVE_MS = 15_000;

/** Sends the events of one watch to many readers; the watch runs only while there are readers. */
export class EventStream {
  readonly #readers = new Set<Reader>();
  #watch: Promise<Watch> | undefined;

  constructor(readonly desktop: Desktop) {}

  /** Number of current readers. */
  get count(): number {
    return this.#readers.size;
  }

  /**
   * Opens a stream for a reader.
   * @returns A stream that ends when the client leaves.
   * @throws BusyError if there are too many readers; DesktopUnavailableError if input cannot be watched.
   */
  async answer(signal: AbortSignal): Promise<Response> {
    if (this.#readers.size >= READERS) {
      throw new BusyError(`${READERS} clients are already listening`);
    }
    const reader = new Reader(() => this.#leave(reader));
    this.#readers.add(reader);
    signal.addEventListener("abort", () => this.#leave(reader)); // also while the watch starts
    const watch = this.#watch ??= this.desktop.observer.watch({
      actions: (batch) => this.#send(batch),
      problem: (kind, message) => this.#problem(kind, message),
    });
    try {
      await watch;
    } catch (error) {
      if (this.#watch === watch) this.#watch = undefined; // a later reader's watch stays
      this.#leave(reader);
      throw error;
    }
    if (signal.aborted) this.#leave(reader);
    return new Response(reader.stream, { headers: headersOf("text/event-stream") });
  }

  /** Ends all streams, when the program ends. */
  close(): void {
    for (const reader of [...this.#readers]) this.#leave(reader);
  }

  /** Sends the trace state to every reader. */
  tellTrace(state: string): void {
    const text = `event: trace\ndata: ${JSON.stringify({ state })}\n\n`;
    for (const reader of this.#readers) reader.send(text);
  }

  #send(batch: ObservedAction[]) {
    for (const { action, at, injected } of batch) {
      const message = `event: ${action.type}\ndata: ${JSON.stringify({ at, injected, ...action })}\n\n`;
      for (const reader of this.#readers) reader.send(message);
    }
  }

  #problem(kind: "ended" | "gap", message: string) {
    const text = `event: ${kind}\ndata: ${JSON.stringify({ message })}\n\n`;
    for (const reader of this.#readers) reader.send(text);
    if (kind !== "ended") return;
    for (const reader of [...this.#readers]) this.#leave(reader);
  }

  #leave(reader: Reader) {
    if (!this.#readers.delete(reader)) return;
    reader.end();
    if (this.#readers.size) return;
    this.#watch?.then((watch) => watch.close()).catch(() => {});
    this.#watch = undefined;
  }
}

/** A reader and the events queued for it. */
class Reader {
  readonly stream: ReadableStream<Uint8Array>;
  readonly #encoder = new TextEncoder();
  readonly #keepAlive: ReturnType<typeof setInterval>;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #missed = 0;

  constructor(gone: () => void) {
    this.stream = new ReadableStream({
      start: (controller) => {
        this.#controller = controller;
        this.#enqueue(": listening\n\n");
      },
      cancel: gone,
    }, { highWaterMark: WAITING });
    this.#keepAlive = setInterval(() => this.#enqueue(":\n\n"), KEEP_ALIVE_MS);
  }

  send(message: string) {
    if ((this.#controller?.desiredSize ?? 0) <= 1) {
      this.#missed++;
      return;
    }
    if (this.#missed) {
      this.#enqueue(`event: gap\ndata: {"message":"${this.#missed} events were left out"}\n\n`);
    }
    this.#missed = 0;
    this.#enqueue(message);
  }

  end() {
    clearInterval(this.#keepAlive);
    attempt(() => this.#controller?.close()); // the client has closed the stream
    this.#controller = undefined;
  }

  #enqueue(text: string) {
    if ((this.#controller?.desiredSize ?? 0) > 0) this.#controller!.enqueue(this.#encoder.encode(text));
  }
}
