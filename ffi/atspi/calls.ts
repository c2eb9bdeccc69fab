/**
 * Many calls at once on the accessibility bus: each program gets several calls before it has answered, and a slow
 * program delays no other.
 */

import { DesktopUnavailableError } from "../../core/errors.ts";
import { Channel, type Incoming } from "../linux/dbus/channel.ts";
import { ERROR_NAMES } from "../linux/dbus/errors.ts";
import { type Envelope, MESSAGE } from "../linux/dbus/message.ts";
import { DAEMON, type RemoteObject } from "../linux/dbus/objects.ts";
import { ValueReader } from "../linux/dbus/reader.ts";
import { loadPerProcessor } from "../linux/proc.ts";
import type { Sent } from "../linux/dbus/values.ts";

/** The number of calls that a program gets before it has answered the first; more calls are no faster. */
const DEPTH = 64;
/** The time without an answer after which a program counts as hung, in milliseconds, if the machine is not busy. */
const SILENCE_MS = 300;
/** The longest time without an answer for a program that answered late before, or on a busy machine, in milliseconds. */
const LONGEST_SILENCE_MS = 1500;
/**
 * The time after which a program that was given up is asked again at the latest, in milliseconds; earlier if it sends
 * the missing answers.
 */
const FORGIVEN_MS = 10_000;

/** A call, and the function that receives its answer. */
export interface Call {
  object: RemoteObject;
  member: string;
  signature?: string;
  args?: readonly Sent[];
  /** Reads the values out of the answer's body, where that is faster than by its signature. */
  decode?(reader: ValueReader, signature: string): unknown[];
  /** Gets the values of the answer; undefined if the program refuses or is silent. May add further calls. */
  then(values: unknown[] | undefined): void;
}

/** A program that calls go to. */
interface Peer {
  readonly waiting: Call[];
  sent: number;
  lastAnswer: number;
  isSilent: boolean;
}

/** Programs that were given up, by their names on the bus, and when each is asked again. */
export type SilentPrograms = Map<string, number>;

/** A connection to the bus that sends calls and waits for their answers. */
export class Calls {
  readonly #channel: Channel;
  readonly #peers = new Map<string, Peer>();
  readonly #bySerial = new Map<number, { call: Call; peer: Peer }>();
  /** Limits of silence of programs that answered late, in milliseconds. */
  readonly #patience = new Map<string, number>();
  #answered = 0;
  /** Tells whether a call was refused because its program was given up before. */
  #isRefused = false;
  #isFlooded = false;
  /** Gets the sender of each signal. */
  onSignal: (sender: string) => void = () => {};

