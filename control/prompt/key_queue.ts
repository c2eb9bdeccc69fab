/** Holds back the lines of a paste while the line before them runs, so that each is shown with its results. */

import type { Key } from "node:readline";

/** A key as node:readline reads it: the text that it types, if any, and its name. */
export interface Press {
  text: string | undefined;
  key: Key;
}

/** Receiver of keys, which decides where each key goes. */
export interface KeyReceiver {
  /** Takes a key. */
  press(press: Press): void;
  /** Tells whether a line is running. */
  isBusy(): boolean;
  /** Tells whether the running line has asked the person something. */
  isAsking(): boolean;
}

/** Passes the keys of input on, one chunk after the other. */
export class KeyQueue {
  #waiting: Press[] = [];
  /** Tells whether a line was entered by the present chunk: the rest of the chunk then belongs to a paste. */
  #enteredLine = false;

  constructor(readonly receiver: KeyReceiver) {}

  /** Begins a chunk: the bytes that the terminal sent at once, which are one key or a paste. */
  beginChunk(): void {
    this.#enteredLine = false;
  }

  /**
   * Passes a key on, or holds it back. Keys that are typed while a line runs are passed on, so that they are visible,
   * and so that Ctrl-C and `stop` work; only keys typed after a question count as its answer.
   */
  add(press: Press): void {
    const { receiver } = this;
    if (press.key.ctrl && press.key.name === "c") {
      this.clear();
      return receiver.press(press);
    }
    const isTypedAnswer = receiver.isAsking() && !this.#enteredLine;
    const waits = this.#waiting.length > 0 || this.#enteredLine && receiver.isBusy();
    if (waits && !isTypedAnswer) this.#waiting.push(press);
    else this.#handOn(press);
  }

  /** Passes on the keys that were held back, up to the end of the next line that runs. */
  resume(): void {
    while (this.#waiting.length && !this.receiver.isBusy()) {
      const press = this.#waiting.shift()!;
      // A tab in pasted text is a character and completes nothing.
      this.#handOn(press.key.name === "tab" ? { ...press, key: { sequence: "\t" } } : press);
    }
  }

  /** Forgets the keys that were held back. */
  clear(): void {
    this.#waiting = [];
  }

  #handOn(press: Press) {
    if (press.key.name === "return" || press.key.name === "enter") this.#enteredLine = true;
    this.receiver.press(press);
  }
}
