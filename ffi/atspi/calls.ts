/** Many calls at once on the accessibility bus: each program gets several ahead of its answers, and none delays another. */

import { Channel, type Incoming } from "../linux/dbus/channel.ts";
import { MESSAGE } from "../linux/dbus/message.ts";
import { DAEMON, type RemoteObject } from "../linux/dbus/objects.ts";
import type { Sent } from "../linux/dbus/values.ts";

/** Calls that a program gets ahead of its answers; more of them are no faster. */
const DEPTH = 64;
/** A program that answers nothing for so long is given up, in milliseconds. */
const SILENCE_MS = 300;

/** A call, and what gets its answer. */
export interface Call {
  object: RemoteObject;
  member: string;
  signature?: string;
  args?: readonly Sent[];
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

/** A connection to the bus that sends calls and waits for their answers. */
export class Calls {
  readonly #channel: Channel;
  readonly #peers = new Map<string, Peer>();
  readonly #bySerial = new Map<number, { call: Call; peer: Peer }>();
  #answered = 0;

  /**
   * @param sockets Paths of the bus's sockets, of which the first that answers is taken.
   * @throws NoDesktopError if no bus listens there; DesktopUnavailableError if it does not let this user in.
   */
  constructor(sockets: readonly string[]) {
    this.#channel = Channel.open(sockets, "accessibility bus");
    this.#channel.user = {
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

  /** Adds a call. A reference to no program is refused at once: the bus ends the connection of a caller of "". */
  add(call: Call): void {
    const { destination } = call.object;
    if (!destination) return call.then(undefined);
    const peer = this.#peer(destination);
    if (peer.isSilent) call.then(undefined);
    else peer.waiting.push(call);
  }

  #peer(name: string): Peer {
    const present = this.#peers.get(name);
    if (present) return present;
    const peer: Peer = { waiting: [], sent: 0, lastAnswer: 0, isSilent: false };
    this.#peers.set(name, peer);
    return peer;
  }

  /**
   * Sends the calls, and those that their answers add, and waits for the answers.
   * @param ms The longest time, in milliseconds.
   * @returns Whether every call was answered.
   * @throws DesktopUnavailableError if the bus is gone.
   */
  run(ms: number): boolean {
    const end = performance.now() + ms;
    let isWhole = true;
    while (this.#send()) {
      const answered = this.#answered, left = Math.min(SILENCE_MS, end - performance.now());
      try {
        this.#channel.messages.until(() => this.#answered !== answered, "an answer", Math.max(1, left));
      } catch (error) {
        if (this.isLost) throw error; // else no program has answered for a while
      }
      const now = performance.now();
      if (this.#giveUp((peer) => now >= end || now - peer.lastAnswer >= SILENCE_MS)) isWhole = false;
    }
    this.#peers.clear(); // a program that was silent is asked again the next time
    return isWhole;
  }

  /** Sends what may be sent. Returns whether answers are missing. */
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
    this.#bySerial.set(this.#channel.send({ type: MESSAGE.call, fields, signature, args }), { call, peer });
  }

  #take(message: Incoming): void {
    this.#channel.discard(message);
    const { type, replySerial, values } = message;
    const pending = replySerial === undefined ? undefined : this.#bySerial.get(replySerial);
    if (!pending) return;
    this.#bySerial.delete(replySerial!);
    this.#answered++;
    pending.peer.sent--;
    pending.peer.lastAnswer = performance.now();
    pending.call.then(type === MESSAGE.reply ? values : undefined);
  }

  /** Gives up programs that owe answers. Returns whether there was one. */
  #giveUp(isLate: (peer: Peer) => boolean): boolean {
    let any = false;
    for (const peer of this.#peers.values()) {
      if (!peer.sent || !isLate(peer)) continue;
      any = peer.isSilent = true;
      const sent = [...this.#bySerial].filter(([, pending]) => pending.peer === peer);
      for (const [serial] of sent) this.#bySerial.delete(serial);
      peer.sent = 0;
      const calls = [...sent.map(([, { call }]) => call), ...peer.waiting.splice(0)];
      for (const call of calls) call.then(undefined);
    }
    return any;
  }

  close(): void {
    this.#channel.close();
  }
}
