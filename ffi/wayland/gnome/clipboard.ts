/** The clipboard of GNOME, by Mutter's RemoteDesktop: Mutter offers no data control to Wayland's programs. */

import {
  type Clipboard,
  CLIPBOARD_KINDS,
  type ClipboardContent,
  type ClipboardKind,
  type Selection,
} from "../../../control/desktop.ts";
import { InputError } from "../../../core/errors.ts";
import { ClipboardReadings } from "../../clipboard_readings.ts";
import { bestType, decoded, encoded, kindsOf, MEDIA_TYPES } from "../wire/media_types.ts";
import { ClipboardSession } from "./clipboard_session.ts";

/** Types of texts that are offered. */
const UTF8_TYPES = MEDIA_TYPES.text.slice(0, 3);

/** Reads and writes over a connection of its own, which is opened when it is first needed. */
export class GnomeClipboard implements Clipboard {
  readonly selections = ["clipboard"] as const;
  readonly #readings = new ClipboardReadings();
  #session: ClipboardSession | undefined;

  /** @param buses Paths of sockets of the session's bus; the environment's if left out. */
  constructor(readonly buses?: readonly string[]) {}

  async kinds(selection: Selection, signal?: AbortSignal): Promise<ClipboardKind[]> {
    const { types } = this.#connected(selection);
    if (types) return kindsOf(types);
    // Mutter does not report content that was copied before deskhand connected, so all kinds are tried.
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

  /** Resolves when Mutter's clipboard manager has the content, which it asks for at once. */
  async write(content: ClipboardContent, selection: Selection): Promise<void> {
    const session = this.#connected(selection);
    session.offer(encoded(content, UTF8_TYPES));
    await session.handed();
  }

  /** The number of times that programs have taken the content that deskhand copied last. */
  get taken(): number {
    return this.#session?.taken ?? 0;
  }

  /**
   * Returns whether the content outlives deskhand: Mutter's clipboard manager takes over text and pictures as soon as
   * they are copied.
   */
  keep(): Promise<boolean> {
    const session = this.#session;
    return Promise.resolve(!session || session.refresh() || !session.own || session.taken > 0);
  }

  close(): void {
    this.#session?.close();
    this.#session = undefined;
  }

  async #read(kind: ClipboardKind, selection: Selection): Promise<ClipboardContent | undefined> {
    const session = this.#connected(selection), { types, own } = session;
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
   * @throws DesktopUnavailableError if GNOME Shell is gone, or refuses; InputError for a selection that it has not.
   */
  #connected(selection: Selection): ClipboardSession {
    if (selection !== "clipboard") {
      throw new InputError(`on GNOME there is the clipboard alone, and no ${selection} selection`);
    }
    if (this.#session?.refresh()) this.close();
    return this.#session ??= ClipboardSession.open(this.buses);
  }
}
