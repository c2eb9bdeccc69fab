/** GNOME's clipboard, through Mutter's RemoteDesktop: Mutter offers Wayland programs no data control. */

import {
  type Clipboard,
  CLIPBOARD_KINDS,
  type ClipboardContent,
  type ClipboardKind,
  type Selection,
} from "../../../control/desktop/desktop.ts";
import { attempt, DesktopUnavailableError, InputError } from "../../../core/errors.ts";
import { ClipboardReadings } from "../../clipboard_readings.ts";
import { Bus } from "../../linux/dbus/bus.ts";
import type { RemoteObject } from "../../linux/dbus/message.ts";
import { type Sent, Variant } from "../../linux/dbus/values.ts";
import { openLibc } from "../../linux/libc.ts";
import { closedOnFailure } from "../../reconnecting.ts";
import {
  bestType,
  decoded,
  encoded,
  kindsOf,
  MEDIA_TYPES,
  readToEnd,
  sendContent,
} from "../wire/media_types.ts";
import { refused, REMOTE_DESKTOP, sessionAt } from "./mutter_session.ts";

// A Mutter RemoteDesktop session only for the clipboard. It is not started, so GNOME shows no indicator.

/** A type that Mutter's clipboard manager does not save. */
const UNSAVED_TYPE = "application/x-deskhand-empty";

/** Offered content by MIME type. */
type Offer = ReadonlyMap<string, Uint8Array<ArrayBuffer>>;

/** The clipboard of one run of GNOME Shell. */
export class ClipboardSession {
  /**
   * MIME types of the clipboard's content; undefined until Mutter's first report, which comes at each change.
   */
  types: readonly string[] | undefined;
  /** Content that deskhand has copied; undefined when another program owns the clipboard. */
  own: Offer | undefined;
  /**
   * The number of times that {@linkcode own} was delivered to another program, the first of which is Mutter's
   * clipboard manager.
   */
  taken = 0;
  /** Transfers of {@linkcode own} that programs have requested. */
  readonly #transfers = new Set<Promise<void>>();
  #isEnded = false;
  #rest: () => void = () => {};
  readonly #c = openLibc();

