/** Messages over a bus's socket, with file descriptors, and the preceding handshake. */

import { attempt, DesktopUnavailableError, NoDesktopError } from "../../../core/errors.ts";
import { openLibc, POLLIN } from "../libc.ts";
import { closedOnFailure } from "../../reconnecting.ts";
import { MessageSocket } from "../message_socket.ts";
import { Socket } from "../socket.ts";
import {
  decodeBody,
  decodeEnvelope,
  encodeMessage,
  type Envelope,
  MESSAGE,
  MESSAGE_LIMIT,
  messageLength,
  type Outgoing,
} from "./message.ts";
import { MarshalError } from "./values.ts";
import { ValueWriter } from "./marshalling.ts";

// Errors with which a service answers instead of a result.

/** The service refused a call. Across threads, it is a {@linkcode DesktopUnavailableError}. */
export class BusError extends DesktopUnavailableError {
  /**
   * @param errorName The error's name, such as `org.freedesktop.DBus.Error.AccessDenied`.
   * @param text The service's own message.
   * @param call The call's name.
   */
  constructor(readonly errorName: string, readonly text: string, call: string) {
    super(`${call}: ${text || "refused"} (${errorName})`);
  }
}

/** Error names that callers check for. */
export const ERROR_NAMES = {
  accessDenied: "org.freedesktop.DBus.Error.AccessDenied",
  noSuchService: "org.freedesktop.DBus.Error.ServiceUnknown",
  noOwner: "org.freedesktop.DBus.Error.NameHasNoOwner",
  limitsExceeded: "org.freedesktop.DBus.Error.LimitsExceeded",
  unknownMethod: "org.freedesktop.DBus.Error.UnknownMethod",
  unknownObject: "org.freedesktop.DBus.Error.UnknownObject",
} as const;

/** The service, or the bus, did not answer in time. It may still act on the call later. */
export class NoAnswerError extends DesktopUnavailableError {}

/**
 * The error for an answer that does not come.
 * @param what What was awaited.
 * @param ms How long the wait was, in milliseconds.
 */
export function tooLate(what: string, ms: number): NoAnswerError {
  return new NoAnswerError(`${what}: no answer within ${ms} ms`);
}

/** Maximum time for a bus to accept this user, or to make room for a message, in milliseconds. */
const PATIENCE_MS = 5000;

/** A received message. */
export interface Incoming extends Envelope {
  values: unknown[];
  /** File descriptors among the values; the receiver closes them. */
  fds: readonly number[];
}

/** A connection's user. */
interface BusUser {
  /**
   * Reads a message's values in its own way.
   * @param bytes The message's bytes, valid during the call.
   * @returns undefined to read them by their signature.
   * @throws MarshalError if the bytes do not fit.
   */
  decode?(message: Envelope, bytes: Uint8Array): unknown[] | undefined;
  /** Whether to read a copy's values; if omitted, they are never read. */
  readsCopy?(message: Envelope): boolean;
  handle(message: Incoming): void;
  /** Called once, when nothing can be sent or received any longer; closes the socket. */
  ended(error: DesktopUnavailableError): void;
}

/** An open connection. */
export class Channel {
  /**
   * The unique name that the bus assigned to this connection. After it is set, messages for other connections
   * (copies from a match rule) have no values unless the user reads copies, since their bodies are not read.
   */
  own: string | undefined;
  /** The connection's user; without one, the connection's end closes the socket. */
  user: BusUser | undefined;
  readonly messages: MessageSocket<Incoming>;
  /** Queued messages. */
  readonly #out = new ValueWriter();
  #serial = 0;

  /**
   * @param socket The socket of a bus that has accepted this user.
   * @param peer The bus as named in messages.
   */
  private constructor(readonly socket: Socket, readonly peer: string) {
    this.messages = new MessageSocket(socket, {
      lengthOf: messageLength,
      decode: (bytes, descriptors) => this.#decode(bytes, descriptors),
      most: MESSAGE_LIMIT,
      decodeStart: refusalOf,
      invalid: MarshalError,
    }, {
      handle: (message) => this.user?.handle(message),
      flush: () => this.#flush(),
      ended: (error) => this.user ? this.user.ended(error) : socket.close(),
      tooLate,
    });
  }

  /**
   * Connects to a bus.
   * @param sockets Paths of sockets; the first one that answers is used.
   * @param peer The bus as named in messages.
   * @throws NoDesktopError if no bus listens there; DesktopUnavailableError if the bus refuses this user, or
   * does not answer.
   */
  static open(sockets: readonly string[], peer = "session bus"): Channel {
    return Channel.over(connect(sockets, peer), peer, PATIENCE_MS);
  }

  /** Connects like {@linkcode open} without blocking the thread while the bus accepts this user. */
  static async openAside(sockets: readonly string[], peer = "session bus"): Promise<Channel> {
    return await closedOnFailure(connect(sockets, peer), async (socket) => {
      for (const left of authentication(socket, Deno.uid()!, PATIENCE_MS)) {
        await socket.c.poll_waiting(Int32Array.of(socket.fd, POLLIN), 1n, Math.ceil(left));
      }
      return new Channel(socket, peer);
    });
  }

  /**
   * Creates a channel over a socket, which is closed if that fails.
   * @param ms Maximum time for the other side to accept this user, in milliseconds.
   * @throws DesktopUnavailableError if it refuses this user, or does not answer.
   */
  static over(socket: Socket, peer: string, ms: number): Channel {
    return closedOnFailure(socket, () => {
      for (const left of authentication(socket, Deno.uid()!, ms)) socket.wait(POLLIN, left);
      return new Channel(socket, peer);
    });
  }

