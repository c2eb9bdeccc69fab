/**
 * Keys that a program has given to Fcitx 5 and not got back yet. The session's bus hands no copies of messages to
 * others, so deskhand asks both ends, which answer in the order of their messages: the program, whether it has sent
 * its keys, then Fcitx, whether it has answered, and the program, whether it has read that.
 */

import { ExpectedError } from "../../../core/errors.ts";
import { BusError } from "../dbus/channel.ts";
import { DAEMON, type RemoteObject } from "../dbus/message.ts";
import type { BusKeys } from "./bus_keys.ts";
import type { Fcitx5 } from "./fcitx5.ts";

/** The names of a program on the bus are those of connections, such as `:1.7`. */
const CONNECTION = /^:/;
const PEER = "org.freedesktop.DBus.Peer";

/** The keys of one program. */
export class FcitxKeys implements BusKeys {
  calls = 0;

  /** @param names The program's connections to the session's bus; none if it gives no keys over the bus. */
  private constructor(readonly fcitx: Fcitx5, readonly pid: number, readonly names: readonly string[]) {}

  /** Looks for a program's connections to the session's bus. */
  static async open(fcitx: Fcitx5, pid: number): Promise<FcitxKeys> {
    const { bus } = fcitx;
    const [all] = await bus.callAsync(DAEMON, "ListNames", "", [], "as") as [string[]];
    const pids = await Promise.all(
      all.filter((name) => CONNECTION.test(name)).map(async (name) => ({ name, pid: await pidOf(name) })),
    );
    return new FcitxKeys(fcitx, pid, pids.filter((one) => one.pid === pid).map(({ name }) => name));

    async function pidOf(name: string): Promise<unknown> {
      try {
        return (await bus.callAsync(DAEMON, "GetConnectionUnixProcessID", "s", [name], "u"))[0];
      } catch (error) {
        if (error instanceof BusError) return undefined; // the connection has ended
        throw error;
      }
    }
  }

  get isLost(): boolean {
    return this.fcitx.isLost;
  }

  covers(pid: number | undefined): boolean {
    return pid === this.pid;
  }

  stayAwake(): () => void {
    return () => {};
  }

  *givenBack(): Generator<void> {
    if (!this.names.length) return;
    this.calls = 1;
    for (const name of this.names) yield* this.#answered({ destination: name, path: "/", interface: PEER });
    yield* this.#answered({ ...this.fcitx.controller, interface: PEER });
    for (const name of this.names) yield* this.#answered({ destination: name, path: "/", interface: PEER });
  }

  forget(): void {
    this.calls = 0;
  }

  close(): void {
    // The connection belongs to Fcitx5.
  }

  /** Asks an end for an answer, be it an error: a program that has ended has no keys. */
  *#answered(peer: RemoteObject): Generator<void> {
    const { bus } = this.fcitx;
    try {
      const answer = bus.ask(peer, "Ping", "", []);
      while (answer() === undefined && !this.isLost) {
        yield;
        bus.dispatch();
      }
    } catch (error) {
      if (!(error instanceof ExpectedError)) throw error; // Fcitx's bus has ended
    }
  }
}
