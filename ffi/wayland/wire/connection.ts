/**
 * A connection to a Wayland compositor. Every wait has a limit; after the connection has ended, each call
 * fails with the cause.
 */

import { concat } from "../../../core/bytes.ts";
import { attempt, DesktopUnavailableError, ExpectedError } from "../../../core/errors.ts";
import { readProc } from "../../../core/proc.ts";
import { Answering, type Framing, MessageSocket } from "../../linux/message_socket.ts";
import { type Libc, openLibc, POLLIN, silence } from "../../linux/libc.ts";
import { Socket } from "../../linux/socket.ts";
import { closedOnFailure, SERVER_WAITS } from "../../reconnecting.ts";
import {
  type Argument,
  type ArgumentReader,
  decodeMessage,
  DISPLAY,
  encodeMessage,
  type Message,
  messageLength,
  REGISTRY,
  WireError,
} from "./wire.ts";

// The name of the program at the other end of a connection, which no Wayland protocol reports.

/** A connection to the compositor. */
type Peer = Pick<Connection, "socket">;

/** Whether the peer is KWin, or the program that restarts KWin after a crash and owns its socket. */
function isKwin(connection: Peer): boolean {
  return compositorName(connection).startsWith("kwin_wayland");
}

/**
 * Identifies a compositor, to distinguish it from its predecessor: its process number, and when that process
 * started, in ticks since the system's start (proc(5), /proc/pid/stat). Undefined if the system does not
 * report it.
 */
export function serverOf(peer: Peer): string | undefined {
  const process = peer.socket.peerProcess, stat = process && readProc(`${process}/stat`);
  // The program's name is in parentheses and may contain any character.
  return stat ? `${process} ${stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]}` : undefined;
}

/** The program's name; `a compositor` if the system does not report it. Only Linux has it in /proc. */
export function compositorName(peer: Peer): string {
  const process = peer.socket.peerProcess;
  return (process && readProc(`${process}/comm`).trim()) || "a compositor";
}

/**
 * Maximum wait for KWin's first answer, in milliseconds: KWin computes a checksum of deskhand's whole
 * executable before its first answer on a connection (Plasma 5.27: `isTrustedOrigin`).
 */
const KWIN_ANSWER_MS = 60_000;
/** Number of queued request bytes at which they are sent. */
const FLUSH_BYTES = 32_768;
/** The framing of Wayland messages. */
const FRAMING: Framing<Message> = { lengthOf: messageLength, decode: decodeMessage, invalid: WireError };

/** Receives an object's events. */
export type Handler = (opcode: number, args: ArgumentReader) => void;

/** Requests, events and the numbers of objects. */
export class Connection {
  readonly #handlers = new Map<number, Handler>();
  readonly #freeIds: number[] = [];
  #nextId = DISPLAY.object + 1;
  readonly #waiting: Uint8Array<ArrayBuffer>[] = [];
  #waitingBytes = 0;
  /** The compositor's reason for refusing a request, after which it closes the connection. */
  #refusal: string | undefined;
  #isClosed = false;
  #deferred: (() => void) | undefined;
  readonly #messages: MessageSocket<Message>;
  /** Maximum wait for the next answer, in milliseconds. */
  #answerMs: number;
  readonly #answering: Answering;
  /** Whether the compositor is KWin. */
  readonly isKwin: boolean;

