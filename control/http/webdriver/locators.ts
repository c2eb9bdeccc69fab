/** Locator strategies: W3C's, Appium's, and those of suites for AT-SPI. */

import { CallWorker } from "../../../core/call_worker.ts";
import { BusyError, InputError } from "../../../core/errors.ts";
import { timeByLoad } from "../../../core/proc.ts";
import type { ElementDetails, ProgramElement, ProgramParts } from "../../desktop/desktop.ts";
import { PLATFORM } from "./capabilities.ts";
import { invalid, WebDriverError } from "./errors.ts";
import { XPATH_NAMES, xpathRows } from "./source.ts";
import type { XPathCall } from "./xpath_worker.ts";

/** An element, as far as a locator looks at it alone. */
type Candidate = ProgramElement | ElementDetails;

/** A locator that was read. */
export interface Locator {
  /** The locator in words, for messages and traces. */
  readonly words: string;
  /** The parts of elements that the locator needs. */
  readonly parts: ProgramParts;
  /**
   * Tells whether an element fits by itself: an older tree may then propose elements, which are read again. Left out
   * where the place in the tree counts.
   */
  fits?(element: Candidate): boolean;
  /**
   * Finds elements.
   * @param start The index of the element below which to look; -1 for all.
   */
  find(elements: readonly ProgramElement[], start: number): ProgramElement[] | Promise<ProgramElement[]>;
}

/** The elements below one, which follow it in document order. */
function below(elements: readonly ProgramElement[], start: number): readonly ProgramElement[] {
  if (start < 0) return elements;
  let end = start + 1;
  while (end < elements.length && elements[end].parent >= start) end++;
  return elements.slice(start + 1, end);
}

/** Tells whether suites mean an element: it is on the screen or can act, as items of closed menus can. */
function isMeant({ states, isShown, isEnabled }: Candidate): boolean {
  return isShown || isEnabled || states.includes("visible") || states.includes("sensitive");
}

type Filter = Pick<Locator, "parts"> & { fits(element: Candidate): boolean };
const plain = (fits: Filter["fits"], parts: ProgramParts = {}): Filter => ({ parts, fits });

/** Roles had other names before at-spi2-core 2.53. */
function renamedTag(tag: string): string {
  const own = tag.trim().replaceAll(" ", "_");
  return own === "push_button" ? "button" : own;
}

function tagFilter(value: string): Filter["fits"] {
  const wanted = renamedTag(value).toLowerCase();
  return ({ tag }) => wanted === "*" || tag.toLowerCase() === wanted;
}

/** An element as pyatspi writes it: `[role | name]`. */
const ROLE_AND_NAME = /^\[(.*?) \| (.*)\]$/s;

/** The strategies that look at each element alone. */
const FILTERS: Readonly<Record<string, (value: string) => Filter>> = {
  name: (value) => plain(({ name }) => name === value),
  description: (value) => plain(({ description }) => description === value, { descriptions: true }),
  "tag name": (value) => plain(tagFilter(value)),
  "link text": (value) => plain(({ name }) => name === value),
  "partial link text": (value) => plain(({ name }) => name.includes(value)),
  "class name"(value) {
    const [, role, own] = ROLE_AND_NAME.exec(value) ?? [], hasTag = tagFilter(role ?? value);
    if (role === undefined) return plain((one) => one.className === value || hasTag(one));
    return plain((element) => hasTag(element) && element.name === own);
  },
};

/** Identifiers of Qt are paths of object names, whose end suites give; those of UI Automation are whole. */
const hasId = PLATFORM === "windows"
  ? (id: string, value: string) => id === value
  : (id: string, value: string) => id.endsWith(value);

/** Finds by identifier, and by the exact name where none fits: many toolkits give no identifiers. */
function byId(value: string): Omit<Locator, "words"> {
  const isNamed = ({ id, name }: Candidate) => id !== "" ? hasId(id, value) : name === value;
  return {
    parts: { ids: true },
    fits: (element) => isMeant(element) && isNamed(element),
    find(elements, start) {
      const all = below(elements, start).filter(isMeant);
      const found = all.filter(({ id }) => id !== "" && hasId(id, value));
      return found.length ? found : all.filter(({ name }) => name === value);
    },
  };
}

/**
 * The time that an expression may take with the start of the Worker, on an idle machine and at most, and the time that
 * the Worker stays without an expression, in milliseconds.
 */
const LIMIT_MS = 5000, LONGEST_MS = 20_000, IDLE_MS = 60_000;
let worker: CallWorker<XPathCall, number[]> | undefined;

/** The Worker that evaluates XPath; started by the first expression. */
function xpathWorker(): CallWorker<XPathCall, number[]> {
  return worker ??= new CallWorker({
    url: new URL("./xpath_worker.ts", import.meta.url),
    idleMs: IDLE_MS,
    limitMs: PLATFORM === "linux" ? timeByLoad(LIMIT_MS, LONGEST_MS) : LIMIT_MS,
  });
}

function byXPath(given: string): Omit<Locator, "words"> {
  const expression = withPresentTags(given), isAny = /@\*|@node\(\)|attribute::/.test(expression);
  return {
    parts: {
      descriptions: isAny || /description|HelpText/.test(expression),
      ids: isAny || /accessibility-id|AutomationId/.test(expression),
    },
    async find(elements, start) {
      const rows = xpathRows(elements), shift = rows.length - elements.length;
      const call = { expression, rows, names: XPATH_NAMES, start: start < 0 ? -1 : start + shift };
      try {
        return (await xpathWorker().call(call)).map((at) => elements[at - shift]).filter((element) =>
          element
        );
      } catch (error) {
        if (error instanceof BusyError) {
          throw new WebDriverError("timeout", `${given}: ${error.message}`);
        }
        if (error instanceof InputError) {
          throw new WebDriverError("invalid selector", `${given}: ${error.message}`);
        }
        throw error;
      }
    },
  };
}

/** An expression with the present names of roles; texts in quotes stay. */
function withPresentTags(expression: string): string {
  return expression.replace(
    /"[^"]*"|'[^']*'|(?<![\w-])push_button(?![\w-])/g,
    (part) => part === "push_button" ? "button" : part,
  );
}

/** The names of all strategies. */
export const STRATEGIES: readonly string[] = [
  ...["accessibility id", "id", "css selector", "xpath"],
  ...Object.keys(FILTERS),
];

/**
 * Reads a locator.
 * @throws WebDriverError if the strategy is unknown, or a selector is wrong.
 */
export async function locatorOf(using: unknown, value: unknown): Promise<Locator> {
  if (typeof using !== "string" || typeof value !== "string") throw invalid("using and value must be texts");
  const words = `${using} ${JSON.stringify(value)}`;
  if (Object.hasOwn(FILTERS, using)) {
    const { parts, fits: isIt } = FILTERS[using](value);
    const fits = (element: Candidate) => isMeant(element) && isIt(element);
    return { words, parts, fits, find: (elements, start) => below(elements, start).filter(fits) };
  }
  if (using === "accessibility id" || using === "id") return { words, ...byId(value) };
  if (using === "xpath") return { words, ...byXPath(value) };
  if (using === "css selector") {
    const { filterOfCss, xpathOfCss } = await import("./css.ts"), simple = filterOfCss(value);
    if (simple) return { ...await locatorOf(simple.using, simple.value), words };
    return { words, ...byXPath(xpathOfCss(value)) };
  }
  const known = `there are ${STRATEGIES.join(", ")}`;
  throw new WebDriverError("invalid selector", `there is no strategy ${using}; ${known}`);
}
