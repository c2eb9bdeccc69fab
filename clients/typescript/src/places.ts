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

/** Identifies an element: by role and name, in the active window or a named one; or by its ref. */
export type ElementQuery = Omit<ClickOnElementInput, "button" | "count" | "background" | "heal" | "observe">;
/**
 * Identifies a window: by part of its title, or by class, process or id; `any` takes the topmost of several.
 */
export type WindowQuery = Omit<PlaceWindowInput, "x" | "y" | "width" | "height" | "observe" | "timeout_ms">;

/** How to click a text; `nth` is its number among equal matches, from 1. */
export type ClickTextOptions = Pick<FindTextInput, "count" | "nth" | "source"> & {
  button?: FindTextInput["click"];
  /** Milliseconds to wait until the text appears; defaults to the desk's `actionTimeoutMs`. */
  timeout?: number;
};

/** How an action waits. */
export interface ActOptions {
  /**
   * Milliseconds to wait until the element exists and is enabled; defaults to the desk's `actionTimeoutMs`.
   */
  timeout?: number;
}

/** The parts of an action that waits. */
interface Act<T> {
  desk: Desk;
  act: () => Promise<T>;
  wait: (ms: number) => Promise<unknown>;
  /** Whether something missing may appear: a ref and an id identify one thing, which does not come back. */
  comes: boolean;
  /** Acts on the replacement for a missing element. */
  heal?: () => Promise<T & { healed?: string }>;
}

/**
 * Acts, and acts again after a wait if the first attempt was too early. Such an attempt has had no effect.
 * The error of the last attempt is thrown, because it reports the state by then.
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
 * An element. Each call looks it up. An action waits until it exists and is enabled; a call rejects with
 * NotFound if no element matches, and with Conflict if several do.
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

  /** Sets the element to a value: a number, a state or the name of an option. */
  setTo(
    to: string | number | boolean,
    { timeout, ...options }: { background?: boolean; observe?: boolean } & ActOptions = {},
  ): Promise<ElementDone> {
    return this.#act((heal) => this.desk.setElement({ ...this.query, ...options, to, ...heal }), timeout);
  }

  /** Focuses the element. */
  focus(options: { observe?: boolean } = {}): Promise<FocusElementAnswer> {
    const { desk, query } = this, wait = (ms: number) => this.#waitEnabled(ms);
    return acted({ desk, act: () => desk.focusElement({ ...query, ...options }), wait, comes: this.#comes });
  }

  /** Waits until the element exists, and returns it. */
  async wait(timeoutMs = 10_000): Promise<Element> {
    return (await this.waitUntil({}, timeoutMs)).element!;
  }

  /** Waits until no such element exists. */
  async waitGone(timeoutMs = 10_000): Promise<void> {
    await this.waitUntil({ gone: true }, timeoutMs);
  }

  /** Lists all matching elements; the list may be empty. */
  async all(): Promise<Element[]> {
    const { nth: _nth, ...query } = this.query;
    try {
      return (await this.desk.elements(query as ElementsInput)).elements;
    } catch (error) {
      if (error instanceof NotFound) return [];
      throw error;
    }
  }

  /** Waits until the element matches, such as `{ states: { checked: true } }`. Rejects with TimedOut. */
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

  /** The element in the fields of a wait or a comparison. */
  awaited(): WaitElementWanted {
    const { id, title, class: windowClass, pid, element: named, ...own } = this.query;
    const window = defined({ id, title, class: windowClass, pid });
    const name = typeof named === "string" ? { element: named } : named;
    return { ...own, ...Object.keys(window).length ? { window } : {}, ...name };
  }
}

/**
 * A window. Each call looks it up, and rejects with NotFound if none matches, with Conflict if several do.
 */
export class WindowLocator {
  constructor(readonly desk: Desk, readonly query: WindowQuery) {}

  /** An element in the window: by role and name, or as text such as `button "Save"`. */
  element(query: Pick<ElementQuery, "role" | "name" | "exact" | "nth"> | string): ElementLocator {
    const { any: _any, ...window } = this.query;
    const wanted = typeof query === "string" ? { element: query } : query;
    return new ElementLocator(this.desk, { ...window, ...wanted });
  }

  /**
   * Clicks text on the screen in a window that exposes no elements: part of a line. Waits until the text
   * appears, and brings the window to the front.
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

  /** Restores the window to its normal size. */
  restore(): Promise<WindowDone> {
    return this.#act(() => this.desk.restoreWindow(this.query));
  }

  /** Makes the window fullscreen. */
  fullscreen(): Promise<WindowDone> {
    return this.#act(() => this.desk.fullscreenWindow(this.query));
  }

  /** Moves and resizes the window, in pixels including the frame. */
  place(box: Pick<PlaceWindowInput, "x" | "y" | "width" | "height">): Promise<WindowDone> {
    return this.#act(() => this.desk.placeWindow({ ...this.query, ...box }));
  }

  /** Asks the window to close. */
  close(): Promise<Done> {
    return this.#act(() => this.desk.closeWindow(this.query));
  }

  /** Waits until the window exists, or is active, and returns it. */
  async wait(timeoutMs = 10_000, more: { active?: boolean } = {}): Promise<Window> {
    return (await this.waitUntil(more, timeoutMs)).window!;
  }

  /** Waits until no such window exists. */
  async waitGone(timeoutMs = 10_000): Promise<void> {
    await this.waitUntil({ gone: true }, timeoutMs);
  }

  #act<T>(act: () => Promise<T>): Promise<T> {
    const { desk } = this, comes = this.query.id === undefined;
    return acted({ desk, act, wait: (ms) => this.waitUntil({}, ms), comes });
  }

  /** Lists all matching windows, topmost first. */
  async all(): Promise<Window[]> {
    const { id, any: _, ...query } = this.query;
    const { windows } = await this.desk.windows(query);
    return windows.filter((window) => id === undefined || window.id === id);
  }

  /** Waits until the window exists, until it is active, or until it is gone. Rejects with TimedOut. */
  waitUntil(more: { active?: boolean; gone?: boolean }, timeoutMs = 10_000): Promise<WaitAnswer> {
    const { id: _id, any: _any, ...query } = this.query;
    return this.desk.wait({ window: { ...query, ...more }, timeout_ms: timeoutMs });
  }
}

/** The fields with a value. */
export function defined<T extends object>(fields: T): Partial<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<T>;
}
