/**
 * A socket that carries messages, such as those of Wayland and D-Bus; after it has ended, each use throws the
 * reason. A wait for a server that may hang, such as a compositor or a bus service, blocks the serving thread
 * for at most 20 ms, and then continues without blocking until 5 s have passed.
 */

import { attempt, DesktopUnavailableError } from "../../core/errors.ts";
import { POLLIN } from "./libc.ts";
import { SERVER_WAITS } from "../reconnecting.ts";
import type { Socket } from "./socket.ts";

/** Maximum time of a poll on another thread, in milliseconds: a call on this one may read the message. */
const SLICE_MS = 4;
/** Number of bytes decoded at the start of a message that is too long. */
const START_BYTES = 1 << 16;

/** A protocol's messages. */
export interface Framing<Message> {
  /**
   * Returns the length of the message at the start of the bytes; undefined if too few have arrived to
   * determine it.
   * @throws {@linkcode invalid} if the bytes do not begin a message.
   */
  lengthOf(received: Uint8Array): number | undefined;
  /**
   * Decodes a message.
   * @param bytes The whole message, valid until more is received.
   * @param descriptors The received file descriptors; the message removes its own from the list.
   * @throws {@linkcode invalid} if the bytes are not a message.
   */
  decode(bytes: Uint8Array, descriptors: number[]): Message;
  /** Maximum size of a message that is decoded, in bytes; unlimited if omitted. */
  readonly most?: number;
  /**
   * Decodes a message longer than {@linkcode most}, whose other bytes are skipped as they arrive.
   * @param bytes The message's first {@linkcode START_BYTES}.
   * @returns undefined if the bytes are too few to decode.
   */
  decodeStart?(bytes: Uint8Array, descriptors: number[]): Message | undefined;
  /** The error class for bytes that are not a message, after which the other side cannot be understood. */
  readonly invalid: new (message: string) => Error;
}

/** The user of the messages. */
interface Receiver<Message> {
  handle(message: Message): void;
  /** Sends queued messages; called before messages are read. */
  flush?(): void;
  /** Creates the error for an answer that does not come within some milliseconds. */
  tooLate(what: string, ms: number): DesktopUnavailableError;
  /** Called once, when nothing can be sent or received any longer. */
  ended?(error: DesktopUnavailableError): void;
  /** Returns the reason that the other side gave before it closed the connection, if any. */
  lastWords?(): string | undefined;
}

/** An open socket with its receiver. */
export class MessageSocket<Message> {
  #end: string | undefined;
  #wait: Promise<unknown> | undefined;
  /** The number of bytes still to be skipped from a message that is too long. */
  #skipped = 0;

  constructor(
    readonly socket: Socket,
    readonly framing: Framing<Message>,
    readonly receiver: Receiver<Message>,
  ) {}

  /** Whether the connection has ended and can no longer be used. */
  get isLost(): boolean {
    return this.#end !== undefined;
  }

