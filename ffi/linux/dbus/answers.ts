/** Answers to calls: results and errors from services, and deskhand's answers to other programs. */

import { DesktopUnavailableError } from "../../../core/errors.ts";
import { timeByLoad } from "../../../core/proc.ts";
import { deadline } from "../../../core/until.ts";
import { Poller } from "../libc.ts";
import type { Socket } from "../socket.ts";
import { BusError, type Channel, ERROR_NAMES, type Incoming, tooLate } from "./channel.ts";
import { DAEMON, FLAG, MESSAGE } from "./message.ts";
import type { Sent, Values } from "./values.ts";

/** A method's result. */
export interface Reply {
  /** The signature of the values. */
  signature: string;
  args: readonly Sent[];
}

/**
 * Returns the values of an answer.
 * @param reply The required signature of the values; an empty one accepts any answer, and returns no values.
 * @param name The called method's name, for the error.
 * @param channel Closes file descriptors that are not part of the result.
 * @throws BusError if the service refused; DesktopUnavailableError if the answer has another signature.
 */
export function valuesOf<Reply extends string>(
  answer: Incoming,
  reply: Reply,
  name: string,
  channel: Channel,
): Values<Reply> {
  const { type, values, signature = "", errorName = "" } = answer;
  if (type === MESSAGE.reply && signature === reply) return values as Values<Reply>;
  channel.discard(answer);
  if (type === MESSAGE.error) {
    throw new BusError(errorName, typeof values[0] === "string" ? values[0] : "", name);
  }
  if (reply === "") return [] as Values<Reply>;
  throw new DesktopUnavailableError(
    `${name}: the answer has the type "${signature}" instead of "${reply}"`,
  );
}

/**
 * Answers another program's call, which would otherwise wait in vain.
 * @param reply The method's result; undefined refuses the call.
 */
export function answerCall(channel: Channel, { flags, serial, sender }: Incoming, reply?: Reply): void {
  if (flags & FLAG.noReply || !sender) return;
  const fields = { destination: sender, replySerial: serial };
  if (reply) return void channel.send({ type: MESSAGE.reply, flags: FLAG.noReply, fields, ...reply });
  const errorName = ERROR_NAMES.unknownMethod, args = ["deskhand offers no methods"];
  channel.send({
    type: MESSAGE.error,
    flags: FLAG.noReply,
    fields: { ...fields, errorName },
    signature: "s",
    args,
  });
}

// A connection's pending calls.

/** A call that is waiting for its answer. */
interface Pending {
  settle(answer: Incoming): void;
  fail?(error: Error): void;
}

/** Pending calls by their serial numbers. */
export class PendingCalls extends Map<number, Pending> {
  /** Passes an answer to its call. Safe if the caller is no longer waiting. */
  answer(message: Incoming, channel: Channel): void {
    const pending = this.get(message.replySerial!);
    if (!pending) return channel.discard(message);
    this.delete(message.replySerial!);
    pending.settle(message);
  }

  /** Reports to the callers that the bus is gone. */
  end(error: DesktopUnavailableError): void {
    for (const { fail } of this.values()) fail?.(error);
  }

  /**
   * Adds a call whose caller polls for the answer.
   * @returns A function that returns true once the answer has come, false for an error, undefined before.
   */
  watch(serial: number, channel: Channel): () => boolean | undefined {
    let hasValues: boolean | undefined;
    const settle = (message: Incoming) => {
      hasValues = message.type === MESSAGE.reply;
      channel.discard(message);
    };
    this.set(serial, { settle });
    return () => hasValues;
  }
}

// The limit on waiting for a service's answer.

/** Maximum time for a service to answer, in milliseconds. */
export const ANSWER_MS = 5000;

/**
 * Ends a wait that takes too long. The machine's load is checked only after the usual time.
 * @param what What is awaited.
 * @param ms Maximum time for the service, in milliseconds; if omitted, {@linkcode ANSWER_MS}, and up to four
 * times that on a busy machine, whose compositor may get no processor time for seconds.
 * @param giveUp Receives the error for an answer that does not come.
 * @returns A function that removes the limit.
 */
