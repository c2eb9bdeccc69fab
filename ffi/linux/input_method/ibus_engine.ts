/**
 * deskhand's own engine in IBus. It passes on every key, and its committed text reaches the focused text
 * field unchanged, whatever the keyboard layout is.
 *
 * It replaces the person's engine while a text is typed, over a connection that lasts only that long:
 * whenever a connection with an engine ends, IBus switches to no engine at all, whichever engine was active
 * (`bus_ibus_impl_check_global_engine` of `bus/ibusimpl.c`), and the person's engine must be restored. Until
 * then its name is stored in the state folder, so that the next start can restore it if deskhand was killed.
 */

import { DesktopUnavailableError, on } from "../../../core/errors.ts";
import { LockedRecord } from "../../../core/process_record.ts";
import { BusError, type Incoming } from "../dbus/channel.ts";
import type { Reply } from "../dbus/answers.ts";
import { type Sent, Variant } from "../dbus/values.ts";
import { IBUS, Ibus } from "./ibus.ts";
import { timeByLoad } from "../../../core/proc.ts";
import { until, within } from "../../../core/until.ts";
import { MESSAGE, propertiesOf } from "../dbus/message.ts";
import type { Bus } from "../dbus/bus.ts";
import { KEYS_HANDLED_MS, keysNotHandled } from "./bus_keys.ts";
import { closedOnFailure } from "../../reconnecting.ts";

const ENGINE = { path: "/org/freedesktop/IBus/Engine/Deskhand", interface: "org.freedesktop.IBus.Engine" };
const FACTORY = "org.freedesktop.IBus.Factory";
/** The prefix of deskhand's engine names. */
const PREFIX = "deskhand";
const SHUT_RDWR = 2;
/** Maximum time for IBus to drop an engine whose connection has ended, in milliseconds. */
const DROPPED_MS = 500;
const NOTHING: Reply = { signature: "", args: [] };

/** The person's engine; null if there was none. */
interface Replaced {
  engine: string | null;
}

/** A caret's position in pixels of the screen. */
export interface Caret {
  x: number;
  y: number;
}

/** A registered engine, with its connection. */
interface Registered {
  ibus: Ibus;
  name: string;
  /** The person's engine; null if there was none. */
  before: string | null;
  /** Locked while the engine is registered. */
  record: LockedRecord<Replaced>;
}

/** One display's engine. */
export class IbusEngine {
  #registered: Registered | undefined;
  /** The number of presses and releases that have passed through the engine. */
  keys = 0;
  /** The focused field's caret, as far as the program reports it. */
  caret: Caret | undefined;
  /** The number of times that the focused field has reported a change of the text around its caret. */
  texts = 0;
  readonly #waits = new Set<() => void>();

  /** @param ibus Restores the person's engine. */
  constructor(readonly ibus: Ibus) {}

