/**
 * Fcitx 5: the input method that receives a person's keys before programs do (`org.fcitx.Fcitx.Controller1`,
 * as in `src/modules/dbus/dbusmodule.cpp` of Fcitx 5). Keys that a program has passed to it and not yet
 * received back are found by asking both ends, since the session bus sends nobody copies of others' messages:
 * the program, whether it has sent its keys, then Fcitx, whether it has answered, and again the program,
 * whether it has read the answer. Each end answers in the order of its messages.
 */

import { attempt, DesktopUnavailableError, ExpectedError, on } from "../../../core/errors.ts";
import { numbersIn, timeByLoad } from "../../../core/proc.ts";
import { LockedRecord } from "../../../core/process_record.ts";
import { Bus } from "../dbus/bus.ts";
import { BusError } from "../dbus/channel.ts";
import { DAEMON, type RemoteObject } from "../dbus/message.ts";
import { threadsRest } from "../threads.ts";
import { type BusKeys, KEYS_HANDLED_MS, keysNotHandled } from "./bus_keys.ts";
import { FCITX_RECORD } from "./engine_records.ts";

/** Fcitx 5's name on the session bus. */
export const FCITX_SERVICE = "org.fcitx.Fcitx5";
const CONTROLLER: RemoteObject = {
  destination: FCITX_SERVICE,
  path: "/controller",
  interface: "org.fcitx.Fcitx.Controller1",
  onlyIfRunning: true, // a person who has quit Fcitx 5 does not want it restarted
};
/** The value of State for an input method that alters text in the focused field. */
const ACTIVE = 2;
/** The prefix of keyboard layouts' names; layouts pass on every key. */
const LAYOUT_PREFIX = "keyboard-";
/**
 * How long all threads of Fcitx 5 must be idle for it to have handled everything, in milliseconds: on an idle
 * machine, and at most. Newer versions read Wayland's events in a thread of their own.
 */
const QUIET_MS = { idle: 6, most: 60 };
/** Maximum wait for that, in milliseconds. */
const LONGEST_MS = 2000;

/**
 * Resolves when Fcitx 5 has handled the events that had already reached it, which it shows with answers over
 * the bus: its main thread takes one event from each connection in turn, so the second of two answers comes
 * after all earlier events from other connections.
 * @throws StateError if Fcitx 5 does not answer in time; DesktopUnavailableError if the bus is gone.
 */
export async function fcitxHandled(bus: Bus): Promise<void> {
  try {
    for (let i = 0; i < 2; i++) {
      await bus.callAsync(CONTROLLER, "State", "", [], "i", { ms: KEYS_HANDLED_MS });
    }
  } catch (error) {
    if (error instanceof BusError) return; // Fcitx 5 has ended, and holds no keys
    if (bus.isLost || !(error instanceof DesktopUnavailableError)) throw error;
    throw keysNotHandled("the input method Fcitx 5");
  }
  const pid = await bus.processOf(FCITX_SERVICE) ?? 0, // 0 has no threads: Fcitx 5 has ended
    threads = numbersIn(`${pid}/task`).map((thread) => `${pid}/task/${thread}`);
  await threadsRest(threads, { quietMs: timeByLoad(QUIET_MS.idle, QUIET_MS.most), mostMs: LONGEST_MS });
}

/** A connection to the session's Fcitx 5. */
export class Fcitx5 {
  /** Locked while the person's input method is disabled. */
  #record: LockedRecord<{ engine: string }> | undefined;

  /** The Fcitx 5 object that answers in the order of its messages, including programs' keys. */
  readonly controller = CONTROLLER;

  private constructor(readonly bus: Bus) {}

