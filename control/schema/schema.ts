/**
 * Fields of inputs and results: each defines once which values it accepts. Checks, error messages, TypeScript
 * types, the OpenAPI document and the schema of recordings derive from it.
 */

import { attempt, InputError } from "../../core/errors.ts";
import { isJsonObject } from "../../core/json.ts";
import { describeValue, nearest, printable } from "../../core/printable.ts";

// Field names as callers write them: former, missing and misspelt names.

/** The field with this name or former name. */
function fieldOf(fields: Fields, name: string): string | undefined {
  if (Object.hasOwn(fields, name)) return name;
  return Object.keys(fields).find((key) => fields[key].formerly === name);
}

/** Renames former field names to the current ones, in a copy if there are any. */
function withPresentNames(fields: Fields, given: Record<string, unknown>): Record<string, unknown> {
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
 * @returns `Missing <field>`, followed by a given name that is no field, and which field it may stand for: one
 * with a similar name, or the missing one if the value fits.
 */
function missing(
  name: string,
  fields: Fields,
  given: Record<string, unknown>,
  prefix: string,
): string {
  const unknown = Object.keys(given).slice(0, SPELLING_LIMIT).filter((key) => !Object.hasOwn(fields, key));
  if (!unknown.length) return `Missing ${prefix}${name}`;
  const meant = unknown.find((key) => nearest(key, [name]) !== undefined) ??
    unknown.slice(0, TRIED_LIMIT).find((key) => accepts(fields[name], given[key]));
  const hint = meant === undefined
    ? `; the fields are ${Object.keys(fields).join(", ")}`
    : `, did you mean ${prefix}${name}?`;
  return `Missing ${prefix}${name}: ${prefix}${printable(meant ?? unknown[0], 40)} is unknown${hint}`;
}

/** Whether a value may be meant for a field; of a list or an object, any list or object may be. */
function accepts(field: Field<unknown>, value: unknown): boolean {
  const { type } = field.schema;
  if (type === "array") return Array.isArray(value);
  if (type === "object") return isJsonObject(value);
  return attempt(() => (field.parse(value, ""), true), false, InputError);
}

/** Maximum number of unknown names whose values are tried as the missing field's. */
const TRIED_LIMIT = 3;

/**
 * Maximum number of names per object whose spelling is checked: comparing thousands would delay other
 * requests.
 */
const SPELLING_LIMIT = 64;

/**
 * Rejects a name that is close to a field's name: ignoring `cout` would click once instead of twice.
 * @returns A name that is no field, if there is one.
 * @throws InputError with both names.
 */
function checkSpelling(
  fields: Fields,
  given: Record<string, unknown>,
  prefix: string,
): string | undefined {
  if (!hasOthers(fields, given)) return undefined;
  const known = Object.keys(fields), names = Object.keys(given);
  const missing = known.filter((name) => !names.includes(name));
  for (const name of names.slice(0, SPELLING_LIMIT)) {
    const meant = known.includes(name) ? undefined : nearest(name, missing);
    if (meant !== undefined) {
      throw new InputError(`${prefix}${name} is unknown: did you mean ${prefix}${meant}?`);
    }
  }
  return names.find((name) => !Object.hasOwn(fields, name));
}

/** Names that were given beside checked values, but are no fields. */
const IGNORED = new WeakMap<object, string>();

/**
 * The first name that was given beside checked values, but is no field.
 * @param values The values, as {@linkcode parseFields} returned them.
 */
export function ignoredIn(values: object): string | undefined {
  return IGNORED.get(values);
}

/**
 * Adds an ignored name to the error of an action that lacks a value: the name may stand for the value.
 * @param name As returned by {@linkcode ignoredIn}.
 * @returns The error.
 */
export function namingIgnored(error: unknown, name: string | undefined): unknown {
  const isMissing = error instanceof InputError && /^Missing (?!.* is unknown)/s.test(error.message);
  if (isMissing && name !== undefined) error.message += `: ${printable(name, 40)} is unknown`;
  return error;
}

/** Whether an object has names that are not fields. It allocates nothing, since it runs for each request. */
function hasOthers(fields: Fields, given: Record<string, unknown>): boolean {
  for (const name in given) if (!Object.hasOwn(fields, name)) return true;
  return false;
}

// Fields: the types of the inputs and results of actions.

/** A JSON Schema as in OpenAPI 3.1 (draft 2020-12). */
export type JsonSchema = Record<string, unknown>;

/** One field. `R` is false if it is optional. */
export interface Field<T, R extends boolean = boolean> {
  readonly required: R;
  readonly schema: JsonSchema;
  /** A former name of the field, which is still accepted. */
  readonly formerly?: string;
  /** Fields of which one may be given instead of this one. */
  readonly unless?: readonly string[];
  /**
   * The value as a log shows it, in place of the value itself.
   * @param hide Replaces what must not be shown.
   */
  logged?(value: unknown, hide: (secret: unknown) => unknown): unknown;
  /**
   * Checks a value.
   * @param value The value that the caller sent.
   * @param name The field's name as the caller knows it, for messages.
   * @returns The value in deskhand's internal form.
   * @throws InputError naming the field and what is allowed.
   */
  parse(value: unknown, name: string): T;
}

/** Named fields, in the order in which they are checked. */
export type Fields = Readonly<Record<string, Field<unknown>>>;

type RequiredName<F extends Fields> = { [K in keyof F]: F[K]["required"] extends true ? K : never }[keyof F];
type OptionalName<F extends Fields> = Exclude<keyof F, RequiredName<F>>;
/** The checked value of a field. */
export type ValueOf<T> = T extends Field<infer V> ? V : never;

/** The checked values of fields; optional ones may be missing. */
export type Values<F extends Fields> =
  & { [K in RequiredName<F>]: ValueOf<F[K]> }
  & { [K in OptionalName<F>]?: ValueOf<F[K]> };

/**
 * A field with its own check.
 * @param allowed The accepted values, for messages.
 */
export function field<T>(
  schema: JsonSchema,
  allowed: string,
  accepts: (value: unknown) => boolean,
): Field<T, true> {
  return {
    required: true,
    schema,
    parse(value, name) {
      if (!accepts(value)) throw new InputError(`${name} must be ${allowed}, not ${describeValue(value)}`);
      return (value === 0 ? 0 : value) as T; // JSON has -0, desktops do not
    },
  };
}

/** A whole number from `minimum` to `maximum`. */
export function integer(minimum: number, maximum: number, description: string): Field<number, true> {
  return field(
    { type: "integer", minimum, maximum, description },
    `a whole number from ${minimum} to ${maximum}`,
    (value) => Number.isInteger(value) && (value as number) >= minimum && (value as number) <= maximum,
  );
}

/** Any whole number, such as a coordinate, whose range is checked against the desktop. */
export function wholeNumber(description: string): Field<number, true> {
  return field({ type: "integer", description }, "a whole number", (value) => Number.isInteger(value));
}

/** A count: a whole number, 0 or more. */
export function count(description: string): Field<number, true> {
  return field(
    { type: "integer", minimum: 0, description },
    "a whole number from 0",
    (value) => Number.isInteger(value) && (value as number) >= 0,
  );
}

/** A duration in milliseconds; fractions are allowed. */
export function milliseconds(description: string): Field<number, true> {
  return field(
    { type: "number", minimum: 0, description },
    "milliseconds from 0",
    (value) => typeof value === "number" && value >= 0,
  );
}

/** A number from `minimum` to `maximum`; fractions are allowed. */
export function number(minimum: number, maximum: number, description: string): Field<number, true> {
  return field(
    { type: "number", minimum, maximum, description },
    `a number from ${minimum} to ${maximum}`,
    (value) => typeof value === "number" && value >= minimum && value <= maximum,
  );
}

/** A text of at least one character. */
export function text(description: string): Field<string, true> {
  return field(
    { type: "string", minLength: 1, description },
    "a non-empty string",
    (value) => typeof value === "string" && value !== "",
  );
}

/** A text that may be empty. */
export function plainText(description: string): Field<string, true> {
  return field({ type: "string", description }, "a string", (value) => typeof value === "string");
}

/** A text that matches a pattern. */
export function patterned(pattern: RegExp, allowed: string, description: string): Field<string, true> {
  return field(
    { type: "string", pattern: pattern.source, description },
    allowed,
    (value) => typeof value === "string" && pattern.test(value),
  );
}

/** A field that accepts one of the listed words. */
export function choice<const T extends string>(values: readonly T[], description: string): Field<T, true> {
  return field(
    { type: "string", enum: values, description },
    `one of ${values.join(", ")}`,
    (value) => (values as readonly unknown[]).includes(value),
  );
}

/** true or false. */
export function flag(description: string): Field<boolean, true> {
  return field({ type: "boolean", description }, "true or false", (value) => typeof value === "boolean");
}

/** An object with its own fields and no others: a missing field could not be told from a misspelt one. */
export function group<F extends Fields>(fields: F, description: string): Field<Values<F>, true> {
  return {
    required: true,
    schema: { ...objectSchema(fields), description },
    parse(value, name) {
      const values = parseFields(fields, value, `${name}.`, name);
      const unknown = Object.keys(value as object).find((key) => fieldOf(fields, key) === undefined);
      if (unknown === undefined) return values;
      throw new InputError(
        `${name}.${printable(unknown, 40)} is unknown; ${name} takes ${Object.keys(fields).join(", ")}`,
      );
    },
  };
}

/** A JSON object of any shape, checked where its shape is known. */
export function anyObject(schema: JsonSchema): Field<Record<string, unknown>, true> {
  return { required: true, schema: { type: "object", ...schema }, parse: jsonObject };
}

function jsonObject(value: unknown, name: string): Record<string, unknown> {
  if (isJsonObject(value)) return value;
  throw new InputError(`${name} must be a JSON object, not ${describeValue(value)}`);
}

/**
 * An array whose entries are all of one kind.
 * @param limits Minimum and maximum number of entries; any number if left out.
 */
export function list<T>(
  item: Field<T>,
  description: string,
  { least = 0, most }: { least?: number; most?: number } = {},
): Field<T[], true> {
  const limits = most === undefined ? {} : { minItems: least, maxItems: most };
  return {
    required: true,
    schema: { type: "array", items: item.schema, ...limits, description },
    parse(value, name) {
      if (!Array.isArray(value)) {
        throw new InputError(`${name} must be an array, not ${describeValue(value)}`);
      }
      if (value.length < least || value.length > (most ?? Infinity)) {
        throw new InputError(`${name} must have ${least} to ${most} entries, not ${value.length}`);
      }
      return value.map((entry, index) => item.parse(entry, `${name}[${index}]`));
    },
  };
}

/**
 * A field whose checked value is converted.
 * @param convert Receives the value and the field's name; may throw InputError.
 * @example
 * parseFields({ size: converted(text("A size"), (size) => size.length) }, { size: "abc" }); // { size: 3 }
 */
export function converted<T, V>(
  inner: Field<T, true>,
  convert: (value: T, name: string) => V,
): Field<V, true> {
  return { ...inner, parse: (value, name) => convert(inner.parse(value, name), name) };
}

/** Copies a field with a new description. */
export function inWords<F extends Field<unknown>>(field: F, description: string): F {
  return { ...field, schema: { ...field.schema, description } };
}

/** Makes a field optional. */
export function optional<T>(inner: Field<T, true>): Field<T, false> {
  return { ...inner, required: false };
}

/**
 * A field with a former name. The former name is still accepted, but appears in no document.
 * @example
 * parseFields({ on: renamed("enabled", flag("Whether")) }, { enabled: true }); // { on: true }
 */
export function renamed<T, R extends boolean>(formerly: string, inner: Field<T, R>): Field<T, R> {
  return { ...inner, formerly };
}

/** Makes a field optional if one of the others is given. */
export function unless<T>(others: readonly string[], inner: Field<T, true>): Field<T | undefined, false> {
  return { ...inner, required: false, unless: others };
}

/**
 * The JSON Schema of an object with these fields.
 * @example
 * objectSchema({ on: flag("Whether") }).required; // ["on"]
 */
export function objectSchema(fields: Fields): JsonSchema {
  const names = Object.keys(fields), required = names.filter((name) => fields[name].required);
  const replaced = names.filter((name) => fields[name].unless !== undefined);
  return {
    type: "object",
    properties: Object.fromEntries(Object.entries(fields).map(([name, { schema }]) => [name, schema])),
    ...(required.length ? { required } : {}),
    ...(replaced.length
      ? { if: { not: oneGiven(fields[replaced[0]].unless!) }, then: { required: replaced } }
      : {}),
  };
}

function oneGiven(names: readonly string[]): JsonSchema {
  return names.length === 1 ? { required: names } : { anyOf: names.map((name) => ({ required: [name] })) };
}

/**
 * Checks an object: first for missing fields, then for misspelt names, then each field, in table order. Names
 * that resemble no known field are ignored.
 * @param prefix The text before a field's name in messages (`from.`).
 * @param whole The name of the object itself.
 * @throws InputError `Missing <field>`, or naming the field and what is allowed.
 * @example
 * parseFields({ x: wholeNumber("From the left"), count: optional(integer(1, 3, "The number of clicks")) }, { x: 5 });
 * // { x: 5 }
 */
export function parseFields<F extends Fields>(
  fields: F,
  value: unknown,
  prefix = "",
  whole = "the body",
): Values<F> {
  const given = withPresentNames(fields, jsonObject(value, whole));
  for (const name in fields) {
    const { required, unless } = fields[name];
    const isNeeded = required || unless !== undefined && !unless.some((other) => Object.hasOwn(given, other));
    if (isNeeded && !Object.hasOwn(given, name)) throw new InputError(missing(name, fields, given, prefix));
  }
  const ignored = checkSpelling(fields, given, prefix), values: Record<string, unknown> = {};
  if (ignored !== undefined) IGNORED.set(values, ignored);
  for (const name in fields) {
    if (Object.hasOwn(given, name)) values[name] = fields[name].parse(given[name], prefix + name);
  }
  return values as Values<F>;
}

/** Names by which calls choose their target: a call that ignored one would act elsewhere. */
const AIMS = ["element", "window"];

/**
 * Checks the values of a whole call, like {@linkcode parseFields}; also rejects an `element` or `window` that
 * the call does not accept.
 * @throws InputError like {@linkcode parseFields}.
 */
export function parseCall<F extends Fields>(
  fields: F,
  value: unknown,
  prefix?: string,
  whole?: string,
): Values<F> {
  const values = parseFields(fields, value, prefix, whole);
  const name = AIMS.find((name) => Object.hasOwn(value as object, name) && !Object.hasOwn(fields, name));
  if (name === undefined) return values;
  const hint = Object.hasOwn(fields, "element") ? ': name it in element, such as button "Save" in "Ask"' : "";
  throw new InputError(`${name} is not a field of this call${hint}`);
}

/**
 * Checks a query string; words are converted to the numbers and flags that the table requires.
 * @param query Without `?`. If a name is given twice, the first value counts.
 * @param parse {@linkcode parseCall} if the query is the whole input.
 * @throws InputError like {@linkcode parseFields}.
 * @example
 * parseQuery({ x: wholeNumber("From the left") }, "x=5"); // { x: 5 }
 */
export function parseQuery<F extends Fields>(fields: F, query: string, parse = parseFields): Values<F> {
  const given: Record<string, unknown> = {};
  for (const [name, word] of query ? new URLSearchParams(query) : []) {
    if (Object.hasOwn(given, name)) continue;
    const field = fieldOf(fields, name);
    given[name] = field === undefined ? word : valueOfWord(word, fields[field].schema.type);
  }
  return parse(fields, given, "", "the query");
}

function valueOfWord(word: string, type: unknown): unknown {
  if (type === "integer" && /^-?\d{1,15}(\.0{1,9})?$/.test(word)) return Number(word);
  if (type === "number" && /^-?\d{1,9}(\.\d{1,9})?$/.test(word)) return Number(word);
  if (type === "boolean" && (word === "true" || word === "false")) return word === "true";
  return word;
}
