/** A connection to a Wayland compositor. Every wait has a bound; what ends the connection is an error of each call. */

import { DesktopUnavailableError } from "../../../core/errors.ts";
import { type Libc, openLibc } from "../../linux/libc.ts";
import { isKwin } from "./compositor_name.ts";
import { DISPLAY } from "./protocol.ts";
import { POLLIN, Socket } from "../../linux/socket.ts";
import { type Argument, ArgumentReader, encodeMessage, splitMessages, WireError } from "./wire.ts";

/** How long a compositor may take to answer, in milliseconds. */
const ANSWER_MS = 5000;
/**
 * The same for KWin, which computes a checksum of deskhand's whole executable before its first answer on a connection
 * (Plasma 5.27: `isTrustedOrigin`).
 */
const KWIN_ANSWER_MS = 60_000;
/** Requests are sent at the latest when there are this many bytes of them. */
const FLUSH_BYTES = 32_768;
/** How long a wait off this thread takes at most, in milliseconds: a call on this thread may read what it waits for. */
const SLICE_MS = 4;

/** Receives the events of an object. */
export type Handler = (opcode: number, args: ArgumentReader) => void;

/** Requests, events and the numbers of objects. */
export class Connection {
  readonly #handlers = new Map<number, Handler>();
  readonly #freeIds: number[] = [];
  #nextId = DISPLAY.object + 1;
  readonly #waiting: Uint8Array<ArrayBuffer>[] = [];
  #waitingBytes = 0;
  /** What ended the connection. */
  #end: string | undefined;
  #isClosed = false;
  #deferred: (() => void) | undefined;
  #wait: Promise<unknown> | undefined;

  readonly #answerMs: number;

  private constructor(readonly c: Libc, readonly socket: Socket, readonly path: string) {
    this.#answerMs = isKwin(this) ? KWIN_ANSWER_MS : ANSWER_MS;
    this.#handlers.set(DISPLAY.object, (opcode, args) => this.#onDisplay(opcode, args));
  }

  /**
   * Connects.
   * @param path Of the compositor's socket.
   * @returns undefined if no compositor is there, or it does not let this user in.
   * @throws NoDesktopError if the C library cannot be used.
   */
  static open(path: string): Connection | undefined {
    const c = openLibc(), socket = Socket.connect(c, path, "the compositor");
    return socket && new Connection(c, socket, path);
  }

  /**
   * Connects, for something that closes the connection with itself.
   * @param path Of the compositor's socket.
   * @param make Makes it; the connection is closed if that fails.
   * @returns undefined if no compositor is there, or it does not let this user in.
   * @throws NoDesktopError if the C library cannot be used; what `make` throws.
   */
  static openFor<T>(path: string, make: (connection: Connection) => T): T | undefined {
    const connection = Connection.open(path);
    try {
      return connection && make(connection);
    } catch (error) {
      connection!.close();
      throw error;
    }
  }

  /** Whether it can be used no more. */
  get isLost(): boolean {
    return this.#end !== undefined;
  }

  /**
   * Makes the number of a new object.
   * @param handler Gets its events, also those that arrive after its destruction.
   */
  newId(handler: Handler = () => {}): number {
    const id = this.#freeIds.pop() ?? this.#nextId++;
    this.#handlers.set(id, handler);
    return id;
  }

  /** Registers the handler of an object that the compositor made, or replaces one. */
  handle(object: number, handler: Handler): void {
    this.#handlers.set(object, handler);
  }

  /**
   * Sends a request, at the latest when something is waited for.
   * @param args Of which file descriptors are sent at once; the caller closes them.
   * @throws DesktopUnavailableError if the compositor is gone.
   */
  request(object: number, opcode: number, ...args: Argument[]): void {
    this.runDeferred();
    this.check();
    const bytes = encodeMessage(object, opcode, args);
    const fds = args.flatMap((arg) => arg !== null && typeof arg === "object" && "fd" in arg ? [arg.fd] : []);
    if (fds.length) this.flush(); // they go with the first byte that is sent
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    if (fds.length || this.#waitingBytes > FLUSH_BYTES) this.flush(fds);
  }

  /** Registers work of which the requests come before the next request; it takes the place of what was registered. */
  defer(run: () => void): void {
    this.#deferred = run;
  }

  /** Does the work that waits for the next request. */
  runDeferred(): void {
    const run = this.#deferred;
    this.#deferred = undefined;
    run?.();
  }

  /** Sends what waits to be sent. */
  flush(fds: readonly number[] = []): void {
    if (!this.#waiting.length) return;
    const bytes = this.#waiting.length === 1 ? this.#waiting[0] : joined(this.#waiting, this.#waitingBytes);
    this.#waiting.length = this.#waitingBytes = 0;
    this.#guarded(() => this.socket.send(bytes, fds, ANSWER_MS));
  }

  /**
   * Hands out the events that have arrived.
   * @throws DesktopUnavailableError if the compositor is gone or has refused a request.
   */
  dispatch(): void {
    this.check();
    this.flush();
    this.#guarded(() => {
      while (this.socket.receive()) this.#handOut();
    });
  }

