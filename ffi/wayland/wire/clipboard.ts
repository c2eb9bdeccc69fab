/** The clipboard of a Wayland desktop (ext_data_control_v1, or zwlr_data_control_v1, which it was before). */

import {
  type Clipboard,
  CLIPBOARD_KINDS,
  type ClipboardContent,
  type ClipboardKind,
  type Selection,
  SELECTIONS,
} from "../../../control/desktop.ts";
import { ClipboardReadings, contentOf } from "../../clipboard_readings.ts";
import { DataControl } from "./data_control.ts";
import { OnDemand } from "./on_demand.ts";
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
  readonly #control: OnDemand<DataControl>;

  /** @param path Of the compositor's socket. */
  constructor(path: string) {
    this.#control = new OnDemand(path, (background) => new DataControl(background));
  }

  // deno-lint-ignore require-await -- what is thrown is a rejection
  async kinds(selection: Selection): Promise<ClipboardKind[]> {
    const types = this.#control.get().types(selection);
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
    const control = this.#control.get();
    const [types, bytes] = "png" in content
      ? [TYPES.png, content.png]
      : [TYPES.text, new TextEncoder().encode(content.text)];
    control.own(selection, new Map(types.map((type) => [type, bytes])));
  }

  /** A clipboard manager of Wayland takes content over when it is copied, and deskhand then owns it no more. */
  keep(): Promise<boolean> {
    return Promise.resolve(!this.#control.present?.owns("clipboard"));
  }

  /** Ends; what was copied is lost. */
  close(): void {
    this.#control.close();
  }

  async #read(kind: ClipboardKind, selection: Selection): Promise<ClipboardContent | undefined> {
    const control = this.#control.get(), type = typeOf(kind, control.types(selection));
    if (!type) return undefined;
    const { c } = control.background.connection;
    const bytes = await receiveContent(c, (fd) => control.receive(selection, type, fd));
    return contentOf(kind, bytes, type === "STRING");
  }
}

function typeOf(kind: ClipboardKind, types: readonly string[]): string | undefined {
  return TYPES[kind].find((type) => types.includes(type));
}
