/** Messages over a bus's socket, with file descriptors. What ends it is an error of each later use. */

import { DesktopUnavailableError, NoDesktopError } from "../../../core/errors.ts";
import { openLibc } from "../libc.ts";
import { POLLIN, Socket } from "../socket.ts";
import { authenticate } from "./authentication.ts";
import {
  decodeBody,
  decodeEnvelope,
  encodeMessage,
  type Envelope,
  messageLength,
  type Outgoing,
} from "./message.ts";
import { MarshalError } from "./signature.ts";

/** How long a bus may take to let this user in, or to make room for a message, in milliseconds. */
const PATIENCE_MS = 5000;

/** A received message. */
export interface Incoming extends Envelope {
  values: unknown[];
  /** Those among the values; the receiver closes them. */
  fds: readonly number[];
}

/** An open connection. */
export class Channel {
  /**
   * The unique name that the bus gave this connection. Messages for other connections, which are copies that a match
   * rule asked for, come without values then: their bodies stay unread.
   */
  own: string | undefined;
  #serial = 0;
  /** What ended it. */
  #end: string | undefined;

  /**
   * @param socket Of a bus that has let this user in.
   * @param peer The bus as messages name it.
   * @param onEnd Called once, when nothing can be sent or received any more; closes the socket.
   */
  private constructor(
    readonly socket: Socket,
    readonly peer: string,
    public onEnd: (error: DesktopUnavailableError) => void,
  ) {}

  /**
   * Connects.
   * @param sockets Paths of sockets, of which the first that answers is taken.
   * @param peer The bus as messages name it.
   * @throws NoDesktopError if no bus listens there; DesktopUnavailableError if it does not let this user in, or does
   *   not answer.
   */
  static open(sockets: readonly string[], peer = "session bus"): Channel {
    const c = openLibc();
    for (const path of sockets) {
      const socket = Socket.connect(c, path, `the ${peer}`);
      if (!socket) continue;
      try {
        authenticate(socket, Deno.uid()!, PATIENCE_MS);
        return new Channel(socket, peer, () => socket.close());
      } catch (error) {
        socket.close();
        throw error;
      }
    }
    const places = sockets.map((path) => path.replace("\0", "@")).join(", ");
    throw new NoDesktopError(`there is no ${peer} at ${places}, or this user may not use it`);
  }

  /** Whether it can be used no more. */
  get isLost(): boolean {
    return this.#end !== undefined;
  }

  /** @throws DesktopUnavailableError if it has ended. */
  check(): void {
    if (this.#end !== undefined) throw new DesktopUnavailableError(this.#end);
  }

  /**
   * Sends a message.
   * @returns Its serial number.
   * @throws MarshalError if the values do not fit the signature; DesktopUnavailableError if the bus is gone.
   */
  send(message: Omit<Outgoing, "serial">): number {
    this.check();
    const serial = this.#serial = this.#serial % 0xffffffff + 1;
    const { bytes, descriptors } = encodeMessage({ ...message, serial });
    this.#guarded(() => this.socket.send(bytes, descriptors, PATIENCE_MS));
    return serial;
  }

  /**
   * The next message that has arrived.
   * @returns undefined if none has.
   * @throws DesktopUnavailableError if the bus is gone.
   */
  receive(): Incoming | undefined {
    this.check();
    return this.#guarded(() => {
      for (;;) {
        const message = this.#nextMessage();
        if (message || !this.socket.receive()) return message;
      }
    });
  }

  /** Whether a message is for another connection. */
  isCopy({ destination }: Envelope): boolean {
    return this.own !== undefined && destination?.startsWith(":") === true && destination !== this.own;
  }

  /** Waits until something arrives, or for some milliseconds. */
  wait(ms: number): void {
    this.socket.wait(POLLIN, ms);
  }

  /** Closes what a message brought and nothing takes. */
  discard({ fds }: Incoming): void {
    for (const fd of fds) this.socket.c.close(fd);
  }

  /** Ends it. Safe to call twice. */
  close(reason = `the connection to the ${this.peer} is closed`): void {
    if (this.#end !== undefined) return;
    this.#end = reason;
    this.onEnd(new DesktopUnavailableError(reason));
  }

  /** Takes a message from what has arrived. */
  #nextMessage(): Incoming | undefined {
    const { received } = this.socket, length = messageLength(received);
    if (length === undefined || received.length < length) return undefined;
    const envelope = decodeEnvelope(received.slice(0, length));
    this.socket.consume(length);
    const fds = this.socket.descriptors.splice(0, envelope.descriptors ?? 0);
    const message = { ...envelope, fds, values: [] };
    if (this.isCopy(envelope)) return message;
    try {
      return { ...message, values: decodeBody(envelope, fds) };
    } catch (error) {
      this.discard(message);
      throw error;
    }
  }

  /** Runs what may find that the connection has ended. */
  #guarded<T>(run: () => T): T {
    try {
      return run();
    } catch (error) {
      if (error instanceof MarshalError) {
        this.close(`the ${this.peer} sent an invalid message: ${error.message}`);
      } else if (error instanceof DesktopUnavailableError) this.close(error.message);
      else throw error;
      throw new DesktopUnavailableError(this.#end!);
    }
  }
}