  private constructor(readonly c: Libc, readonly socket: Socket, readonly path: string) {
    this.isKwin = isKwin(this);
    this.#answerMs = this.isKwin ? KWIN_ANSWER_MS : SERVER_WAITS.answer;
    this.#messages = new MessageSocket(socket, FRAMING, {
      handle: (message) => this.#handle(message),
      flush: () => this.flush(),
      lastWords: () => this.#lastWords(),
      tooLate,
    });
    const ask = () => {
      let isDone = false;
      this.onHandled(() => isDone = true);
      return () => isDone;
    };
    this.#answering = new Answering(this.#messages, ask, "the compositor");
    this.#handlers.set(DISPLAY.object, (opcode, args) => this.#onDisplay(opcode, args));
  }

  /**
   * Connects to the compositor.
   * @param path The path of the compositor's socket.
   * @returns undefined if there is no compositor, or it refuses this user.
   * @throws NoDesktopError if the C library cannot be used.
   */
  static open(path: string): Connection | undefined {
    const c = openLibc(), socket = Socket.connect(c, path, "the compositor");
    return socket && new Connection(c, socket, path);
  }

  /** Whether a compositor accepts connections at a socket. Never throws. */
  static isTaken(path: string): boolean {
    const connection = attempt(() => Connection.open(path), undefined, ExpectedError);
    connection?.close();
    return connection !== undefined;
  }

  /**
   * Connects on behalf of an object, which closes the connection when it is closed.
   * @param path The path of the compositor's socket.
   * @param make Creates the object; the connection is closed if that fails.
   * @returns undefined if there is no compositor, or it refuses this user.
   * @throws NoDesktopError if the C library cannot be used; the errors of {@linkcode Registry.open} and `make`.
   */
  static async openFor<T>(
    path: string,
    make: (connection: Connection, registry: Registry) => T | Promise<T>,
  ): Promise<T | undefined> {
    const connection = Connection.open(path);
    return connection &&
      await closedOnFailure(connection, async () => make(connection, await Registry.open(connection)));
  }

  /** Whether the connection has ended and can no longer be used. */
  get isLost(): boolean {
    return this.#messages.isLost;
  }

  /**
   * Allocates the number of a new object.
   * @param handler Receives its events, including those that arrive after its destruction.
   */
  newId(handler: Handler = () => {}): number {
    const id = this.#freeIds.pop() ?? this.#nextId++;
    this.#handlers.set(id, handler);
    return id;
  }

  /** Registers the handler of an object created by the compositor, or replaces its handler. */
  handle(object: number, handler: Handler): void {
    this.#handlers.set(object, handler);
  }

  /**
   * Sends a request, at the latest when a wait begins.
   * @param args The arguments. A request with file descriptors is sent immediately; the caller closes them.
   * @throws DesktopUnavailableError if the compositor is gone.
   */
  request(object: number, opcode: number, ...args: Argument[]): void {
    this.runDeferred();
    this.check();
    const bytes = encodeMessage(object, opcode, args);
    const fds = args.flatMap((arg) => arg !== null && typeof arg === "object" && "fd" in arg ? [arg.fd] : []);
    if (fds.length) this.flush(); // descriptors travel with the first byte sent
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    if (fds.length || this.#waitingBytes > FLUSH_BYTES) this.flush(fds);
  }

  /**
   * Registers work whose requests are sent before the next request; it replaces previously registered work.
   */
  defer(run: () => void): void {
    this.#deferred = run;
  }

  /** Runs the registered work. */
  runDeferred(): void {
    const run = this.#deferred;
    this.#deferred = undefined;
    run?.();
  }

  /** Sends the queued requests. */
  flush(fds: readonly number[] = []): void {
    if (!this.#waiting.length) return;
    const bytes = this.#waiting.length === 1 ? this.#waiting[0] : concat(...this.#waiting);
    this.#waiting.length = this.#waitingBytes = 0;
    this.#messages.send(bytes, fds, SERVER_WAITS.answer);
  }

  /**
   * Dispatches the events that have arrived.
   * @throws DesktopUnavailableError if the compositor is gone or has refused a request.
   */
  dispatch(): void {
    this.#messages.dispatch();
  }

  /**
   * Waits until a condition holds, and blocks other work: for a Worker.
   * @param what The condition's name, for the error.
   * @throws DesktopUnavailableError if the wait takes too long, or the compositor is gone.
   */
  until(isDone: () => boolean, what: string, ms: number): void {
    this.#messages.until(isDone, what, ms);
  }

  /** Waits like {@linkcode until} without blocking other work. */
  async untilAsync(isDone: () => boolean, what: string, ms: number = SERVER_WAITS.answer): Promise<void> {
    if (!await this.waitAside(isDone, performance.now() + ms)) throw tooLate(what, ms);
  }

  /** Waits until a condition holds, and blocks other work for some milliseconds. @returns Whether it holds. */
  shortly(isDone: () => boolean, ms: number = SERVER_WAITS.quick): boolean {
    return this.#messages.shortly(isDone, ms);
  }

  /**
   * Waits until a condition holds, without blocking other work.
   * @param end The deadline, on the scale of `performance.now()`.
   * @returns Whether the condition holds.
   * @throws DesktopUnavailableError if the compositor is gone.
   */
  async waitAside(isDone: () => boolean, end: number): Promise<boolean> {
    return await this.#messages.waitAside(isDone, end);
  }

  /**
   * Waits until something arrives, or for some milliseconds.
   * @param alarm The file descriptor of an `Alarm`, whose ring also ends the wait.
   */
  waitBriefly(ms: number, alarm?: number): void {
    const { socket } = this;
    if (alarm === undefined) socket.wait(POLLIN, ms);
    else if (socket.waitBeside(alarm, ms)) silence(socket.c, alarm);
  }

  /** Calls a function when the compositor has handled everything sent before. */
  onHandled(run: () => void): void {
    this.request(DISPLAY.object, DISPLAY.sync, this.newId(run));
  }

  /**
   * Waits until the compositor has handled everything sent before, and blocks other work for 20 ms at most.
   * @returns undefined if it has done so by then.
   * @throws DesktopUnavailableError if the compositor is gone; by the promise, if it does not answer.
   */
  handled(): Promise<void> | undefined {
    const ms = this.#answerMs;
    this.#answerMs = SERVER_WAITS.answer; // only KWin's first answer takes longer
    return this.#answering.handled(ms);
  }

  /** Waits until the compositor answers, as defined by `Desktop.answering`. */
  answering(): Promise<void> | undefined {
    return this.#answering.wait();
  }

  /** Cuts the connection to a compositor that does not answer, as defined by `Desktop.cutIfSilent`. */
  cutIfSilent(): void {
    if (this.#answering.isSilentAtEnd()) this.#messages.end("the compositor is not responding");
  }

  /** @throws DesktopUnavailableError if the connection has ended. */
  check(): void {
    this.#messages.check();
  }

  /** Closes the connection, whether or not the compositor is still there. Safe to call twice. */
  close(): void {
    if (this.#isClosed) return;
    if (!this.isLost) attempt(() => this.flush()); // fails if the compositor is gone
    this.#isClosed = true;
    this.#messages.end("the connection to the compositor is closed");
    this.socket.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #handle({ object, opcode, args }: Message): void {
    this.#messages.guarded(() => this.#handlers.get(object)?.(opcode, args));
    if (this.#refusal !== undefined) this.#messages.end(this.#refusal);
  }

  #onDisplay(opcode: number, args: ArgumentReader): void {
    if (opcode === DISPLAY.error) {
      const object = args.uint(), code = args.uint();
      this.#refusal ??=
        `the compositor refuses a request (object ${object}, error ${code}): ${args.string()}`;
    } else if (opcode === DISPLAY.deleteId) {
      const id = args.uint();
      this.#handlers.delete(id);
      this.#freeIds.push(id);
    }
  }

  /**
   * The error that the compositor sent before closing the connection, when a request can no longer be sent.
   */
  #lastWords(): string | undefined {
    try {
      for (let message; this.#refusal === undefined && (message = this.#messages.take());) {
        this.#handle(message);
      }
    } catch {
      // The compositor sent no error.
    }
    return this.#refusal;
  }
}

/**
 * Fails a call whose compositor is gone.
 * @param path The path of the compositor's socket.
 * @throws DesktopUnavailableError always.
 */
export function compositorGone(path: string): never {
  throw new DesktopUnavailableError(`the Wayland compositor at ${path} is gone`);
}

function tooLate(what: string, ms: number): DesktopUnavailableError {
  return new DesktopUnavailableError(`the compositor did not answer within ${ms} ms: ${what}`);
}

// A compositor's globals (wl_registry): interfaces by name and version.

/** A global offered by a compositor. */
export interface Global {
  /** The global's number (wl_registry: name) on this connection. */
  name: number;
  interface: string;
  version: number;
}

/** A connection's globals, kept up to date by its events. */
export class Registry {
  readonly globals = new Map<number, Global>();
  readonly #object: number;

  private constructor(readonly connection: Connection) {
    this.#object = connection.newId((opcode, args) => {
      const name = args.uint();
      if (opcode === REGISTRY.globalRemove) this.globals.delete(name);
      else this.globals.set(name, { name, interface: args.string(), version: args.uint() });
    });
    connection.request(DISPLAY.object, DISPLAY.getRegistry, this.#object);
  }

  /** Queries a connection's globals. @throws DesktopUnavailableError if the compositor does not answer. */
  static async open(connection: Connection): Promise<Registry> {
    const registry = new Registry(connection);
    await connection.handled();
    return registry;
  }

  /** All globals of an interface. */
  all(name: string): Global[] {
    return [...this.globals.values()].filter((global) => global.interface === name);
  }

  /** The offered version of an interface; 0 if it is not offered. */
  version(name: string): number {
    return this.all(name)[0]?.version ?? 0;
  }

  /**
   * Creates an object of a global.
   * @param version The newest version that the caller supports.
   */
  bind(global: Global, version: number, handler?: Handler): number {
    const id = this.connection.newId(handler);
    const known = Math.min(version, global.version);
    this.connection.request(this.#object, REGISTRY.bind, global.name, global.interface, known, id);
    return id;
  }

  /**
   * Creates an object of an interface's first global.
   * @throws DesktopUnavailableError if none is offered.
   */
  bindFirst(name: string, version: number, handler?: Handler): number {
    const global = this.all(name)[0];
    if (!global) throw new DesktopUnavailableError(`the compositor does not offer ${name}`);
    return this.bind(global, version, handler);
  }
}
