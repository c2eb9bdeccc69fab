/**
 * Fcitx 5: the input method that gets a person's keys before programs do (`org.fcitx.Fcitx.Controller1`, as
 * `src/modules/dbus/dbusmodule.cpp` of Fcitx 5 has it). Keys that a program has given to it and not got back yet are
 * found by asking both ends, since the session's bus hands no copies of messages to others: the program, whether it
 * has sent its keys, then Fcitx, whether it has answered, and the program, whether it has read that. Each end answers
 * in the order of its messages.
 */

import { DesktopUnavailableError, ExpectedError } from "../../../core/errors.ts";
import { numbersIn, timeByLoad } from "../../../core/proc.ts";
import { LockedRecord } from "../../../core/process_record.ts";
import { Bus } from "../dbus/bus.ts";
import { BusError } from "../dbus/channel.ts";
import { DAEMON, type RemoteObject } from "../dbus/message.ts";
import { threadsRest } from "../threads.ts";
import { type BusKeys, KEYS_HANDLED_MS, keysNotHandled } from "./bus_keys.ts";
import { FCITX_RECORD } from "./engine_records.ts";

/** The name of Fcitx 5 on the session's bus. */
export const FCITX_SERVICE = "org.fcitx.Fcitx5";
const CONTROLLER: RemoteObject = {
  destination: FCITX_SERVICE,
  path: "/controller",
  interface: "org.fcitx.Fcitx.Controller1",
  onlyIfRunning: true, // a person who has ended Fcitx 5 wants it to stay ended
};
/** State's answer for an input method that changes text in the focused field. */
const ACTIVE = 2;
/** The beginning of the names of keyboard layouts, which pass every key on. */
const LAYOUT_PREFIX = "keyboard-";
/**
 * The time for which no thread of Fcitx 5 does anything when it has handled all, in milliseconds: on an idle machine, and
 * at most. Newer versions read Wayland's events by a thread of its own.
 */
const QUIET_MS = { idle: 6, most: 60 };
/** The longest wait for that, in milliseconds. */
const LONGEST_MS = 2000;

/**
 * Resolves when Fcitx 5 has handled the events that had reached it before, which it shows by answers over the bus: its
 * main thread takes one event of each connection in turn, so that the second of two answers comes after all earlier
 * events of other connections.
 * @throws StateError if Fcitx 5 does not answer in time; DesktopUnavailableError if the bus is gone.
 */
export async function fcitxHandled(bus: Bus): Promise<void> {
  try {
    for (let i = 0; i < 2; i++) {
      await bus.callAsync(CONTROLLER, "State", "", [], "i", { ms: KEYS_HANDLED_MS });
    }
  } catch (error) {
    if (error instanceof BusError) return; // Fcitx 5 has ended, and keeps no keys
    if (bus.isLost || !(error instanceof DesktopUnavailableError)) throw error;
    throw keysNotHandled("the input method Fcitx 5");
  }
  const pid = await fcitxProcess(bus),
    threads = numbersIn(`${pid}/task`).map((thread) => `${pid}/task/${thread}`);
  await threadsRest(threads, { quietMs: timeByLoad(QUIET_MS.idle, QUIET_MS.most), mostMs: LONGEST_MS });
}

/** The process of Fcitx 5; 0 if Fcitx 5 has ended. */
async function fcitxProcess(bus: Bus): Promise<number> {
  try {
    return (await bus.callAsync(DAEMON, "GetConnectionUnixProcessID", "s", [FCITX_SERVICE], "u"))[0];
  } catch (error) {
    if (error instanceof BusError) return 0;
    throw error;
  }
}

/** A connection to the session's Fcitx 5. */
export class Fcitx5 {
  /** Locked while the person's input method is switched off. */
  #record: LockedRecord<{ engine: string }> | undefined;

  /** The object of Fcitx 5 that answers in the order of its messages, programs' keys among them. */
  readonly controller = CONTROLLER;

  private constructor(readonly bus: Bus) {}

  /**
   * Connects to the Fcitx 5 of a session.
   * @param buses Paths of sockets of the session's bus; the environment's if left out.
   * @returns undefined if Fcitx 5 does not run in the session.
   */
  static async open(buses?: readonly string[]): Promise<Fcitx5 | undefined> {
    let bus: Bus | undefined;
    try {
      bus = await Bus.openAside(buses);
      await bus.callAsync(DAEMON, "GetNameOwner", "s", [FCITX_SERVICE], "s");
      return new Fcitx5(bus);
    } catch (error) {
      if (!(error instanceof ExpectedError)) throw error;
    }
    bus?.close();
    return undefined;
  }

  /** Whether the connection has ended and can no longer be used. */
  get isLost(): boolean {
    return this.bus.isLost;
  }

  /**
   * The active input method, if it changes the text typed into the focused field. One that an earlier text left switched
   * off is switched on first.
   * @returns Its name, such as `pinyin`; undefined if keys arrive unchanged.
   */
  async engine(): Promise<string | undefined> {
    try {
      if (!this.#record) await this.recover();
      const [state] = await this.bus.callAsync(CONTROLLER, "State", "", [], "i");
      if (state !== ACTIVE) return undefined;
      const [engine] = await this.bus.callAsync(CONTROLLER, "CurrentInputMethod", "", [], "s");
      return engine && !engine.startsWith(LAYOUT_PREFIX) ? engine : undefined;
    } catch (error) {
      if (error instanceof BusError) return undefined;
      throw error;
    }
  }

  /**
   * Switches the person's input method off in the focused field.
   * @param engine The result of {@linkcode engine}.
   * @returns Whether programs now get keys unchanged.
   */
  async suspend(engine: string): Promise<boolean> {
    const record = await LockedRecord.wait<{ engine: string }>(FCITX_RECORD);
    record.write({ engine });
    this.#record = record;
    await this.bus.callAsync(CONTROLLER, "Deactivate", "", [], "");
    if (await this.engine() === undefined) return true;
    record.clear();
    this.#record = undefined;
    return false;
  }

  /** Switches the input method on again, once it has handled the keys that its display has passed on. */
  async resume(): Promise<void> {
    using record = this.#record;
    this.#record = undefined;
    await fcitxHandled(this.bus);
    await this.bus.callAsync(CONTROLLER, "Activate", "", [], "");
    record?.clear();
  }

  /** Switches the input method on again that a killed deskhand left switched off. */
  async recover(): Promise<void> {
    if (!LockedRecord.isThere(FCITX_RECORD)) return;
    using record = await LockedRecord.wait<{ engine: string }>(FCITX_RECORD);
    if (record.read()?.engine) await this.bus.callAsync(CONTROLLER, "Activate", "", [], "");
    record.clear();
  }

  close(): void {
    using record = this.#record;
    this.#record = undefined;
    try {
      if (record) this.bus.call(CONTROLLER, "Activate", "", [], "");
      record?.clear();
    } catch {
      // The next start tries again.
    }
    this.bus.close();
  }
}

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
