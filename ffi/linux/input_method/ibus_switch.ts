/**
 * Disables the person's IBus engine while a text is typed: the active engine is then one that passes on every
 * key, whatever the keyboard layout is. Meanwhile, the person's engine is recorded in the state folder, so
 * that the next start can restore it after a kill.
 */

import { attempt, on } from "../../../core/errors.ts";
import { timeByLoad } from "../../../core/proc.ts";
import { LockedRecord } from "../../../core/process_record.ts";
import { until } from "../../../core/until.ts";
import { BusError } from "../dbus/channel.ts";
import { MESSAGE } from "../dbus/message.ts";
import { ibusRecord } from "./engine_records.ts";
import { changesText, type Ibus } from "./ibus.ts";

/** An engine that every IBus has, and that does not change the layout. */
const PASSING = "xkb:us::eng";
/** Copies of the keys that programs pass to IBus; only headers are read. */
const KEYS = "type='method_call',interface='org.freedesktop.IBus.InputContext',member='ProcessKeyEvent'";
/** Maximum time for a text's keys to reach IBus, in milliseconds; longer on a busy machine. */
const KEYS_MS = 2000;
/** Time after which enabling an engine is retried, in milliseconds. */
const RETRY_MS = 30_000;
/** Interval between checks for arrived keys, in milliseconds. */
const LOOK_MS = 5;

/** One IBus's engine. */
export class IbusSwitch {
  /** Locked while the engine is disabled. */
  #record: LockedRecord<{ engine: string }> | undefined;
  #engine = "";
  #keys = 0;
  /** When to retry enabling an engine that was left disabled, by `performance.now()`. */
  #retryAt = -Infinity;
  #ends: (() => void)[] = [];

  constructor(readonly ibus: Ibus) {}

  /**
   * The active engine, if it alters typed text; undefined if keys arrive unchanged. An engine that an earlier
   * text left disabled is first enabled: IBus may have given up on it, or another deskhand was killed.
   * @throws BusyError if another deskhand is typing; DesktopUnavailableError if IBus is gone, or does not
   * answer.
   */
  async engine(): Promise<string | undefined> {
    if (performance.now() >= this.#retryAt && LockedRecord.isThere(this.#file)) await this.#switchOn();
    const engine = await this.ibus.engine();
    return changesText(engine) ? engine : undefined;
  }

  /**
   * Disables an engine.
   * @param engine As returned by {@linkcode engine}.
   * @throws BusError if IBus refuses; DesktopUnavailableError if IBus is gone; BusyError if another deskhand
   * is typing.
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
   * Enables the engine again when IBus has received the keys, unless the person has since chosen another one.
   * @param keys The number of presses and releases sent.
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

  /** Enables an engine that was left disabled, after waiting for another deskhand that may be typing. */
  async #switchOn(): Promise<void> {
    using record = await LockedRecord.wait<{ engine: string }>(this.#file);
    const isBack = await this.#putBack(record).then(() => true).catch(on(BusError));
    if (!isBack) this.#retryAt = performance.now() + RETRY_MS; // the engine hangs, and IBus has given up on it
  }

  /** Enables an engine that a killed deskhand left disabled. */
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

  /** Enables the person's engine again, synchronously. Never throws. */
  close(): void {
    using record = this.#record;
    this.#record = undefined;
    attempt(() => { // otherwise, the next start tries again
      if (record) this.ibus.setEngineNow(this.#engine);
      record?.clear();
    });
    this.ibus.close();
  }

  #stop(): void {
    for (const end of this.#ends.splice(0)) end();
  }

  /** The record's name; each display has its own. */
  get #file(): string {
    return ibusRecord(this.ibus.display);
  }
}
