/** Matchers that wait: one request per assertion, which deskhand answers once the assertion holds. */

import { ElementLocator, TimedOut, type WaitElementWanted, WindowLocator } from "@deskhand/client";
import {
  type Expect,
  expect as playwrightExpect,
  type ExpectMatcherState,
  type MatcherReturnType,
  test,
} from "@playwright/test";
import { lookLike, type LookOptions, matchTree, type Shown } from "./pictures.ts";

/** Options of a matcher. */
export interface MatcherOptions {
  /** Milliseconds to wait; defaults to `expect.timeout` in the configuration. */
  timeout?: number;
}

type Matched = Promise<MatcherReturnType>;
type State = ExpectMatcherState;

/** The start of a message: with it, the runner's JUnit report tells a failed assertion from a test error. */
function headOf({ isNot }: State, name: string, shown: string): string {
  return `expect(${shown})${isNot ? ".not" : ""}.${name}()`;
}

/** Prepends the beginning to a matcher's message. */
async function headed(state: State, name: string, shown: string, matched: Matched): Matched {
  const { message, ...result } = await matched;
  return { ...result, message: () => `${headOf(state, name, shown)}: ${message()}` };
}

/** Waits until a condition holds, or with `.not` until it does not. */
async function waited(
  state: State,
  name: string,
  options: MatcherOptions,
  wait: (timeoutMs: number, gone: { gone?: true }) => Promise<unknown>,
): Matched {
  const { isNot, timeout } = state, limit = Math.max(1, options.timeout ?? timeout);
  try {
    await wait(limit, isNot ? { gone: true } : {});
    return { name, pass: !isNot, message: () => name };
  } catch (error) {
    if (!(error instanceof TimedOut)) throw error;
    const { message } = error;
    return { name, pass: isNot, message: () => `${headOf(state, name, "desktop")}: ${message}` };
  }
}

/** Waits for an element; passes Playwright's own locators to its matcher of the same name. */
function element(
  state: State,
  name: string,
  received: unknown,
  options: MatcherOptions,
  condition: WaitElementWanted,
  given: readonly unknown[] = [],
): Matched {
  if (!(received instanceof ElementLocator)) return own(state, name, received, [...given, options]);
  return waited(state, name, options, (ms, gone) => received.waitUntil({ ...condition, ...gone }, ms));
}

/** Runs Playwright's own matcher. */
async function own({ isNot }: State, name: string, received: unknown, args: readonly unknown[]): Matched {
  // deno-lint-ignore no-explicit-any -- the matcher is only known by name
  const expectation: any = playwrightExpect(received),
    matcher = isNot ? expectation.not[name] : expectation[name];
  if (!matcher) throw new Error(`${name} needs an element or window from desk`);
  try {
    await matcher(...args);
    return { name, pass: !isNot, message: () => name };
  } catch (error) {
    return { name, pass: isNot, message: () => (error as Error).message };
  }
}

/** Matchers for elements, windows and desktops. */
const matchers = {
  /** Passes if the element or window exists. */
  toBeVisible(this: State, received: unknown, options: MatcherOptions = {}): Matched {
    if (!(received instanceof WindowLocator)) return element(this, "toBeVisible", received, options, {});
    return waited(this, "toBeVisible", options, (ms, gone) => received.waitUntil(gone, ms));
  },

  /** Passes if the element or window does not exist. */
  toBeHidden(this: State, received: unknown, options: MatcherOptions = {}): Matched {
    if (!(received instanceof ElementLocator || received instanceof WindowLocator)) {
      return own(this, "toBeHidden", received, [options]);
    }
    const gone = this.isNot ? {} : { gone: true as const };
    return waited(this, "toBeHidden", options, (ms) => received.waitUntil(gone, ms));
  },

  /** Passes if a field's value, or another element's name, equals this text, with whitespace collapsed. */
  toHaveText(this: State, received: unknown, text: string, options: MatcherOptions = {}): Matched {
    return element(this, "toHaveText", received, options, { text }, [text]);
  },

  /** Passes if a field's value, or another element's name, contains this text, ignoring case. */
  toContainText(this: State, received: unknown, contains: string, options: MatcherOptions = {}): Matched {
    return element(this, "toContainText", received, options, { contains }, [contains]);
  },

  /** Passes if the value of a field or slider equals this text. */
  toHaveValue(this: State, received: unknown, value: string, options: MatcherOptions = {}): Matched {
    return element(this, "toHaveValue", received, options, { value }, [value]);
  },

  /** Passes if the element exists and is not disabled. */
  toBeEnabled(this: State, received: unknown, options: MatcherOptions = {}): Matched {
    return element(this, "toBeEnabled", received, options, { states: { disabled: false } });
  },

  /** Passes if the element exists and is disabled. */
  toBeDisabled(this: State, received: unknown, options: MatcherOptions = {}): Matched {
    return element(this, "toBeDisabled", received, options, { states: { disabled: true } });
  },

  /** Passes if the check box, radio button or menu item is checked. */
  toBeChecked(
    this: State,
    received: unknown,
    { checked = true, ...options }: MatcherOptions & { checked?: boolean } = {},
  ): Matched {
    if (!(received instanceof ElementLocator)) {
      return own(this, "toBeChecked", received, [{ checked, ...options }]);
    }
    return element(this, "toBeChecked", received, options, { states: { checked } });
  },

  /** Passes if the element or window has the focus. */
  toBeFocused(this: State, received: unknown, options: MatcherOptions = {}): Matched {
    if (!(received instanceof WindowLocator)) {
      return element(this, "toBeFocused", received, options, { states: { focused: true } });
    }
    return waited(
      this,
      "toBeFocused",
      options,
      (ms, gone) => received.waitUntil({ active: true, ...gone }, ms),
    );
  },

  /** Passes if this many elements match. */
  toHaveCount(this: State, received: unknown, count: number, options: MatcherOptions = {}): Matched {
    return element(this, "toHaveCount", received, options, { count }, [count]);
  },

  /** Passes if the desktop, window or element looks like the baseline of this name. */
  toLookLike(this: State, received: Shown, name: string, options: LookOptions = {}): Matched {
    return headed(this, "toLookLike", "desktop", lookLike(this, received, name, options, test.info()));
  },

  /**
   * Passes if the window's elements, with their names, values and states, match the baseline of this name.
   */
  toMatchTree(this: State, received: WindowLocator, name: string, options: MatcherOptions = {}): Matched {
    return headed(this, "toMatchTree", "window", matchTree(this, received, name, options, test.info()));
  },
};

/** Playwright's `expect`, with matchers for desktops. */
export const expect: Expect<typeof matchers> = playwrightExpect.extend(matchers);
