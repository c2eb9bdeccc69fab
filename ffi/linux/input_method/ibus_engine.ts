/**
 * An engine of deskhand's own in IBus. It passes every key on, and what it commits comes into the focused text field as it
 * is, whatever the keyboard's layout has.
 *
 * It takes the place of the person's engine for the time of a text. Which one that was is kept in the state folder
 * meanwhile: where deskhand is killed, IBus has no engine at all, and the next start puts the person's back.
 */

import type { Incoming } from "../dbus/channel.ts";
import type { Reply } from "../dbus/answers.ts";
import { type Sent, Variant } from "../dbus/values.ts";
import { LockedRecord } from "../locked_record.ts";
import { IBUS, type Ibus } from "./ibus.ts";

const ENGINE = { path: "/org/freedesktop/IBus/Engine/Deskhand", interface: "org.freedesktop.IBus.Engine" };
const FACTORY = "org.freedesktop.IBus.Factory";
/** How the names of deskhand's engines begin. */
const PREFIX = "deskhand";
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

/** The engine over one connection. */
export class IbusEngine {
  readonly #name: string;
  #isRegistered = false;
  /** Locked while this engine is active. */
  #record: LockedRecord<Replaced> | undefined;
  #before: string | null = null;
  #rest = () => {};
  /** How many presses and releases of keys went through the engine. */
  keys = 0;
  /** Where the focused field has its caret, as far as the program tells. */
  caret: Caret | undefined;
  /** How many times the focused field has told that the text around its caret is another one. */
  texts = 0;
  readonly #waits = new Set<() => void>();

  /** @param ibus Answers IBus's calls of the engine from now on. */
  constructor(readonly ibus: Ibus) {
    this.#name = `${PREFIX}${Deno.pid}-${ibus.bus.name.replace(/\W/g, "")}`; // unlike that of another connection
    ibus.bus.serve = (call) => this.#serve(call);
  }

  /** Whether it stands in for the person's. */
  get isActive(): boolean {
    return this.#record !== undefined;
  }

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
   * Makes the engine the active one, in place of the person's.
   * @throws BusError if IBus refuses; DesktopUnavailableError if it is gone; BusyError if another deskhand types.
   */
  async begin(): Promise<void> {
    if (this.isActive) return;
    const record = await LockedRecord.wait<Replaced>(this.#file), rest = this.ibus.bus.stayAwake();
    try {
      await this.#putBack(record);
      if (!this.#isRegistered) {
        await this.ibus.bus.callAsync(IBUS, "RegisterComponent", "v", [component(this.#name)], "");
      }
      this.#isRegistered = true;
      this.#before = await this.ibus.engine() ?? null;
      record.write({ engine: this.#before });
      await this.ibus.setEngine(this.#name);
      this.ibus.bus.emit(ENGINE, "RequireSurroundingText"); // else the text around the caret is not told
      this.#record = record;
      this.#rest = rest;
    } catch (error) {
      rest();
      record.close({ clear: false });
      throw error;
    }
  }

  /** Makes the person's engine active again, unless the person has chosen one meanwhile. */
  async end(): Promise<void> {
    const record = this.#record;
    if (!record) return;
    this.#record = undefined;
    try {
      if (await this.ibus.engine() === this.#name && this.#before !== null) {
        await this.ibus.setEngine(this.#before);
      }
      record.close({ clear: true });
    } finally {
      record.close({ clear: false });
      this.#rest();
    }
  }

  /** The same before it returns, for the end of the program. Never throws. */
  endNow(): void {
    const record = this.#record;
    if (!record) return;
    this.#record = undefined;
    let isDone = false;
    try {
      if (this.#before !== null) this.ibus.bus.call(IBUS, "SetGlobalEngine", "s", [this.#before], "");
      isDone = true;
    } catch {
      // The next start tries again.
    }
    record.close({ clear: isDone });
    this.#rest();
  }

  /**
   * Puts a text into the focused field. It is on its way when this returns; most programs report then.
   * @throws DesktopUnavailableError if IBus is gone.
   */
  commit(text: string): void {
    this.ibus.bus.emit(ENGINE, "CommitText", "v", [serialized("IBusText", "sv", text, attributes())]);
  }

  /**
   * Waits until something is so, and looks again whenever IBus calls the engine.
   * @param ms How long, in milliseconds.
   * @returns Whether it is so.
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

  /** The record's name, one a display. */
  get #file(): string {
    return `ibus-engine-${this.ibus.display.replace(/[^\w.-]/g, "_")}.json`;
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

/** What IBus has to know of an engine: an IBusComponent with one IBusEngineDesc. */
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
 * @param signature Of the fields.
 */
function serialized(type: string, signature: string, ...fields: Sent[]): Variant {
  return new Variant(`(sa{sv}${signature})`, [type, {}, ...fields]);
}
