/**
 * Many concurrent calls on the accessibility bus: each program receives several calls before it has answered,
 * and a slow program does not delay others.
 */

import { DesktopUnavailableError, StateError } from "../../core/errors.ts";
import { loadPerProcessor, timeByLoad } from "../../core/proc.ts";
import { Channel, ERROR_NAMES, type Incoming } from "../linux/dbus/channel.ts";
import { DAEMON, type Envelope, MESSAGE } from "../linux/dbus/message.ts";
import { ValueReader } from "../linux/dbus/marshalling.ts";
import { Socket } from "../linux/socket.ts";
import { Link, type LinkUser, OwnSockets } from "./links.ts";
import { type Call, ROOT_PATH } from "./objects.ts";

/** Reads an answer as its call specifies. */
function decodeAnswer(
  call: Call | undefined,
  { type, signature = "", isLittle, bodyAt }: Envelope,
  bytes: Uint8Array,
): unknown[] | undefined {
  if (type !== MESSAGE.reply) return undefined;
  return call?.decode?.(new ValueReader(bytes, isLittle, [], bodyAt), signature);
}

/** Whether an answer comes from the called program, or from the bus, which knows that the program is gone. */
function isFrom({ sender }: Incoming, { object: { destination } }: Call): boolean {
  return sender === destination || sender === DAEMON.destination || !destination.startsWith(":");
}

// How long to wait for programs. A program that does not answer in time is given up for a while.

/** Time without an answer after which a program counts as hung, in milliseconds, on an idle machine. */
const SILENCE_MS = 300;
/** Maximum time without an answer for a once late program, or on a busy machine, in milliseconds. */
const LONGEST_SILENCE_MS = 1500;
/**
 * Maximum time until a program that was given up is asked again, in milliseconds; it is asked sooner if it
 * sends the missing answers.
 */
const FORGIVEN_MS = 10_000;

/** Interval between checks whether the caller has left, in milliseconds. */
const LEFT_MS = 50;

/** How long the machine's load is cached, in milliseconds. */
const LOAD_MS = 1000;

/** Programs that were given up, by bus name, and when each is asked again. */
export type SilentPrograms = Map<string, number>;

/** The patience with each program. */
class Patience {
  /** Time limits for programs that were late before, in milliseconds. */
  readonly #limits = new Map<string, number>();

  #isBusy = false;
  #loadAt = -Infinity;

  /** @param silent Programs that were given up before. */
  constructor(readonly silent: SilentPrograms) {}

  /** Whether more threads are runnable than there are processors. */
  get isBusy(): boolean {
    const now = performance.now();
    if (now - this.#loadAt < LOAD_MS) return this.#isBusy;
    this.#loadAt = now;
    return this.#isBusy = loadPerProcessor() > 1;
  }

  /** Records a message from a program: if it was given up, it was only late, and is granted more time. */
  heard(name: string): void {
    if (this.silent.delete(name)) this.#limits.set(name, Math.min(2 * this.#of(name), LONGEST_SILENCE_MS));
  }

  /** Whether a time without an answer, in milliseconds, is too long. */
  isOver(name: string, ms: number): boolean {
    return ms >= SILENCE_MS && ms >= this.#of(name);
  }

  /** Gives a program up. */
  end(name: string): void {
    this.silent.set(name, performance.now() + FORGIVEN_MS);
  }

  /** Whether a program is given up, and not yet asked again. */
  isOut(name: string): boolean {
    const until = this.silent.get(name);
    if (until !== undefined && until > performance.now()) return true;
    this.silent.delete(name);
    return false;
  }

  #of(name: string): number {
    return this.#limits.get(name) ?? timeByLoad(SILENCE_MS, LONGEST_SILENCE_MS);
  }
}

/**
 * Maximum number of calls sent to a program before it has answered the first, and the number of missing
 * answers at which more are sent, since each sending wakes the program.
 */