  /**
   * Connects to the Fcitx 5 of a session.
   * @param buses Paths of the session bus's sockets; the environment's if omitted.
   * @returns undefined if Fcitx 5 is not running in the session.
   */
  static async open(buses?: readonly string[]): Promise<Fcitx5 | undefined> {
    // No bus, or one that does not answer, has no Fcitx 5 either.
    const bus = await Promise.try(() => Bus.openAside(buses)).catch(on(ExpectedError));
    if (await bus?.ownerAsync(FCITX_SERVICE).catch(on(ExpectedError)) !== undefined) return new Fcitx5(bus!);
    bus?.close();
    return undefined;
  }

  /** Whether the connection has ended and can no longer be used. */
  get isLost(): boolean {
    return this.bus.isLost;
  }

  /**
   * The active input method, if it alters the text typed into the focused field. One that an earlier text
   * left disabled is first enabled.
   * @returns Its name, such as `pinyin`; undefined if keys arrive unchanged.
   */
  async engine(): Promise<string | undefined> {
    return await this.#activeEngine().catch(on(BusError));
  }

  async #activeEngine(): Promise<string | undefined> {
    if (!this.#record) await this.recover();
    const [state] = await this.bus.callAsync(CONTROLLER, "State", "", [], "i");
    if (state !== ACTIVE) return undefined;
    const [engine] = await this.bus.callAsync(CONTROLLER, "CurrentInputMethod", "", [], "s");
    return engine && !engine.startsWith(LAYOUT_PREFIX) ? engine : undefined;
  }

  /**
   * Disables the person's input method in the focused field.
   * @param engine The result of {@linkcode engine}.
   * @returns Whether programs now receive keys unchanged.
   */
  async suspend(engine: string): Promise<boolean> {
    const record = await LockedRecord.wait<{ engine: string }>(FCITX_RECORD);
    let isOff = false;
    try {
      record.write({ engine });
      this.#record = record;
      await this.bus.callAsync(CONTROLLER, "Deactivate", "", [], "");
      isOff = await this.engine() === undefined;
      if (!isOff) record.clear();
      return isOff;
    } finally {
      if (!isOff) {
        this.#record = undefined;
        record[Symbol.dispose](); // the next text finds what is left of a call that failed
      }
    }
  }

  /** Enables the input method again after it has handled the keys passed on by its display. */
  async resume(): Promise<void> {
    using record = this.#record;
    this.#record = undefined;
    await fcitxHandled(this.bus);
    await this.bus.callAsync(CONTROLLER, "Activate", "", [], "");
    record?.clear();
  }

  /** Enables an input method that a killed deskhand left disabled. */
  async recover(): Promise<void> {
    if (!LockedRecord.isThere(FCITX_RECORD)) return;
    using record = await LockedRecord.wait<{ engine: string }>(FCITX_RECORD);
    if (record.read()?.engine) await this.bus.callAsync(CONTROLLER, "Activate", "", [], "");
    record.clear();
  }

  close(): void {
    using record = this.#record;
    this.#record = undefined;
    attempt(() => { // otherwise, the next start tries again
      if (record) this.bus.call(CONTROLLER, "Activate", "", [], "");
      record?.clear();
    });
    this.bus.close();
  }
}

/** A program's names on the bus are those of connections, such as `:1.7`. */
const CONNECTION = /^:/;
const PEER = "org.freedesktop.DBus.Peer";

/** One program's keys. */
export class FcitxKeys implements BusKeys {
  calls = 0;

  /** @param names The program's connections to the session bus; empty if it passes no keys over the bus. */
  private constructor(readonly fcitx: Fcitx5, readonly pid: number, readonly names: readonly string[]) {}

  /** Looks for a program's connections to the session bus. */
  static async open(fcitx: Fcitx5, pid: number): Promise<FcitxKeys> {
    const { bus } = fcitx;
    const [all] = await bus.callAsync(DAEMON, "ListNames", "", [], "as") as [string[]];
    const names = all.filter((name) => CONNECTION.test(name));
    const pids = await Promise.all(names.map((name) => bus.processOf(name)));
    return new FcitxKeys(fcitx, pid, names.filter((_, i) => pids[i] === pid));
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

  /** Asks an end for an answer, even an error: a program that has ended has no keys. */
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
