/**
 * The desktop's sound: listeners' sockets on this thread; another thread captures sound while someone
 * listens.
 *
 * To the listener, as text, JSON: `{"type":"error","message"}` with the reason when the sound fails
 * temporarily.
 *
 * To the listener, binary: the time of a packet's first sample, as an 8-byte little-endian IEEE 754 number of
 * milliseconds since 1970, then the packet: 10 ms of Opus (RFC 6716), 48 kHz, stereo. No packets are sent in
 * silence.
 *
 * deskhand reads no messages from the listener.
 */

import { STOPPING } from "../../../core/errors.ts";
import { checkSeat, watchSeat } from "../../live/pictures.ts";
import type { SoundRun, SoundSource } from "../../desktop/screen.ts";
import type { Guest } from "./live.ts";

/** Maximum number of simultaneous listeners. */
const LISTENERS = 8;
/** Number of unsent bytes from which packets to a listener are dropped: half a second of sound. */
const UNREAD = 8 * 1024;
/** Delay before a retry after a failure, in milliseconds. */
const RETRY_MS = 1000;

/** Whether sound is available; `missing` is the reason if not. */
interface SoundState {
  missing?: string;
}

interface Listener {
  /** The listener's link; undefined for full rights. */
  guest: Guest | undefined;
  /** Frees the seat. */
  leave: () => void;
}

/** Sends the desktop's sound to listeners. */
export class LiveSound {
  readonly #listeners = new Map<WebSocket, Listener>();
  #run: SoundRun | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The last error sent to listeners. */
  #failure: string | undefined;
  #check: Promise<SoundState> | undefined;

  /** @param source The source of the sound, or a sentence with the reason why there is none. */
  constructor(readonly source: SoundSource | string) {}

  /** Why this desktop never offers sound; undefined if it may. */
  get refusal(): string | undefined {
    return typeof this.source === "string" ? this.source : undefined;
  }

  /** Number of current listeners. */
  get count(): number {
    return this.#listeners.size;
  }

  /** Checks whether sound is available now: a session's sound server may start after deskhand. */
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
   * Checks that there is room for another listener. The last seat is reserved for listeners with full rights.
   * @param guest The listener's link; left out for full rights.
   * @throws BusyError if there are too many listeners.
   */
  checkRoom(guest?: Guest): void {
    checkSeat(LISTENERS - this.count, guest !== undefined, `${LISTENERS} listeners are connected already`);
  }

  /**
   * Adds a listener with the client's socket, which may still be opening. There must be room.
   * @param guest The listener's link; left out for full rights.
   * @param sent Settles when the handshake's response has been sent.
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
   * Disconnects listeners with a link (RFC 6455 section 7.4.1, "policy violation") and frees their seats.
   */
  leave(guest: Guest): void {
    for (const [socket, listener] of [...this.#listeners]) {
      if (listener.guest !== guest) continue;
      socket.close(1008, "this link has expired or was revoked");
      listener.leave();
    }
  }

  /** Disconnects all listeners when the program ends (RFC 6455 section 7.4.1, "going away"). */
  close(): void {
    this.#stop();
    for (const socket of this.#listeners.keys()) socket.close(1001, STOPPING);
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

  /**
   * Sends the reason to the listeners, each reason once, and retries, since the sound server may be
   * restarting.
   */
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