  /**
   * Waits until something is the case.
   * @param what Names it, for the error.
   * @throws DesktopUnavailableError if it takes too long, or the compositor is gone.
   */
  until(isDone: () => boolean, what: string, ms = this.#answerMs): void {
    for (const end = performance.now() + ms;;) {
      this.dispatch();
      if (isDone()) return;
      const left = end - performance.now();
      if (left <= 0) throw tooLate(what, ms);
      this.socket.wait(POLLIN, left);
    }
  }

  /** Waits like {@linkcode until} and lets other work go on meanwhile. */
  async untilAsync(isDone: () => boolean, what: string, ms = this.#answerMs): Promise<void> {
    if (!await this.waitAside(isDone, performance.now() + ms)) throw tooLate(what, ms);
  }

  /**
   * Waits until something is the case, and lets other work go on meanwhile.
   * @param end The latest time, on the scale of `performance.now()`.
   * @returns Whether it is the case.
   * @throws DesktopUnavailableError if the compositor is gone.
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

  /** Waits until something arrives, or for some milliseconds. */
  waitBriefly(ms: number): void {
    this.socket.wait(POLLIN, ms);
  }

  /** Waits until the compositor has handled everything sent before. */
  roundtrip(): void {
    let isDone = false;
    this.request(DISPLAY.object, DISPLAY.sync, this.newId(() => isDone = true));
    this.until(() => isDone, "its answer");
  }

  /** @throws DesktopUnavailableError if the connection has ended. */
  check(): void {
    if (this.#end !== undefined) throw new DesktopUnavailableError(this.#end);
  }

  /** Closes it, whether the compositor is still there or not. Safe to call twice. */
  close(): void {
    if (this.#isClosed) return;
    try {
      if (!this.isLost) this.flush();
    } catch {
      // The compositor is gone.
    }
    this.#isClosed = true;
    this.#end ??= "the connection to the compositor is closed";
    this.socket.close();
  }

  /** One wait off this thread for all calls that wait, of some milliseconds at most. */
  #pollAside(ms: number): Promise<unknown> {
    const fds = Int32Array.of(this.socket.fd, POLLIN), slice = Math.min(SLICE_MS, Math.ceil(ms));
    return this.#wait ??= this.c.poll_waiting(fds, 1n, slice).finally(() => this.#wait = undefined);
  }

  #handOut(): void {
    const { messages, consumed } = splitMessages(this.socket.received);
    for (const { object, opcode, body } of messages) {
      this.#handlers.get(object)?.(opcode, new ArgumentReader(body, this.socket.descriptors));
    }
    this.socket.consume(consumed);
    this.check(); // an event may have been the compositor's refusal
  }

  #onDisplay(opcode: number, args: ArgumentReader): void {
    if (opcode === DISPLAY.error) {
      const object = args.uint(), code = args.uint();
      this.#end ??= `the compositor refuses a request (object ${object}, error ${code}): ${args.string()}`;
    } else if (opcode === DISPLAY.deleteId) {
      const id = args.uint();
      this.#handlers.delete(id);
      this.#freeIds.push(id);
    }
  }

  /** Runs what may find that the connection has ended. */
  #guarded(run: () => void): void {
    try {
      run();
    } catch (error) {
      if (!(error instanceof DesktopUnavailableError || error instanceof WireError)) throw error;
      this.#end ??= this.#refusal() ?? error.message;
      throw new DesktopUnavailableError(this.#end);
    }
  }

  /** The error that the compositor sent before it closed the connection, where a request could not be sent any more. */
  #refusal(): string | undefined {
    try {
      while (this.#end === undefined && this.socket.receive()) this.#handOut();
    } catch {
      // It sent none.
    }
    return this.#end;
  }
}

/**
 * Ends a call that needs a compositor which was there before.
 * @param path Of its socket.
 * @throws DesktopUnavailableError in any case.
 */
export function compositorGone(path: string): never {
  throw new DesktopUnavailableError(`the Wayland compositor at ${path} is gone`);
}

function tooLate(what: string, ms: number): DesktopUnavailableError {
  return new DesktopUnavailableError(`the compositor does not answer: ${what} did not come in ${ms} ms`);
}

function joined(parts: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
