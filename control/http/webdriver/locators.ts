/** Locator strategies: W3C's, Appium's, and those of AT-SPI test suites. */

import { CallWorker } from "../../../core/worker.ts";
import { BusyError, InputError } from "../../../core/errors.ts";
import { timeByLoad } from "../../../core/proc.ts";
import type { ElementDetails, ProgramElement, ProgramParts } from "../../desktop/desktop.ts";
import { isField, isLabel } from "../../elements/labels.ts";
import { PLATFORM } from "./capabilities.ts";
import { invalid, WebDriverError } from "./errors.ts";
import { XPATH_NAMES, xpathRows } from "./source.ts";
import type { XPathCall } from "./xpath_worker.ts";

/** An element as a locator tests it on its own. */
type Candidate = ProgramElement | ElementDetails;
type Test = (element: Candidate) => boolean;

export interface Locator {
  /** The locator in words, for messages and traces. */
  readonly words: string;
  /** The element properties that the locator needs. */
  readonly parts: ProgramParts;
  /**
   * Whether an element matches on its own: an older tree may then propose elements, which are read again.
   * Left out if the position in the tree matters.
   */
  fits?: Test;
  /**
   * Finds elements.
   * @param start Index of the element to search below; -1 for all.
   */
  find(elements: readonly ProgramElement[], start: number): ProgramElement[] | Promise<ProgramElement[]>;
  /** The element that is meant if only one is wanted; the first if left out. */
  one?(found: readonly ProgramElement[]): ProgramElement;
}

/** The descendants of an element, which follow it in document order. */
function below(elements: readonly ProgramElement[], start: number): readonly ProgramElement[] {
  if (start < 0) return elements;
  const end = elements.findIndex(({ parent }, at) => at > start && parent < start);
  return elements.slice(start + 1, end < 0 ? undefined : end);
}

/** Whether test suites mean an element: it is on the screen, or can act like the items of closed menus. */
function isMeant({ states, isShown, isEnabled }: Candidate): boolean {
  return isShown || isEnabled || states.includes("visible") || states.includes("sensitive");
}

/** A test of each element on its own; `otherwise` applies if no element passes it. */
interface Filter {
  parts?: ProgramParts;
  fits: Test;
  otherwise?: Test;
}

/** Before at-spi2-core 2.53, some roles had other names. */
function hasTag(value: string): Test {
  const wanted = value.trim().replaceAll(" ", "_").replace(/^push_button$/, "button").toLowerCase();
  return ({ tag }) => wanted === "*" || tag.toLowerCase() === wanted;
}

const hasName = (value: string): Test => ({ name }) => name === value;

/**
 * Qt identifiers are paths of object names, and suites give their last part. Many toolkits give no
 * identifiers.
 */
const byId = (value: string): Filter => ({
  parts: { ids: true },
  fits: ({ id }) => id !== "" && (PLATFORM === "windows" ? id === value : id.endsWith(value)),
  otherwise: hasName(value),
});

/** An element as pyatspi prints it: `[role | name]`. */
const ROLE_AND_NAME = /^\[(.*?) \| (.*)\]$/s;

/** Strategies that test each element on its own. */
const FILTERS: Readonly<Record<string, (value: string) => Filter>> = {
  "accessibility id": byId,
  id: byId,
  name: (value) => ({ fits: hasName(value) }),
  description: (value) => ({
    parts: { descriptions: true },
    fits: ({ description }) => description === value,
  }),
  "tag name": (value) => ({ fits: hasTag(value) }),
  "link text": (value) => ({ fits: hasName(value) }),
  "partial link text": (value) => ({ fits: ({ name }) => name.includes(value) }),
  "class name"(value) {
    const [, role, name] = ROLE_AND_NAME.exec(value) ?? [], isRole = hasTag(role ?? value);
    if (role === undefined) return { fits: (one) => one.className === value || isRole(one) };
    return { fits: (one) => isRole(one) && one.name === name };
  },
};

function byFilter({ parts = {}, fits, otherwise }: Filter): Omit<Locator, "words"> {
  return {
    parts,
    fits: (one) => isMeant(one) && (fits(one) || otherwise?.(one) === true),
    find(elements, start) {
      const all = below(elements, start).filter(isMeant), found = all.filter(fits);
      return found.length || !otherwise ? found : all.filter(otherwise);
    },
    // A field has the name of its label, which a suite cannot fill.
    one: (found) =>
      isLabel(found[0])
        ? found.find((field) => isField(field) && field.name === found[0].name) ?? found[0]
        : found[0],
  };
}

/**
 * Maximum time for an expression including the start of the Worker, on an idle and on a busy machine, and how
 * long the Worker stays without work, in milliseconds.
 */
const LIMIT_MS = 5000, LONGEST_MS = 20_000, IDLE_MS = 60_000;
let worker: CallWorker<XPathCall, number[]> | undefined;

/** The Worker that evaluates XPath, started by the first expression. */
function xpathWorker(): CallWorker<XPathCall, number[]> {
  return worker ??= new CallWorker({
    url: new URL("./xpath_worker.ts", import.meta.url),
    idleMs: IDLE_MS,
    limitMs: 2 * LONGEST_MS, // the Worker ends its own expressions
  });
}

function byXPath(given: string): Omit<Locator, "words"> {
  // Quoted texts are left unchanged.
  const expression = given.replace(
    /"[^"]*"|'[^']*'|(?<![\w-])push_button(?![\w-])/g,
    (part) => part === "push_button" ? "button" : part,
  );
  const isAny = /@\*|@node\(\)|attribute::/.test(expression);
  return {
    parts: {
      descriptions: isAny || /description|HelpText/.test(expression),
      ids: isAny || /accessibility-id|AutomationId/.test(expression),
    },
    async find(elements, start) {
      const rows = xpathRows(elements), shift = rows.length - elements.length;
      const from = start < 0 ? -1 : start + shift;
      const limitMs = timeByLoad(LIMIT_MS, LONGEST_MS);
      const call = { expression, rows, names: XPATH_NAMES, start: from, limitMs };
      try {
        const found = await xpathWorker().call(call);
        return found.filter((at) => at >= shift).map((at) => elements[at - shift]);
      } catch (error) {
        const code = error instanceof BusyError
          ? "timeout"
          : error instanceof InputError
          ? "invalid selector"
          : undefined;
        throw code ? new WebDriverError(code, `${given}: ${(error as Error).message}`) : error;
      }
    },
  };
}

/**
 * Parses a locator.
 * @throws WebDriverError if the strategy is unknown or a selector is invalid.
 */
export async function locatorOf(using: unknown, value: unknown): Promise<Locator> {
  if (typeof using !== "string" || typeof value !== "string") {
    throw invalid("using and value must be strings");
  }
  const words = `${using} ${JSON.stringify(value)}`;
  if (Object.hasOwn(FILTERS, using)) return { words, ...byFilter(FILTERS[using](value)) };
  if (using === "xpath") return { words, ...byXPath(value) };
  if (using !== "css selector") {
    const known = ["xpath", "css selector", ...Object.keys(FILTERS)].join(", ");
    throw new WebDriverError("invalid selector", `unknown strategy ${using}; supported: ${known}`);
  }
  const { filterOfCss, xpathOfCss } = await import("./css.ts"), simple = filterOfCss(value);
  return simple
    ? { ...await locatorOf(simple.using, simple.value), words }
    : { words, ...byXPath(xpathOfCss(value)) };
}
