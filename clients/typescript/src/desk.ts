/// <reference lib="esnext.disposable" preserve="true" />
/** The handwritten layer: a desktop as programs use it. */

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

/** A key or button that is held until released; `await using` releases it. */
export interface Held extends AsyncDisposable {
  release(): Promise<void>;
}

/** The fields of a search, including where to look. */
export type FindOptions = FindPlacesInput;

/** A key or a button. */
type Pressed = Pick<PressInput, "key" | "button">;

/**
 * A desktop. In addition to the methods here, it has a method for each operation of the control API.
 * `await using desk = new Desk()` finally releases the keys and buttons that the program left pressed.
 */
export class Desk extends Api implements AsyncDisposable {
  /**
   * Milliseconds for which actions on elements and windows wait if the element or window does not exist yet
   * or is disabled. With 0 they fail immediately.
   */
  actionTimeoutMs = 5000;
  /**
   * Called with a message about an element that replaced a missing one by fixed rules
   * (docs/tests.md#healing). Without it, an action on a missing element rejects.
   */
  onHealed: ((told: string) => void) | undefined;
  #pressed: Pressed[] = [];

  /** Finds a picture (a PNG or BMP file) on the screen; returns the best match, or undefined. */
  async find(picture: Uint8Array | Blob, options: FindOptions = {}): Promise<Place | undefined> {
    return (await this.findPlaces(picture, options)).matches[0];
  }

  /** Clicks the middle of a picture. Rejects with NotFound if it is not on the screen. */
  async clickPicture(picture: Uint8Array | Blob, options: FindOptions = {}): Promise<Place> {
    return (await this.find(picture, { click: "left", ...options }))!;
  }

  /** Waits until a picture disappears from the screen. */
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

  /** Waits until the screen, or a part of it, changes. */
  waitChange(area: Area = {}, timeoutMs = 10_000): Promise<WaitAnswer> {
    return this.wait({ change: { ...area }, timeout_ms: timeoutMs });
  }

  /**
   * An element by role and name, in the active window, or in the window identified by title, class, pid or
   * id; or as text, such as `button "Save" in "Ask"`.
   */
  element(query: ElementQuery | string): ElementLocator {
    return new ElementLocator(this, typeof query === "string" ? { element: query } : query);
  }

  /** A window by part of its title, or by its class, process or id. */
  window(query: WindowQuery): WindowLocator {
    return new WindowLocator(this, query);
  }

  /**
   * Runs an action, and returns its observed effect.
   * @param act Runs the action with the given field: `(observe) => desk.click({ x, y, button, ...observe })`.
   * @throws DeskhandError if the call's response has no `seen`.
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

  /** Holds keys such as `ctrl` or `shift+alt` until released. */
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

  /** Releases what {@linkcode hold} pressed and was not released. */
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
