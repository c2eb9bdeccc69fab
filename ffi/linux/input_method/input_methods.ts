/**
 * A desktop's running input methods: IBus and Fcitx 5. An active engine, such as Pinyin, receives a person's
 * keys; deskhand disables the engine while it types a text, so that the text arrives unchanged.
 */

import { attempt, BusyError, ExpectedError, on, StateError } from "../../../core/errors.ts";
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
import { within } from "../../../core/until.ts";
import { closedOnFailure } from "../../reconnecting.ts";
import type { Finding } from "../../permission.ts";

/** Interval between checks for missing input methods, in milliseconds. */
const LOOK_MS = 2000;
/** Maximum time for disabling an engine, or enabling it again, in milliseconds. */
const STEP_MS = 20_000;

/** Fcitx 5 among the X11 input methods (the atoms of XIM_SERVERS). */
const FCITX = "@server=fcitx";

/** The person's engine, disabled. */
export interface SuspendedEngine {
  /**
   * Enables the engine again after the input method has received the text's keys.
   * @param keys The number of presses and releases sent.
   */
  resume(keys: number): Promise<void>;
}

/** An active engine. */
interface ActiveEngine {
  name: string;
  suspend(): Promise<SuspendedEngine>;
}

/** A display with input methods. */
interface MethodsDisplay {
  /** The display's name: `:0` on X11, or a Wayland socket's `wayland-0`. */
  display: string;
  /**
   * Returns the names of the X11 input methods running there, since the session's Fcitx 5 may belong to
   * another display. Omitted on Wayland.
   */
  servers?: () => string[];
  /** Paths of the session bus's sockets; the environment's if omitted. */
  buses?: readonly string[];
}

/** One display's input methods. */
export class InputMethods {
  #ibus: IbusSwitch | undefined;
  #fcitx: Fcitx5 | undefined;
  #isThere = false;
  #lookedAt = -Infinity;
  #looking: Promise<void> | undefined;
  #isClosed = false;

  constructor(readonly on: MethodsDisplay) {}

  /**
   * Disables the person's engine.
   * @returns undefined if no engine that would alter text is active.
   * @throws StateError naming an engine that cannot be disabled, or an input method that does not answer.
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
   * Whether an input method was running at the last check, even one that only programs with its own module
   * use, over the session bus.
   * @throws StateError naming an input method that does not answer.
   */
  async run(): Promise<boolean> {
    await this.#look();
    return this.#isThere;
  }

  /**
   * The active engine that would convert keys to other text.
   * @throws StateError naming an input method that does not answer, and may therefore alter text.
   */
  async active(): Promise<ActiveEngine | undefined> {
    await this.#look();
    return await this.#asked("IBus", () => this.#activeIbus()) ??
      await this.#asked("Fcitx 5", () => this.#activeFcitx());
  }

