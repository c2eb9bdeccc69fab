/** The clipboard of a virtual desktop, in memory. */

import {
  type Clipboard,
  type ClipboardContent,
  type ClipboardKind,
  type Selection,
  SELECTIONS,
} from "../../control/desktop.ts";

/** Keeps the content that was written last. */
export class VirtualClipboard implements Clipboard {
  readonly selections = SELECTIONS;
  readonly #contents = new Map<Selection, ClipboardContent>();

  kinds(selection: Selection): Promise<ClipboardKind[]> {
    const content = this.#contents.get(selection);
    return Promise.resolve(content ? ["text" in content ? "text" : "png"] : []);
  }

  read(kind: ClipboardKind, selection: Selection): Promise<ClipboardContent | undefined> {
    const content = this.#contents.get(selection);
    return Promise.resolve(content && kind in content ? content : undefined);
  }

  write(content: ClipboardContent, selection: Selection): Promise<void> {
    this.#contents.set(selection, content);
    return Promise.resolve();
  }

  /** Nothing is lost: the whole desktop ends with the program. */
  keep(): Promise<boolean> {
    return Promise.resolve(true);
  }
}
