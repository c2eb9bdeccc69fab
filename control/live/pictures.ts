/**
 * The making of live pictures while someone looks: one maker serves the viewers of the live picture and the watchers
 * of changes.
 */

import type { LivePicture } from "../desktop/desktop.ts";
import { type LiveReport, VIEWERS, Viewers, viewersMemory } from "../desktop/viewers.ts";
import { BusyError } from "../../core/errors.ts";

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

// Seats of viewers, which are taken before a connection is open and free again however it ends.

export interface Seated {
  /** The name of the person's link, or the name that the person gave; empty if there is none. */
  readonly name: string;
  readonly rights: "look" | "act" | "all";
}

/** The seats of all viewers of the live picture, whatever they look with. A seat's number is the viewer's slot. */
class Seats {
  readonly #seats: (Seated | undefined)[] = Array.from({ length: VIEWERS }, () => undefined);
  readonly #listeners = new Set<() => void>();
  #numbers = 0;

  /** The viewers now. */
  get all(): Seated[] {
    return this.#seats.filter((seat) => seat !== undefined);
  }

  /**
   * Checks that there is room for another viewer. The last seat is for viewers with every right.
   * @throws BusyError if too many look.
   */
  checkRoom(isGuest: boolean): void {
    checkSeat(VIEWERS - this.all.length, isGuest, `${VIEWERS} viewers are watching already`);
  }

  /** Takes a free seat, which {@linkcode checkRoom} has found. @returns The slot. */
  take(viewer: Seated): number {
    const slot = this.#seats.indexOf(undefined);
    this.#seats[slot] = viewer;
    return slot;
  }

  free(slot: number): void {
    this.#seats[slot] = undefined;
  }

  /** Makes a number that no viewer has or had. */
  number(): number {
    return ++this.#numbers;
  }

  /** Calls a function when {@linkcode announce} is called. */
  on(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /** Announces that viewers have come or gone. */
  announce(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** Seats that guests leave free for callers with every right. */
const KEPT_FREE = 1;
/** The time in which a socket must open, in milliseconds. */
const OPEN_MS = 5000;
/**
 * The time in which a socket must open after the runtime has sent the handshake's response, in milliseconds; a socket
 * whose client is still there opens within 2 ms.
 */
const SENT_MS = 1000;

/**
 * Checks that a seat is free for a caller.
 * @param free The number of free seats.
 * @param isGuest Whether the caller has a link, and not every right.
 * @param message The message when no seat is free.
 * @throws BusyError if none is free.
 */
export function checkSeat(free: number, isGuest: boolean, message: string): void {
  if (free <= (isGuest ? KEPT_FREE : 0)) throw new BusyError(message);
}

/**
 * Calls a function once when a socket's connection has ended, or the socket does not open in time: where a client resets
 * its connection during the handshake, the runtime (Deno 2.9.6) sends the socket neither `open` nor `close` nor `error`.
 * @param socket The server's side, which is still opening.
 * @param sent A promise that settles when the runtime has sent the handshake's response, or could not send it.
 * @param onEnd Called at the end.
 * @returns A function that ends the seat at once; a second call does nothing.
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
