/** A Wayland desktop's clipboard (ext_data_control_v1, or its predecessor zwlr_data_control_v1). */

import {
  type Clipboard,
  type ClipboardContent,
  type ClipboardKind,
  type Selection,
  SELECTIONS,
} from "../../../control/desktop/desktop.ts";
import { ExpectedError, on, UnsupportedError } from "../../../core/errors.ts";
import { ClipboardReadings } from "../../clipboard_readings.ts";
import { type BackgroundConnection, OnDemand } from "./background_connection.ts";
import { DATA_CONTROLS } from "./link.ts";
import { bestType, decoded, encoded, kindsOf, receiveContent, sendContent } from "./media_types.ts";
import {
  DATA_CONTROL_DEVICE,
  DATA_CONTROL_MANAGER,
  DATA_CONTROL_OFFER,
  DATA_CONTROL_SOURCE,
} from "./wire.ts";

// A seat's selections: content that other programs offer, and content that deskhand offers.

/** Types of content offered by a program. */
interface Offer {
  object: number;
  types: string[];
}

/** Offered content by type. */
export type Contents = ReadonlyMap<string, Uint8Array<ArrayBuffer>>;

/** Represents no source in a request (Wayland protocol, null objects). */
const NO_SOURCE = 0;

/** The selections over one connection. */
export class DataControl {
  readonly #manager: number;
  readonly #device: number;
  /** Whether programs may set the primary selection. */
  readonly #hasPrimary: boolean;
  /** Announced offers, by object. */
  readonly #announced = new Map<number, Offer>();
  readonly #offers: Partial<Record<Selection, Offer>> = {};
  /** deskhand's sources that are selected, by object. */
  readonly #owned = new Map<number, Selection>();

  /** @throws UnsupportedError if the compositor does not offer the protocol. */
  constructor(readonly background: BackgroundConnection) {
    const { connection, registry } = background, name = DATA_CONTROLS.find((name) => registry.version(name));
    if (!name) {
      throw new UnsupportedError(
        "this compositor does not let programs use its clipboard (it offers no data control)",
      );
    }
    this.#hasPrimary = !name.startsWith("zwlr") || registry.version(name) >= 2;
    const seat = registry.bindFirst("wl_seat", 1);
    this.#manager = registry.bindFirst(name, 2);
    this.#device = connection.newId((opcode, args) => {
      if (opcode === DATA_CONTROL_DEVICE.dataOffer) this.#announce(args.uint());
      else if (opcode === DATA_CONTROL_DEVICE.selection) this.#select("clipboard", args.uint());
      else if (opcode === DATA_CONTROL_DEVICE.primarySelection) this.#select("primary", args.uint());
    });
    connection.request(this.#manager, DATA_CONTROL_MANAGER.getDevice, this.#device, seat);
  }

  /** The types in which a selection is currently offered. */
  async types(selection: Selection): Promise<readonly string[]> {
    await this.background.connection.handled();
    return this.#offers[selection]?.types ?? [];
  }

  /** Requests content; the program that owns it writes it into a pipe. */
  receive(selection: Selection, type: string, fd: number): void {
    const offer = this.#offers[selection];
    if (!offer) return; // the offer is gone: the pipe ends immediately
    this.background.connection.request(offer.object, DATA_CONTROL_OFFER.receive, type, { fd });
  }

  /**
   * Selects deskhand's own content. Programs can paste it when this resolves.
   * @param asked Called when a program requests a type, with a promise that resolves when the content has
   * been sent.
   */
  async own(
    selection: Selection,
    contents: Contents,
    asked: (type: string, sent: Promise<void>) => void = () => {},
  ): Promise<void> {
    const { connection } = this.background;
    this.#checkSelection(selection);
    const source: number = connection.newId((opcode, args) => {
      if (opcode === DATA_CONTROL_SOURCE.send) {
        const type = args.string(), fd = args.descriptor();
        asked(type, sendContent(connection.c, fd, contents.get(type) ?? new Uint8Array()));
      } else if (opcode === DATA_CONTROL_SOURCE.cancelled && this.#owned.delete(source)) {
        connection.request(source, DATA_CONTROL_SOURCE.destroy);
      }
    });
    connection.request(this.#manager, DATA_CONTROL_MANAGER.createSource, source);
    for (const type of contents.keys()) connection.request(source, DATA_CONTROL_SOURCE.offer, type);
    this.#owned.set(source, selection);
    await this.#set(selection, source);
  }

  /** Empties a selection. */
  async clear(selection: Selection): Promise<void> {
    this.#checkSelection(selection);
    await this.#set(selection, NO_SOURCE);
  }

  /** Whether deskhand's content is still selected. */
  owns(selection: Selection): boolean {
    return [...this.#owned.values()].includes(selection);
  }

  #checkSelection(selection: Selection): void {
    if (selection !== "primary" || this.#hasPrimary) return;
    throw new UnsupportedError("this compositor does not let programs use the primary selection");
  }

  async #set(selection: Selection, source: number): Promise<void> {
    const { setSelection, setPrimarySelection } = DATA_CONTROL_DEVICE, { connection } = this.background;
    connection.request(this.#device, selection === "primary" ? setPrimarySelection : setSelection, source);
    await connection.handled();
  }

  #announce(object: number): void {
    const offer: Offer = { object, types: [] };
    this.#announced.set(object, offer);
    this.background.connection.handle(object, (opcode, args) => {
      if (opcode === DATA_CONTROL_OFFER.offer) offer.types.push(args.string());
    });
  }

  #select(selection: Selection, object: number): void {
    const before = this.#offers[selection];
    if (before) this.background.connection.request(before.object, DATA_CONTROL_OFFER.destroy);
    this.#offers[selection] = this.#announced.get(object);
    this.#announced.delete(object);
  }
}

