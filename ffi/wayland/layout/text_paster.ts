/** Text that comes into a program by its clipboard, whose content is put back. */

import { delay } from "@std/async/delay";
import type { Clipboard, ClipboardContent } from "../../../control/desktop.ts";

/** How long a program takes to ask for what it pastes, in milliseconds. No system says when it has. */
const PASTE_MS = 300;

/** Pastes over a clipboard. */
export class TextPaster {
  constructor(readonly clipboard: Clipboard) {}

  /**
   * Lets a text be pasted in pieces, and puts the clipboard's content back afterwards: a text or a picture; other
   * content is lost.
   * @param run Gets what pastes a piece; it takes what presses the keys of the command.
   */
  async during(
    run: (paste: (text: string, press: () => Promise<void>) => Promise<void>) => Promise<void>,
  ): Promise<void> {
    const before = await this.#content();
    try {
      await run(async (text, press) => {
        await this.clipboard.write({ text }, "clipboard");
        await press();
        await delay(PASTE_MS);
      });
    } finally {
      await this.clipboard.write(before ?? { text: "" }, "clipboard");
    }
  }

  /** What the clipboard has; undefined for what cannot be put back. */
  async #content(): Promise<ClipboardContent | undefined> {
    try {
      for (const kind of await this.clipboard.kinds("clipboard")) {
        const content = await this.clipboard.read(kind, "clipboard");
        if (content && !("bmp" in content)) return content;
      }
    } catch {
      // Its owner does not hand it over.
    }
    return undefined;
  }
}
