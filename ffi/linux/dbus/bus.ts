/** The session bus: calls with bounded waits, blocking or not, and signals. */

import { attempt, DesktopUnavailableError, NoDesktopError, on } from "../../../core/errors.ts";
import { closedOnFailure } from "../../reconnecting.ts";
import { Answering } from "../message_socket.ts";
import {
  ANSWER_MS,
  answerCall,
  limitWait,
  Listeners,
  type MatchRule,
  matchText,
  PendingCalls,
  Pump,
  type Reply,
  type SignalListener,
  valuesOf,
} from "./answers.ts";
import { BusError, Channel, ERROR_NAMES, type Incoming } from "./channel.ts";
import {
  DAEMON,
  type Envelope,
  FLAG,
  flagsOf,
  MESSAGE,
  methodName,
  propertiesOf,
  type RemoteObject,
} from "./message.ts";
import type { Sent, Values } from "./values.ts";

/** Maximum time for the bus to start a service, in milliseconds. */
const START_MS = 25_000;

/** A connection to the bus. */
export class Bus {
  #name = "";
  readonly #pending = new PendingCalls();
  readonly #listeners = new Listeners();
  readonly #pump: Pump;
  readonly #onEnd = new Set<(error: DesktopUnavailableError) => void>();
  /** Answers another program's call; undefined refuses it. */
  serve: (call: Incoming) => Reply | undefined = () => undefined;
  /**
   * Receives copies of messages between other programs, as {@linkcode watch} requests, without their values.
   */
  onCopy: (message: Incoming) => void = () => {};
  /** Whether {@linkcode onCopy} also receives a message's values. */
  readsCopy: (message: Envelope) => boolean = () => false;

  private constructor(readonly channel: Channel) {
    this.#pump = new Pump(channel.socket, () => this.#whileThere(() => this.dispatch()));
    channel.user = {
      readsCopy: (message) => this.readsCopy(message),
      handle: (message) => this.#handle(message),
      ended: (error) => this.#ended(error),
    };
  }

  /**
   * Connects to a bus.
   * @param sockets Paths of sockets; the first one that answers is used. The environment's if omitted.
   * @param peer The bus as named in messages, such as `session bus`.
   * @throws NoDesktopError if no bus is named, or none listens; DesktopUnavailableError if the bus refuses
   * this user, or does not answer.
   */
  static open(sockets: readonly string[] = sessionSockets(), peer?: string): Bus {
    return closedOnFailure(new Bus(Channel.open(sockets, peer)), (bus) => {
      bus.#name = bus.channel.own = bus.call(DAEMON, "Hello", "", [], "s")[0];
      return bus;
    });
  }

