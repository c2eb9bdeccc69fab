/**
 * Connections that carry calls: the one to the bus, and those to programs' own sockets, which bypass the bus.
 */

import { attempt, DesktopUnavailableError } from "../../core/errors.ts";
import { timeByLoad } from "../../core/proc.ts";
import { parseAddresses } from "../linux/dbus/bus.ts";
import { Channel, type Incoming } from "../linux/dbus/channel.ts";
import type { Envelope } from "../linux/dbus/message.ts";
import { openLibc } from "../linux/libc.ts";
import { Socket } from "../linux/socket.ts";

/**
 * Maximum time for a program to accept this user, at all of its sockets together, in milliseconds: on an idle
 * machine, and at most.
 */
const LET_IN_MS = { idle: 300, most: 1500 };
/** Time after which a program that did not accept this user is tried again, in milliseconds. */
const AGAIN_MS = 10_000;
/**
 * How long an unused connection to a program stays open, in milliseconds. Programs also send their events
 * there, which would take up memory.
 */
const UNUSED_MS = 2000;
/** Maximum length of an address, in characters; those of toolkits have about 100. */
const ADDRESS_LIMIT = 4096;
/** The name of a program's socket in errors. */
const OWN = "program's own socket";

/** A connection's user. */
export interface LinkUser<Pending> {
  /** Reads a call's answer in its own way, as {@linkcode BusUser.decode} does. */
  decode(pending: Pending | undefined, message: Envelope, bytes: Uint8Array): unknown[] | undefined;
  /** Receives a message. */
  take(message: Incoming, link: Link<Pending>): void;
}

/** A connection with the calls sent over it. */
export class Link<Pending> {
  /** Unanswered calls, by message number. */
  readonly pending = new Map<number, Pending>();

  /** @param app The program at the other end, by its bus name; undefined for the bus. */
  constructor(readonly channel: Channel, user: LinkUser<Pending>, readonly app?: string) {
    channel.user = {
      decode: (message, bytes) =>
        user.decode(
          message.replySerial === undefined ? undefined : this.pending.get(message.replySerial),
          message,
          bytes,
        ),
      handle: (message) => user.take(message, this),
      ended: () => channel.socket.close(),
    };
  }

  get socket(): Socket {
    return this.channel.socket;
  }

  /** Whether nothing can be sent or received any longer. */
  get isLost(): boolean {
    return this.channel.messages.isLost;
  }
}

/** A program's offer of a socket. */
interface Offer {
  sockets: readonly string[];
  /** The process that must listen there. */
  pid: number;
  /** The earliest time of the next attempt to connect, by `performance.now()`. */
  notBefore: number;
}

/** Maximum number of open connections over which programs were told to act. */
const SPENT = 32;

/** Connections to programs' own sockets. */
export class OwnSockets<Pending> {
  readonly #offers = new Map<string, Offer | undefined>();
  readonly #links = new Map<string, Link<Pending>>();
  /** Connections over which programs were told to act, oldest first. */
  readonly #spent = new Set<Link<Pending>>();
  #unused: ReturnType<typeof setTimeout> | undefined;

  constructor(readonly user: LinkUser<Pending>) {}

  /** The open connections. */
  get links(): Link<Pending>[] {
    return [...this.#links.values(), ...this.#spent];
  }

  /** Whether any connections over which programs were told to act are open. */
  get haveActed(): boolean {
    return this.#spent.size > 0;
  }

  /** The number of connections over which a program was told to act. */
  spentOn(app: string): number {
    return [...this.#spent].filter((link) => link.app === app).length;
  }

  /** Closes those connections after the program has handled its requests. */
  release(app: string): void {
    for (const link of this.#spent) if (link.app === app) this.drop(link);
  }

  /**
   * Stops sending over the connection over which a program was told to act, and keeps it open. A GTK 3
   * handler that shows a dialog and waits for it (gtk_dialog_run) does so while the message is being handled:
   * later messages on the same connection stay unanswered, and the program hangs at its next key, since ATK's
   * bridge then handles the connection a second time (libdbus, dbus_connection_dispatch). The end of the
   * connection counts as a message.
   */
  retire(app: string): void {
    const link = this.#links.get(app), [oldest] = this.#spent;
    if (!link) return;
    this.#links.delete(app);
    if (this.#spent.size === SPENT) this.drop(oldest);
    this.#spent.add(link);
  }

  /** Whether a program has been asked for its socket. */
  wasOffered(app: string): boolean {
    return this.#offers.has(app);
  }

  /**
   * Records a program's answer.
   * @param address The address of its socket; anything else if it has none.
   * @param pid The process that must listen there, since a program may name any socket.
   */
  offer(app: string, address: unknown, pid: number): void {
    const isRead = typeof address === "string" && address.length <= ADDRESS_LIMIT;
    const sockets = isRead ? parseAddresses(address) : [];
    this.#offers.set(app, sockets.length && pid ? { sockets, pid, notBefore: 0 } : undefined);
  }

  /** The open connection to a program. */
  of(app: string): Link<Pending> | undefined {
    return this.#links.get(app);
  }

  /** Connects to a program's own socket, unless it is already connected. */
  open(app: string): void {
    const offer = this.#offers.get(app);
    if (!offer || this.#links.has(app) || performance.now() < offer.notBefore) return;
    const channel = openOwn(offer);
    if (channel) this.#links.set(app, new Link(channel, this.user, app));
    else offer.notBefore = performance.now() + AGAIN_MS;
  }

  /** Gives up a lost connection; its program is then called over the bus. */
  drop(link: Link<Pending>): void {
    const { app, channel } = link;
    if (app === undefined) return;
    channel.close();
    if (this.#spent.delete(link)) return;
    this.#links.delete(app);
    this.#offers.set(app, undefined);
  }

  /** Records a use; unused connections are closed after a while. */
  used(): void {
    clearTimeout(this.#unused);
    this.#unused = this.#links.size ? setTimeout(() => this.close(), UNUSED_MS) : undefined;
  }

  /** Closes all connections. */
  end(): void {
    this.close();
    for (const link of this.#spent) this.drop(link);
  }

  /** Closes the connections that are in use. Those needed later are reopened. */
  close(): void {
    clearTimeout(this.#unused);
    for (const { channel } of this.#links.values()) channel.close();
    this.#links.clear();
  }
}

/**
 * Connects to a program's own socket; undefined if another process listens there, or it refuses this user.
 */
function openOwn({ sockets, pid }: Offer): Channel | undefined {
  const end = performance.now() + timeByLoad(LET_IN_MS.idle, LET_IN_MS.most);
  for (const path of sockets) {
    const left = end - performance.now();
    if (left <= 0) return undefined;
    const socket = Socket.connect(openLibc(), path, `the ${OWN}`, { isPatient: false });
    if (!socket) continue;
    if (socket.peerProcess !== pid) {
      socket.close();
      continue;
    }
    const channel = attempt(() => Channel.over(socket, OWN, left), undefined, DesktopUnavailableError);
    if (channel) return channel;
  }
}
