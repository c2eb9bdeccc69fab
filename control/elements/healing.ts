/**
 * Healing: the element that takes the place of a named one which a new version of a program no longer shows. Fixed rules
 * decide, none of them chooses among several elements, and the caller is told.
 */

import { StateError } from "../../core/errors.ts";
import { fieldOf } from "./labels.ts";
import type { ListedElement } from "./list.ts";
import { describeElement, describeElementQuery, type ElementQuery, TEXTS } from "./query.ts";

/** An element that takes the place of another one. */
export interface StandIn {
  element: ListedElement;
  /** The element that is missing, the one that is taken, and the rule, in words. */
  told: string;
}

/** Whether an element takes the place of the missing one. */
type Fits = (element: ListedElement) => boolean;

/** The rules in their order. @param role The role of the missing element. @param isNamed Whether a name means the missing one. */
const RULES: [why: string, fits: (given: Given) => Fits][] = [
  [
    "has the same role, and a name that differs in signs or spaces alone",
    ({ role, isNamed }) => (element) => (role === undefined || element.role === role) && isNamed(element),
  ],
  ["is the field beside the label of this name", ({ role, isNamed, elements }) => {
    const fields = elements.filter(isNamed).map((label) => fieldOf(label, elements));
    return (element) => (role === undefined || element.role === role) && fields.includes(element);
  }],
  [
    "has the same name, and another role",
    ({ isNamed }) => (element) => !TEXTS.has(element.role) && isNamed(element),
  ],
];

interface Given {
  role: string | undefined;
  isNamed: Fits;
  elements: readonly ListedElement[];
}

/** Letters and digits of a name. */
const bare = (name: string) => name.normalize("NFKC").toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");

/**
 * Finds the element that takes the place of one which a query does not find. The first rule that fits an element decides.
 * An element without a name, and one of several, have no stand-in.
 * @returns undefined if no rule fits.
 * @throws StateError with the elements if the rule fits several.
 * @example
 * const link = { ref: "e1", key: "", role: "link", name: "Sign in", states: [], depth: 1, place: { x: 0, y: 0, width: 9, height: 9 } };
 * standInFor({ role: "button", name: "Sign in" }, [link])?.told; // 'button "Sign in" is not there: link "Sign in" (e1) has the same name, and another role'
 */
export function standInFor(
  { role, name = "", nth = 1 }: ElementQuery,
  all: readonly ListedElement[],
): StandIn | undefined {
  const wanted = bare(name), what = describeElementQuery({ ...(role === undefined ? {} : { role }), name });
  if (!wanted || nth > 1) return undefined;
  const elements = all.filter(({ place, states }) => place !== undefined && !states.includes("hidden"));
  const given = {
    role: role?.toLowerCase(),
    isNamed: ({ name }: ListedElement) => bare(name) === wanted,
    elements,
  };
  for (const [why, fits] of RULES) {
    const [element, ...others] = elements.filter(fits(given));
    if (!element) continue;
    if (!others.length) return { element, told: `${what} is not there: ${describeElement(element)} ${why}` };
    throw new StateError(
      `${what} is not there, and each of ${
        [element, ...others].slice(0, 5).map(describeElement).join(", ")
      } ${why}`,
    );
  }
  return undefined;
}
