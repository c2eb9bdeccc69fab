/**
 * Input methods that run on a desktop: IBus and Fcitx 5. An engine that is switched on, such as Pinyin, gets a
 * person's keys; deskhand switches the engine off while it types a text, so that the text arrives unchanged.
 */

import { BusyError, ExpectedError, StateError } from "../../../core/errors.ts";
import { BusError, NoAnswerError } from "../dbus/channel.ts";
import type { BusKeys } from "./bus_keys.ts";
import { Fcitx5, FcitxKeys } from "./fcitx5.ts";
import { Ibus } from "./ibus.ts";
import { IbusSwitch } from "./ibus_switch.ts";
import { ibusNameOf } from "./engine_records.ts";
import type { Bus } from "../dbus/bus.ts";
import { DAEMON, type Envelope, MESSAGE, type RemoteObject } from "../dbus/message.ts";
import { printable } from "../../../core/printable.ts";
import { timeByLoad } from "../../../core/proc.ts";
import type { Finding } from "../../permission.ts";

/** The time between two looks for missing input methods, in milliseconds. */
const LOOK_MS = 2000;
/** The time for which an engine may take to be switched off, or on again, in milliseconds. */
const STEP_MS = 20_000;

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
interface MethodsDisplay {
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
  #looking: Promise<void> | undefined;
  #isClosed = false;

  constructor(readonly on: MethodsDisplay) {}

  /**
   * Switches the person's engine off.
   * @returns undefined if no engine that would change text is on.
   * @throws StateError naming an engine that cannot be switched off, or an input method that does not answer.
   */
  async suspend(): Promise<SuspendedEngine | undefined> {
    const active = await this.active();
    if (!active) return undefined;
    const suspending = active.suspend();
    try {
      return await inTime(suspending, `the input method ${active.name} to be switched off`);
    } catch (error) {
      suspending.then((late) => late.resume(0)).catch(() => {}); // the next text finds what is left
      if (!(error instanceof ExpectedError)) throw error;
      const why = error instanceof BusError ? error.text : error.message;
      throw new StateError(
        `the input method ${active.name} is on and would change the text, but cannot be turned off: ${why}`,
        { cause: error },
      );
    }
  }

  /**
   * Whether an input method ran at the last look, be it one that only programs with its own module use, over the
   * session's bus.
   * @throws StateError naming an input method that does not answer.
   */
  async run(): Promise<boolean> {
    await this.#look();
    return this.#isThere;
  }

  /**
   * The engine that would make other text of keys.
   * @throws StateError naming an input method that does not answer, and may therefore change text.
   */
  async active(): Promise<ActiveEngine | undefined> {
    await this.#look();
    return await this.#asked("IBus", () => this.#activeIbus()) ??
      await this.#asked("Fcitx 5", () => this.#activeFcitx());
  }

  /**
   * Begins to watch the keys that programs pass to an input method over a bus.
   * @param pid The process of the program with the keyboard.
   * @returns undefined if no such input method ran at the last {@linkcode suspend}.
   */
  async busKeys(pid: number | undefined): Promise<BusKeys | undefined> {
    const fcitx = this.#fcitx;
    if (this.#ibus) return await this.#asked("IBus", () => ProgramKeys.open(ibusNameOf(this.on.display)));
    if (!fcitx || pid === undefined) return undefined;
    return await this.#asked("Fcitx 5", () => FcitxKeys.open(fcitx, pid));
  }

  /** Switches the engine on again that a killed deskhand left switched off. Never throws. */
  async recover(): Promise<void> {
    await this.#look().catch(() => {});
    await Promise.allSettled([this.#ibus?.recover(), this.#fcitx?.recover()]);
  }

  /** Switches the engine on again, synchronously. Never throws. */
  close(): void {
    this.#isClosed = true;
    this.#ibus?.close();
    this.#fcitx?.close();
    this.#ibus = this.#fcitx = undefined;
  }

  [Symbol.dispose](): void {
    this.close();
  }

  async #activeIbus(): Promise<ActiveEngine | undefined> {
    const ibus = this.#ibus, name = await ibus?.engine();
    if (!ibus || !name) return undefined;
    const suspend = async () => {
      await ibus.suspend(name);
      return { resume: (keys: number) => resumed(name, ibus.resume(keys)) };
    };
    return { name, suspend };
  }

  async #activeFcitx(): Promise<ActiveEngine | undefined> {
    const fcitx = this.#fcitx, name = await fcitx?.engine();
    if (!fcitx || !name) return undefined;
    const suspend = async () => {
      if (!await fcitx.suspend(name)) throw new StateError("Fcitx 5 left it on");
      return { resume: () => resumed(name, fcitx.resume()) };
    };
    return { name, suspend };
  }

  /** Looks for missing input methods, once for all callers. */
  #look(): Promise<void> {
    return this.#looking ??= this.#lookNow().finally(() => this.#looking = undefined);
  }

