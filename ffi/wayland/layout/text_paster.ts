/** Pastes text into programs through the clipboard, whose content is restored afterwards. */

import { delay } from "@std/async/delay";
import type { Clipboard, ClipboardContent } from "../../../control/desktop/desktop.ts";
import { StateError } from "../../../core/errors.ts";
import { timeByLoad } from "../../../core/proc.ts";
import { until } from "../../../core/until.ts";

/**
 * Maximum time for a program to request what it pastes, in milliseconds: on an idle and on a busy machine.
 */
const TAKEN_MS = { idle: 2000, most: 8000 } as const;
/**
 * Time without a request after which clipboard managers have read new content, in milliseconds: on an idle
 * machine, and at most.
 */
const QUIET_MS = { idle: 60, most: 500 };
/** Interval between checks of the clipboard, in milliseconds. */
const LOOK_MS = 5;

/** A clipboard to paste from. */
interface PasteClipboard extends Clipboard {
  /** The number of times that programs have read the text that deskhand copied. */
  readonly taken: number;
  /** Empties the clipboard. */
  clear(): Promise<void>;
}

/**
 * Pastes a piece of a text.
 * @param press Presses the keys of the program's paste command, by name.
 * @throws StateError if the program does not read the text.
 */
export type Paste = (text: string, press: (keys: readonly string[]) => Promise<void>) => Promise<void>;

/** Brings text into the focused program. */
export interface TextPaster {
  /**
   * Runs a function that pastes a text in pieces, and restores the clipboard's content afterwards.
   * @param run Receives the function that pastes a piece.
   * @throws StateError if no program is known to be focused; the errors of `run`.
   */
  during(run: (paste: Paste) => Promise<void>): Promise<void>;
}

/** Pastes over a clipboard with Ctrl+V, on desktops that do not report which program is focused. */
export class ClipboardPaster implements TextPaster {
  constructor(readonly clipboard: PasteClipboard) {}

  /** Restores a text or a picture; other content is lost. */
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
      if (before) await this.clipboard.write(before, "clipboard");
      else await this.clipboard.clear();
    }
  }

  /** The clipboard's content; undefined if it cannot be restored. */
  async #content(): Promise<ClipboardContent | undefined> {
    try {
      for (const kind of await this.clipboard.kinds("clipboard")) {
        const content = await this.clipboard.read(kind, "clipboard");
        if (content && !("bmp" in content)) return content;
      }
    } catch {
      // The clipboard's owner does not deliver its content.
    }
    return undefined;
  }

  /**
   * Waits until clipboard managers stop making requests, so that the next one comes from the pasting program.
   */
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
   * @throws StateError if no further program reads the content.
   * @param before The number of times that programs had already read the content.
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