const DEPTH = 128, LOW = 64;
/**
 * Number of missing answers awaited one by one, and the pause for each further one, in microseconds: a
 * quarter of the programs' time.
 */
const FEW = 16, REST_US = 5;
/** Interval between checks of a program whose answer is overdue, in milliseconds. */
const OVERDUE_MS = 30;

/** Interval between checks for events on connections that send nothing, in milliseconds. */
const TAKE_MS = 1000;

/** A program that is called. */
interface Peer {
  readonly name: string;
  readonly waiting: Call[];
  sent: number;
  lastAnswer: number;
  isSilent: boolean;
  /** The connection used to call it. */
  link: Link<Pending>;
}

/** A sent call. */
interface Pending {
  call: Call;
  peer: Peer;
}

/** A connection to the bus that sends calls and waits for their answers. */
export class Calls {
  readonly #bus: Link<Pending>;
  /** Programs' own sockets, over which calls go if they are open. */
  readonly own: OwnSockets<Pending>;
  readonly #peers = new Map<string, Peer>();
  readonly #patience: Patience;
  /** Whether a call was refused because its program had already been given up. */
  #isRefused = false;
  #isFlooded = false;
  #isBusy = false;
  #taking: ReturnType<typeof setInterval> | undefined;
  /** Receives the sender of each signal. */
  onSignal: (sender: string) => void = () => {};
  /** Whose number becomes 1 when the caller of the running work leaves; undefined if it cannot leave. */
  left: Int32Array | undefined;

  /**
   * @param sockets Paths of the bus's sockets, the first one of which that answers is used.
   * @param silent Programs that an earlier connection gave up.
   * @throws NoDesktopError if no bus listens there; DesktopUnavailableError if it refuses this user.
   */
  constructor(sockets: readonly string[], readonly silent: SilentPrograms = new Map()) {
    this.#patience = new Patience(silent);
    const user: LinkUser<Pending> = {
      decode: (pending, message, bytes) => decodeAnswer(pending?.call, message, bytes),
      take: (message, link) => this.#take(message, link),
    };
    this.#bus = new Link(Channel.open(sockets, "accessibility bus"), user);
    this.own = new OwnSockets(user);
    this.add({
      object: DAEMON,
      member: "Hello",
      then: (values) => this.#bus.channel.own = values?.[0] as string | undefined,
    });
    this.run(5000);
  }

  /** Whether the bus is gone. */
  get isLost(): boolean {
    return this.#bus.isLost;
  }

  /**
   * Whether a program's answer was longer than deskhand reads. Further answers would wait behind the rest of
   * it, so a new connection is faster.
   */
  get isFlooded(): boolean {
    return this.#isFlooded;
  }

  /** Adds a call. A call to this connection itself is refused immediately, since nothing would answer it. */
  add(call: Call): void {
    const { destination } = call.object;
    if (destination === this.#bus.channel.own) return call.then(undefined);
    const peer = this.#peer(destination);
    if (!peer.isSilent) return void peer.waiting.push(call);
    this.#isRefused = true;
    call.then(undefined);
  }

  #peer(name: string): Peer {
    const present = this.#peers.get(name);
    if (present) return present;
    const isSilent = this.#isGivenUp(name), link = !isSilent && this.own.of(name) || this.#bus;
    const peer: Peer = { name, waiting: [], sent: 0, lastAnswer: 0, isSilent, link };
    this.#peers.set(name, peer);
    return peer;
  }