  async #lookNow(): Promise<void> {
    if (this.#ibus?.ibus.isLost) {
      this.#ibus.close();
      this.#ibus = undefined;
    }
    if (this.#fcitx?.isLost) {
      this.#fcitx.close();
      this.#fcitx = undefined;
    }
    if (this.#ibus && this.#fcitx || performance.now() - this.#lookedAt < LOOK_MS) return;
    const ibus = this.#ibus
      ? undefined
      : await this.#asked("IBus", () => Ibus.open(ibusNameOf(this.on.display)));
    if (ibus) this.#ibus = new IbusSwitch(ibus);
    const servers = this.on.servers?.();
    if (servers?.includes(FCITX) ?? true) this.#fcitx ??= await Fcitx5.open(this.on.buses);
    this.#isThere = this.#ibus !== undefined || this.#fcitx !== undefined ||
      servers !== undefined && servers.length > 0;
    this.#lookedAt = performance.now(); // an input method that does not answer is asked again by the next call
    if (this.#isClosed) this.close();
  }

  /**
   * The answer of an input method; undefined if it has ended, since programs then get keys unchanged.
   * @throws StateError if it runs and does not answer: keys would be lost, or come out changed.
   */
  async #asked<T>(name: string, ask: () => Promise<T | undefined>): Promise<T | undefined> {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof ExpectedError) || error instanceof BusyError) throw error;
      if (!(error instanceof NoAnswerError)) return undefined;
      throw new StateError(
        `the input method ${name} is running but not responding; it receives keys before programs do, so the text may be lost or changed`,
        { cause: error },
      );
    }
  }
}

/** Resolves when an engine is switched on again. @throws StateError naming an engine that stays off. */
async function resumed(name: string, resume: Promise<void>): Promise<void> {
  try {
    await inTime(resume, `the input method ${name} to be switched on again`);
  } catch (error) {
    if (!(error instanceof ExpectedError)) throw error;
    throw new StateError(
      `the text was typed, but the input method ${name} is not responding and is still off; ` +
        "deskhand will turn it on again with the next text",
      { cause: error },
    );
  }
}

/**
 * Bounds a step whose parts have bounds of their own, which add up on a busy machine. The step goes on by itself.
 * @param what The state that is waited for, for the error.
 * @throws StateError when the time is over.
 */
