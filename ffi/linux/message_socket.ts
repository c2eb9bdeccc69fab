/**
 * A socket that carries messages, such as those of Wayland and D-Bus; when it has ended, each later use throws the
 * reason. A wait for a server that may stand still, such as a compositor or a service of a bus, holds the serving
 * thread up for 20 ms at most, and goes on beside other work until 5 s have passed.
 */

import { DesktopUnavailableError } from "../../core/errors.ts";
import { POLLIN } from "./libc.ts";
import type { Socket } from "./socket.ts";

/**
 * The longest time of one poll off this thread, in milliseconds: a call on this thread may read the awaited message.
 */
const SLICE_MS = 4;
/** The number of bytes at the start of a too long message that are decoded. */
const START_BYTES = 1 << 16;

/** A protocol's messages. */
export interface Framing<Message> {
  /**
   * Gives the length of the message that bytes begin with; undefined if too few bytes have arrived to tell.
   * @throws {@linkcode invalid} if the bytes begin no message.
   */
  lengthOf(received: Uint8Array): number | undefined;
  /**
   * Decodes a message.
   * @param bytes The whole message, valid until more is received.
   * @param descriptors The received descriptors; the message removes its own from the list.
   * @throws {@linkcode invalid} if the bytes are no message.
   */
  decode(bytes: Uint8Array, descriptors: number[]): Message;
  /** The most bytes of a message that is decoded; any number if left out. */
  readonly most?: number;
  /**
   * Decodes a message that is longer than {@linkcode most}: its other bytes are skipped as they come.
   * @param bytes The first {@linkcode START_BYTES} of it.
   * @returns undefined if the bytes are too few to decode.
   */
  decodeStart?(bytes: Uint8Array, descriptors: number[]): Message | undefined;
  /** The class of errors for bytes that are no message: the other side cannot be understood any more. */
  readonly invalid: new (message: string) => Error;
}

/** The user of the messages. */
interface Receiver<Message> {
  handle(message: Message): void;
  /** Sends queued messages; called before messages are read. */
  flush?(): void;
  /** Makes the error of an answer that does not come in some milliseconds. */
  tooLate(what: string, ms: number): DesktopUnavailableError;
  /** Called once, when nothing can be sent or received any more. */
  ended?(error: DesktopUnavailableError): void;
  /** Gives the reason that the other side stated before it closed the connection, if it did. */
  lastWords?(): string | undefined;
}

/** An open socket with its receiver. */
export class MessageSocket<Message> {
  #end: string | undefined;
  #wait: Promise<unknown> | undefined;
  /** The number of bytes that a too long message still has to send. */
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

  /** @throws DesktopUnavailableError with the reason if it has ended. */
  check(): void {
    if (this.#end !== undefined) throw new DesktopUnavailableError(this.#end);
  }

  /**
   * Ends the connection; the socket stays open. Safe to call twice.
   * @param reason The message of later errors; the first one counts.
   */
  end(reason: string): void {
    if (this.#end !== undefined) return;
    this.#end = reason;
    this.receiver.ended?.(new DesktopUnavailableError(reason));
  }

  /**
   * Sends bytes.
   * @param descriptors The descriptors, which go with the first byte; the caller closes them afterwards.
   * @param ms How long the other side may take to make room, in milliseconds.
   * @throws DesktopUnavailableError if the other side is gone.
   */
  send(bytes: Uint8Array<ArrayBuffer>, descriptors: readonly number[], ms: number): void {
    this.check();
    this.guarded(() => this.socket.send(bytes, descriptors, ms));
  }

  /**
   * Hands out the messages that have arrived.
   * @param end The time at which the remaining messages are left for later, by `performance.now()`: the other side may
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
   * Sends queued messages and hands out those that have arrived, for callers that poll the socket: receives at most
   * once, since a second time would only tell that nothing is left.
   * @param isReadable Whether bytes have arrived, by poll(2).
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
   * Waits on this thread for a condition, and handles arriving messages.
   * @param what The condition's name, for the error.
   * @param ms How long the wait may take, in milliseconds.
   * @throws DesktopUnavailableError if the wait takes too long, or the other side is gone.
   */
  until(isDone: () => boolean, what: string, ms: number): void {
    if (!this.shortly(isDone, ms)) throw this.receiver.tooLate(what, ms);
  }

  /**
   * Waits on this thread, as {@linkcode until} does.
   * @returns Whether the condition holds in time.
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
   * @param end The latest time, on the scale of `performance.now()`.
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
   * Runs a function that may find the connection ended.
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
   * Takes the next message from the received bytes, also after the end of the connection.
   * @param end The time at which bytes of a too long message are left for later, by `performance.now()`.
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

  /** Takes the next message from the received bytes, without receiving more; undefined if no whole message is there. */
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

  /** Polls once off this thread, for all calls that wait. */
  #pollAside(ms: number): Promise<unknown> {
    const { c, fd } = this.socket, slice = Math.min(SLICE_MS, Math.ceil(ms));
    return this.#wait ??= c.poll_waiting(Int32Array.of(fd, POLLIN), 1n, slice)
      .finally(() => this.#wait = undefined);
  }
}

/** The longest wait that holds the thread up, in milliseconds. */
export const QUICK_MS = 20;
/** The longest wait, in milliseconds. */
const ANSWER_MS = 5000;
/** The longest wait at the end, in milliseconds: a busy server is still given back what is held. */
const END_MS = 2000;
/** The age of an answer, in milliseconds, up to which the server counts as answering. */
const FRESH_MS = 5;

/** The waits of a connection. */
interface Waits {
  /** Waits on this thread. @returns Whether the condition holds within so many milliseconds. */
  shortly(isDone: () => boolean, ms: number): boolean;
  /** Waits beside other work. @param end By `performance.now()`. @returns Whether the condition holds by then. */
  waitAside(isDone: () => boolean, end: number): Promise<boolean>;
}

/** Whether the other side of a connection answers. */
export class Answering {
  #answeredAt = -Infinity;
  #silent: Promise<void> | undefined;

  /**
   * @param waits The connection.
   * @param ask Sends a question; the function that it returns says whether the answer has arrived.
   * @param what The other side's name, for the error.
   */
  constructor(
    readonly waits: Waits,
    readonly ask: () => () => boolean,
    readonly what: string,
  ) {}

  /**
   * Whether the other side does not answer, though it is given the time that a busy one needs: for the end of the
   * program. Holds the thread up. Never throws: a connection that has ended is not silent.
   */
  isSilentAtEnd(): boolean {
    try {
      return !this.waits.shortly(this.ask(), END_MS);
    } catch {
      return false;
    }
  }

  /**
   * Waits until the other side answers, as `Desktop.answering` says.
   * @throws DesktopUnavailableError if the connection has ended.
   */
  wait(): Promise<void> | undefined {
    if (this.#silent) return this.#silent;
    if (performance.now() - this.#answeredAt < FRESH_MS) return undefined;
    const isDone = this.ask();
    if (this.waits.shortly(isDone, QUICK_MS)) return this.#answered();
    const silent = this.#wait(isDone).finally(() => this.#silent = undefined);
    return this.#silent = silent;
  }

  #answered(): undefined {
    this.#answeredAt = performance.now();
  }

  async #wait(isDone: () => boolean): Promise<void> {
    if (await this.waits.waitAside(isDone, performance.now() + ANSWER_MS)) return this.#answered();
    throw new DesktopUnavailableError(`${this.what} has not answered for ${ANSWER_MS / 1000} s`);
  }
}
