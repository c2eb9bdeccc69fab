/**
 * The fields of a request: each says once what it takes, and checking, error messages and the OpenAPI document
 * derive from it.
 */

import { InputError } from "../core/errors.ts";
import { describeValue } from "../core/printable.ts";

/** A JSON Schema, as OpenAPI 3.1 has it. */
export type JsonSchema = Record<string, unknown>;

/** One field of a request. */
export interface Field<T> {
  readonly required: boolean;
  readonly schema: JsonSchema;
  /**
   * @param value What was sent.
   * @param name The field's name as the client knows it, for messages.
   * @throws InputError naming the field and what is allowed.
   */
  parse(value: unknown, name: string): T;
}

/** The fields of a body or query, in the order in which they are checked. */
export type Fields = Record<string, Field<unknown>>;

/** What the fields give once checked. */
export type Values<F extends Fields> = { [K in keyof F]: F[K] extends Field<infer T> ? T : never };

function field<T>(schema: JsonSchema, allowed: string, accepts: (value: unknown) => boolean): Field<T> {
  return {
    required: true,
    schema,
    parse(value, name) {
      if (!accepts(value)) throw new InputError(`${name} must be ${allowed}, not ${describeValue(value)}`);
      return (value === 0 ? 0 : value) as T; // JSON has -0, which no desktop has
    },
  };
}

/** A whole number from `minimum` to `maximum`. */
export function integer(minimum: number, maximum: number, description: string): Field<number> {
  return field(
    { type: "integer", minimum, maximum, description },
    `a whole number from ${minimum} to ${maximum}`,
    (value) => Number.isInteger(value) && (value as number) >= minimum && (value as number) <= maximum,
  );
}

/** A coordinate, in pixels of the desktop; whether it is on the desktop is checked against the desktop. */
export function coordinate(description: string): Field<number> {
  return field(
    { type: "integer", description },
    "a whole number",
    (value) => Number.isInteger(value),
  );
}

/** A number from `minimum` to `maximum`, fractions allowed. */
export function number(minimum: number, maximum: number, description: string): Field<number> {
  return field(
    { type: "number", minimum, maximum, description },
    `a number from ${minimum} to ${maximum}`,
    (value) => typeof value === "number" && value >= minimum && value <= maximum,
  );
}

/** A text of at least one character. */
export function text(description: string): Field<string> {
  return field(
    { type: "string", minLength: 1, description },
    "a text of at least one character",
    (value) => typeof value === "string" && value !== "",
  );
}

/** One of the listed words. */
export function choice<const T extends string>(values: readonly T[], description: string): Field<T> {
  return field(
    { type: "string", enum: values, description },
    `one of ${values.join(", ")}`,
    (value) => (values as readonly unknown[]).includes(value),
  );
}

/** true or false. */
export function flag(description: string): Field<boolean> {
  return field({ type: "boolean", description }, "true or false", (value) => typeof value === "boolean");
}

/** A colour as six hexadecimal digits, with or without `#`; given on as the number 0xRRGGBB. */
export function color(description: string): Field<number> {
  const hex = /^#?[0-9a-f]{6}$/i;
  const checked = field<string>(
    { type: "string", pattern: hex.source, description },
    "a colour of six hexadecimal digits such as #ff8800",
    (value) => typeof value === "string" && hex.test(value),
  );
  return { ...checked, parse: (value, name) => parseInt(checked.parse(value, name).replace("#", ""), 16) };
}

/** An object with fields of its own. */
export function group<F extends Fields>(fields: F, description: string): Field<Values<F>> {
  return {
    required: true,
    schema: { ...objectSchema(fields), description },
    parse: (value, name) => parseFields(fields, value, `${name}.`, name),
  };
}

/** The same field, which may be left out. */
export function optional<T>(inner: Field<T>): Field<T | undefined> {
  return { ...inner, required: false };
}

/** The JSON Schema of an object with these fields. */
export function objectSchema(fields: Fields): JsonSchema {
  const required = Object.keys(fields).filter((name) => fields[name].required);
  return {
    type: "object",
    properties: Object.fromEntries(Object.entries(fields).map(([name, { schema }]) => [name, schema])),
    ...(required.length ? { required } : {}),
  };
}

/**
 * Checks an object: first that nothing is missing, then each field, both in the order of the table.
 * Fields that the table does not know are left out.
 * @param prefix What stands before a field's name in messages (`from.`).
 * @param whole What the object itself is called.
 * @throws InputError with `Missing <field>`, or naming the field and what is allowed.
 */
export function parseFields<F extends Fields>(
  fields: F,
  value: unknown,
  prefix = "",
  whole = "the body",
): Values<F> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new InputError(`${whole} must be a JSON object, not ${describeValue(value)}`);
  }
  for (const name in fields) {
    if (fields[name].required && !Object.hasOwn(value, name)) {
      throw new InputError(`Missing ${prefix}${name}`);
    }
  }
  const values: Record<string, unknown> = {};
  for (const name in fields) {
    values[name] = Object.hasOwn(value, name)
      ? fields[name].parse((value as Record<string, unknown>)[name], prefix + name)
      : undefined;
  }
  return values as Values<F>;
}

/**
 * Checks a query string; words become the numbers and flags that the table asks for.
 * @param query Without `?`. A name given twice counts as its first.
 * @throws InputError like {@linkcode parseFields}.
 */
export function parseQuery<F extends Fields>(fields: F, query: string): Values<F> {
  const given: Record<string, unknown> = {};
  for (const [name, word] of query ? new URLSearchParams(query) : []) {
    if (Object.hasOwn(fields, name) && !Object.hasOwn(given, name)) {
      given[name] = fromWord(word, fields[name].schema.type);
    }
  }
  return parseFields(fields, given, "", "the query");
}

function fromWord(word: string, type: unknown): unknown {
  if (type === "integer" && /^-?\d{1,15}$/.test(word)) return Number(word);
  if (type === "number" && /^-?\d{1,9}(\.\d{1,9})?$/.test(word)) return Number(word);
  if (type === "boolean" && (word === "true" || word === "false")) return word === "true";
  return word;
}
