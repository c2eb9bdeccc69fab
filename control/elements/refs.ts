/** Short names of elements, such as `e12`: each stands for one element for ever. */

import { InputError, NotFoundError } from "../../core/errors.ts";
import type { Region } from "../input.ts";

/** The most elements that are remembered; the oldest are forgotten. */
const LIMIT = 20_000;

/** The role of password fields, whose text is never read. */
export const PASSWORD = "password";

/** The element that a ref stands for. */
export interface Named {
  key: string;
  /** The window that the element is in. */
  windowId: string;
  windowTitle: string;
  role: string;
  name: string;
  /** The element's place when it was listed, in pixels from the window's corner. */
  place?: Region;
  /** The time at which the element was seen, on the scale of `performance.now()`. */
  seenAt: number;
}

/** Gives and resolves refs. */
export class Refs {
  readonly #byRef = new Map<string, Named>();
  readonly #byKey = new Map<string, string>();
  /** Keys of elements that were passwords. */
  readonly #secret = new Set<string>();
  #last = 0;

  /** The ref of an element: its present ref, or a new one. */
  of(named: Named): string {
    const present = this.#byKey.get(named.key), ref = present ?? `e${++this.#last}`;
    this.#byRef.delete(ref); // the newest is last
    this.#byRef.set(ref, named);
    this.#byKey.set(named.key, ref);
    if (named.role === PASSWORD) this.#secret.add(named.key);
    if (this.#byRef.size > LIMIT) this.#forgetOldest();
    return ref;
  }

  #forgetOldest(): void {
    const [[ref, { key }]] = this.#byRef;
    this.#byRef.delete(ref);
    this.#byKey.delete(key);
    this.#secret.delete(key);
  }

  /**
   * Tells whether an element was a password field before: while its letters are shown, it has the role of an ordinary
   * field.
   */
  wasPassword(key: string): boolean {
    return this.#secret.has(key);
  }

  /**
   * Resolves a ref.
   * @throws InputError if the text is no ref; NotFoundError if no remembered element has this ref.
   */
  get(ref: string): Named {
    if (!/^e[1-9]\d*$/.test(ref)) {
      throw new InputError(`element must be a ref such as e12, not ${JSON.stringify(ref)}`);
    }
    const named = this.#byRef.get(ref);
    if (named) return named;
    throw new NotFoundError(`there is no element ${ref}: list the elements first`);
  }
}