  private constructor(readonly bus: Bus, readonly object: RemoteObject, owner: string) {
    bus.onOwnerChange(REMOTE_DESKTOP.destination, () => this.#isEnded = true);
    const from = { sender: owner, path: object.path, interface: object.interface };
    bus.listen({ ...from, member: "Closed" }, () => this.#isEnded = true);
    bus.listen({ ...from, member: "SelectionOwnerChanged" }, ({ values }) => this.#onOwner(values[0]));
    bus.listen({ ...from, member: "SelectionTransfer" }, ({ values: [type, serial] }) => {
      const handing = this.#hand(String(type), Number(serial)).catch(() => {}) // on failure the paste stays empty
        .finally(() => this.#transfers.delete(handing));
      this.#transfers.add(handing);
    });
  }

  /**
   * Connects to Mutter.
   * @param buses Paths of the session bus's sockets; the environment's if omitted.
   * @throws DesktopUnavailableError if GNOME is not running, or refuses; NoDesktopError if there is no bus.
   */
  static async open(buses?: readonly string[]): Promise<ClipboardSession> {
    return await closedOnFailure(await Bus.openAside(buses), async (bus) => {
      const owner = await bus.ownerAsync(REMOTE_DESKTOP.destination);
      if (owner === undefined) throw new DesktopUnavailableError("GNOME Shell is gone");
      const [path] = await bus.callAsync(REMOTE_DESKTOP, "CreateSession", "", [], "o");
      const session = new ClipboardSession(bus, sessionAt(REMOTE_DESKTOP, path), owner);
      await session.#call("EnableClipboard", "a{sv}", [{}]);
      return session;
    }).catch(refused);
  }

  /** Reads the signals that have arrived. @returns Whether the session has ended. */
  refresh(): boolean {
    attempt(() => this.bus.dispatch(), undefined, DesktopUnavailableError);
    return this.bus.isLost || this.#isEnded;
  }

  /**
   * Reads another program's content. Empty if the program does not offer this type.
   * @param type A MIME type.
   * @throws TimeLimitError if the program is silent; BusError if Mutter refuses, as it does if there is no
   * content.
   */
  async read(type: string): Promise<Uint8Array<ArrayBuffer>> {
    const [fd] = await this.bus.callAsync(this.object, "SelectionRead", "s", [type], "h");
    try {
      return await readToEnd(this.#c, fd);
    } finally {
      this.#c.close(fd);
    }
  }

  /**
   * Puts content on the clipboard, and serves it until another program copies.
   * @throws DesktopUnavailableError if Mutter refuses, or does not answer.
   */
  async offer(content: Offer): Promise<void> {
    // Set first, since Mutter's clipboard manager requests the content before the call is answered.
    this.own = content;
    this.taken = 0;
    this.#transfers.clear();
    this.#rest();
    this.#rest = this.bus.stayAwake();
    try {
      await this.#select([...content.keys()]);
    } catch (error) {
      this.#isEnded = true; // the next use opens another session and requests the content
      throw error;
    }
    if (this.own === content) this.types = [...content.keys()]; // no other program has copied since
  }

  /** Empties the clipboard. @throws DesktopUnavailableError if Mutter refuses, or does not answer. */
  async clear(): Promise<void> {
    // Mutter's clipboard manager offers again what it has last saved. It forgets that when content comes that
    // it does not save.
    await this.offer(new Map([[UNSAVED_TYPE, new Uint8Array()]]));
    await this.#select(undefined);
  }

  /**
   * Waits until the programs that have requested {@linkcode own} so far have received it, or have failed to.
   */
  async handed(): Promise<void> {
    this.refresh();
    await Promise.all(this.#transfers);
  }

  close(): void {
    this.#rest();
    this.bus.close();
  }

  /** @param types Offered types; undefined withdraws them. */
  async #select(types: readonly string[] | undefined): Promise<void> {
    await this.#call("SetSelection", "a{sv}", [types ? { "mime-types": new Variant("as", types) } : {}]);
  }

  async #call(member: string, signature: string, args: readonly Sent[]): Promise<void> {
    await this.bus.callAsync(this.object, member, signature, args, "");
  }

  #onOwner(options: unknown): void {
    if (!(options instanceof Map)) return;
    const types = options.get("mime-types"); // a D-Bus structure that contains one array
    this.types = Array.isArray(types?.[0]) ? types[0].map(String) : [];
    if (options.get("session-is-owner") === true) return;
    this.own = undefined;
    this.#rest();
  }

  /** Writes content to a program that pastes. */
  async #hand(type: string, serial: number): Promise<void> {
    const content = this.own?.get(type);
    const [fd] = await this.bus.callAsync(this.object, "SelectionWrite", "u", [serial], "h");
    await sendContent(this.#c, fd, content ?? new Uint8Array());
    const isDone = content !== undefined;
    await this.bus.callAsync(this.object, "SelectionWriteDone", "ub", [serial, isDone], "");
    if (isDone) this.taken++;
  }
}

/** Offered text types. */
const UTF8_TYPES = MEDIA_TYPES.text.slice(0, 3);

/** Reads and writes over its own connection, which is opened on first use. */
export class GnomeClipboard implements Clipboard {
  readonly selections = ["clipboard"] as const;
  readonly #readings = new ClipboardReadings();
  #session: ClipboardSession | undefined;
  #opening: Promise<ClipboardSession> | undefined;

  /** @param buses Paths of the session bus's sockets; the environment's if omitted. */
  constructor(readonly buses?: readonly string[]) {}

  async kinds(selection: Selection, signal?: AbortSignal): Promise<ClipboardKind[]> {
    const { types } = await this.#connected(selection);
    if (types) return kindsOf(types);
    // Mutter does not report content copied before deskhand connected, so all kinds are tried.
    const found = await Promise.all(CLIPBOARD_KINDS.map((kind) => this.read(kind, selection, signal)));
    return CLIPBOARD_KINDS.filter((_, i) => found[i]);
  }

  read(
    kind: ClipboardKind,
    selection: Selection,
    signal?: AbortSignal,
  ): Promise<ClipboardContent | undefined> {
    return this.#readings.run(() => this.#read(kind, selection), signal);
  }

  /** Resolves when Mutter's clipboard manager has received the content, which it requests immediately. */
  async write(content: ClipboardContent, selection: Selection): Promise<void> {
    const session = await this.#connected(selection);
    await session.offer(encoded(content, UTF8_TYPES));
    await session.handed();
  }

  async clear(): Promise<void> {
    await (await this.#connected("clipboard")).clear();
  }

  /** The number of times that programs have read the content that deskhand last copied. */
  get taken(): number {
    return this.#session?.taken ?? 0;
  }

  /**
   * Returns whether the content outlives deskhand: Mutter's clipboard manager takes over text and pictures as
   * soon as they are copied.
   */
  keep(): Promise<boolean> {
    const session = this.#session;
    return Promise.resolve(!session || session.refresh() || !session.own || session.taken > 0);
  }

  close(): void {
    this.#session?.close();
    this.#session = this.#opening = undefined;
  }

  async #read(kind: ClipboardKind, selection: Selection): Promise<ClipboardContent | undefined> {
    const session = await this.#connected(selection), { types, own } = session;
    const type = types ? bestType(kind, types) : MEDIA_TYPES[kind][0];
    if (!type) return undefined;
    const content = own?.get(type) ?? await session.read(type).catch((error) => {
      if (/No selection owner/.test((error as Error).message)) return new Uint8Array();
      throw error;
    });
    if (!content.length && !(types && kind === "text")) return undefined;
    return decoded(kind, type, content);
  }

  /**
   * @throws DesktopUnavailableError if GNOME Shell is gone, or refuses; InputError for an unknown selection.
   */
  async #connected(selection: Selection): Promise<ClipboardSession> {
    if (selection !== "clipboard") {
      throw new InputError(`GNOME has no ${selection} selection, only the clipboard`);
    }
    if (this.#session?.refresh()) this.close();
    return this.#session ?? await (this.#opening ?? this.#open());
  }

  #open(): Promise<ClipboardSession> {
    const isWanted = () => this.#opening === opening;
    const opening = ClipboardSession.open(this.buses).then((session) => {
      if (isWanted()) this.#session = session;
      else session.close();
      return session;
    }).finally(() => {
      if (isWanted()) this.#opening = undefined;
    });
    return this.#opening = opening;
  }
}