  /**
   * Connects like {@linkcode open} without blocking the thread.
   * @throws NoAnswerError if the bus does not answer; the errors of {@linkcode open}.
   */
  static async openAside(sockets: readonly string[] = sessionSockets(), peer?: string): Promise<Bus> {
    return await closedOnFailure(new Bus(await Channel.openAside(sockets, peer)), async (bus) => {
      [bus.#name] = await bus.callAsync(DAEMON, "Hello", "", [], "s");
      bus.channel.own = bus.#name;
      return bus;
    });
  }

  /** The connection's unique name, such as `:1.42`. */
  get name(): string {
    return this.#name;
  }

  /** Whether the connection has ended and can no longer be used. */
  get isLost(): boolean {
    return this.channel.messages.isLost;
  }

  /**
   * Calls a method and waits for its answer. Signals that arrive earlier are passed to their listeners.
   * @param signature The signature of the arguments.
   * @param reply The answer's signature; an empty one accepts any answer, and returns no values.
   * @param ms Maximum time for the service, in milliseconds.
   * @returns The answer's values. The caller closes file descriptors among them and among the arguments.
   * @throws BusError if the service refuses; DesktopUnavailableError if no answer comes in time, or the bus is gone.
   * @example
   * const [owner] = bus.call(DAEMON, "GetNameOwner", "s", ["org.kde.KWin"], "s");
   */
  call<const Reply extends string>(
    object: RemoteObject,
    member: string,
    signature: string,
    args: readonly Sent[],
    reply: Reply,
    ms = ANSWER_MS,
  ): Values<Reply> {
    let answer: Incoming | undefined;
    const serial = this.#send(object, member, signature, args), name = methodName(object, member);
    this.#pending.set(serial, { settle: (message) => answer = message });
    try {
      this.until(() => answer !== undefined, name, ms);
    } finally {
      this.#pending.delete(serial);
    }
    return valuesOf(answer!, reply, name, this.channel);
  }

  /**
   * Calls a method like {@linkcode call} without blocking the thread.
   * @param ms Maximum time for the service, in milliseconds; if omitted, longer on a busy machine.
   * @param signal Ends the wait; the promise then rejects with the signal's reason.
   */
  async callAsync<const Reply extends string>(
    object: RemoteObject,
    member: string,
    signature: string,
    args: readonly Sent[],
    reply: Reply,
    { ms, signal }: { ms?: number; signal?: AbortSignal } = {},
  ): Promise<Values<Reply>> {
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<Incoming>();
    const serial = this.#send(object, member, signature, args), name = methodName(object, member);
    this.#pending.set(serial, { settle: resolve, fail: reject });
    const endLimit = limitWait(name, ms, reject), rest = this.stayAwake();
    const giveUp = () => reject(signal!.reason);
    signal?.addEventListener("abort", giveUp);
    try {
      return valuesOf(await promise, reply, name, this.channel);
    } finally {
      endLimit();
      signal?.removeEventListener("abort", giveUp);
      rest();
      this.#pending.delete(serial);
    }
  }

  /**
   * Calls a method without waiting for an answer, so failures and a lost bus are not reported. A later
   * {@linkcode call} to the same service shows that the service has read it.
   * @param signature The signature of the arguments.
   */
  tell(object: RemoteObject, member: string, signature: string, args: readonly Sent[]): void {
    this.#whileThere(() => this.#send(object, member, signature, args, FLAG.noReply));
  }

  /**
   * Calls a method for a caller that polls for the answer, possibly without returning to the event loop.
   * @param signature The signature of the arguments.
   * @returns The function of {@linkcode PendingCalls.watch}.
   * @throws DesktopUnavailableError if the bus is gone.
   */
  ask(object: RemoteObject, member: string, signature: string, args: readonly Sent[]) {
    return this.#pending.watch(this.#send(object, member, signature, args), this.channel);
  }

  /**
   * Sends a signal to all listeners.
   * @param member The signal's name.
   * @param signature The signature of its values.
   * @throws DesktopUnavailableError if the bus is gone.
   */
  emit(
    { path, interface: name }: Pick<RemoteObject, "path" | "interface">,
    member: string,
    signature = "",
    args: readonly Sent[] = [],
  ): void {
    const fields = { path, interface: name, member };
    this.channel.send({ type: MESSAGE.signal, flags: FLAG.noReply, fields, signature, args });
  }

  /**
   * A property's value (D-Bus Specification, "org.freedesktop.DBus.Properties").
   * @param object Its interface is the one with the property.
   * @throws The errors of {@linkcode call}.
   */
  property(object: RemoteObject, name: string): unknown {
    return this.call(propertiesOf(object), "Get", "ss", [object.interface, name], "v")[0];
  }

  /** Reads a property without blocking other work. */
  async propertyAsync(object: RemoteObject, name: string): Promise<unknown> {
    return (await this.callAsync(propertiesOf(object), "Get", "ss", [object.interface, name], "v"))[0];
  }

  /**
   * The unique name of the connection that owns a well-known name.
   * @param start Whether the bus starts the service if it is not running and can be started.
   * @returns undefined if there is no such service.
   */
  owner(name: string, { start = false } = {}): string | undefined {
    try {
      if (start) this.call(DAEMON, "StartServiceByName", "su", [name, 0], "u", START_MS);
      return this.call(DAEMON, "GetNameOwner", "s", [name], "s")[0];
    } catch (error) {
      return noOwner(error);
    }
  }

  /** Returns the result of {@linkcode owner} without blocking other work. */
  async ownerAsync(name: string): Promise<string | undefined> {
    return (await this.callAsync(DAEMON, "GetNameOwner", "s", [name], "s").catch(noOwner))?.[0];
  }

  /** The process that owns a name or has a connection; undefined if there is none. */
  async processOf(name: string): Promise<number | undefined> {
    const asked = this.callAsync(DAEMON, "GetConnectionUnixProcessID", "s", [name], "u");
    return (await asked.catch(on(BusError)))?.[0];
  }

  /**
   * Listens for signals. They are dispatched while a call waits, by {@linkcode dispatch}, and at any time
   * after {@linkcode stayAwake}. Does not wait for the bus, which reads the request before all later calls, and does
   * not report a lost bus.
   * @param rule Its sender should be a unique name ({@linkcode owner}), since any program may send a signal
   * to this one.
   * @returns A function that removes the listener; safe to call twice, and when the bus is gone.
   */
  listen(rule: MatchRule, listener: SignalListener): () => void {
    const remove = this.#listeners.add(rule, listener);
    this.tell(DAEMON, "AddMatch", "s", [matchText(rule)]);
    return () => {
      if (remove()) this.tell(DAEMON, "RemoveMatch", "s", [matchText(rule)]);
    };
  }

  /** Listens like {@linkcode listen}, without blocking the thread, until the connection ends. */
  async listenAside(rule: MatchRule, listener: SignalListener): Promise<void> {
    this.#listeners.add(rule, listener);
    await this.callAsync(DAEMON, "AddMatch", "s", [matchText(rule)], "");
  }

  /**
   * Requests copies of messages between other programs, whose headers {@linkcode onCopy} receives. A session
   * bus refuses this.
   * @param rule A match rule (D-Bus Specification, "Match Rules").
   * @returns A function that ends the copies; call it once.
   */
  async watch(rule: string): Promise<() => void> {
    await this.callAsync(DAEMON, "AddMatch", "s", [rule], "");
    return () => this.tell(DAEMON, "RemoveMatch", "s", [rule]);
  }

  /**
   * Listens for changes of a name's owner, such as the end of a service.
   * @param name A well-known or a unique name.
   * @returns A function that removes the listener, like that of {@linkcode listen}.
   */
  onOwnerChange(name: string, listener: () => void): () => void {
    return this.listen(ownerChange(name), listener);
  }

  /** Listens like {@linkcode onOwnerChange}, without blocking the thread, until the connection ends. */
  async onOwnerChangeAside(name: string, listener: () => void): Promise<void> {
    await this.listenAside(ownerChange(name), listener);
  }

  /**
   * Dispatches signals as they arrive while this thread does other work. Until the registration is removed,
   * it keeps the program running.
   * @returns A function that removes the registration; safe to call twice.
   */
  stayAwake(): () => void {
    return this.#pump.hold();
  }

  /**
   * Registers a function to call when the bus is gone or closed.
   * @returns A function that removes the registration; safe to call twice.
   */
  onEnd(listener: (error: DesktopUnavailableError) => void): () => void {
    this.#onEnd.add(listener);
    return () => this.#onEnd.delete(listener);
  }

  /** @throws DesktopUnavailableError if the bus is gone or closed. */
  check(): void {
    this.channel.messages.check();
  }

  /**
   * Handles the messages that have arrived.
   * @throws DesktopUnavailableError if the bus is gone.
   */
  dispatch(): void {
    this.channel.messages.dispatch();
  }

  /**
   * Blocks this thread until a condition holds, and handles messages that arrive.
   * @param what The condition's name, for the error.
   * @throws DesktopUnavailableError if it takes too long, or the bus is gone.
   */
  until(isDone: () => boolean, what: string, ms = ANSWER_MS): void {
    this.channel.messages.until(isDone, what, ms);
  }

  /**
   * Creates the waits for a service that may hang; a refusal also counts as an answer.
   * @param destination The service's name.
   * @param what The service's name for the error.
   */
  answering(destination: string, what: string): Answering {
    const peer = { destination, path: "/", interface: "org.freedesktop.DBus.Peer" };
    const ask = () => {
      const hasValues = this.#pending.watch(this.#send(peer, "Ping", "", []), this.channel);
      return () => hasValues() !== undefined;
    };
    return new Answering(this.channel.messages, ask, what);
  }

  /** Closes the connection. Safe to call twice. */
  close(): void {
    this.channel.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #handle(message: Incoming): void {
    const isAnswer = message.type === MESSAGE.reply || message.type === MESSAGE.error;
    const isCopy = this.channel.isCopy(message);
    if (isAnswer && !isCopy) return this.#pending.answer(message, this.channel);
    if (isCopy) this.onCopy(message);
    else if (message.type === MESSAGE.signal) this.#listeners.handOut(message);
    else if (message.type === MESSAGE.call) answerCall(this.channel, message, this.serve(message));
    this.channel.discard(message);
  }

  #send(object: RemoteObject, member: string, signature: string, args: readonly Sent[], flags = 0): number {
    const { destination, path, interface: name } = object,
      fields = { destination, path, interface: name, member };
    return this.channel.send({ type: MESSAGE.call, flags: flags | flagsOf(object), fields, signature, args });
  }