async function inTime<T>(step: Promise<T>, what: string): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new StateError(`waited ${STEP_MS / 1000} s for ${what}`)),
    STEP_MS,
  );
  try {
    return await Promise.race([step, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

// Keys that programs have given to IBus and not got back yet. A program with IBus's module for GTK passes
// each key to IBus by a call, and continues. When the key comes back, Chromium looks up its character in the
// keyboard map of that moment. ibus-daemon sends copies of all messages to a connection that asks for them by
// a match rule. Since the copies contain a person's keys, only their headers are read.

/**
 * The programs' calls, and the answers to them, which ibus-daemon sends by the bus's own name: errors if an engine ends
 * with the keys.
 */
const RULES = [
  "type='method_call',interface='org.freedesktop.IBus.InputContext',member='ProcessKeyEvent'",
  `type='method_return',sender='${DAEMON.destination}'`,
  "type='error'",
];
/**
 * The time that a program takes at most to give IBus the first key that it has handled, in milliseconds; longer on a
 * busy machine.
 */
const UNSEEN_MS = 100;

/** Keys of all programs, seen over a connection of its own. */
class ProgramKeys implements BusKeys {
  /** The sender of each call that is not answered, by the call. */
  readonly #open = new Map<string, string>();
  /** Programs that have given keys since the last {@linkcode forget}. */
  readonly #senders = new Set<string>();
  /** The number of calls that were seen. */
  calls = 0;
  readonly #ends: (() => void)[] = [];

  private constructor(readonly ibus: Ibus) {
    ibus.bus.onCopy = (message) => this.#note(message);
  }

  /**
   * Begins to count the keys that programs pass to the IBus of a display.
   * @param display As {@linkcode Ibus.open} has it.
   * @returns undefined if IBus does not run there, or ends.
   * @throws NoAnswerError if IBus runs and does not answer.
   */
  static async open(display: string): Promise<ProgramKeys | undefined> {
    const ibus = await Ibus.open(display);
    if (!ibus) return undefined;
    const keys = new ProgramKeys(ibus);
    try {
      for (const rule of RULES) keys.#ends.push(await ibus.bus.watch(rule));
      return keys;
    } catch (error) {
      keys.close();
      if (error instanceof ExpectedError) return undefined;
      throw error;
    }
  }

  covers(): boolean {
    return true;
  }

  stayAwake(): () => void {
    return this.#bus.stayAwake();
  }

  get isLost(): boolean {
    return this.ibus.isLost;
  }

  *givenBack(since: number): Generator<void> {
    const end = since + timeByLoad(UNSEEN_MS);
    while (this.#isThere() && !this.#senders.size && performance.now() < end) yield;
    for (const sender of this.#senders) {
      // A program answers on the thread that sends its calls, so the answer comes after them.
      if (!(yield* this.#answered(sender))) this.#drop(sender);
    }
    while (this.#isThere() && this.#open.size) yield;
    for (const sender of this.#senders) yield* this.#answered(sender); // programs have read the keys given back
  }

  forget(): void {
    this.#senders.clear();
  }

  close(): void {
    for (const end of this.#ends.splice(0)) end(); // otherwise copies would still come as the connection closes
    this.ibus.close();
  }

  /** Asks a program over its connection to IBus. @returns Whether the program still runs. */
  *#answered(sender: string): Generator<void, boolean> {
    const peer: RemoteObject = { destination: sender, path: "/", interface: "org.freedesktop.DBus.Peer" };
    if (!(yield* this.#ask(DAEMON, "GetNameOwner", "s", [sender]))) return false;
    yield* this.#ask(peer, "Ping", "", []);
    return true;
  }

  /** Calls a method. @returns Whether the answer was one without an error. */
  *#ask(object: RemoteObject, member: string, signature: string, args: string[]): Generator<void, boolean> {
    if (!this.#isThere()) return false;
    const answer = this.#bus.ask(object, member, signature, args);
    while (answer() === undefined && this.#isThere()) yield;
    return answer() ?? false;
  }

  #drop(sender: string): void {
    this.#senders.delete(sender);
    for (const [call, from] of this.#open) if (from === sender) this.#open.delete(call);
  }

  /** Handles messages that have arrived. @returns Whether IBus still runs. */
  #isThere(): boolean {
    try {
      if (!this.isLost) this.#bus.dispatch();
    } catch (error) {
      if (!(error instanceof ExpectedError)) throw error;
    }
    return !this.isLost;
  }

  get #bus(): Bus {
    return this.ibus.bus;
  }

  #note({ type, serial, replySerial, sender, destination }: Envelope): void {
    if (type === MESSAGE.call && sender !== undefined) {
      this.calls++;
      this.#senders.add(sender);
      this.#open.set(`${sender} ${serial}`, sender);
    } else this.#open.delete(`${destination} ${replySerial}`);
  }
}

/**
 * Returns which engine is switched on, if one makes other text of keys.
 * @returns Empty if the input methods cannot be asked.
 */
export async function engineFinding(display: MethodsDisplay): Promise<Finding[]> {
  using methods = new InputMethods(display);
  try {
    const active = await methods.active();
    const detail = active
      ? `${active.name} is switched on: it gets shortcuts and a person's keys, and is off for the time of a text`
      : "none is switched on that would change text";
    return [{ name: "input method", ok: true, detail: printable(detail) }];
  } catch {
    return [];
  }
}
