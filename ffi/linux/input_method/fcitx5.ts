/**
 * Fcitx 5: the input method that gets a person's keys before programs do (`org.fcitx.Fcitx.Controller1`, as
 * `src/modules/dbus/dbusmodule.cpp` of Fcitx 5 has it).
 */

import { ExpectedError } from "../../../core/errors.ts";
import { sessionSockets } from "../dbus/address.ts";
import { Bus } from "../dbus/bus.ts";
import { BusError } from "../dbus/errors.ts";
import type { RemoteObject } from "../dbus/objects.ts";
import { LockedRecord } from "../locked_record.ts";

const SERVICE = "org.fcitx.Fcitx5";
const CONTROLLER: RemoteObject = {
  destination: SERVICE,
  path: "/controller",
  interface: "org.fcitx.Fcitx.Controller1",
};
/** State's answer for an input method that changes text in the focused field. */
const ACTIVE = 2;
/** The beginning of the names of keyboard layouts, which pass every key on. */
const LAYOUT_PREFIX = "keyboard-";
const RECORD = "fcitx5-engine.json";

/** A connection to the session's Fcitx 5. */
export class Fcitx5 {
  /** Locked while the person's input method is switched off. */
  #record: LockedRecord<{ engine: string }> | undefined;

  /** The object of Fcitx 5 that answers in the order of its messages, programs' keys among them. */
  readonly controller = CONTROLLER;

  private constructor(readonly bus: Bus) {}

  /** @returns undefined if Fcitx 5 does not run in this session. */
  static open(): Fcitx5 | undefined {
    let bus: Bus | undefined;
    try {
      bus = Bus.open(sessionSockets());
      if (bus.owner(SERVICE)) return new Fcitx5(bus);
    } catch (error) {
      if (!(error instanceof ExpectedError)) throw error;
    }
    bus?.close();
    return undefined;
  }

  /** Tells whether the connection has ended and can no longer be used. */
  get isLost(): boolean {
    return this.bus.isLost;
  }

  /**
   * The active input method, if it changes the text typed into the focused field.
   * @returns Its name, such as `pinyin`; undefined if keys arrive unchanged.
   */
  async engine(): Promise<string | undefined> {
    try {
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
    const record = await LockedRecord.wait<{ engine: string }>(RECORD);
    record.write({ engine });
    this.#record = record;
    await this.bus.callAsync(CONTROLLER, "Deactivate", "", [], "");
    if (await this.engine() === undefined) return true;
    record.close({ clear: true });
    this.#record = undefined;
    return false;
  }

  /** Switches the input method on again. */
  async resume(): Promise<void> {
    const record = this.#record;
    this.#record = undefined;
    try {
      await this.bus.callAsync(CONTROLLER, "Activate", "", [], "");
      record?.close({ clear: true });
    } finally {
      record?.close({ clear: false });
    }
  }

  /** Switches the input method on again that a killed deskhand left switched off. */
  async recover(): Promise<void> {
    if (!LockedRecord.isThere(RECORD)) return;
    const record = LockedRecord.open<{ engine: string }>(RECORD);
    try {
      if (record.read()?.engine) await this.bus.callAsync(CONTROLLER, "Activate", "", [], "");
      record.close({ clear: true });
    } finally {
      record.close({ clear: false });
    }
  }

  close(): void {
    if (this.#record) {
      try {
        this.bus.call(CONTROLLER, "Activate", "", [], "");
        this.#record.close({ clear: true });
      } catch {
        this.#record.close({ clear: false }); // the next start tries again
      }
      this.#record = undefined;
    }
    this.bus.close();
  }
}
