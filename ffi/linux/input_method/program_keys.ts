/**
 * Keys that programs have given to IBus and not got back yet. A program with IBus's module for GTK passes each key to
 * IBus by a call, and continues. When the key comes back, Chromium looks up its character in the keyboard map of that
 * moment. ibus-daemon sends copies of all messages to a connection that asks for them by a match rule. Since the
 * copies contain a person's keys, only their headers are read.
 */

import { ExpectedError } from "../../../core/errors.ts";
import type { Bus } from "../dbus/bus.ts";
import { DAEMON, type Envelope, MESSAGE, type RemoteObject } from "../dbus/message.ts";
import type { BusKeys } from "./bus_keys.ts";
import { Ibus } from "./ibus.ts";

/**
 * The programs' calls, and the answers to them, which ibus-daemon sends by the bus's own name: errors if an engine ends
 * with the keys.
 */
const RULES = [
  "type='method_call',interface='org.freedesktop.IBus.InputContext',member='ProcessKeyEvent'",
  `type='method_return',sender='${DAEMON.destination}'`,
  "type='error'",
];
/** The time that a program takes at most to give IBus the first key that it has handled, in milliseconds. */
const UNSEEN_MS = 100;

/** Keys of all programs, seen over a connection of its own. */
export class ProgramKeys implements BusKeys {
  /** The sender of each call that is not answered, by the call. */
  readonly #open = new Map<string, string>();
  /** Programs that have given keys since the last {@linkcode forget}. */
  readonly #senders = new Set<string>();
  /** The number of calls that were seen. */
  calls = 0;
  readonly #ends: (() => void)[] = [];

  private constructor(readonly ibus: Ibus) {
    ibus.bus.onCopy = (message) => this.#note(message);
  }

  /**
   * Begins to count the keys that programs pass to the IBus of a display.
   * @param display As {@linkcode Ibus.open} has it.
   * @returns undefined if IBus does not run there, or ends.
   * @throws NoAnswerError if IBus runs and does not answer.
   */
  static async open(display: string): Promise<ProgramKeys | undefined> {
    const ibus = await Ibus.open(display);
    if (!ibus) return undefined;
    const keys = new ProgramKeys(ibus);
    try {
      for (const rule of RULES) keys.#ends.push(await ibus.bus.watch(rule));
      return keys;
    } catch (error) {
      keys.close();
      if (error instanceof ExpectedError) return undefined;
      throw error;
    }
  }

  covers(): boolean {
    return true;
  }

  stayAwake(): () => void {
    return this.#bus.stayAwake();
  }

  get isLost(): boolean {
    return this.ibus.isLost;
  }

  *givenBack(since: number): Generator<void> {
    while (this.#isThere() && !this.#senders.size && performance.now() < since + UNSEEN_MS) yield;
    for (const sender of this.#senders) {
      // A program answers on the thread that sends its calls, so the answer comes after them.
      if (!(yield* this.#answered(sender))) this.#drop(sender);
    }
    while (this.#isThere() && this.#open.size) yield;
    for (const sender of this.#senders) yield* this.#answered(sender); // programs have read the keys given back
  }

  forget(): void {
    this.#senders.clear();
  }

  close(): void {
    for (const end of this.#ends.splice(0)) end(); // otherwise copies would still come as the connection closes
    this.ibus.close();
  }

  /** Asks a program over its connection to IBus. @returns Whether the program still runs. */
  *#answered(sender: string): Generator<void, boolean> {
    const peer: RemoteObject = { destination: sender, path: "/", interface: "org.freedesktop.DBus.Peer" };
    if (!(yield* this.#ask(DAEMON, "GetNameOwner", "s", [sender]))) return false;
    yield* this.#ask(peer, "Ping", "", []);
    return true;
  }

  /** Calls a method. @returns Whether the answer was one without an error. */
  *#ask(object: RemoteObject, member: string, signature: string, args: string[]): Generator<void, boolean> {
    if (!this.#isThere()) return false;
    const answer = this.#bus.ask(object, member, signature, args);
    while (answer() === undefined && this.#isThere()) yield;
    return answer() ?? false;
  }

  #drop(sender: string): void {
    this.#senders.delete(sender);
    for (const [call, from] of this.#open) if (from === sender) this.#open.delete(call);
  }

  /** Handles messages that have arrived, and tells whether IBus still runs. */
  #isThere(): boolean {
    try {
      if (!this.isLost) this.#bus.dispatch();
    } catch (error) {
      if (!(error instanceof ExpectedError)) throw error;
    }
    return !this.isLost;
  }

  get #bus(): Bus {
    return this.ibus.bus;
  }

  #note({ type, serial, replySerial, sender, destination }: Envelope): void {
    if (type === MESSAGE.call && sender !== undefined) {
      this.calls++;
      this.#senders.add(sender);
      this.#open.set(`${sender} ${serial}`, sender);
    } else this.#open.delete(`${destination} ${replySerial}`);
  }
}
