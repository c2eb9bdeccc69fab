/**
 * The engine of a person's input method, such as Pinyin, on a desktop where the compositor passes all keys to the input
 * method, or programs do. The engine is switched off while a text is typed.
 */

import { basename } from "../../../core/path.ts";
import type { InputMethods } from "../../linux/input_method/input_methods.ts";
import { isEngineLeft } from "../../linux/input_method/left_engine.ts";
import type { Session } from "../session.ts";

/** A keyboard that sends keys. */
export interface SentKeys {
  /** The number of presses and releases that were sent so far. */
  readonly sent: number;
  /** Resolves when the compositor has handled what was sent. */
  flush(): Promise<void>;
}

/** The engine of one session. */
export class PersonEngine {
  #methods: InputMethods | undefined;
  #isClosed = false;

  /** Switches an engine on again that a killed deskhand left switched off. */
  constructor(readonly session: Pick<Session, "socket" | "buses">) {
    if (isEngineLeft(this.#display)) void this.#recover();
  }

  /** Loads the code that {@linkcode without} needs. */
  async prepare(): Promise<void> {
    await this.#load();
  }

  /**
   * Types a text while the person's engine is off.
   * @param type Types the text by `keys`.
   * @throws StateError naming an engine that cannot be switched off; the errors of `type`.
   */
  async without(keys: SentKeys, type: () => Promise<void>): Promise<void> {
    const engine = await (await this.#load())?.suspend();
    if (!engine) return await type();
    const { sent } = keys;
    try {
      await type();
    } finally {
      try {
        // The compositor answers the second time after it has sent all that the keys caused.
        for (let i = 0; i < 2; i++) await keys.flush();
      } finally {
        await engine.resume(keys.sent - sent);
      }
    }
  }

  /** Switches the engine on again, also in the middle of a text. Never throws. */
  close(): void {
    this.#isClosed = true;
    this.#methods?.close();
    this.#methods = undefined;
  }

  async #recover(): Promise<void> {
    await (await this.#load())?.recover();
  }

  /** @returns undefined after the end. */
  async #load(): Promise<InputMethods | undefined> {
    const { InputMethods } = await import("../../linux/input_method/input_methods.ts");
    if (this.#isClosed) return undefined;
    return this.#methods ??= new InputMethods({ display: this.#display, buses: this.session.buses });
  }

  get #display(): string {
    return basename(this.session.socket);
  }
}
