/**
 * The desktop's sound: listeners' sockets on this thread, and sound made on another one while someone listens.
 *
 * To the listener, as text, JSON: `{"type":"error","message"}` when the sound fails for a while, with the reason.
 *
 * To the listener, binary: the time of a packet's first sample, 8 bytes, in milliseconds since 1970 as a number of
 * IEEE 754 in little endian, and the packet: 10 ms of Opus (RFC 6716), 48 kHz, stereo. In silence no packets are sent.
 *
 * deskhand reads no messages of the listener.
 */

import { checkSeat, watchSeat } from "../../live/pictures.ts";
import type { SoundRun, SoundSource } from "../../desktop/screen.ts";
import type { Guest } from "./live.ts";

/** Listeners at once. */
const LISTENERS = 8;
/** Bytes that may wait to be sent to a listener before packets are dropped: half a second of sound. */
const UNREAD = 8 * 1024;
/** The time from a failure to the next try, in milliseconds. */
const RETRY_MS = 1000;

/** The offer of sound, with the reason if there is none. */
interface SoundState {
  missing?: string;
}

interface Listener {
  /** The listener's link; undefined if the listener has every right. */
  guest: Guest | undefined;
  /** Frees the seat. */
  leave: () => void;
}

/** Sends listeners the desktop's sound. */
export class LiveSound {
  readonly #listeners = new Map<WebSocket, Listener>();
  #run: SoundRun | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The last error that listeners were told. */
  #failure: string | undefined;
  #check: Promise<SoundState> | undefined;

  /** @param source Where the sound comes from; or a sentence with the reason why there is none. */
  constructor(readonly source: SoundSource | string) {}

  /** The reason why this desktop's sound is never offered; undefined where it may be. */
  get refusal(): string | undefined {
    return typeof this.source === "string" ? this.source : undefined;
  }

  /** The number of listeners now. */
  get count(): number {
    return this.#listeners.size;
  }

  /** Finds out whether there is sound now: a session's sound server may start after deskhand. */
  state(): Promise<SoundState> {
    const { source } = this;
    if (typeof source === "string") return Promise.resolve({ missing: source });
    const forget = () => void (this.#check = undefined);
    return this.#check ??= source.check().then(
      () => ({}),
      ({ message }: Error) => ({ missing: message }),
    ).finally(forget);
  }

  /**
   * Checks that there is room for another listener. The last seat is for listeners with every right.
   * @param guest The listener's link; left out if the listener has every right.
   * @throws BusyError if too many listen.
   */
  checkRoom(guest?: Guest): void {
    checkSeat(LISTENERS - this.count, guest !== undefined, `${LISTENERS} listeners are connected already`);
  }

  /**
   * Makes a listener of a client's socket, which may still be opening. There must be room.
   * @param guest The listener's link; left out if the listener has every right.
   * @param sent A promise that settles when the handshake's response has been sent.
   */
  add(socket: WebSocket, guest?: Guest, sent?: Promise<void>): void {
    const leave = watchSeat(socket, sent, () => {
      if (this.#listeners.delete(socket) && !this.count) this.#stop();
    });
    this.#listeners.set(socket, { guest, leave });
    socket.addEventListener("open", () => {
      if (!this.#listeners.has(socket)) return;
      if (this.#failure !== undefined) sendError(socket, this.#failure);
      this.#start();
    });
  }

  /**
   * Ends the connections of listeners with a link (RFC 6455 section 7.4.1, "policy violation"), and frees their seats.
   */
  leave(guest: Guest): void {
    for (const [socket, listener] of [...this.#listeners]) {
      if (listener.guest !== guest) continue;
      socket.close(1008, "this link has expired or was revoked");
      listener.leave();
    }
  }

  /** Ends every listener's connection: the program ends (RFC 6455 section 7.4.1, "going away"). */
  close(): void {
    this.#stop();
    for (const socket of this.#listeners.keys()) socket.close(1001, "deskhand is stopping");
    this.#listeners.clear();
  }

  #start(): void {
    if (this.#run || typeof this.source === "string") return;
    clearTimeout(this.#timer);
    const run = this.#run = this.source.start((message) => {
      if (run === this.#run) this.#send(message);
    });
    run.done.catch((error: Error) => run === this.#run && this.#fail(error));
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#run?.stop();
    this.#run = this.#failure = undefined;
  }

  #send(message: Uint8Array<ArrayBuffer>): void {
    this.#failure = undefined;
    for (const socket of this.#listeners.keys()) {
      if (socket.readyState === WebSocket.OPEN && socket.bufferedAmount <= UNREAD) socket.send(message);
    }
  }

  /** Sends the reason to the listeners, each reason once, and tries again, since the sound server may be restarting. */
  #fail({ message }: Error): void {
    this.#run = undefined;
    if (message !== this.#failure) {
      for (const socket of this.#listeners.keys()) {
        sendError(socket, message);
      }
    }
    this.#failure = message;
    this.#timer = setTimeout(() => this.#start(), RETRY_MS);
  }
}

function sendError(socket: WebSocket, message: string): void {
  if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ type: "error", message }));
}
