/** The clipboard of a Wayland desktop (ext_data_control_v1, or zwlr_data_control_v1, which it was before). */

import {
  type Clipboard,
  type ClipboardContent,
  type ClipboardKind,
  type Selection,
  SELECTIONS,
} from "../../../control/desktop.ts";
import { ClipboardReadings } from "../../clipboard_readings.ts";
import { OnDemand } from "./background_connection.ts";
import { DataControl } from "./data_control.ts";
import { bestType, decoded, encoded, kindsOf } from "./media_types.ts";
import { receiveContent } from "./transfer.ts";

/** Reads and writes over a connection of its own, which is opened when it is first needed. */
export class WaylandClipboard implements Clipboard {
  readonly selections = SELECTIONS;
  readonly #readings = new ClipboardReadings();
  readonly #control: OnDemand<DataControl>;
  #taken = 0;

  /** @param path The path of the compositor's socket. */
  constructor(path: string) {
    this.#control = new OnDemand(path, (background) => new DataControl(background));
  }

  // deno-lint-ignore require-await -- what is thrown is a rejection
  async kinds(selection: Selection): Promise<ClipboardKind[]> {
    return kindsOf(this.#control.get().types(selection));
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
    this.#control.get().own(selection, encoded(content), () => this.#taken++);
  }

  /** The number of times that programs have taken the content that deskhand copied. */
  get taken(): number {
    return this.#taken;
  }

  /**
   * Returns whether the content outlives deskhand: a clipboard manager of Wayland takes over content as soon as it is
   * copied.
   */
  keep(): Promise<boolean> {
    return Promise.resolve(!this.#control.present?.owns("clipboard"));
  }

  /** Closes the connection; copied content is lost. */
  close(): void {
    this.#control.close();
  }

  async #read(kind: ClipboardKind, selection: Selection): Promise<ClipboardContent | undefined> {
    const control = this.#control.get(), type = bestType(kind, control.types(selection));
    if (!type) return undefined;
    const { c } = control.background.connection;
    const bytes = await receiveContent(c, (fd) => control.receive(selection, type, fd));
    return decoded(kind, type, bytes);
  }
}
