/** The layer by hand: a desktop as a program uses it. */

import { Api, type FindPlacesInput, type Place, type PressInput, type Seen, type WaitAnswer } from "./api.ts";
import { DeskhandError } from "./errors.ts";
import { ElementLocator, type ElementQuery, WindowLocator, type WindowQuery } from "./places.ts";

/** A part of the desktop, in pixels. */
export interface Area {
  x?: number;
  y?: number;
  width?: number;
  height?: number;
}

/** A key or button that is held until it is released; `await using` does that. */
export interface Held extends AsyncDisposable {
  release(): Promise<void>;
}

/** The fields of a search, with where to look. */
export type FindOptions = FindPlacesInput;

/** A key or a button. */
type Pressed = Pick<PressInput, "key" | "button">;

/**
 * A desktop. In addition to the methods here it has a method for each operation of the control API.
 * `await using desk = new Desk()` releases at the end the keys and buttons that the program left pressed.
 */
export class Desk extends Api implements AsyncDisposable {
  /**
   * Milliseconds for which acts on elements and windows wait where the element or window is not there yet, or is
   * disabled. With 0 they fail at once.
   */
  actionTimeoutMs = 5000;
  /**
   * Called with the words about an element that took the place of a missing one by fixed rules (docs/tests.md#healing).
   * Without it, an act on a missing element rejects.
   */
  onHealed: ((told: string) => void) | undefined;
  #pressed: Pressed[] = [];

  /** Finds a picture (a PNG or BMP file) on the screen; gives the best place, or undefined. */
  async find(picture: Uint8Array | Blob, options: FindOptions = {}): Promise<Place | undefined> {
    return (await this.findPlaces(picture, options)).matches[0];
  }

  /** Clicks on the middle of a picture. Rejects with NotFound if it is not on the screen. */
  async clickPicture(picture: Uint8Array | Blob, options: FindOptions = {}): Promise<Place> {
    return (await this.find(picture, { click: "left", ...options }))!;
  }

  /** Waits until a picture is not on the screen. */
  async waitGone(picture: Uint8Array | Blob, timeoutMs = 10_000, options: FindOptions = {}): Promise<void> {
    await this.findPlaces(picture, { ...options, gone: true, timeout_ms: timeoutMs });
  }

  /** Waits until a pixel has a colour, such as "ff8800". */
  waitPixel(
    x: number,
    y: number,
    hex: string,
    { tolerance = 0, timeoutMs = 10_000 } = {},
  ): Promise<WaitAnswer> {
    return this.wait({ pixel: { x, y, hex, tolerance }, timeout_ms: timeoutMs });
  }

  /** Waits until the screen, or a part of it, has not changed for `ms` milliseconds. */
  waitStill(ms = 300, area: Area = {}, timeoutMs = 10_000): Promise<WaitAnswer> {
    return this.wait({ still: { ms, ...area }, timeout_ms: timeoutMs });
  }

  /** Waits until the screen, or a part of it, looks otherwise than now. */
  waitChange(area: Area = {}, timeoutMs = 10_000): Promise<WaitAnswer> {
    return this.wait({ change: { ...area }, timeout_ms: timeoutMs });
  }

  /**
   * An element by role and name, in the active window, or in the window that title, class, pid or id name; or in words, such
   * as `button "Save" in "Ask"`.
   */
  element(query: ElementQuery | string): ElementLocator {
    return new ElementLocator(this, typeof query === "string" ? { element: query } : query);
  }

  /** A window by a part of its title, by its class, process or id. */
  window(query: WindowQuery): WindowLocator {
    return new WindowLocator(this, query);
  }

  /**
   * Runs an action, and returns its observed effect.
   * @param act Runs the action with the given field: `(observe) => desk.click({ x, y, button, ...observe })`.
   * @throws DeskhandError if the answer of the call has no `seen`.
   */
  async observe(act: (observe: { observe: true }) => Promise<{ seen?: Seen }>): Promise<Seen> {
    const { seen } = await act({ observe: true });
    if (!seen) {
      throw new DeskhandError(
        "the response has no observed effect: pass observe a call that acts, such as click",
      );
    }
    return seen;
  }

  /** Holds keys such as `ctrl` or `shift+alt` until they are released. */
  async hold(keys: string): Promise<Held> {
    const held: Pressed[] = [];
    const release = async () => {
      for (const one of held.splice(0).reverse()) await this.#release(one);
    };
    try {
      for (const key of keys.split("+")) {
        held.push({ key });
        await this.#press({ key });
      }
    } catch (error) {
      await release();
      throw error;
    }
    return { release, [Symbol.asyncDispose]: release };
  }

  /** Releases what {@linkcode hold} pressed and nothing released. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const one of this.#pressed.slice().reverse()) await this.#release(one);
  }

  async #press(one: Pressed): Promise<void> {
    this.#pressed.push(one);
    await this.press(one);
  }

  async #release(one: Pressed): Promise<void> {
    await this.release(one);
    this.#pressed = this.#pressed.filter(({ key, button }) => key !== one.key || button !== one.button);
  }
}