  /**
   * Sends a message.
   * @returns Its serial number.
   * @throws MarshalError if the values do not fit the signature; DesktopUnavailableError if the bus is gone.
   */
  send(message: Omit<Outgoing, "serial">): number {
    this.#flush(); // descriptors travel with the first byte of the data
    const serial = this.queue(message);
    this.#flush();
    return serial;
  }

  /**
   * Queues a message without file descriptors, which is sent before the next message, or when a wait begins:
   * sending many together takes less time.
   * @returns Its serial number.
   * @throws The errors of {@linkcode send}.
   */
  queue(message: Omit<Outgoing, "serial">): number {
    this.messages.check();
    const serial = this.#serial = this.#serial % 0xffffffff + 1;
    encodeMessage({ ...message, serial }, this.#out);
    return serial;
  }

  /** Whether a message is addressed to another connection, by its name: this connection has only its own. */
  isCopy({ destination }: Envelope): boolean {
    return this.own !== undefined && destination !== undefined && destination !== this.own;
  }

  /** Closes the file descriptors of a message that has no receiver. */
  discard({ fds }: Incoming): void {
    for (const fd of fds) this.socket.c.close(fd);
  }

  /** Ends the connection. Safe to call twice. */
  close(): void {
    this.messages.end(`the connection to the ${this.peer} is closed`);
  }

  #flush(): void {
    const { bytes, descriptors } = this.#out;
    if (!bytes.length) return;
    try {
      this.messages.send(bytes, descriptors, PATIENCE_MS);
    } finally {
      this.#out.cut();
    }
  }

  #decode(bytes: Uint8Array, descriptors: number[]): Incoming {
    const envelope = decodeEnvelope(bytes);
    const message: Incoming = Object.assign(envelope, {
      fds: descriptors.splice(0, envelope.descriptors ?? 0),
      values: [],
    });
    if (this.isCopy(envelope) && !this.user?.readsCopy?.(envelope)) return message;
    try {
      message.values = this.user?.decode?.(envelope, bytes) ?? decodeBody(bytes, envelope, message.fds);
      return message;
    } catch (error) {
      this.discard(message);
      throw error;
    }
  }
}

/** A message type that does not exist, so the message is dropped. */
const NO_TYPE = 0;

/**
 * Replaces a message that is too long: an answer becomes an error, and any other message is dropped.
 * @param bytes The start of the message.
 * @returns undefined if the bytes do not contain the whole header.
 */
function refusalOf(bytes: Uint8Array, descriptors: number[]): Incoming | undefined {
  const envelope = attempt(() => decodeEnvelope(bytes), undefined, MarshalError);
  if (!envelope) return undefined;
  const type = envelope.type === MESSAGE.reply ? MESSAGE.error : NO_TYPE;
  const fds = descriptors.splice(0, envelope.descriptors ?? 0);
  return { ...envelope, type, errorName: ERROR_NAMES.limitsExceeded, signature: "", fds, values: [] };
}

/** Maximum length of a line in a bus's answer. */
const LINE_LIMIT = 1024;
const TEXT = new TextEncoder();

/** Connects to the first socket that answers. @throws NoDesktopError if none does. */
function connect(sockets: readonly string[], peer: string): Socket {
  const c = openLibc();
  for (const path of sockets) {
    const socket = Socket.connect(c, path, `the ${peer}`);
    if (socket) return socket;
  }
  const places = sockets.map((path) => path.replace("\0", "@")).join(", ");
  throw new NoDesktopError(`there is no ${peer} at ${places}, or this user has no access to it`);
}

/**
 * Authenticates this user, whom the bus identifies by the socket, and asks the bus to pass file descriptors.
 * Yields the time in milliseconds within which more bytes must arrive.
 * @param ms Maximum time for authentication, in milliseconds.
 * @throws DesktopUnavailableError if the bus refuses; NoAnswerError if it does not answer in time.
 */
function* authentication(socket: Socket, uid: number, ms: number): Generator<number, void> {
  const end = performance.now() + ms;
  const exchange = function* (line: string, expected: string) {
    socket.send(TEXT.encode(`${line}\r\n`), [], ms);
    const answer = yield* readLine(socket, end);
    if (answer.split(" ")[0] === expected) return;
    throw new DesktopUnavailableError(
      `${socket.peer} does not accept connections from user ${uid}: a session bus serves only the user of its session`,
    );
  };
  yield* exchange(`\0AUTH EXTERNAL ${hexOfDigits(uid)}`, "OK");
  yield* exchange("NEGOTIATE_UNIX_FD", "AGREE_UNIX_FD");
  socket.send(TEXT.encode("BEGIN\r\n"), [], ms);
}

function* readLine(socket: Socket, end: number): Generator<number, string> {
  for (;;) {
    const text = new TextDecoder().decode(socket.received), at = text.indexOf("\r\n");
    if (at >= 0) {
      socket.consume(at + 2); // a bus writes ASCII, so characters are bytes
      return text.slice(0, at);
    }
    if (text.length > LINE_LIMIT) throw new DesktopUnavailableError(`${socket.peer} does not speak D-Bus`);
    if (!socket.receive()) {
      const left = end - performance.now();
      if (left <= 0) throw new NoAnswerError(`${socket.peer} is not responding`);
      yield left;
    }
  }
}

/** The hexadecimal codes of a number's decimal digits, the protocol's format for user ids. */
function hexOfDigits(uid: number): string {
  return Array.from(String(uid), (digit) => digit.charCodeAt(0).toString(16)).join("");
}
