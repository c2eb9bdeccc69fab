/** The names of fields as callers write them: former, missing and misspelt names. */

import { InputError } from "../../core/errors.ts";
import { nearest, printable } from "../../core/printable.ts";
import type { Fields } from "./field.ts";

/** The field that a name stands for, also by its former name. */
export function fieldOf(fields: Fields, name: string): string | undefined {
  if (Object.hasOwn(fields, name)) return name;
  return Object.keys(fields).find((key) => fields[key].formerly === name);
}

/** Gives each field its present name, in a copy where a former one is given. */
export function withPresentNames(fields: Fields, given: Record<string, unknown>): Record<string, unknown> {
  let present: Record<string, unknown> | undefined;
  for (const name in fields) {
    const { formerly } = fields[name];
    if (formerly === undefined || !Object.hasOwn(given, formerly) || Object.hasOwn(given, name)) continue;
    present ??= { ...given };
    present[name] = given[formerly];
    delete present[formerly];
  }
  return present ?? given;
}

/**
 * Message for a missing field.
 * @param prefix The text before a field's name (`from.`).
 * @returns `Missing <field>`, followed by a given name that is perhaps a misspelling of the field's.
 */
export function missing(
  name: string,
  fields: Fields,
  given: Record<string, unknown>,
  prefix: string,
): string {
  const unknown = Object.keys(given).slice(0, SPELLING_LIMIT).filter((key) => !Object.hasOwn(fields, key));
  const misspelt = unknown.find((key) => nearest(key, [name]) !== undefined);
  const hint = misspelt === undefined
    ? ""
    : `: ${prefix}${printable(misspelt, 40)} is unknown, did you mean ${prefix}${name}?`;
  return `Missing ${prefix}${name}${hint}`;
}

/** Names of one object whose spelling is checked: comparing thousands would delay other requests. */
const SPELLING_LIMIT = 64;

/**
 * Refuses a name that is nearly a field's name: ignoring `cout` would do one click instead of two.
 * @throws InputError with both names.
 */
export function checkSpelling(fields: Fields, given: Record<string, unknown>, prefix: string): void {
  if (!hasOthers(fields, given)) return;
  const known = Object.keys(fields), names = Object.keys(given);
  const missing = known.filter((name) => !names.includes(name));
  for (const name of names.slice(0, SPELLING_LIMIT)) {
    const meant = known.includes(name) ? undefined : nearest(name, missing);
    if (meant !== undefined) {
      throw new InputError(`${prefix}${name} is unknown: did you mean ${prefix}${meant}?`);
    }
  }
}

/** Tells whether an object has names that are no field's. It makes no lists: this runs with each request. */
function hasOthers(fields: Fields, given: Record<string, unknown>): boolean {
  for (const name in given) if (!Object.hasOwn(fields, name)) return true;
  return false;
}
