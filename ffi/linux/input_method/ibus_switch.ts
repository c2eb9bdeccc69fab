/**
 * The person's engine of IBus, switched off for the time of a text: the active engine is then one that passes every
 * key on, whatever the keyboard's layout is. The person's engine is noted in the state folder during that time, so
 * that the next start can restore it after a kill.
 */

import { timeByLoad } from "../../../core/proc.ts";
import { LockedRecord } from "../../../core/process_record.ts";
import { until } from "../../../core/until.ts";
import { BusError } from "../dbus/channel.ts";
import { MESSAGE } from "../dbus/message.ts";
import { ibusRecord } from "./engine_records.ts";
import { changesText, type Ibus } from "./ibus.ts";

/** An engine that every IBus has, and that leaves the layout as it is. */
const PASSING = "xkb:us::eng";
/** Copies of the keys that programs give to IBus; headers alone are read. */
const KEYS = "type='method_call',interface='org.freedesktop.IBus.InputContext',member='ProcessKeyEvent'";
/** The time that the keys of a text may take to come to IBus, in milliseconds; longer on a busy machine. */
const KEYS_MS = 2000;
/** The time after which an engine that could not be switched on is tried again, in milliseconds. */
const RETRY_MS = 30_000;
/** The time between two looks at the keys that have come, in milliseconds. */
const LOOK_MS = 5;

/** The engine of one IBus. */
export class IbusSwitch {
  /** Locked while the engine is switched off. */
  #record: LockedRecord<{ engine: string }> | undefined;
  #engine = "";
  #keys = 0;
  /** The time from which a left engine is tried again, by `performance.now()`. */
  #retryAt = -Infinity;
  #ends: (() => void)[] = [];

  constructor(readonly ibus: Ibus) {}

  /**
   * The active engine, if it changes typed text; undefined if keys arrive unchanged. An engine that an earlier text left
   * switched off is switched on first: IBus may have given up on it, or another deskhand was killed.
   * @throws BusyError if another deskhand types; DesktopUnavailableError if IBus is gone, or does not answer.
   */
  async engine(): Promise<string | undefined> {
    if (performance.now() >= this.#retryAt && LockedRecord.isThere(this.#file)) await this.#switchOn();
    const engine = await this.ibus.engine();
    return changesText(engine) ? engine : undefined;
  }

  /**
   * Switches an engine off.
   * @param engine As {@linkcode engine} gives it.
   * @throws BusError if IBus refuses; DesktopUnavailableError if IBus is gone; BusyError if another deskhand types.
   */
  async suspend(engine: string): Promise<void> {
    const { bus } = this.ibus, record = await LockedRecord.wait<{ engine: string }>(this.#file);
    try {
      this.#ends.push(bus.stayAwake());
      this.#keys = 0;
      bus.onCopy = ({ type }) => {
        if (type === MESSAGE.call) this.#keys++;
      };
      this.#ends.push(await bus.watch(KEYS));
      record.write({ engine });
      await this.ibus.setEngine(PASSING);
      this.#engine = engine;
      this.#record = record;
    } catch (error) {
      this.#stop();
      record[Symbol.dispose]();
      throw error;
    }
  }

  /**
   * Switches the engine on again when IBus has the keys, unless the person has chosen another one since.
   * @param keys How many presses and releases were sent.
   */
  async resume(keys: number): Promise<void> {
    using record = this.#record;
    if (!record) return;
    try {
      const ms = await this.ibus.hasFocus() ? timeByLoad(KEYS_MS) : 0;
      await until(() => this.#keys >= keys, { ms, every: LOOK_MS });
      this.#record = undefined;
      if (await this.ibus.engine() === PASSING) await this.ibus.setEngine(this.#engine);
      record.clear();
    } finally {
      this.#record = undefined;
      this.#stop();
    }
  }

  /** Switches a left engine on, and waits for another deskhand whose text it may belong to. */
  async #switchOn(): Promise<void> {
    using record = await LockedRecord.wait<{ engine: string }>(this.#file);
    try {
      await this.#putBack(record);
    } catch (error) {
      if (!(error instanceof BusError)) throw error;
      this.#retryAt = performance.now() + RETRY_MS; // the engine hangs, and IBus has given up on it
    }
  }

  /** Switches the engine on again that a killed deskhand left switched off. */
  async recover(): Promise<void> {
    if (!LockedRecord.isThere(this.#file)) return;
    using record = LockedRecord.open<{ engine: string }>(this.#file);
    await this.#putBack(record);
  }

  async #putBack(record: LockedRecord<{ engine: string }>): Promise<void> {
    const left = record.read()?.engine;
    if (left && await this.ibus.engine() === PASSING) await this.ibus.setEngine(left);
    record.clear();
  }

  /** Switches the person's engine on again, synchronously. Never throws. */
  close(): void {
    using record = this.#record;
    this.#record = undefined;
    try {
      if (record) this.ibus.setEngineNow(this.#engine);
      record?.clear();
    } catch {
      // The next start tries again.
    }
    this.ibus.close();
  }

  #stop(): void {
    for (const end of this.#ends.splice(0)) end();
  }

  /** The name of the record; each display has its own. */
  get #file(): string {
    return ibusRecord(this.ibus.display);
  }
}
