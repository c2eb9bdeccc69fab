/**
 * Makes live pictures while someone watches: one maker serves the viewers of the live picture and the
 * watchers of changes.
 */

import type { LivePicture } from "../desktop/desktop.ts";
import { type LiveReport, VIEWERS, Viewers, viewersMemory } from "../desktop/viewers.ts";
import { BusyError } from "../../core/errors.ts";

/** How long pictures are made without a viewer, in milliseconds: restarting takes 50 to 100. */
const IDLE_MS = 5000;
/** Delay before a retry after a failure, in milliseconds. */
const RETRY_MS = 500;

/** Clients of the live picture. */
export interface PictureClient {
  /** Whether the clients are watching now. */
  isLooking(): boolean;
  /** Called when the making of pictures starts, with memory that has no client yet. */
  begin(viewers: Viewers): void;
  receive(report: LiveReport): void;
  /** Called when the making of pictures failed; deskhand retries while someone watches. */
  failed(message: string): void;
  /** Called when the making of pictures ends because no client watches any longer. */
  ended(): void;
}

/** Starts making pictures for the first client that watches, and stops after the last. */
export class LivePictures {
  /** The current viewers; undefined while no pictures are made. */
  viewers: Viewers | undefined;
  readonly seats = new Seats();
  readonly #clients: PictureClient[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #closing = new AbortController();

  /**
   * @param live The desktop's live picture.
   * @param hides Whether regions of the screen may be hidden.
   */
  constructor(readonly live: LivePicture, readonly hides = false) {}

  /** Aborted when the program ends. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** Adds a client permanently. */
  add(client: PictureClient): void {
    this.#clients.push(client);
  }

  /** Starts making pictures unless already started: a client has started watching. */
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

  /**
   * Called when a client has stopped watching: stops making pictures after a while, unless another client
   * watches by then.
   */
  endLater(): void {
    if (this.#isLooking()) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#end();
      for (const client of this.#clients) client.ended();
    }, IDLE_MS);
  }

  /** Stops making pictures when the program ends. */
  close(): void {
    this.#closing.abort();
    this.#end();
  }

  #isLooking(): boolean {
    return this.#clients.some((client) => client.isLooking());
  }

  /** Restarts if someone still watches. */
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

// Seats of viewers, which are taken before a connection is open and freed however it ends.

export interface Seated {
  /** The name of the person's link, or the name that the person gave; empty if there is none. */
  readonly name: string;
  readonly rights: "look" | "act" | "all";
}

/**
 * The seats of all viewers of the live picture, whatever client they use. A seat's number is the viewer's
 * slot.
 */
class Seats {
  readonly #seats: (Seated | undefined)[] = Array.from({ length: VIEWERS }, () => undefined);
  readonly #listeners = new Set<() => void>();
  #numbers = 0;

  /** The current viewers. */
  get all(): Seated[] {
    return this.#seats.filter((seat) => seat !== undefined);
  }

  /**
   * Checks that there is room for another viewer. The last seat is reserved for viewers with full rights.
   * @throws BusyError if there are too many viewers.
   */
  checkRoom(isGuest: boolean): void {
    checkSeat(VIEWERS - this.all.length, isGuest, `${VIEWERS} viewers are watching already`);
  }

  /** Takes a free seat after {@linkcode checkRoom}. @returns The slot. */
  take(viewer: Seated): number {
    const slot = this.#seats.indexOf(undefined);
    this.#seats[slot] = viewer;
    return slot;
  }

  free(slot: number): void {
    this.#seats[slot] = undefined;
  }

  /** Returns a number that no viewer has ever had. */
  number(): number {
    return ++this.#numbers;
  }

  /** Registers a function for {@linkcode announce} to call. */
  on(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /** Announces that viewers have joined or left. */
  announce(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** Number of seats reserved for callers with full rights. */
const KEPT_FREE = 1;
/** Maximum time for a socket to open, in milliseconds. */
const OPEN_MS = 5000;
/**
 * Maximum time for a socket to open after the runtime has sent the handshake's response, in milliseconds; if
 * its client is still there, a socket opens within 2 ms.
 */
const SENT_MS = 1000;

/**
 * Checks that a seat is free for a caller.
 * @param free Number of free seats.
 * @param isGuest Whether the caller has a link rather than full rights.
 * @param message The message if no seat is free.
 * @throws BusyError if no seat is free.
 */
export function checkSeat(free: number, isGuest: boolean, message: string): void {
  if (free <= (isGuest ? KEPT_FREE : 0)) throw new BusyError(message);
}

/**
 * Calls a function once when a socket's connection has ended or the socket does not open in time: if a client
 * resets its connection during the handshake, the runtime (Deno 2.9.6) fires neither `open` nor `close` nor
 * `error`.
 * @param socket The server's side, which is still opening.
 * @param sent Settles when the runtime has sent the handshake's response, or failed to send it.
 * @param onEnd Called at the end.
 * @returns A function that immediately ends the seat; calling it again does nothing.
 */
export function watchSeat(socket: WebSocket, sent: Promise<void> | undefined, onEnd: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  const end = () => {
    clearTimeout(timer);
    if (isOver) return;
    isOver = true;
    onEnd();
  };
  const expectOpen = (ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      end();
      socket.close();
    }, ms);
  };
  if (socket.readyState !== WebSocket.OPEN) {
    expectOpen(OPEN_MS);
    const onSent = () => {
      if (!isOver && socket.readyState === WebSocket.CONNECTING) expectOpen(SENT_MS);
    };
    sent?.then(onSent, onSent);
    socket.addEventListener("open", () => isOver ? socket.close() : clearTimeout(timer));
  }
  socket.addEventListener("close", end);
  socket.addEventListener("error", end);
  return end;
}
