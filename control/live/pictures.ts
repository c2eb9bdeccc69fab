/**
 * The making of live pictures while someone looks: one maker serves the viewers of the live picture and the watchers
 * of changes.
 */

import type { LivePicture } from "../desktop/desktop.ts";
import { type LiveReport, Viewers, viewersMemory } from "../desktop/viewers.ts";
import { Seats } from "./seat.ts";

/** The time that pictures are made without a viewer, in milliseconds: to start again takes 50 to 100. */
const IDLE_MS = 5000;
/** The time from a failure to the next try, in milliseconds. */
const RETRY_MS = 500;

/** Clients of the live picture. */
export interface PictureClient {
  /** Whether the clients look now. */
  isLooking(): boolean;
  /** Called when the making starts, with memory that has no client yet. */
  begin(viewers: Viewers): void;
  receive(report: LiveReport): void;
  /** Called when the making of pictures failed; deskhand tries again while someone looks. */
  failed(message: string): void;
  /** Called when the making ends, as no client looks any more. */
  ended(): void;
}

/** Starts the making with the first client that looks, and ends it after the last. */
export class LivePictures {
  /** The present viewers; undefined while no pictures are made. */
  viewers: Viewers | undefined;
  /** The seats of all viewers. */
  readonly seats = new Seats();
  readonly #clients: PictureClient[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #closing = new AbortController();

  /**
   * @param live Of the desktop.
   * @param hides Whether regions of the screen may be hidden.
   */
  constructor(readonly live: LivePicture, readonly hides = false) {}

  /** A signal that is aborted when the program ends. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** Adds a client for good. */
  add(client: PictureClient): void {
    this.#clients.push(client);
  }

  /** Starts to make pictures unless that is under way: a client has begun to look. */
  start(): void {
    clearTimeout(this.#timer);
    if (this.viewers || this.closing.aborted) return;
    const viewers = this.viewers = new Viewers(viewersMemory(this.hides));
    for (const client of this.#clients) client.begin(viewers);
    const { done, ring } = this.live.start(viewers.memory, (report) => {
      if (viewers !== this.viewers) return;
      for (const client of this.#clients) client.receive(report);
    });
    viewers.ring = ring;
    done.then(() => this.#ended(viewers), (error) => this.#ended(viewers, error));
  }

  /** Called when a client has stopped looking: ends the making after a while, unless another client looks by then. */
  endLater(): void {
    if (this.#isLooking()) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#end();
      for (const client of this.#clients) client.ended();
    }, IDLE_MS);
  }

  /** Ends the making: the program ends. */
  close(): void {
    this.#closing.abort();
    this.#end();
  }

  #isLooking(): boolean {
    return this.#clients.some((client) => client.isLooking());
  }

  /** Starts the making again if someone still looks. */
  #ended(viewers: Viewers, error?: Error): void {
    if (viewers !== this.viewers) return;
    this.#end();
    if (!this.#isLooking() || this.closing.aborted) return;
    if (!error) return this.start();
    for (const client of this.#clients) client.failed(error.message);
    this.#timer = setTimeout(() => this.start(), RETRY_MS);
  }

  #end(): void {
    clearTimeout(this.#timer);
    this.viewers?.stop();
    this.viewers = undefined;
  }
}
