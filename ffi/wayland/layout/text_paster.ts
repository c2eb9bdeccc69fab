/** Pastes text into programs by the clipboard, whose content is restored afterwards. */

import { delay } from "@std/async/delay";
import type { Clipboard, ClipboardContent } from "../../../control/desktop/desktop.ts";
import { StateError } from "../../../core/errors.ts";
import { timeByLoad } from "../../../core/proc.ts";
import { until } from "../../../core/until.ts";

/** The time that a program may take to ask for the content that it pastes, and the most on a busy machine, in ms. */
const TAKEN_MS = { idle: 2000, most: 8000 } as const;
/**
 * The time without a request after which clipboard managers have taken new content, in milliseconds: where the machine is
 * not busy, and at most.
 */
const QUIET_MS = { idle: 60, most: 500 };
/** The time between two looks at the clipboard, in milliseconds. */
const LOOK_MS = 5;

/** A clipboard to paste from. */
interface PasteClipboard extends Clipboard {
  /** The number of times that programs have taken the text that deskhand copied. */
  readonly taken: number;
}

/**
 * Pastes a piece of a text.
 * @param press Presses the keys of the program's command to paste, by their names.
 * @throws StateError if the program does not take the text.
 */
export type Paste = (text: string, press: (keys: readonly string[]) => Promise<void>) => Promise<void>;

/** Brings text into the program that has the keyboard. */
export interface TextPaster {
  /**
   * Runs a function that pastes a text in pieces, and restores the clipboard's content afterwards.
   * @param run Receives the function that pastes a piece.
   * @throws StateError if no program has the keyboard, as far as that is known; the errors of `run`.
   */
  during(run: (paste: Paste) => Promise<void>): Promise<void>;
}

/** Pastes over a clipboard by Ctrl+V, where the desktop does not tell which program has the keyboard. */
export class ClipboardPaster implements TextPaster {
  constructor(readonly clipboard: PasteClipboard) {}

  /** Puts a text or a picture back; other content is lost. */
  async during(run: (paste: Paste) => Promise<void>): Promise<void> {
    const before = await this.#content();
    try {
      await run(async (text, press) => {
        await this.clipboard.write({ text }, "clipboard");
        await this.#managersHaveIt();
        const { taken } = this.clipboard;
        await press(["ctrl", "v"]);
        await this.#isTaken(taken);
      });
    } finally {
      await this.clipboard.write(before ?? { text: "" }, "clipboard");
    }
  }

  /** Content of the clipboard; undefined where it cannot be put back. */
  async #content(): Promise<ClipboardContent | undefined> {
    try {
      for (const kind of await this.clipboard.kinds("clipboard")) {
        const content = await this.clipboard.read(kind, "clipboard");
        if (content && !("bmp" in content)) return content;
      }
    } catch {
      // The clipboard's owner does not hand its content over.
    }
    return undefined;
  }

  /** Waits until no clipboard manager asks any more, so that the next one to ask is the program that pastes. */
  async #managersHaveIt(): Promise<void> {
    let { taken } = this.clipboard;
    const enough = timeByLoad(QUIET_MS.idle, QUIET_MS.most);
    for (let quiet = 0; quiet < enough; quiet += LOOK_MS) {
      await delay(LOOK_MS);
      if (taken !== this.clipboard.taken) quiet = 0;
      taken = this.clipboard.taken;
    }
  }

  /**
   * @throws StateError if no further program takes the content.
   * @param before The number of times that programs had taken the content before.
   */
  async #isTaken(before: number): Promise<void> {
    const ms = timeByLoad(TAKEN_MS.idle, TAKEN_MS.most);
    if (await until(() => this.clipboard.taken !== before, { ms, every: LOOK_MS })) return;
    throw new StateError(
      "text has characters that no key types; the focused program does not accept them from the input method and " +
        "did not paste them on Ctrl+V, as terminals do not",
    );
  }
}
