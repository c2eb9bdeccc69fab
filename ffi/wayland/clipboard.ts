/** The clipboard of a Wayland desktop (ext_data_control_v1, or zwlr_data_control_v1, which it was before). */

import {
  type Clipboard,
  CLIPBOARD_KINDS,
  type ClipboardContent,
  type ClipboardKind,
  type Selection,
  SELECTIONS,
} from "../../control/desktop.ts";
import { UnsupportedError } from "../../core/errors.ts";
import { ClipboardReadings, contentOf } from "../clipboard_readings.ts";
import { BackgroundConnection } from "./background_connection.ts";
import { DataControl } from "./data_control.ts";
import { receiveContent } from "./transfer.ts";

/** Forms of each kind, the best first; old X11 programs know those in capitals. */
const TYPES: Readonly<Record<ClipboardKind, readonly string[]>> = {
  text: ["text/plain;charset=utf-8", "UTF8_STRING", "text/plain", "TEXT", "STRING"],
  png: ["image/png"],
};

/** Reads and writes over a connection of its own, which is opened when it is first needed. */
export class WaylandClipboard implements Clipboard {
  readonly selections = SELECTIONS;
  readonly #readings = new ClipboardReadings();
  #background: BackgroundConnection | undefined;
  #control: DataControl | undefined;

  /** @param path Of the compositor's socket. */
  constructor(readonly path: string) {}

  // deno-lint-ignore require-await -- what is thrown is a rejection
  async kinds(selection: Selection): Promise<ClipboardKind[]> {
    const types = this.#connected().types(selection);
    return CLIPBOARD_KINDS.filter((kind) => typeOf(kind, types));
  }

  read(
    kind: ClipboardKind,
    selection: Selection,
    signal?: AbortSignal,
  ): Promise<ClipboardContent | undefined> {
    return this.#readings.run(() => this.#read(kind, selection), signal);
  }

  // deno-lint-ignore require-await -- what is thrown is a rejection
  async write(content: ClipboardContent, selection: Selection): Promise<void> {
    const control = this.#connected();
    const [types, bytes] = "png" in content
      ? [TYPES.png, content.png]
      : [TYPES.text, new TextEncoder().encode(content.text)];
    control.own(selection, new Map(types.map((type) => [type, bytes])));
  }

  /** A clipboard manager of Wayland takes content over when it is copied, and deskhand then owns it no more. */
  keep(): Promise<boolean> {
    const isBroken = this.#background?.isBroken ?? true;
    return Promise.resolve(isBroken || !this.#control?.owns("clipboard"));
  }

  /** Ends; what was copied is lost. */
  close(): void {
    this.#background?.close();
  }

  async #read(kind: ClipboardKind, selection: Selection): Promise<ClipboardContent | undefined> {
    const control = this.#connected(), type = typeOf(kind, control.types(selection));
    if (!type) return undefined;
    const { c } = this.#background!.connection;
    const bytes = await receiveContent(c, (fd) => control.receive(selection, type, fd));
    return contentOf(kind, bytes, type === "STRING");
  }

  /** @throws DesktopUnavailableError if the compositor is gone; UnsupportedError if it has no data control. */
  #connected(): DataControl {
    if (this.#control && !this.#background!.isBroken) return this.#control;
    this.#background?.close();
    this.#background = BackgroundConnection.open(this.path);
    this.#control = DataControl.open(this.#background);
    if (this.#control) return this.#control;
    this.#background.close();
    throw new UnsupportedError(
      "this compositor gives programs no access to its clipboard (it offers no data control)",
    );
  }
}

function typeOf(kind: ClipboardKind, types: readonly string[]): string | undefined {
  return TYPES[kind].find((type) => types.includes(type));
}
