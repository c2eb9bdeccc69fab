/** Matchers that wait: one request for each assertion, which deskhand answers when it holds. */

import { ElementLocator, TimedOut, type WaitElementWanted, WindowLocator } from "@deskhand/client";
import {
  type Expect,
  expect as playwrightExpect,
  type ExpectMatcherState,
  type MatcherReturnType,
  test,
} from "@playwright/test";
import { lookLike, type LookOptions, matchTree, type Shown } from "./pictures.ts";

/** The options of a matcher. */
export interface MatcherOptions {
  /** Milliseconds to wait; `expect.timeout` of the configuration if left out. */
  timeout?: number;
}

type Matched = Promise<MatcherReturnType>;
type State = ExpectMatcherState;

/** The head of a message, by which the runner's JUnit report tells a failed assertion from an error of the test. */
function headOf({ isNot }: State, name: string, shown: string): string {
  return `expect(${shown})${isNot ? ".not" : ""}.${name}()`;
}

/** Puts the head before the message of a matcher. */
async function headed(state: State, name: string, shown: string, matched: Matched): Matched {
  const { message, ...result } = await matched;
  return { ...result, message: () => `${headOf(state, name, shown)}: ${message()}` };
}

/** Waits until something holds, or with `.not` until it does not. */
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

/** Waits for an element; Playwright's own locators go to its matcher of the same name. */
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
  // deno-lint-ignore no-explicit-any -- the matcher is known by its name alone
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

/** The matchers of elements, windows and desktops. */
const matchers = {
  /** The element or window is there. */
  toBeVisible(this: State, received: unknown, options: MatcherOptions = {}): Matched {
    if (!(received instanceof WindowLocator)) return element(this, "toBeVisible", received, options, {});
    return waited(this, "toBeVisible", options, (ms, gone) => received.waitUntil(gone, ms));
  },

  /** The element or window is not there. */
  toBeHidden(this: State, received: unknown, options: MatcherOptions = {}): Matched {
    if (!(received instanceof ElementLocator || received instanceof WindowLocator)) {
      return own(this, "toBeHidden", received, [options]);
    }
    const gone = this.isNot ? {} : { gone: true as const };
    return waited(this, "toBeHidden", options, (ms) => received.waitUntil(gone, ms));
  },

  /** The value of a field, or the name of another element, is this text; spaces and breaks count as one space. */
  toHaveText(this: State, received: unknown, text: string, options: MatcherOptions = {}): Matched {
    return element(this, "toHaveText", received, options, { text }, [text]);
  },

  /** The value of a field, or the name of another element, has this part, in any case of letters. */
  toContainText(this: State, received: unknown, contains: string, options: MatcherOptions = {}): Matched {
    return element(this, "toContainText", received, options, { contains }, [contains]);
  },

  /** The value of a field or slider is this text. */
  toHaveValue(this: State, received: unknown, value: string, options: MatcherOptions = {}): Matched {
    return element(this, "toHaveValue", received, options, { value }, [value]);
  },

  /** The element is there, and not disabled. */
  toBeEnabled(this: State, received: unknown, options: MatcherOptions = {}): Matched {
    return element(this, "toBeEnabled", received, options, { states: { disabled: false } });
  },

  /** The element is there, and disabled. */
  toBeDisabled(this: State, received: unknown, options: MatcherOptions = {}): Matched {
    return element(this, "toBeDisabled", received, options, { states: { disabled: true } });
  },

  /** The check box, radio button or menu item is checked. */
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

  /** The element or window has the keyboard. */
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

  /** As many elements fit. */
  toHaveCount(this: State, received: unknown, count: number, options: MatcherOptions = {}): Matched {
    return element(this, "toHaveCount", received, options, { count }, [count]);
  },

  /** The desktop, window or element looks like the baseline of this name. */
  toLookLike(this: State, received: Shown, name: string, options: LookOptions = {}): Matched {
    return headed(this, "toLookLike", "desktop", lookLike(this, received, name, options, test.info()));
  },

  /** The elements of the window, their names, values and states, are those of the baseline of this name. */
  toMatchTree(this: State, received: WindowLocator, name: string, options: MatcherOptions = {}): Matched {
    return headed(this, "toMatchTree", "window", matchTree(this, received, name, options, test.info()));
  },
};

/** Playwright's `expect`, and the matchers of desktops. */
export const expect: Expect<typeof matchers> = playwrightExpect.extend(matchers);
