/** Connections over which calls go: that to the bus, and those to programs' own sockets, which have no bus between. */

import { DesktopUnavailableError } from "../../core/errors.ts";
import { timeByLoad } from "../../core/proc.ts";
import { parseAddresses } from "../linux/dbus/bus.ts";
import { Channel, type Incoming } from "../linux/dbus/channel.ts";
import type { Envelope } from "../linux/dbus/message.ts";
import { openLibc } from "../linux/libc.ts";
import { Socket } from "../linux/socket.ts";

/**
 * The time that a program may take to let this user in, at all of its sockets together, in milliseconds: where the
 * machine is not busy, and at most.
 */
const LET_IN_MS = { idle: 300, most: 1500 };
/** The time after which a program that did not let this user in is asked again, in milliseconds. */
const AGAIN_MS = 10_000;
/**
 * The time that an unused connection to a program stays, in milliseconds. Programs also send their events there, which
 * would take memory.
 */
const UNUSED_MS = 2000;
/** The longest address that is read, in characters; those of toolkits have about 100. */
const ADDRESS_LIMIT = 4096;
/** The program's socket as errors name it. */
const OWN = "program's own socket";

/** The user of a connection. */
export interface LinkUser<Pending> {
  /** Reads the answer of a call in a way of its own, as {@linkcode BusUser.decode} does. */
  decode(pending: Pending | undefined, message: Envelope, bytes: Uint8Array): unknown[] | undefined;
  /** Takes a message. */
  take(message: Incoming, link: Link<Pending>): void;
}

/** A connection with the calls that were sent over it. */
export class Link<Pending> {
  /** Calls without an answer, by the numbers of their messages. */
  readonly pending = new Map<number, Pending>();

  /** @param app The program at the other end, by its name on the bus; undefined for the bus. */
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

  /** Whether nothing can be sent or received any more. */
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

/** The most connections over which programs were told to act that stay open. */
const SPENT = 32;

/** Connections to programs' own sockets. */
export class OwnSockets<Pending> {
  readonly #offers = new Map<string, Offer | undefined>();
  readonly #links = new Map<string, Link<Pending>>();
  /** Connections over which programs were told to act, the oldest first. */
  readonly #spent = new Set<Link<Pending>>();
  #unused: ReturnType<typeof setTimeout> | undefined;

  constructor(readonly user: LinkUser<Pending>) {}

  /** The open connections. */
  get links(): Link<Pending>[] {
    return [...this.#links.values(), ...this.#spent];
  }

  /** Whether connections are open over which programs were told to act. */
  get haveActed(): boolean {
    return this.#spent.size > 0;
  }

  /** The number of connections over which a program was told to act. */
  spentOn(app: string): number {
    return [...this.#spent].filter((link) => link.app === app).length;
  }

  /** Closes those connections, once the program has handled what it was told. */
  release(app: string): void {
    for (const link of this.#spent) if (link.app === app) this.drop(link);
  }

  /**
   * Sends nothing more over the connection over which a program was told to act, and keeps it open. A handler of GTK 3 that
   * shows a dialog and waits for it (gtk_dialog_run) does so while the message is handled: messages behind it on the same
   * connection stay unanswered, and the program hangs at its next key, since ATK's bridge then handles the connection
   * a second time (libdbus, dbus_connection_dispatch). An end of the connection counts as a message.
   */
  retire(app: string): void {
    const link = this.#links.get(app), [oldest] = this.#spent;
    if (!link) return;
    this.#links.delete(app);
    if (this.#spent.size === SPENT) this.drop(oldest);
    this.#spent.add(link);
  }

  /** Whether a program was asked for its socket. */
  wasOffered(app: string): boolean {
    return this.#offers.has(app);
  }

  /**
   * Notes a program's answer.
   * @param address The address of its socket; anything else for none.
   * @param pid The process that must listen there: a program may name any socket.
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

  /** Connects to a program that has a socket of its own, unless that is done. */
  open(app: string): void {
    const offer = this.#offers.get(app);
    if (!offer || this.#links.has(app) || performance.now() < offer.notBefore) return;
    const channel = openOwn(offer);
    if (channel) this.#links.set(app, new Link(channel, this.user, app));
    else offer.notBefore = performance.now() + AGAIN_MS;
  }

  /** Gives up a connection that was lost; its program is called over the bus from then on. */
  drop(link: Link<Pending>): void {
    const { app, channel } = link;
    if (app === undefined) return;
    channel.close();
    if (this.#spent.delete(link)) return;
    this.#links.delete(app);
    this.#offers.set(app, undefined);
  }

  /** Notes a use; unused connections are closed after a while. */
  used(): void {
    clearTimeout(this.#unused);
    this.#unused = this.#links.size ? setTimeout(() => this.close(), UNUSED_MS) : undefined;
  }

  /** Closes all connections. */
  end(): void {
    this.close();
    for (const link of this.#spent) this.drop(link);
  }

  /** Closes the connections that are in use. Those used later are opened again. */
  close(): void {
    clearTimeout(this.#unused);
    for (const { channel } of this.#links.values()) channel.close();
    this.#links.clear();
  }
}

/** Connects to a program's own socket; undefined if another process listens there, or does not let this user in. */
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
    try {
      return Channel.over(socket, OWN, left);
    } catch (error) {
      if (!(error instanceof DesktopUnavailableError)) throw error;
    }
  }
}
