/**
 * Arguments as models and their clients really send them: null and empty texts for omitted values, numbers,
 * lists and objects as texts, fractional pixels, places as lists. Pure.
 */

import { attempt } from "../../core/errors.ts";
import { checkNesting, isJsonObject } from "../../core/json.ts";
import type { JsonSchema } from "../schema/schema.ts";

/** Picture positions and lengths, whose fractions are rounded. */
const PIXELS = new Set(["x", "y", "width", "height"]);
/** The key combination field, which some models write as a list. */
const KEYS = "keys";

/**
 * Converts arguments to the types that a schema requires if their meaning is clear. Everything else is left
 * unchanged, and the field check rejects it.
 * @param given Nested no deeper than {@linkcode checkNesting} allows.
 * @param schema Describes an object.
 * @example
 * const schema = { type: "object", properties: { x: { type: "integer" }, y: { type: "integer" } } };
 * lenient(schema, { x: "300.4", y: null }).x; // 300
 */
export function lenient(schema: JsonSchema, given: Record<string, unknown>): Record<string, unknown> {
  const known = isJsonObject(schema.properties) ? schema.properties : {};
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const own = Object.hasOwn(known, name) ? known[name] as JsonSchema : undefined;
      return [name, own ? lenientValue(name, own, value) : value] as const;
    }).filter(([name, value]) => value !== null && value !== undefined || !Object.hasOwn(known, name)),
  );
}

/** Converts one value; undefined if it means that the field is left out. */
function lenientValue(name: string, schema: JsonSchema, value: unknown): unknown {
  const { type, enum: words } = schema;
  if (value === null) return undefined;
  if (value === "" && (type !== "string" || schema.minLength !== undefined || Array.isArray(words))) {
    return undefined;
  }
  if (Array.isArray(words)) {
    return words.includes(value) ? value : words.find((word) => String(word) === value) ?? value;
  }
  if (type === "integer" || type === "number") return numberOf(name, type, value);
  if (type === "boolean") return value === "true" ? true : value === "false" ? false : value;
  if (type === "string") {
    return Array.isArray(value) && name === KEYS && value.every((key) => typeof key === "string")
      ? value.join("+")
      : value;
  }
  if (type === "array") return entriesOf(schema, parsed(value));
  return type === "object" ? objectOf(name, schema, parsed(value)) : value;
}

function numberOf(name: string, type: string, value: unknown): unknown {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  if (typeof number !== "number" || !Number.isFinite(number)) return value;
  return type === "integer" && PIXELS.has(name) ? Math.round(number) : number;
}

/** Parses a list or an object that arrived as a text. @throws InputError if it is nested too deeply. */
function parsed(value: unknown): unknown {
  const json: unknown = typeof value === "string" ? attempt(() => JSON.parse(value)) : undefined;
  if (typeof json !== "object" || json === null) return value;
  checkNesting(json, "an argument");
  return json;
}

function entriesOf({ items }: JsonSchema, value: unknown): unknown {
  if (!isJsonObject(items)) return value;
  if (isJsonObject(value)) return [lenientValue("", items, value)]; // one entry instead of a list
  return Array.isArray(value) ? value.map((entry) => lenientValue("", items, entry)) : value;
}

/** Converts an object; places and regions may be lists of numbers, and a bare time stands for `{ms}`. */
function objectOf(name: string, schema: JsonSchema, value: unknown): unknown {
  const properties = isJsonObject(schema.properties) ? Object.keys(schema.properties) : undefined;
  const isRegion = name === "region";
  if (Array.isArray(value) && value.every((entry) => Number.isFinite(Number(entry)))) {
    const names = isRegion ? ["x", "y", "width", "height"] : ["x", "y"];
    const fits = value.length === names.length && (isRegion || properties?.includes("x"));
    return fits ? Object.fromEntries(names.map((name, i) => [name, Math.round(Number(value[i]))])) : value;
  }
  if (properties?.includes("ms") && (value === true || typeof value === "number")) {
    return { ms: value === true ? 500 : value };
  }
  if (!isJsonObject(value)) return value;
  if (!isRegion || properties) return lenient(schema, value);
  return Object.fromEntries(
    Object.entries(value).map((
      [key, entry],
    ) => [key, PIXELS.has(key) ? numberOf(key, "integer", entry) : entry]),
  );
}

/** Removes params or arguments that are null, as some clients write omitted ones. */
export function withoutNulls(message: unknown): unknown {
  if (Array.isArray(message)) return message.map(withoutNulls);
  if (!isJsonObject(message)) return message;
  const { params, ...rest } = message;
  if (params === null) return rest;
  if (!isJsonObject(params) || params.arguments !== null) return message;
  const { arguments: _, ...others } = params;
  return { ...rest, params: others };
}