  /**
   * @param sockets Paths of the bus's sockets, of which the first that answers is taken.
   * @param silent Programs that an earlier connection gave up.
   * @throws NoDesktopError if no bus listens there; DesktopUnavailableError if it does not let this user in.
   */
  constructor(sockets: readonly string[], readonly silent: SilentPrograms = new Map()) {
    this.#channel = Channel.open(sockets, "accessibility bus");
    this.#channel.user = {
      decode: (message, bytes) => this.#decode(message, bytes),
      handle: (message) => this.#take(message),
      ended: () => this.#channel.socket.close(),
    };
    this.add({
      object: DAEMON,
      member: "Hello",
      then: (values) => this.#channel.own = values?.[0] as string | undefined,
    });
    this.run(5000);
  }

  /** Tells whether the bus is gone. */
  get isLost(): boolean {
    return this.#channel.messages.isLost;
  }

  /**
   * Tells whether a program's answer was longer than deskhand reads. Further answers would wait behind the rest of
   * the long one, so a new connection is faster.
   */
  get isFlooded(): boolean {
    return this.#isFlooded;
  }

  /** Adds a call. A call to this connection itself is refused at once, since nothing would answer it. */
  add(call: Call): void {
    const { destination } = call.object;
    if (destination === this.#channel.own) return call.then(undefined);
    const peer = this.#peer(destination);
    if (!peer.isSilent) return void peer.waiting.push(call);
    this.#isRefused = true;
    call.then(undefined);
  }

  #peer(name: string): Peer {
    const present = this.#peers.get(name);
    if (present) return present;
    const peer: Peer = { waiting: [], sent: 0, lastAnswer: 0, isSilent: this.#isGivenUp(name) };
    this.#peers.set(name, peer);
    return peer;
  }

  #isGivenUp(name: string): boolean {
    if (!this.silent.has(name)) return false;
    this.#channel.messages.dispatch(performance.now() + SILENCE_MS); // the answer may have arrived since
    const until = this.silent.get(name);
    if (until !== undefined && until > performance.now()) return true;
    this.silent.delete(name);
    return false;
  }

  /**
   * Sends the calls, and those that handlers of answers add, and waits for the answers.
   * @param ms The longest time, in milliseconds.
   * @returns Whether every call was answered.
   * @throws DesktopUnavailableError if the bus is gone.
   */
  run(ms: number): boolean {
    const end = performance.now() + ms;
    try {
      return this.#answersUntil(end) && !this.#isRefused;
    } finally {
      this.#isRefused = false;
      this.#peers.clear();
      this.#bySerial.clear();
    }
  }

  #answersUntil(end: number): boolean {
    let isWhole = true;
    while (this.#send()) {
      const answered = this.#answered, left = Math.min(SILENCE_MS, end - performance.now());
      try {
        this.#channel.messages.until(() => this.#answered !== answered, "an answer", Math.max(1, left));
      } catch (error) {
        if (this.isLost || !(error instanceof DesktopUnavailableError)) throw error;
        // otherwise no program has answered for a while
      }
      const now = performance.now();
      if (this.#giveUp(now, now >= end)) isWhole = false;
    }
    return isWhole;
  }

  /** Sends the calls that may be sent now. Returns whether answers are missing. */
  #send(): boolean {
    let isMissing = false;
    for (const peer of this.#peers.values()) {
      while (peer.waiting.length && peer.sent < DEPTH) this.#sendTo(peer, peer.waiting.shift()!);
      isMissing ||= peer.sent > 0;
    }
    return isMissing;
  }

  #sendTo(peer: Peer, call: Call): void {
    const { object: { destination, path, interface: type }, member, signature = "", args = [] } = call;
    if (!peer.sent++) peer.lastAnswer = performance.now();
    const fields = { destination, path, interface: type, member };
    this.#bySerial.set(this.#channel.queue({ type: MESSAGE.call, fields, signature, args }), { call, peer });
  }

  #decode({ type, replySerial, signature = "", isLittle, bodyAt }: Envelope, bytes: Uint8Array) {
    if (type !== MESSAGE.reply || replySerial === undefined) return undefined;
    const decode = this.#bySerial.get(replySerial)?.call.decode;
    return decode?.(new ValueReader(bytes, isLittle, [], bodyAt), signature);
  }

  #take(message: Incoming): void {
    this.#channel.discard(message);
    const { type, replySerial, values, sender, errorName } = message;
    if (sender !== undefined && this.silent.delete(sender)) {
      this.#patience.set(sender, Math.min(2 * this.#patienceOf(sender), LONGEST_SILENCE_MS));
    }
    if (type === MESSAGE.signal && sender !== undefined) return this.onSignal(sender);
    if (errorName === ERROR_NAMES.limitsExceeded) this.#isFlooded = true;
    const pending = replySerial === undefined ? undefined : this.#bySerial.get(replySerial);
    if (!pending || !isFrom(message, pending.call)) return;
    this.#bySerial.delete(replySerial!);
    this.#answered++;
    pending.peer.sent--;
    pending.peer.lastAnswer = performance.now();
    pending.call.then(type === MESSAGE.reply ? values : undefined);
  }

  #patienceOf(name: string): number {
    return this.#patience.get(name) ??
      Math.min(LONGEST_SILENCE_MS, SILENCE_MS * Math.max(1, loadPerProcessor()));
  }

  #isSilent(name: string, ms: number): boolean {
    return ms >= SILENCE_MS && ms >= this.#patienceOf(name);
  }

  /**
   * Gives up programs whose answers are overdue.
   * @param isOver Whether the time limit of all calls is over.
   * @returns Whether a program was given up.
   */
  #giveUp(now: number, isOver: boolean): boolean {
    let any = false;
    for (const [name, peer] of this.#peers) {
      const isSilent = peer.sent > 0 && this.#isSilent(name, now - peer.lastAnswer);
      if (!peer.sent || !isSilent && !isOver) continue;
      any = peer.isSilent = true;
      if (isSilent) this.silent.set(name, now + FORGIVEN_MS);
      const sent = [...this.#bySerial].filter(([, pending]) => pending.peer === peer);
      for (const [serial] of sent) this.#bySerial.delete(serial);
      peer.sent = 0;
      const calls = [...sent.map(([, { call }]) => call), ...peer.waiting.splice(0)];
      for (const call of calls) call.then(undefined);
    }
    return any;
  }

  /**
   * Handles messages that have arrived, without waiting.
   * @param ms The longest time, in milliseconds.
   * @throws DesktopUnavailableError if the bus is gone.
   */
  take(ms: number): void {
    this.#channel.messages.dispatch(performance.now() + ms);
  }

  close(): void {
    this.#channel.close();
  }
}

/** Tells whether an answer comes from the program that was called, or from the bus, which knows that it is gone. */
function isFrom({ sender }: Incoming, { object: { destination } }: Call): boolean {
  return sender === destination || sender === DAEMON.destination || !destination.startsWith(":");
}