  /** Runs a function whose failure is unimportant if the bus is gone; later calls report the lost bus. */
  #whileThere(run: () => void): void {
    if (!this.isLost) attempt(run, undefined, DesktopUnavailableError);
  }

  #ended(error: DesktopUnavailableError): void {
    this.#pending.end(error);
    for (const listener of [...this.#onEnd]) listener(error);
    this.#pump.close();
  }
}

/** The rule for changes of a name's owner. */
function ownerChange(name: string): MatchRule {
  return { sender: DAEMON.destination, member: "NameOwnerChanged", arg0: name };
}

// Bus addresses (D-Bus Specification, "Server Addresses"), as in `DBUS_SESSION_BUS_ADDRESS`.

/**
 * Finds the session bus's address in the environment: `DBUS_SESSION_BUS_ADDRESS`, otherwise the bus of the
 * user's systemd in `XDG_RUNTIME_DIR`.
 * @returns Paths of sockets, in the order in which they are tried; an abstract socket's name begins with a
 * zero character.
 * @throws NoDesktopError if the environment names no usable socket.
 */
export function sessionSockets(env: (name: string) => string | undefined = (n) => Deno.env.get(n)): string[] {
  const addresses = env("DBUS_SESSION_BUS_ADDRESS"), folder = env("XDG_RUNTIME_DIR");
  if (!addresses) {
    if (folder) return [`${folder}/bus`];
    throw new NoDesktopError(
      "there is no session bus: neither DBUS_SESSION_BUS_ADDRESS nor XDG_RUNTIME_DIR is set. Start deskhand inside " +
        "a desktop session, make one (dbus-run-session -- deskhand …; deskhand run -- COMMAND), or name one " +
        "(DBUS_SESSION_BUS_ADDRESS=unix:path=/run/user/1000/bus deskhand …)",
    );
  }
  const sockets = parseAddresses(addresses, folder);
  if (sockets.length) return sockets;
  throw new NoDesktopError(
    `DBUS_SESSION_BUS_ADDRESS is ${addresses}, which is not a Unix socket address such as unix:path=/run/user/1000/bus`,
  );
}