  /** Restores an engine that a killed deskhand left replaced. */
  async recover(): Promise<void> {
    if (!LockedRecord.isThere(this.#file)) return;
    using record = LockedRecord.open<Replaced>(this.#file);
    await this.#putBack(record);
    record.clear();
  }

  /**
   * Activates deskhand's engine instead of the person's. Must not be called again before the end.
   * @throws BusError if IBus refuses; DesktopUnavailableError if IBus is gone; BusyError if another deskhand
   * is typing.
   */
  async begin(): Promise<void> {
    const record = await LockedRecord.wait<Replaced>(this.#file);
    let own: Ibus | undefined;
    try {
      await this.#putBack(record);
      const before = await this.ibus.engine() ?? null;
      own = await Ibus.open(this.ibus.display);
      if (!own) throw new DesktopUnavailableError("IBus has ended");
      own.bus.serve = (call) => this.#serve(call);
      own.bus.stayAwake(); // until the connection is closed
      const name = `${PREFIX}${Deno.pid}-${own.bus.name.replace(/\W/g, "")}`; // a new name for each connection
      record.write({ engine: before });
      this.#registered = { ibus: own, name, before, record };
      await own.bus.callAsync(IBUS, "RegisterComponent", "v", [component(name)], "");
      await own.setEngine(name);
      own.bus.emit(ENGINE, "RequireSurroundingText"); // otherwise IBus does not report the text around the caret
    } catch (error) {
      if (this.#registered) await this.end().catch(() => {}); // the first error says more
      own?.close();
      record[Symbol.dispose]();
      throw error;
    }
  }

  /**
   * Reactivates the person's engine, or the one that the person has since chosen.
   * @throws DesktopUnavailableError if IBus is gone.
   */
  async end(): Promise<void> {
    const registered = this.#registered;
    if (!registered) return;
    this.#registered = undefined;
    using record = registered.record;
    let present: string | undefined, wanted: string | null | undefined;
    try {
      present = await this.ibus.engine();
      wanted = present === registered.name ? registered.before : present;
      if (wanted != null) await this.ibus.setEngine(wanted); // IBus then sends nothing more to deskhand's engine
    } finally {
      this.#unregister(registered);
    }
    await until(async () => await this.ibus.engine() !== (wanted ?? present), { ms: DROPPED_MS, every: 1 });
    if (wanted != null) await this.ibus.setEngine(wanted);
    record.clear();
  }

  /** Does the same as {@linkcode end} synchronously, for the end of the program. Never throws. */
  endNow(): void {
    const registered = this.#registered;
    if (!registered) return;
    this.#registered = undefined;
    using record = registered.record;
    const { name, before } = registered, { c } = this.ibus.bus.channel.socket;
    try {
      try {
        if (before !== null) this.ibus.setEngineNow(before);
      } finally {
        this.#unregister(registered);
      }
      for (const end = performance.now() + DROPPED_MS; performance.now() < end;) {
        if (this.ibus.engineNow() !== (before ?? name)) break;
        c.usleep(1000);
      }
      if (before !== null) this.ibus.setEngineNow(before);
      record.clear();
    } catch {
      // The next start tries again.
    }
  }

  /**
   * Commits a text to the focused field, between {@linkcode begin} and {@linkcode end}. It is in flight when
   * this returns.
   * @throws DesktopUnavailableError if IBus is gone.
   */
  commit(text: string): void {
    if (!this.#registered) throw new DesktopUnavailableError("the engine in IBus has ended");
    this.#registered.ibus.bus.emit(ENGINE, "CommitText", "v", [
      serialized("IBusText", "sv", text, attributes()),
    ]);
  }

  /**
   * Waits until a condition holds, checking it whenever IBus calls the engine.
   * @param ms Maximum wait, in milliseconds.
   * @returns Whether the condition holds.
   */
  async until(isSo: () => boolean, ms: number): Promise<boolean> {
    if (isSo()) return true;
    const { promise, resolve } = Promise.withResolvers<void>();
    const wait = () => isSo() && resolve();
    this.#waits.add(wait);
    await within(ms, promise);
    this.#waits.delete(wait);
    return isSo();
  }

  /** The record's name; each display has its own. */
  get #file(): string {
    return `ibus-engine-${this.ibus.display.replace(/[^\w.-]/g, "_")}.json`;
  }

  /** Ends the engine's connection immediately, even during a wait for its socket. */
  #unregister({ ibus }: Registered): void {
    const { c, fd } = ibus.bus.channel.socket;
    ibus.settle();
    c.shutdown(fd, SHUT_RDWR);
    ibus.bus.close();
  }

  async #putBack(record: LockedRecord<Replaced>): Promise<void> {
    const left = record.read()?.engine;
    if (left == null) return;
    const present = await this.ibus.engine();
    if (present === undefined || present.startsWith(PREFIX)) await this.ibus.setEngine(left);
  }

  #serve({ interface: name, member = "", values }: Incoming): Reply | undefined {
    if (name === FACTORY && member === "CreateEngine") return { signature: "o", args: [ENGINE.path] };
    if (name === "org.freedesktop.DBus.Properties") {
      return member === "Get" ? { signature: "v", args: [new Variant("b", false)] } : NOTHING;
    }
    if (name !== ENGINE.interface) return name === "org.freedesktop.IBus.Service" ? NOTHING : undefined;
    if (member === "SetCursorLocation") this.caret = { x: Number(values[0]), y: Number(values[1]) };
    if (member === "SetSurroundingText") this.texts++; // the text itself is private
    if (member === "ProcessKeyEvent") this.keys++;
    for (const wait of [...this.#waits]) wait();
    return member === "ProcessKeyEvent" ? { signature: "b", args: [false] } : NOTHING;
  }
}

/** An engine description for IBus: an IBusComponent with one IBusEngineDesc. */
function component(engine: string): Variant {
  const desc = serialized(
    ...["IBusEngineDesc", "ssssssssussssssss"] as const,
    ...[engine, "deskhand", "Text that deskhand types", "other", "", "deskhand", "", "default", 0],
    ...["", "", "", "", "", "", "", ""],
  );
  const texts = ["org.freedesktop.IBus.Deskhand", "deskhand", "1", "", "deskhand", "", "", ""];
  return serialized("IBusComponent", "ssssssssavav", ...texts, [], [desc]);
}

/** An empty IBusAttrList. */
function attributes(): Variant {
  return serialized("IBusAttrList", "av", []);
}

/**
 * An object in IBus's serialization (`ibusserializable.c`): its type, its attachments, and its fields.
 * @param signature The signature of the fields.
 */
function serialized(type: string, signature: string, ...fields: Sent[]): Variant {
  return new Variant(`(sa{sv}${signature})`, [type, {}, ...fields]);
}

// Keys that GNOME Shell has passed to IBus and not yet received back. ibus-daemon sends copies of all
// messages to a connection that requests them with a match rule (`bus/dbusimpl.c`), so the shell's calls and
// their answers can be counted. These calls also contain a person's keys: deskhand stores only the codes of
// those that are down.

/** GNOME Shell's service on IBus's bus. */
const PANEL = "org.freedesktop.IBus.Panel";
/**
 * Time for the shell to pass a key to IBus, in milliseconds, on an idle machine, and at most: the focus may
 * have changed, and then no key is passed.
 */
const UNSEEN_MS = { idle: 100, most: 1000 };

/** IBUS_RELEASE_MASK in a key's state (ibustypes.h). */
const RELEASE = 1 << 30;
/** Time after which a key counts as released, in milliseconds: its release may bypass the input method. */
const HELD_MS = 30_000;

/** Keys that the shell is waiting for. */
export class PendingKeys {
  /** Serial numbers of the shell's unanswered calls. */
  readonly #open = new Set<number>();
  #calls = 0;
  /** The number of calls at the last {@linkcode settle}. */
  #seen = 0;
  #wait = () => {};
  /** When the shell last received back a key, by `performance.now()`. */
  givenBackAt = -Infinity;
  /** When each key that is down was pressed, by code. */
  readonly #down = new Map<number, number>();
  readonly #ends: (() => void)[] = [];

  private constructor(readonly ibus: Ibus, readonly shell: string) {}

  /**
   * Looks for the shell.
   * @returns undefined if no shell is connected to IBus.
   * @throws DesktopUnavailableError if IBus is gone, or refuses.
   */
  static async open(ibus: Ibus): Promise<PendingKeys | undefined> {
    const shell = await ibus.bus.ownerAsync(PANEL);
    if (shell === undefined) return undefined;
    return await closedOnFailure(new PendingKeys(ibus, shell), async (kept) => {
      ibus.bus.readsCopy = ({ member }) => member === "ProcessKeyEvent";
      ibus.bus.onCopy = (message) => kept.#note(message);
      kept.#ends.push(ibus.bus.stayAwake());
      const call = `interface='org.freedesktop.IBus.InputContext',member='ProcessKeyEvent',sender='${shell}'`;
      const answers = ["method_return", "error"].map((type) => `type='${type}',destination='${shell}'`);
      for (const rule of [`type='method_call',${call}`, ...answers]) {
        kept.#ends.push(await ibus.bus.watch(rule));
      }
      return kept;
    });
  }

  /**
   * Resolves when the shell has received back the keys that were sent to it, and has passed them to the
   * program.
   * @param sent The number of presses and releases sent since the last call.
   * @throws StateError if an engine holds keys for too long; DesktopUnavailableError if IBus is gone.
   */
  async settle(sent: number): Promise<void> {
    const areBack = !await this.ibus.hasFocus() || await this.#givenBack(sent);
    this.#seen = this.#calls;
    if (!areBack) throw keysNotHandled("the input method IBus");
    await this.ping();
  }

  /** Whether a key is down, as far as IBus receives keys. @param own Codes of keys to ignore. */
  isHeld(own: ReadonlySet<number>): boolean {
    const now = performance.now();
    return this.#down.entries().some(([code, at]) => !own.has(code) && now - at < HELD_MS);
  }

  /**
   * Waits until the shell has passed keys to IBus and received them back.
   * @returns false if that takes too long.
   */
  async #givenBack(sent: number): Promise<boolean> {
    const isSeen = () => this.#calls - this.#seen >= sent;
    const unseen = timeByLoad(UNSEEN_MS.idle, UNSEEN_MS.most);
    await this.#until(isSeen, unseen);
    // A shell without processor time does not pass keys either: the time counts from its next answer.
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
   * Resolves when the shell has read IBus's earlier messages, as shown by its answer to a call over the same
   * connection.
   * @throws DesktopUnavailableError if IBus or the shell is gone.
   */
  async ping(): Promise<void> {
    const panel = { destination: this.shell, path: "/org/freedesktop/IBus/Panel", interface: PANEL };
    const answer = this.#bus.callAsync(propertiesOf(panel), "GetAll", "s", [PANEL], "");
    await answer.catch(on(BusError)); // a refusal is an answer, too
  }

  /** Stops requesting copies. Safe to call twice. */
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
    const endOf = this.#bus.onEnd(() => resolve());
    this.#wait = () => {
      if (isSo()) resolve();
    };
    await within(ms, promise);
    this.#wait = () => {};
    endOf();
  }
}