  /** @throws DesktopUnavailableError with the reason if the connection has ended. */
  check(): void {
    if (this.#end !== undefined) throw new DesktopUnavailableError(this.#end);
  }

  /**
   * Ends the connection without closing the socket. Safe to call twice.
   * @param reason The message of later errors; only the first reason is used.
   */
  end(reason: string): void {
    if (this.#end !== undefined) return;
    this.#end = reason;
    this.receiver.ended?.(new DesktopUnavailableError(reason));
  }

  /**
   * Sends bytes.
   * @param descriptors File descriptors, which travel with the first byte; the caller closes them afterwards.
   * @param ms Maximum time for the other side to make room, in milliseconds.
   * @throws DesktopUnavailableError if the other side is gone.
   */
  send(bytes: Uint8Array<ArrayBuffer>, descriptors: readonly number[], ms: number): void {
    this.check();
    this.guarded(() => this.socket.send(bytes, descriptors, ms));
  }

  /**
   * Dispatches the messages that have arrived.
   * @param end When to leave the remaining messages for later, by `performance.now()`: the other side may
   * send faster than messages are handled.
   * @throws DesktopUnavailableError if the other side is gone.
   */
  dispatch(end = Infinity): void {
    this.check();
    this.receiver.flush?.();
    for (let message; (message = this.#next(end)) !== undefined;) {
      this.receiver.handle(message);
      if (end !== Infinity && performance.now() > end) return;
    }
  }

  /**
   * Sends queued messages and dispatches those that have arrived, for callers that poll the socket: receives
   * at most once, since a second time would only show that nothing is left.
   * @param isReadable Whether bytes have arrived, according to poll(2).
   * @throws DesktopUnavailableError if the other side is gone.
   */
  dispatchPolled(end: number, isReadable: boolean): void {
    this.check();
    this.receiver.flush?.();
    if (isReadable) this.guarded(() => this.socket.receive());
    for (let message; (message = this.guarded(() => this.#takeReceived())) !== undefined;) {
      this.receiver.handle(message);
      if (performance.now() > end) return;
      this.check();
    }
  }

  /**
   * Blocks this thread until a condition holds, and handles arriving messages.
   * @param what The condition's name, for the error.
   * @param ms Maximum wait, in milliseconds.
   * @throws DesktopUnavailableError if the wait takes too long, or the other side is gone.
   */
  until(isDone: () => boolean, what: string, ms: number): void {
    if (!this.shortly(isDone, ms)) throw this.receiver.tooLate(what, ms);
  }

  /**
   * Blocks this thread as {@linkcode until} does.
   * @returns Whether the condition held in time.
   * @throws DesktopUnavailableError if the other side is gone.
   */
  shortly(isDone: () => boolean, ms: number): boolean {
    for (const end = performance.now() + ms;;) {
      this.dispatch(end);
      if (isDone()) return true;
      const left = end - performance.now();
      if (left <= 0) return false;
      this.socket.wait(POLLIN, left);
    }
  }

  /**
   * Waits for a condition without blocking this thread, and handles arriving messages.
   * @param end The deadline, on the scale of `performance.now()`.
   * @returns Whether the condition holds.
   * @throws DesktopUnavailableError if the other side is gone.
   */
  async waitAside(isDone: () => boolean, end: number): Promise<boolean> {
    for (;;) {
      this.dispatch();
      if (isDone()) return true;
      const left = end - performance.now();
      if (left <= 0) return false;
      await this.#pollAside(left);
    }
  }

  /**
   * Runs a function that may find that the connection has ended.
   * @throws DesktopUnavailableError with the reason if the connection has ended.
   */
  guarded<T>(run: () => T): T {
    try {
      return run();
    } catch (error) {
      if (error instanceof this.framing.invalid) {
        this.end(`${this.socket.peer} sent an invalid message: ${error.message}`);
      } else if (error instanceof DesktopUnavailableError) {
        this.end(this.receiver.lastWords?.() ?? error.message);
      } else throw error;
      throw new DesktopUnavailableError(this.#end!);
    }
  }

  /**
   * Takes the next message from the received bytes, even after the connection has ended.
   * @param end When to leave bytes of a too long message for later, by `performance.now()`.
   * @returns undefined if no whole message has arrived.
   * @throws The errors of {@linkcode Socket.receive} and of the framing.
   */
  take(end = Infinity): Message | undefined {
    for (;;) {
      const message = this.#takeReceived();
      if (message !== undefined || this.#skipped && performance.now() > end) return message;
      if (!this.socket.receive()) return undefined;
    }
  }

  /** Takes the next message from the bytes already received; undefined if no whole message has arrived. */
  #takeReceived(): Message | undefined {
    const { socket, framing } = this;
    for (;;) {
      const { received } = socket;
      if (this.#skipped) {
        if (!this.#skip(received.length)) return undefined;
        continue;
      }
      const length = framing.lengthOf(received);
      if (length === undefined) return undefined;
      if (framing.most !== undefined && length > framing.most) {
        if (received.length < START_BYTES) return undefined;
        this.#skipped = length;
        const start = framing.decodeStart?.(received.subarray(0, START_BYTES), socket.descriptors);
        if (start) return start;
        continue;
      }
      if (received.length < length) return undefined;
      socket.consume(length);
      return framing.decode(received.subarray(0, length), socket.descriptors);
    }
  }

  /** Drops bytes of a message that is too long. @returns false if no bytes have arrived. */
  #skip(arrived: number): boolean {
    const count = Math.min(this.#skipped, arrived);
    this.socket.consume(count);
    this.#skipped -= count;
    return count > 0;
  }

  #next(end: number): Message | undefined {
    this.check();
    return this.guarded(() => this.take(end));
  }

  /** Polls once on another thread, for all waiting calls. */
  #pollAside(ms: number): Promise<unknown> {
    const { c, fd } = this.socket, slice = Math.min(SLICE_MS, Math.ceil(ms));
    return this.#wait ??= c.poll_waiting(Int32Array.of(fd, POLLIN), 1n, slice)
      .finally(() => this.#wait = undefined);
  }
}

/** A connection's waits. */
interface Waits {
  /** Blocks this thread. @returns Whether the condition holds within so many milliseconds. */
  shortly(isDone: () => boolean, ms: number): boolean;
  /**
   * Waits without blocking.
   * @param end By `performance.now()`.
   * @returns Whether the condition holds by then.
   */
  waitAside(isDone: () => boolean, end: number): Promise<boolean>;
}

/** Whether a connection's other side answers. */
export class Answering {
  #answeredAt = -Infinity;
  #silent: Promise<void> | undefined;

  /**
   * @param waits The connection.
   * @param ask Sends a question; the returned function reports whether the answer has arrived.
   * @param what The other side's name, for the error.
   */
  constructor(
    readonly waits: Waits,
    readonly ask: () => () => boolean,
    readonly what: string,
  ) {}

  /**
   * Whether the other side does not answer even within the time that a busy one needs: for the end of the
   * program. Blocks the thread. Never throws: a connection that has ended is not silent.
   */
  isSilentAtEnd(): boolean {
    return attempt(() => !this.waits.shortly(this.ask(), SERVER_WAITS.end), false);
  }

  /**
   * Waits until the other side answers, as defined by `Desktop.answering`.
   * @throws DesktopUnavailableError if the connection has ended.
   */
  wait(): Promise<void> | undefined {
    if (this.#silent) return this.#silent;
    if (performance.now() - this.#answeredAt < SERVER_WAITS.fresh) return undefined;
    const silent = this.handled()?.finally(() => this.#silent = undefined);
    return this.#silent = silent;
  }

  /**
   * Waits until the other side has handled everything sent before.
   * @param ms Maximum wait, in milliseconds.
   * @returns undefined if it has done so within {@linkcode SERVER_WAITS.quick}.
   * @throws DesktopUnavailableError if the connection has ended; by the promise, if there is no answer in time.
   */
  handled(ms: number = SERVER_WAITS.answer): Promise<void> | undefined {
    const isDone = this.ask();
    return this.waits.shortly(isDone, SERVER_WAITS.quick) ? this.#answered() : this.#wait(isDone, ms);
  }

  #answered(): undefined {
    this.#answeredAt = performance.now();
  }

  async #wait(isDone: () => boolean, ms: number): Promise<void> {
    if (await this.waits.waitAside(isDone, performance.now() + ms)) return this.#answered();
    throw new DesktopUnavailableError(`${this.what} has not answered for ${ms / 1000} s`);
  }
}