export function limitWait(
  what: string,
  ms: number | undefined,
  giveUp: (error: Error) => void,
): () => void {
  const start = performance.now();
  const late = () => {
    const limit = ms ?? timeByLoad(ANSWER_MS);
    const left = start + limit - performance.now();
    if (left > 0) withdraw = deadline(left, late);
    else giveUp(tooLate(what, limit));
  };
  let withdraw = deadline(ms ?? ANSWER_MS, late);
  return () => withdraw();
}

// Listeners for signals on a bus.

/** A filter for signals; an omitted field matches any value. */
export interface MatchRule {
  /** A unique name (`:1.5`), or a well-known one, which the bus then resolves. */
  sender?: string;
  path?: string;
  interface?: string;
  member?: string;
  /** The signal's first value, a string. */
  arg0?: string;
}

/** A received signal. */
export interface Signal {
  sender: string;
  path: string;
  interface: string;
  member: string;
  signature: string;
  /** The signal's values. File descriptors among them are closed after the listeners have returned. */
  values: unknown[];
}

/** Called with each signal that matches a rule. */
export type SignalListener = (signal: Signal) => void;

/** A connection's listeners. */
export class Listeners {
  readonly #all = new Set<{ rule: MatchRule; listener: SignalListener }>();

  /** @returns A function that removes the listener, and returns whether the listener was still registered. */
  add(rule: MatchRule, listener: SignalListener): () => boolean {
    const entry = { rule, listener };
    this.#all.add(entry);
    return () => this.#all.delete(entry);
  }

  /** Calls the listeners whose rules match a signal. */
  handOut(message: Incoming): void {
    const { sender = "", path = "", interface: name = "", member = "", signature = "", values } = message;
    const signal: Signal = { sender, path, interface: name, member, signature, values };
    for (const { rule, listener } of [...this.#all]) if (matches(rule, signal)) listener(signal);
  }
}

/**
 * A rule in the bus's format (D-Bus Specification, "Match Rules").
 * @example
 * matchText({ member: "Closed" }); // "type='signal',member='Closed'"
 */
export function matchText(rule: MatchRule): string {
  const pairs = Object.entries({ type: "signal", ...rule }).filter(([, value]) => value !== undefined);
  return pairs.map(([key, value]) => `${key}='${value.replaceAll("'", String.raw`'\''`)}'`).join(",");
}

/**
 * Whether a rule matches a signal. The bus sends each signal that any rule matches, and signals addressed to
 * this connection, so each listener's rule must be checked again.
 */
function matches(rule: MatchRule, signal: Signal): boolean {
  const { sender, arg0, ...others } = rule;
  // Only the bus knows the owner of a well-known name.
  const isSender = sender?.startsWith(":") || sender === DAEMON.destination;
  if (isSender && sender !== signal.sender) return false;
  if (arg0 !== undefined && arg0 !== signal.values[0]) return false;
  return Object.entries(others).every(([key, value]) =>
    value === undefined || signal[key as keyof typeof others] === value
  );
}

// Dispatches messages that arrive at a socket while this thread does other work.

/** The pump for a bus's socket, which runs while a caller holds it. */
export class Pump {
  #holds = 0;
  #poller: Poller | undefined;
  #isClosed = false;

  /**
   * @param socket The socket, which the pump closes when the last wait has ended.
   * @param onReadable Called when data may have arrived.
   */
  constructor(readonly socket: Socket, readonly onReadable: () => void) {}

  /**
   * Keeps the pump running.
   * @returns A function that releases the pump; safe to call twice.
   */
  hold(): () => void {
    let isHeld = true;
    this.#holds++;
    if (!this.#poller && !this.#isClosed) void this.#run();
    return () => {
      if (!isHeld) return;
      isHeld = false;
      if (--this.#holds === 0) this.#poller?.stop();
    };
  }

  /** Stops the pump and closes the socket. Safe to call twice. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#poller) this.#poller.stop();
    else this.socket.close();
  }

  async #run(): Promise<void> {
    const { c, fd } = this.socket;
    try {
      while (this.#holds && !this.#isClosed) { // a new hold may begin before the last loop has ended
        this.#poller = new Poller(c, () => [fd]);
        await this.#poller.run(this.onReadable);
      }
    } finally {
      this.#poller = undefined;
      if (this.#isClosed) this.socket.close();
    }
  }
}
