/** Things on the desktop that a program names once and then uses: elements and windows. */

import type {
  ClickOnElementInput,
  Done,
  Element,
  ElementDone,
  ElementsInput,
  FindTextInput,
  FocusElementAnswer,
  PlaceWindowInput,
  WaitAnswer,
  WaitElementWanted,
  Window,
  WindowDone,
} from "./api.ts";
import type { Desk } from "./desk.ts";
import { Conflict, NotFound, TimedOut } from "./errors.ts";

/** Chooses an element: by role and name, in the active window or a named window; or by its ref. */
export type ElementQuery = Omit<ClickOnElementInput, "button" | "count" | "background" | "heal" | "observe">;
/** Chooses a window: by a part of its title, its class, process or id; `any` takes the front one of several. */
export type WindowQuery = Omit<PlaceWindowInput, "x" | "y" | "width" | "height" | "observe" | "timeout_ms">;

/** How a text is clicked; `nth` is the number among those that match alike, from 1. */
export type ClickTextOptions = Pick<FindTextInput, "count" | "nth" | "source"> & {
  button?: FindTextInput["click"];
  /** Milliseconds to wait until the text is there; `actionTimeoutMs` of the desk if left out. */
  timeout?: number;
};

/** How an act waits. */
export interface ActOptions {
  /** Milliseconds to wait until the element is there and enabled; `actionTimeoutMs` of the desk if left out. */
  timeout?: number;
}

/** The parts of an act that waits. */
interface Act<T> {
  desk: Desk;
  act: () => Promise<T>;
  wait: (ms: number) => Promise<unknown>;
  /** Whether what is not there may come: a ref and an id stand for one thing, which does not come back. */
  comes: boolean;
  /** Acts on what takes the place of a missing element. */
  heal?: () => Promise<T & { healed?: string }>;
}

/**
 * Acts, and acts again after a wait if the first attempt came too early. Such an attempt has done nothing. The last
 * attempt's error counts, which tells what is there by then.
 */
async function acted<T>(
  { desk, act, wait, comes, heal }: Act<T>,
  timeoutMs = desk.actionTimeoutMs,
): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const isMissing = error instanceof NotFound && comes;
    const isEarly = isMissing || error instanceof Conflict && error.message.endsWith(" is disabled");
    if (!isEarly) throw error;
    try {
      if (!timeoutMs) throw error;
      await wait(timeoutMs);
    } catch (late) {
      if (late !== error && !(late instanceof TimedOut)) throw late;
      if (late === error) throw error;
      if (!isMissing || !heal || !desk.onHealed) return await act();
      const answer = await heal();
      if (answer.healed !== undefined) desk.onHealed(answer.healed);
      return answer;
    }
    return await act();
  }
}

/**
 * An element. Each call looks it up. An act waits until it is there and enabled; a call rejects with NotFound where none
 * fits, and with Conflict where several do.
 */
export class ElementLocator {
  constructor(readonly desk: Desk, readonly query: ElementQuery) {}

  /** Clicks the element. */
  click(
    { timeout, ...options }:
      & Pick<ClickOnElementInput, "button" | "count" | "background" | "observe">
      & ActOptions = {},
  ): Promise<ElementDone> {
    const given = { ...this.query, ...options };
    return this.#act((heal) => this.desk.clickOnElement({ ...given, ...heal }), timeout);
  }

  /** Sets the element's text. */
  set(
    text: string,
    { timeout, ...options }: { background?: boolean; observe?: boolean } & ActOptions = {},
  ): Promise<ElementDone> {
    return this.#act((heal) => this.desk.setElement({ ...this.query, ...options, text, ...heal }), timeout);
  }

  /** Brings the element to a value: a number, a state or the name of an option. */
  setTo(
    to: string | number | boolean,
    { timeout, ...options }: { background?: boolean; observe?: boolean } & ActOptions = {},
  ): Promise<ElementDone> {
    return this.#act((heal) => this.desk.setElement({ ...this.query, ...options, to, ...heal }), timeout);
  }