  /**
   * Begins to track the keys that programs pass to an input method over a bus.
   * @param pid The focused program's process.
   * @returns undefined if no such input method was running at the last {@linkcode suspend}.
   */
  async busKeys(pid: number | undefined): Promise<BusKeys | undefined> {
    const fcitx = this.#fcitx;
    if (this.#ibus) return await this.#asked("IBus", () => ProgramKeys.open(ibusNameOf(this.on.display)));
    if (!fcitx || pid === undefined) return undefined;
    return await this.#asked("Fcitx 5", () => FcitxKeys.open(fcitx, pid));
  }

  /** Enables an engine that a killed deskhand left disabled. Never throws. */
  async recover(): Promise<void> {
    await this.#look().catch(() => {});
    await Promise.allSettled([this.#ibus?.recover(), this.#fcitx?.recover()]);
  }

  /** Enables the engine again, synchronously. Never throws. */
  close(): void {
    this.#isClosed = true;
    this.#ibus?.close();
    this.#fcitx?.close();
    this.#ibus = this.#fcitx = undefined;
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

  /** Checks for missing input methods, once for all callers. */
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
    this.#lookedAt = performance.now(); // the next call asks again an input method that does not answer
    if (this.#isClosed) this.close();
  }

  /**
   * Returns an input method's answer; undefined if it has ended, since programs then receive keys unchanged.
   * @throws StateError if it is running but does not answer: keys would be lost, or come out altered.
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

/**
 * Resolves when an engine has been enabled again.
 * @throws StateError naming an engine that stays disabled.
 */
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
 * Bounds a step whose parts have their own bounds, which add up on a busy machine. The step itself continues.
 * @param what The awaited state, for the error.
 * @throws StateError when the time is up.
 */
async function inTime<T>(step: Promise<T>, what: string): Promise<T> {
  const done = await within(STEP_MS, step.then((value) => ({ value })));
  if (done) return done.value;
  throw new StateError(`waited ${STEP_MS / 1000} s for ${what}`);
}

// Keys that programs have passed to IBus and not yet received back. A program with IBus's GTK module passes
// each key to IBus in a call, and continues. When the key comes back, Chromium looks up its character in the
// current keyboard map. ibus-daemon sends copies of all messages to a connection that requests them with a
// match rule. Since the copies contain a person's keys, only their headers are read.

/**
 * The programs' calls, and their answers, which ibus-daemon sends under the bus's own name: errors if an
 * engine ends while it holds the keys.
 */
const RULES = [
  "type='method_call',interface='org.freedesktop.IBus.InputContext',member='ProcessKeyEvent'",
  `type='method_return',sender='${DAEMON.destination}'`,
  "type='error'",
];
/** Maximum time for a program to pass IBus its first key, in milliseconds; longer on a busy machine. */
const UNSEEN_MS = 100;

/** All programs' keys, seen over its own connection. */
class ProgramKeys implements BusKeys {
  /** The sender of each unanswered call, by call. */
  readonly #open = new Map<string, string>();
  /** Programs that have passed on keys since the last {@linkcode forget}. */
  readonly #senders = new Set<string>();
  /** The number of calls seen. */
  calls = 0;
  readonly #ends: (() => void)[] = [];

  private constructor(readonly ibus: Ibus) {
    ibus.bus.onCopy = (message) => this.#note(message);
  }

  /**
   * Begins to count the keys that programs pass to a display's IBus.
   * @param display As for {@linkcode Ibus.open}.
   * @returns undefined if IBus is not running there, or ends.
   * @throws NoAnswerError if IBus is running but does not answer.
   */
  static async open(display: string): Promise<ProgramKeys | undefined> {
    const ibus = await Ibus.open(display);
    if (!ibus) return undefined;
    return await closedOnFailure(new ProgramKeys(ibus), async (keys) => {
      for (const rule of RULES) keys.#ends.push(await ibus.bus.watch(rule));
      return keys;
    }).catch(on(ExpectedError));
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
    for (const sender of this.#senders) yield* this.#answered(sender); // programs have read the returned keys
  }

  forget(): void {
    this.#senders.clear();
  }

  close(): void {
    for (const end of this.#ends.splice(0)) end(); // otherwise copies would still arrive during the close
    this.ibus.close();
  }

  /** Asks a program over its connection to IBus. @returns Whether the program is still running. */
  *#answered(sender: string): Generator<void, boolean> {
    const peer: RemoteObject = { destination: sender, path: "/", interface: "org.freedesktop.DBus.Peer" };
    if (!(yield* this.#ask(DAEMON, "GetNameOwner", "s", [sender]))) return false;
    yield* this.#ask(peer, "Ping", "", []);
    return true;
  }

  /** Calls a method. @returns Whether the answer was not an error. */
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

  /** Handles messages that have arrived. @returns Whether IBus is still running. */
  #isThere(): boolean {
    if (!this.isLost) attempt(() => this.#bus.dispatch(), undefined, ExpectedError);
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
 * Reports which engine is active, if it converts keys to other text.
 * @returns Empty if the input methods cannot be asked.
 */
export async function engineFinding(display: MethodsDisplay): Promise<Finding[]> {
  const methods = new InputMethods(display);
  try {
    const active = await methods.active();
    const detail = active
      ? `${active.name} is switched on: it gets shortcuts and a person's keys, and is off for the time of a text`
      : "none is switched on that would change text";
    return [{ name: "input method", ok: true, detail: printable(detail) }];
  } catch {
    return [];
  } finally {
    methods.close();
  }
}
