/**
 * Keys that GNOME Shell has given to IBus and not got back yet. ibus-daemon hands copies of all messages to a
 * connection that asks for them by a match rule (`bus/dbusimpl.c`), so that the shell's calls and the answers to them
 * can be counted. These calls contain a person's keys, too: deskhand keeps the codes of those that are down.
 */

import { timeByLoad } from "../../../core/proc.ts";
import { BusError, type Incoming } from "../dbus/channel.ts";
import { DAEMON, MESSAGE, propertiesOf } from "../dbus/message.ts";
import type { Bus } from "../dbus/bus.ts";
import type { Ibus } from "./ibus.ts";
import { KEYS_HANDLED_MS, keysNotHandled } from "./bus_keys.ts";

/** The service of GNOME Shell on IBus's bus. */
const PANEL = "org.freedesktop.IBus.Panel";
/**
 * The time that the shell takes to give a key to IBus, in milliseconds, where the machine is not busy, and at most: the
 * focus may have changed, and no key goes there.
 */
const UNSEEN_MS = { idle: 100, most: 1000 };

/** IBUS_RELEASE_MASK in the state of a key (ibustypes.h). */
const RELEASE = 1 << 30;
/** The time after which a key counts as released, in milliseconds: a window without an input method takes its release. */
const HELD_MS = 30_000;

/** Keys that the shell waits for. */
export class PendingKeys {
  /** Serial numbers of the shell's calls that are not answered. */
  readonly #open = new Set<number>();
  #calls = 0;
  /** The number of calls at the last {@linkcode settle}. */
  #seen = 0;
  #wait = () => {};
  /** The time at which the shell got a key back last, by `performance.now()`. */
  givenBackAt = -Infinity;
  /** The times at which keys were pressed that are down, by code. */
  readonly #down = new Map<number, number>();
  readonly #ends: (() => void)[] = [];

  private constructor(readonly ibus: Ibus, readonly shell: string) {}

  /**
   * Looks for the shell.
   * @returns undefined if no shell has a part in IBus.
   * @throws DesktopUnavailableError if IBus is gone, or refuses.
   */
  static async open(ibus: Ibus): Promise<PendingKeys | undefined> {
    const shell = await shellOn(ibus.bus);
    if (shell === undefined) return undefined;
    const kept = new PendingKeys(ibus, shell);
    ibus.bus.readsCopy = ({ member }) => member === "ProcessKeyEvent";
    ibus.bus.onCopy = (message) => kept.#note(message);
    kept.#ends.push(ibus.bus.stayAwake());
    const call = `interface='org.freedesktop.IBus.InputContext',member='ProcessKeyEvent',sender='${shell}'`;
    const answers = ["method_return", "error"].map((type) => `type='${type}',destination='${shell}'`);
    for (const rule of [`type='method_call',${call}`, ...answers]) {
      kept.#ends.push(await ibus.bus.watch(rule));
    }
    return kept;
  }

  /**
   * Resolves when the shell has got back the keys that were sent to it, and has handed them to the program.
   * @param sent How many presses and releases were sent since the last time.
   * @throws StateError if an engine keeps keys for too long; DesktopUnavailableError if IBus is gone.
   */
  async settle(sent: number): Promise<void> {
    const areBack = !await this.ibus.hasFocus() || await this.#givenBack(sent);
    this.#seen = this.#calls;
    if (!areBack) throw keysNotHandled("the input method IBus");
    await this.ping();
  }

  /** Whether a key is down, as far as IBus gets keys. @param own Codes of keys that do not count. */
  isHeld(own: ReadonlySet<number>): boolean {
    const now = performance.now();
    return this.#down.entries().some(([code, at]) => !own.has(code) && now - at < HELD_MS);
  }

  /** Waits until the shell has given keys to IBus and got them back. @returns false if that takes too long. */
  async #givenBack(sent: number): Promise<boolean> {
    const isSeen = () => this.#calls - this.#seen >= sent;
    const unseen = timeByLoad(UNSEEN_MS.idle, UNSEEN_MS.most);
    await this.#until(isSeen, unseen);
    // A shell that gets no processor gives no keys either: the time counts from its next answer.
    if (!isSeen()) {
      await this.ping();
      await this.#until(isSeen, unseen);
    }
    await this.#until(() => this.#open.size === 0, KEYS_HANDLED_MS);
    const areBack = this.#open.size === 0;
    this.#open.clear();
    return areBack;
  }

  /**
   * Resolves when the shell has read IBus's earlier messages, which its answer to a call over the same connection
   * shows.
   * @throws DesktopUnavailableError if IBus or the shell is gone.
   */
  async ping(): Promise<void> {
    const panel = { destination: this.shell, path: "/org/freedesktop/IBus/Panel", interface: PANEL };
    await this.#bus.callAsync(propertiesOf(panel), "GetAll", "s", [PANEL], "").catch((error) => {
      if (!(error instanceof BusError)) throw error; // a refusal is an answer, too
    });
  }

  /** Stops to ask for copies. Safe to call twice. */
  close(): void {
    for (const end of this.#ends.splice(0)) end();
  }

  get #bus(): Bus {
    return this.ibus.bus;
  }

  #note({ type, serial, replySerial, destination, values }: Incoming): void {
    if (type === MESSAGE.call) {
      this.#calls++;
      this.#open.add(serial);
      const [, code, state] = values as number[];
      if (state & RELEASE) this.#down.delete(code);
      else if (code) this.#down.set(code, performance.now());
    } else if (destination === this.shell && this.#open.delete(replySerial!)) {
      this.givenBackAt = performance.now();
    }
    this.#wait();
  }

  /** Waits until a condition holds, or for some milliseconds. */
  async #until(isSo: () => boolean, ms: number): Promise<void> {
    if (isSo()) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms), endOf = this.#bus.onEnd(() => resolve());
    this.#wait = () => {
      if (isSo()) resolve();
    };
    await promise;
    this.#wait = () => {};
    clearTimeout(timer);
    endOf();
  }
}

/** The unique name of the shell's connection to IBus. */
async function shellOn(bus: Bus): Promise<string | undefined> {
  try {
    return (await bus.callAsync(DAEMON, "GetNameOwner", "s", [PANEL], "s"))[0];
  } catch (error) {
    if (error instanceof BusError) return undefined;
    throw error;
  }
}
