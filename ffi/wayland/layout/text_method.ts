/** The desktop's input method as a way to type text: committed text arrives unchanged in the focused field. */

/** The input method of a desktop. */
export interface TextMethod {
  /**
   * Takes the place of the person's input method, where the focused field takes text from it.
   * @param isNeeded Whether the text has characters that no key types. If not, it begins only if the person's input
   * method would change the typed text.
   * @returns undefined if keys type the text, or the field takes no text from an input method.
   * @throws StateError naming an input method that would change the text and cannot be replaced; BusyError if another
   *   deskhand types.
   */
  begin(isNeeded: boolean): Promise<CommittedText | undefined>;

  /** Puts the person's input method back before it returns. Never throws. */
  close(): void;
}

/** An input method that stands in for the person's. */
export interface CommittedText {
  /**
   * Puts text into the focused field. Resolves when the desktop has handed it on, and a further text may follow.
   * @throws DesktopUnavailableError if the input method is gone.
   */
  commit(text: string): Promise<void>;

  /**
   * Presses a key between texts. Resolves when a text may follow: programs take text at once, and keys in their turn.
   * @param press Presses and releases the key.
   */
  key(press: () => Promise<void>): Promise<void>;

  /** Puts the person's input method back. */
  end(): Promise<void>;
}