  /** Gives the element the keyboard. */
  focus(options: { observe?: boolean } = {}): Promise<FocusElementAnswer> {
    const { desk, query } = this, wait = (ms: number) => this.#waitEnabled(ms);
    return acted({ desk, act: () => desk.focusElement({ ...query, ...options }), wait, comes: this.#comes });
  }

  /** Waits until the element is there; gives it. */
  async wait(timeoutMs = 10_000): Promise<Element> {
    return (await this.waitUntil({}, timeoutMs)).element!;
  }

  /** Waits until no such element is there. */
  async waitGone(timeoutMs = 10_000): Promise<void> {
    await this.waitUntil({ gone: true }, timeoutMs);
  }

  /** Lists all elements that fit; the list may be empty. */
  async all(): Promise<Element[]> {
    const { nth: _nth, ...query } = this.query;
    try {
      return (await this.desk.elements(query as ElementsInput)).elements;
    } catch (error) {
      if (error instanceof NotFound) return [];
      throw error;
    }
  }

  /** Waits until the element is as the fields say, such as `{ states: { checked: true } }`. Rejects with TimedOut. */
  waitUntil(condition: WaitElementWanted, timeoutMs = 10_000): Promise<WaitAnswer> {
    return this.desk.wait({ element: { ...this.awaited(), ...condition }, timeout_ms: timeoutMs });
  }

  #act(act: (heal: { heal?: true }) => Promise<ElementDone>, timeout?: number): Promise<ElementDone> {
    const { desk } = this, wait = (ms: number) => this.#waitEnabled(ms), heal = () => act({ heal: true });
    return acted({ desk, act: () => act({}), wait, comes: this.#comes, heal }, timeout);
  }

  #waitEnabled(timeoutMs: number): Promise<WaitAnswer> {
    return this.waitUntil({ states: { disabled: false } }, timeoutMs);
  }

  get #comes(): boolean {
    const { element } = this.query;
    return !(typeof element === "string" && /^e\d+$/.test(element));
  }

  /** The element as the fields of a wait or a comparison name it. */
  awaited(): WaitElementWanted {
    const { id, title, class: windowClass, pid, element: named, ...own } = this.query;
    const window = defined({ id, title, class: windowClass, pid });
    const name = typeof named === "string" ? { element: named } : named;
    return { ...own, ...Object.keys(window).length ? { window } : {}, ...name };
  }
}

/** A window. It is looked up by each call, which rejects with NotFound or, where several fit, Conflict. */
export class WindowLocator {
  constructor(readonly desk: Desk, readonly query: WindowQuery) {}

  /** An element of the window: by role and name, or in words such as `button "Save"`. */
  element(query: Pick<ElementQuery, "role" | "name" | "exact" | "nth"> | string): ElementLocator {
    const { any: _any, ...window } = this.query;
    const wanted = typeof query === "string" ? { element: query } : query;
    return new ElementLocator(this.desk, { ...window, ...wanted });
  }

  /**
   * Clicks a text that the window shows, where it shows no elements: a part of a line, on the screen. It waits until the
   * text is there, and brings the window to the front.
   */
  async clickText(
    text: string,
    { timeout = this.desk.actionTimeoutMs, button = "left", ...options }: ClickTextOptions = {},
  ): Promise<void> {
    const { desk, query: { any: _any, ...window } } = this, onHealed = desk.onHealed;
    const given = { text, click: button, ...options, ...Object.keys(window).length ? { window } : {} };
    const { healed } = await desk.findText({
      ...given,
      ...timeout ? { timeout_ms: timeout } : {},
      ...onHealed ? { heal: true } : {},
    });
    if (healed !== undefined) onHealed?.(healed);
  }

  /** Brings the window to the front. */
  activate(options: { observe?: boolean; timeout_ms?: number } = {}): Promise<WindowDone> {
    return this.#act(() => this.desk.activateWindow({ ...this.query, ...options }));
  }

  /** Minimizes the window. */
  minimize(): Promise<WindowDone> {
    return this.#act(() => this.desk.minimizeWindow(this.query));
  }

  /** Maximizes the window. */
  maximize(): Promise<WindowDone> {
    return this.#act(() => this.desk.maximizeWindow(this.query));
  }

  /** Gives the window its normal size back. */
  restore(): Promise<WindowDone> {
    return this.#act(() => this.desk.restoreWindow(this.query));
  }

  /** Makes the window fill the screen. */
  fullscreen(): Promise<WindowDone> {
    return this.#act(() => this.desk.fullscreenWindow(this.query));
  }

  /** Moves and resizes the window, in pixels with the frame. */
  place(box: Pick<PlaceWindowInput, "x" | "y" | "width" | "height">): Promise<WindowDone> {
    return this.#act(() => this.desk.placeWindow({ ...this.query, ...box }));
  }

  /** Asks the window to close. */
  close(): Promise<Done> {
    return this.#act(() => this.desk.closeWindow(this.query));
  }

  /** Waits until the window is there, or until keys go to it; gives it. */
  async wait(timeoutMs = 10_000, more: { active?: boolean } = {}): Promise<Window> {
    return (await this.waitUntil(more, timeoutMs)).window!;
  }

  /** Waits until no such window is there. */
  async waitGone(timeoutMs = 10_000): Promise<void> {
    await this.waitUntil({ gone: true }, timeoutMs);
  }

  #act<T>(act: () => Promise<T>): Promise<T> {
    const { desk } = this, comes = this.query.id === undefined;
    return acted({ desk, act, wait: (ms) => this.waitUntil({}, ms), comes });
  }

  /** Lists all windows that fit, the front one first. */
  async all(): Promise<Window[]> {
    const { id, any: _, ...query } = this.query;
    const { windows } = await this.desk.windows(query);
    return windows.filter((window) => id === undefined || window.id === id);
  }

  /** Waits until the window is there, until keys go to it, or until it is gone. Rejects with TimedOut. */
  waitUntil(more: { active?: boolean; gone?: boolean }, timeoutMs = 10_000): Promise<WaitAnswer> {
    const { id: _id, any: _any, ...query } = this.query;
    return this.desk.wait({ window: { ...query, ...more }, timeout_ms: timeoutMs });
  }
}

/** The fields that have a value. */
export function defined<T extends object>(fields: T): Partial<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<T>;
}
