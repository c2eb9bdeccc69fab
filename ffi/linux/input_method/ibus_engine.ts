/**
 * An engine of deskhand's own in IBus. It passes every key on, and its committed text arrives unchanged in the
 * focused text field, whatever the keyboard's layout is.
 *
 * It takes the place of the person's engine for the time of a text, over a connection that lasts no longer: whenever
 * a connection with an engine ends, IBus switches to no engine at all, whichever engine was active
 * (`bus_ibus_impl_check_global_engine` of `bus/ibusimpl.c`), and the person's engine has to be restored. Its name is
 * kept in the state folder until then, so that the next start can restore it if deskhand was killed.
 */

import { delay } from "@std/async/delay";
import { DesktopUnavailableError } from "../../../core/errors.ts";
import { LockedRecord } from "../../../core/process_record.ts";
import type { Incoming } from "../dbus/channel.ts";
import type { Reply } from "../dbus/answers.ts";
import { type Sent, Variant } from "../dbus/values.ts";
import { IBUS, Ibus } from "./ibus.ts";

const ENGINE = { path: "/org/freedesktop/IBus/Engine/Deskhand", interface: "org.freedesktop.IBus.Engine" };
const FACTORY = "org.freedesktop.IBus.Factory";
/** The beginning of the names of deskhand's engines. */
const PREFIX = "deskhand";
const SHUT_RDWR = 2;
/** The time that IBus may take to drop an engine whose connection has ended, in milliseconds. */
const DROPPED_MS = 500;
const NOTHING: Reply = { signature: "", args: [] };

/** The person's engine; null if there was none. */
interface Replaced {
  engine: string | null;
}

/** The place of a caret in pixels of the screen. */
export interface Caret {
  x: number;
  y: number;
}

/** An engine that is registered, with its connection. */
interface Registered {
  ibus: Ibus;
  name: string;
  /** The person's engine; null if there was none. */
  before: string | null;
  /** Locked as long. */
  record: LockedRecord<Replaced>;
}

/** The engine of one display. */
export class IbusEngine {
  #registered: Registered | undefined;
  /** The number of presses and releases that went through the engine. */
  keys = 0;
  /** The caret of the focused field, as far as the program reports it. */
  caret: Caret | undefined;
  /** The number of changes that the focused field has reported of the text around its caret. */
  texts = 0;
  readonly #waits = new Set<() => void>();

  /** @param ibus Puts the person's engine back. */
  constructor(readonly ibus: Ibus) {}

  /** Puts the engine back that a killed deskhand left replaced. */
  async recover(): Promise<void> {
    if (!LockedRecord.isThere(this.#file)) return;
    const record = LockedRecord.open<Replaced>(this.#file);
    try {
      await this.#putBack(record);
      record.close({ clear: true });
    } finally {
      record.close({ clear: false });
    }
  }

  /**
   * Makes deskhand's engine active instead of the person's. Not to be called again before the end.
   * @throws BusError if IBus refuses; DesktopUnavailableError if IBus is gone; BusyError if another deskhand types.
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
      record.close({ clear: false });
      throw error;
    }
  }

  /**
   * Makes the person's engine active again, or the one that the person has chosen since.
   * @throws DesktopUnavailableError if IBus is gone.
   */
  async end(): Promise<void> {
    const registered = this.#registered;
    if (!registered) return;
    this.#registered = undefined;
    const { record } = registered;
    try {
      const present = await this.ibus.engine(),
        wanted = present === registered.name ? registered.before : present;
      try {
        if (wanted != null) await this.ibus.setEngine(wanted); // IBus then sends nothing more to deskhand's engine
      } finally {
        this.#unregister(registered);
      }
      for (const end = performance.now() + DROPPED_MS; performance.now() < end;) {
        if (await this.ibus.engine() !== (wanted ?? present)) break;
        await delay(1);
      }
      if (wanted != null) await this.ibus.setEngine(wanted);
      record.close({ clear: true });
    } finally {
      record.close({ clear: false });
    }
  }

  /** Does the same as {@linkcode end} before it returns, for the end of the program. Never throws. */
  endNow(): void {
    const registered = this.#registered;
    if (!registered) return;
    this.#registered = undefined;
    const { name, before, record } = registered, { c } = this.ibus.bus.channel.socket;
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
      record.close({ clear: true });
    } catch {
      // The next start tries again.
    }
    record.close({ clear: false });
  }

  /**
   * Puts a text into the focused field, between {@linkcode begin} and {@linkcode end}. It is on its way when this returns.
   * @throws DesktopUnavailableError if IBus is gone.
   */
  commit(text: string): void {
    if (!this.#registered) throw new DesktopUnavailableError("the engine in IBus has ended");
    this.#registered.ibus.bus.emit(ENGINE, "CommitText", "v", [
      serialized("IBusText", "sv", text, attributes()),
    ]);
  }

  /**
   * Waits until a condition holds, and checks again whenever IBus calls the engine.
   * @param ms How long, in milliseconds.
   * @returns Whether the condition holds.
   */
  async until(isSo: () => boolean, ms: number): Promise<boolean> {
    if (isSo()) return true;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms), wait = () => isSo() && resolve();
    this.#waits.add(wait);
    await promise;
    clearTimeout(timer);
    this.#waits.delete(wait);
    return isSo();
  }

  /** The name of the record; each display has its own. */
  get #file(): string {
    return `ibus-engine-${this.ibus.display.replace(/[^\w.-]/g, "_")}.json`;
  }

  /** Ends the engine's connection at once, even during a wait for its socket. */
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
    if (member === "SetSurroundingText") this.texts++; // which text is the person's matter
    if (member === "ProcessKeyEvent") this.keys++;
    for (const wait of [...this.#waits]) wait();
    return member === "ProcessKeyEvent" ? { signature: "b", args: [false] } : NOTHING;
  }
}

/** Description of an engine for IBus: an IBusComponent with one IBusEngineDesc. */
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
 * An object as IBus sends it (`ibusserializable.c`): its type, its attachments, and its fields.
 * @param signature The signature of the fields.
 */
function serialized(type: string, signature: string, ...fields: Sent[]): Variant {
  return new Variant(`(sa{sv}${signature})`, [type, {}, ...fields]);
}