  #isGivenUp(name: string): boolean {
    if (!this.silent.has(name)) return false;
    this.#bus.channel.messages.dispatch(performance.now() + SILENCE_MS); // the answer may have arrived since
    return this.#patience.isOut(name);
  }

  /**
   * Sends the calls, and those that answer handlers add, and waits for the answers.
   * @param ms Maximum time, in milliseconds.
   * @returns Whether every call was answered.
   * @throws DesktopUnavailableError if the bus is gone; StateError if the caller leaves.
   */
  run(ms: number): boolean {
    const end = performance.now() + ms;
    this.#isBusy = this.#patience.isBusy;
    try {
      return this.#answersUntil(end) && !this.#isRefused;
    } finally {
      this.#isRefused = false;
      this.#peers.clear();
      for (const { pending } of this.#links()) pending.clear();
      this.own.used();
    }
  }

  /**
   * Checks a last time that the caller has not left, before a call that changes something: such a call is
   * finished even if the caller leaves.
   * @throws StateError if it has left.
   */
  commit(): void {
    this.#checkLeft();
    this.left = undefined;
  }

  #checkLeft(): void {
    if (this.left && Atomics.load(this.left, 0)) throw new StateError("the caller has left");
  }

  #answersUntil(end: number): boolean {
    let isWhole = true;
    while (this.#send()) {
      const longest = Math.min(this.#untilOverdue(), end - performance.now());
      this.#await(() => this.#isSendable(), Math.max(1, this.left ? Math.min(longest, LEFT_MS) : longest));
      this.#checkLeft();
      const now = performance.now();
      if (this.#giveUp(now, now >= end)) isWhole = false;
    }
    return isWhole;
  }

  /** The time until the next answer is overdue, in milliseconds. */
  #untilOverdue(): number {
    let first = Infinity;
    for (const { sent, lastAnswer } of this.#peers.values()) if (sent) first = Math.min(first, lastAnswer);
    const left = first + SILENCE_MS - performance.now();
    return left > 0 ? left : OVERDUE_MS;
  }

  /** Whether calls can be sent, or no answer is missing. */
  #isSendable(): boolean {
    for (const { sent, waiting } of this.#peers.values()) if (waiting.length && sent <= LOW) return true;
    return !this.#missing;
  }

  /** The number of missing answers. */
  get #missing(): number {
    let count = 0;
    for (const { sent } of this.#peers.values()) count += sent;
    return count;
  }

  /**
   * Waits for a condition, and handles arriving messages.
   * @param ms Maximum time, in milliseconds.
   * @throws DesktopUnavailableError if the bus is gone.
   */
  #await(isDone: () => boolean, ms: number): void {
    let readable: Link<Pending>[] = [];
    for (const end = performance.now() + ms;;) {
      for (const link of this.#links()) {
        this.#use(link, ({ messages }) => messages.dispatchPolled(end, readable.includes(link)));
      }
      const left = end - performance.now();
      if (isDone() || left <= 0) return;
      this.#restUntilMore();
      readable = Socket.waitAny(this.#links(), left);
    }
  }

  /**
   * Sleeps, on a busy machine, until about a quarter of many missing answers have arrived: waking for each
   * one takes a third more of this process's time and of the program's. On an idle processor, waking is
   * faster.
   */
  #restUntilMore(): void {
    const missing = this.#missing;
    if (missing >= FEW && this.#isBusy) this.#bus.socket.c.usleep(REST_US * missing);
  }

  /** Sends to or receives from a connection. A program's own connection may be lost. */
  #use(link: Link<Pending>, run: (channel: Channel) => void): void {
    try {
      run(link.channel);
    } catch (error) {
      if (link === this.#bus || !(error instanceof DesktopUnavailableError)) throw error;
      this.own.drop(link);
      const sent = [...link.pending.values()];
      link.pending.clear();
      for (const { call, peer } of sent) {
        peer.link = this.#bus;
        peer.sent--;
        call.then(undefined); // a retry might press twice
      }
    }
  }

  #links(): Link<Pending>[] {
    return [this.#bus, ...this.own.links];
  }

  /** Sends the calls that may be sent now. Returns whether answers are missing. */
  #send(): boolean {
    for (const peer of this.#peers.values()) {
      if (peer.sent > LOW) continue;
      for (const call of peer.waiting.splice(0, DEPTH - peer.sent)) this.#sendTo(peer, call);
    }
    return this.#missing > 0;
  }

  #sendTo(peer: Peer, call: Call): void {
    const { object: { destination, path, interface: type }, member, signature = "", args = [] } = call;
    if (!peer.sent++) peer.lastAnswer = performance.now();
    const fields = { destination, path, interface: type, member };
    const { channel, pending } = peer.link;
    pending.set(channel.queue({ type: MESSAGE.call, fields, signature, args }), { call, peer });
  }

  #take(message: Incoming, { channel, app, pending: sent }: Link<Pending>): void {
    channel.discard(message);
    // Over a program's own socket, the sender is that program, whatever the message claims.
    const { type, replySerial, values, errorName } = message, sender = app ?? message.sender;
    if (sender !== undefined) this.#patience.heard(sender);
    if (type === MESSAGE.signal && sender !== undefined) return this.onSignal(sender);
    if (errorName === ERROR_NAMES.limitsExceeded) this.#isFlooded = true;
    const pending = replySerial === undefined ? undefined : sent.get(replySerial);
    if (!pending || app === undefined && !isFrom(message, pending.call)) return;
    sent.delete(replySerial!);
    pending.peer.sent--;
    pending.peer.lastAnswer = performance.now();
    pending.call.then(type === MESSAGE.reply ? values : undefined);
  }

  /**
   * Gives up programs whose answers are overdue.
   * @param isOver Whether the time limit for all calls has passed.
   * @returns Whether a program was given up.
   */
  #giveUp(now: number, isOver: boolean): boolean {
    let any = false;
    for (const [name, peer] of this.#peers) {
      const isSilent = peer.sent > 0 && this.#patience.isOver(name, now - peer.lastAnswer);
      if (!peer.sent || !isSilent && !isOver) continue;
      any = peer.isSilent = true;
      if (isSilent) this.#patience.end(name);
      if (isSilent && peer.link !== this.#bus) this.#greet(name);
      const { pending } = peer.link, sent = [...pending].filter(([, { peer: owing }]) => owing === peer);
      for (const [serial] of sent) pending.delete(serial);
      peer.sent = 0;
      const calls = [...sent.map(([, { call }]) => call), ...peer.waiting.splice(0)];
      for (const call of calls) call.then(undefined);
    }
    return any;
  }

  /**
   * Asks a program over the bus for an answer, which shows that it is back (D-Bus specification, Peer.Ping):
   * its own connection may be closed by then, and the missing answers with it.
   */
  #greet(destination: string): void {
    const fields = { destination, path: ROOT_PATH, interface: "org.freedesktop.DBus.Peer", member: "Ping" };
    const { channel } = this.#bus;
    channel.queue({ type: MESSAGE.call, fields, signature: "", args: [] });
    channel.messages.dispatch(performance.now());
  }

  /**
   * Handles messages that have arrived, without waiting.
   * @param ms Maximum time, in milliseconds.
   * @throws DesktopUnavailableError if the bus is gone.
   */
  take(ms: number): void {
    const end = performance.now() + ms;
    for (const link of this.#links()) this.#use(link, ({ messages }) => messages.dispatch(end));
  }

  /**
   * Retires the connection over which a program was told to act, as {@linkcode OwnSockets.retire} does, and
   * reads the events that the program sends there.
   */
  retire(app: string): void {
    this.own.retire(app);
    if (!this.own.haveActed) return;
    this.#taking ??= setInterval(() => {
      try {
        this.take(0);
      } catch {
        this.#stopTaking(); // the next call reports that the bus is gone
      }
      if (!this.own.haveActed) this.#stopTaking();
    }, TAKE_MS);
  }

  #stopTaking(): void {
    clearInterval(this.#taking);
    this.#taking = undefined;
  }

  close(): void {
    this.#stopTaking();
    this.own.end();
    this.#bus.channel.close();
  }
}