/**
 * The Unix sockets in an address list; other transports, such as tcp, are skipped.
 * @param runtimeFolder XDG_RUNTIME_DIR.
 * @example
 * parseAddresses("unix:path=/run/user/1000/bus,guid=0123;tcp:host=a"); // ["/run/user/1000/bus"]
 */
export function parseAddresses(addresses: string, runtimeFolder?: string): string[] {
  return addresses.split(";").flatMap((address) => {
    const [, transport, list] = /^([^:]*):(.*)$/s.exec(address) ?? [];
    if (transport !== "unix") return [];
    const keys = new Map(
      list.split(",").map((pair) => {
        const at = pair.indexOf("=");
        return [pair.slice(0, Math.max(at, 0)), unescaped(pair.slice(at + 1))] as const;
      }),
    );
    const path = keys.get("path"), abstract = keys.get("abstract");
    if (path) return [path];
    if (abstract) return [`\0${abstract}`];
    return keys.get("runtime") === "yes" && runtimeFolder ? [`${runtimeFolder}/bus`] : [];
  });
}

/** Decodes `%20` and similar escapes; returns an empty string if an escape is invalid. */
function unescaped(value: string): string {
  return attempt(() => decodeURIComponent(value), "");
}

/** @returns undefined for the error that a name has no owner. @throws Other errors. */
function noOwner(error: unknown): undefined {
  const isMissing = error instanceof BusError &&
    (error.errorName === ERROR_NAMES.noOwner || error.errorName === ERROR_NAMES.noSuchService);
  if (!isMissing) throw error;
}