/** Reads and writes over its own connection, which is opened on first use. */
export class WaylandClipboard implements Clipboard {
  readonly selections = SELECTIONS;
  readonly #readings = new ClipboardReadings();
  readonly #control: OnDemand<DataControl>;
  #taken = 0;

  /** @param path The path of the compositor's socket. */
  constructor(path: string) {
    this.#control = new OnDemand(path, (background) => new DataControl(background));
  }

  async kinds(selection: Selection): Promise<ClipboardKind[]> {
    return kindsOf(await (await this.#control.get()).types(selection));
  }

  read(
    kind: ClipboardKind,
    selection: Selection,
    signal?: AbortSignal,
  ): Promise<ClipboardContent | undefined> {
    return this.#readings.run(() => this.#read(kind, selection), signal);
  }

  async write(content: ClipboardContent, selection: Selection): Promise<void> {
    await (await this.#control.get()).own(selection, encoded(content), () => this.#taken++);
  }

  /** Empties the clipboard. */
  async clear(): Promise<void> {
    await (await this.#control.get()).clear("clipboard");
  }

  /** The number of times that programs have read the content that deskhand copied. */
  get taken(): number {
    return this.#taken;
  }

  /**
   * Returns whether the content outlives deskhand: a Wayland clipboard manager takes over content as soon as
   * it is copied.
   */
  keep(): Promise<boolean> {
    return Promise.resolve(!this.#control.present?.owns("clipboard"));
  }

  /** Closes the connection; copied content is lost. */
  close(): void {
    this.#control.close();
  }

  async #read(kind: ClipboardKind, selection: Selection): Promise<ClipboardContent | undefined> {
    const control = await this.#control.get(), type = bestType(kind, await control.types(selection));
    if (!type) return undefined;
    const { c } = control.background.connection;
    const bytes = await receiveContent(c, (fd) => control.receive(selection, type, fd));
    return decoded(kind, type, bytes);
  }
}

// The content of a selection that is temporarily replaced: everything that its program offers.

/** Programs offer a picture in many formats, and convert it on request, so only the best format is saved. */
const PICTURE = /^image\//, KEPT_PICTURE = "image/png";
/** Types that are requests to X11 programs rather than content (ICCCM 2.6.2). */
const NO_CONTENT: ReadonlySet<string> = new Set([
  "TARGETS",
  "MULTIPLE",
  "TIMESTAMP",
  "SAVE_TARGETS",
  "DELETE",
]);

/**
 * Reads a selection's current content. A type that its program does not deliver is skipped.
 * @returns Content by type; empty if nothing is selected.
 */
export async function readSelection(control: DataControl, selection: Selection): Promise<Contents> {
  const { c } = control.background.connection;
  const offered = await control.types(selection);
  const types = new Set(
    offered.filter((type) => !NO_CONTENT.has(type) && (!PICTURE.test(type) || type === KEPT_PICTURE)),
  );
  const read = await Promise.all(
    Array.from(types, (type) =>
      receiveContent(c, (fd) => control.receive(selection, type, fd))
        .then((content) => [type, content] as const)
        .catch(on(ExpectedError))),
  );
  return new Map(read.filter((content) => content !== undefined));
}

/** Restores the content from {@linkcode readSelection}. */
export async function putBack(control: DataControl, selection: Selection, contents: Contents): Promise<void> {
  if (contents.size) await control.own(selection, contents);
  else await control.clear(selection);
}
