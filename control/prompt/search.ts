/** Ctrl-R: finds a line of the history by a part of it. */

import type { Press } from "./key_queue.ts";

/** The line that is being edited. */
export interface EditedLine {
  /** The text of the line. */
  readonly text: string;
  /** Replaces the text and shows it behind a prompt. */
  show(prompt: string, text: string): void;
  /** The prompt of ordinary lines. */
  readonly prompt: string;
}

/** A search through the history, from the newest line to older ones. */
export class ReverseSearch {
  /** Text of the search; undefined while no search is under way. */
  #query: string | undefined;
  #before = "";
  #at = 0;

  /** @param history Lines, newest first. */
  constructor(readonly line: EditedLine, readonly history: readonly string[]) {}

  /**
   * Takes a key, if a search is under way or the key begins one. Ctrl-R goes to the next older line; Escape and
   * Ctrl-G restore the line; any other key that types nothing ends the search and has its usual effect.
   * @returns false if the editor must handle the key.
   */
  press({ text, key }: Press): boolean {
    const isCtrl = (name: string) => key.ctrl === true && key.name === name;
    if (this.#query === undefined) {
      if (!isCtrl("r")) return false;
      this.#before = this.line.text;
      this.#query = "";
      this.#at = -1;
      this.#show(true);
      return true;
    }
    if (isCtrl("r")) this.#find(this.#at + 1);
    else if (key.name === "backspace") this.#edit(this.#query.slice(0, -1));
    else if (key.name === "escape" || isCtrl("g") || isCtrl("c")) this.#end(this.#before);
    else if (text && !key.ctrl && !key.meta && key.name !== "return" && key.name !== "tab" && text >= " ") {
      this.#edit(this.#query + text);
    } else {
      this.#end(this.line.text);
      return false;
    }
    return true;
  }

  #edit(query: string) {
    this.#query = query;
    this.#find(0);
  }

  #find(from: number) {
    const query = this.#query!;
    const at = this.history.findIndex((line, index) => index >= from && line.includes(query));
    const isFound = query !== "" && at >= 0;
    if (isFound) this.#at = at;
    this.#show(isFound || query === "");
  }

  #show(isFound: boolean) {
    const found = this.#at < 0 ? this.#before : this.history[this.#at];
    this.line.show(`(${isFound ? "search" : "not found"}: ${this.#query}) `, found);
  }

  #end(text: string) {
    this.#query = undefined;
    this.line.show(this.line.prompt, text);
  }
}
