/** Choosing elements by role and name. */

import { levenshteinDistance } from "@std/text/levenshtein-distance";
import { InputError, NotFoundError, StateError } from "../../core/errors.ts";
import type { ListedElement } from "./reading.ts";
import { describeElementQuery } from "./words.ts";

/** A query for elements. */
export interface ElementQuery {
  /** A role in any case of letters. */
  role?: string;
  /** A part of the name, in any case. */
  name?: string;
  /** Takes the whole name in place of a part. */
  exact?: boolean;
  /** Number of the element among those that fit, from 1. */
  nth?: number;
}

/** Elements that an error lists. */
const NEAR = 5;
/** Characters of a name that count for how near it is. */
const COMPARED = 80;

/** The elements that a query means, in the tree's order. */
export function matchingElements(
  elements: readonly ListedElement[],
  { role, name, exact = false }: ElementQuery,
): ListedElement[] {
  const wantedRole = role?.toLowerCase(), wanted = name?.toLowerCase();
  return elements.filter((element) => {
    const own = element.name.toLowerCase();
    return (wantedRole === undefined || element.role === wantedRole) &&
      (wanted === undefined || (exact ? own === wanted : own.includes(wanted)));
  });
}

/**
 * Chooses the only element that fits a query. If several names contain the word, a name that equals the word wins.
 * @param where The window, for messages.
 * @throws NotFoundError with the nearest elements if none fits; StateError with all fitting elements if several do.
 */
export function oneElement(
  elements: readonly ListedElement[],
  query: ElementQuery,
  where: string,
): ListedElement {
  if (query.role === undefined && query.name === undefined) {
    throw new InputError("Missing element, role or name");
  }
  const found = matchingElements(elements, query), { nth } = query;
  const exact = matchingElements(found, { ...query, exact: true });
  const meant = query.name !== undefined && exact.length === 1 && nth === undefined ? exact : found;
  const what = describeElementQuery(query);
  if (nth !== undefined && meant[nth - 1]) return meant[nth - 1];
  if (meant.length === 1 && nth === undefined) return meant[0];
  if (nth !== undefined && meant.length) {
    throw new NotFoundError(`there are ${meant.length} of ${what} in ${where}, and no ${nth}th`);
  }
  if (!meant.length) throw new NotFoundError(`there is no ${what} in ${where}${near(elements, query)}`);
  throw new StateError(`${meant.length} elements fit ${what}: ${listed(meant)}; give element or nth`);
}

/** The elements whose role or name is nearest, in words. */
function near(elements: readonly ListedElement[], { role, name }: ElementQuery): string {
  const wanted = (name ?? "").toLowerCase().slice(0, COMPARED);
  const distanceOf = (element: ListedElement) =>
    levenshteinDistance(element.name.toLowerCase().slice(0, COMPARED), wanted) +
    (role !== undefined && element.role !== role.toLowerCase() ? 3 : 0);
  const candidates = elements.filter((element) => element.name !== "" || role === element.role)
    .map((element) => ({ element, distance: distanceOf(element) }))
    .filter(({ distance }) => distance <= Math.max(3, wanted.length))
    .sort((a, b) => a.distance - b.distance).slice(0, NEAR);
  return candidates.length ? `; near: ${listed(candidates.map(({ element }) => element))}` : "";
}

function listed(elements: readonly ListedElement[]): string {
  const more = elements.length > NEAR ? ` and ${elements.length - NEAR} more` : "";
  return elements.slice(0, NEAR).map(({ ref, role, name }) => `${role} ${JSON.stringify(name)} (${ref})`)
    .join(", ") +
    more;
}
