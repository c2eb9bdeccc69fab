/**
 * Input methods that run on a desktop: IBus and Fcitx 5. An engine that is switched on, such as Pinyin, gets a
 * person's keys; deskhand switches the engine off while it types a text, so that the text arrives unchanged.
 */

import { ExpectedError, StateError } from "../../../core/errors.ts";
import { BusError } from "../dbus/channel.ts";
import type { BusKeys } from "./bus_keys.ts";
import { Fcitx5 } from "./fcitx5.ts";
import { FcitxKeys } from "./fcitx_keys.ts";
import { Ibus } from "./ibus.ts";
import { IbusSwitch } from "./ibus_switch.ts";
import { ibusNameOf } from "./left_engine.ts";
import { ProgramKeys } from "./program_keys.ts";

/** The time between two looks for missing input methods, in milliseconds. */
const LOOK_MS = 2000;

/** Fcitx 5 among the input methods of X11 (the atoms of XIM_SERVERS). */
const FCITX = "@server=fcitx";

/** The person's engine, switched off. */
export interface SuspendedEngine {
  /**
   * Switches the engine on again, once the input method has had the keys of the text.
   * @param keys How many presses and releases were sent.
   */
  resume(keys: number): Promise<void>;
}

/** An engine that is switched on. */
interface ActiveEngine {
  name: string;
  suspend(): Promise<SuspendedEngine>;
}

/** A display with input methods. */
export interface MethodsDisplay {
  /** The name of the display: `:0` of X11, or a Wayland socket's `wayland-0`. */
  display: string;
  /**
   * Names the input methods of X11 that run there: the session's Fcitx 5 may belong to another display. Left out on
   * Wayland.
   */
  servers?: () => string[];
  /** Paths of sockets of the session's bus; the environment's if left out. */
  buses?: readonly string[];
}

/** The input methods of one display. */
export class InputMethods {
  #ibus: IbusSwitch | undefined;
  #fcitx: Fcitx5 | undefined;
  #isThere = false;
  #lookedAt = -Infinity;

  constructor(readonly on: MethodsDisplay) {}

  /**
   * Switches the person's engine off.
   * @returns undefined if no engine that would change text is on.
   * @throws StateError naming an engine that cannot be switched off.
   */
  async suspend(): Promise<SuspendedEngine | undefined> {
    const active = await this.active();
    if (!active) return undefined;
    try {
      return await active.suspend();
    } catch (error) {
      if (!(error instanceof ExpectedError)) throw error;
      const why = error instanceof BusError ? error.text : error.message;
      throw new StateError(
        `the input method ${active.name} is switched on, which would change the text, and cannot be switched off: ${why}`,
        { cause: error },
      );
    }
  }

  /** Tells whether an input method ran at the last look, be it one that only programs with its own module use, over the session's bus. */
  run(): boolean {
    this.#look();
    return this.#isThere;
  }

  /** The engine that would make other text of keys. */
  async active(): Promise<ActiveEngine | undefined> {
    this.#look();
    try {
      return await this.#activeIbus() ?? await this.#activeFcitx();
    } catch (error) {
      if (error instanceof ExpectedError) return undefined; // the input method has ended: programs get keys unchanged
      throw error;
    }
  }

  /**
   * Begins to watch the keys that programs pass to an input method over a bus.
   * @param pid The process of the program with the keyboard.
   * @returns undefined if no such input method ran at the last {@linkcode suspend}.
   */
  async busKeys(pid: number | undefined): Promise<BusKeys | undefined> {
    if (this.#ibus) return await ProgramKeys.open(ibusNameOf(this.on.display));
    try {
      return this.#fcitx && pid !== undefined ? await FcitxKeys.open(this.#fcitx, pid) : undefined;
    } catch (error) {
      if (error instanceof ExpectedError) return undefined; // Fcitx has ended
      throw error;
    }
  }

  /** Switches the engine on again that a killed deskhand left switched off. Never throws. */
  async recover(): Promise<void> {
    this.#look();
    await Promise.allSettled([this.#ibus?.recover(), this.#fcitx?.recover()]);
  }

  /** Switches the engine on again, synchronously. Never throws. */
  close(): void {
    this.#ibus?.close();
    this.#fcitx?.close();
    this.#ibus = this.#fcitx = undefined;
  }

  async #activeIbus(): Promise<ActiveEngine | undefined> {
    const ibus = this.#ibus, name = await ibus?.engine();
    if (!ibus || !name) return undefined;
    const suspend = async () => {
      await ibus.suspend(name);
      return { resume: (keys: number) => ibus.resume(keys) };
    };
    return { name, suspend };
  }

  async #activeFcitx(): Promise<ActiveEngine | undefined> {
    const fcitx = this.#fcitx, name = await fcitx?.engine();
    if (!fcitx || !name) return undefined;
    const suspend = async () => {
      if (!await fcitx.suspend(name)) throw new StateError("Fcitx 5 keeps it switched on");
      return { resume: () => fcitx.resume() };
    };
    return { name, suspend };
  }

  #look(): void {
    if (this.#ibus?.ibus.isLost) {
      this.#ibus.close();
      this.#ibus = undefined;
    }
    if (this.#fcitx?.isLost) {
      this.#fcitx.close();
      this.#fcitx = undefined;
    }
    if (this.#ibus && this.#fcitx || performance.now() - this.#lookedAt < LOOK_MS) return;
    this.#lookedAt = performance.now();
    const ibus = this.#ibus ? undefined : Ibus.open(ibusNameOf(this.on.display));
    if (ibus) this.#ibus = new IbusSwitch(ibus);
    const servers = this.on.servers?.();
    if (servers?.includes(FCITX) ?? true) this.#fcitx ??= Fcitx5.open(this.on.buses);
    this.#isThere = this.#ibus !== undefined || this.#fcitx !== undefined ||
      servers !== undefined && servers.length > 0;
  }
}
