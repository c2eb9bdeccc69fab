/**
 * The log of agents' calls: one JSON line for each call. Of texts, and of values that no tool takes, the log has the
 * length alone.
 */

import { isJsonObject } from "../../core/json.ts";
import { describeValue, printable } from "../../core/printable.ts";
import { type Fields, type JsonSchema, objectSchema } from "../schema/schema.ts";
import type { Answer } from "./tool.ts";

/** A call that is over. */
export interface LoggedCall {
  /** The name that the client gives itself. */
  client: string;
  tool: string;
  given: Record<string, unknown>;
  answer: Answer;
  /** The time that the call took, in milliseconds. */
  ms: number;
}

/** The fields that a tool takes; undefined if there is no tool of this name. */
export type FieldsOf = (tool: string) => Fields | undefined;

/** The line of a call. */
export function logLine({ client, tool, given, answer, ms }: LoggedCall, fieldsOf: FieldsOf): string {
  const hidden: unknown[] = [];
  return JSON.stringify({
    time: new Date().toISOString(),
    client,
    tool,
    // Stands before the outcome, which needs the hidden texts that this line collects.
    arguments: loggedArguments(given, fieldsOf(tool) ?? {}, { fieldsOf, hidden }),
    outcome: answer.isError ? withoutValues(answer.failure ?? answer.text, hidden) : "ok",
    ms: Math.round(ms),
  });
}

/** Arguments that hold texts, or files in base64. */
const LONG = ["text", "png"];
/** The longest name of an argument that is logged whole, in UTF-16 code units. */
const NAME_LIMIT = 40;

/** Context in which the arguments of a call are logged. */
interface Logging {
  fieldsOf: FieldsOf;
  /** Receives the values that are logged as their length. */
  hidden: unknown[];
}

/**
 * Arguments with each text, and each value that its field does not take, as its length in characters, and without even
 * that where they are `sensitive` or for an element.
 * @param fields The fields that the tool takes.
 */
function loggedArguments(given: Record<string, unknown>, fields: Fields, logging: Logging): object {
  return loggedObject(given, objectSchema(fields), logging, fields);
}

function loggedObject(
  given: Record<string, unknown>,
  schema: JsonSchema,
  logging: Logging,
  fields: Fields = {},
): object {
  const known = schema.properties as Record<string, JsonSchema> | undefined ?? {};
  const isSensitive = given.sensitive === true || given.element !== undefined; // the text may be a password
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const own = Object.hasOwn(fields, name) ? fields[name].logged : undefined;
      if (own) return [name, own(value, (secret) => hide(secret, logging))];
      const isShown = !LONG.includes(name) && Object.hasOwn(known, name);
      const entry = isShown ? logged(value, known[name], logging) : hide(value, logging, isSensitive);
      return [printable(name, NAME_LIMIT), entry];
    }),
  );
}

function logged(value: unknown, schema: JsonSchema, logging: Logging): unknown {
  if (Array.isArray(value) && schema.type === "array") {
    return value.map((entry) => logged(entry, schema.items as JsonSchema, logging));
  }
  if (isJsonObject(value) && schema.type === "object") {
    return isStep(schema) ? loggedStep(value, logging) : loggedObject(value, schema, logging);
  }
  return isTaken(value, schema) ? value : hide(value, logging);
}

/** Whether a schema is that of a step of `do`. */
function isStep({ properties }: JsonSchema): boolean {
  return Object.hasOwn(properties ?? {}, "tool");
}

/** Writes a step of `do` for the log: its fields are those of its tool. */
function loggedStep(step: Record<string, unknown>, logging: Logging): object {
  const { tool, ...given } = step, fields = typeof tool === "string" ? logging.fieldsOf(tool) : undefined;
  if (!fields) return loggedArguments(step, {}, logging);
  return { tool, ...loggedArguments(given, fields, logging) };
}

/**
 * Whether a plain value, such as a text or a number, is one of the values that a schema names, or has the
 * schema's type.
 */
function isTaken(value: unknown, { type, enum: words }: JsonSchema): boolean {
  if (Array.isArray(words)) return words.includes(value);
  const own = typeof value;
  return own === (type === "integer" ? "number" : type);
}

function hide(value: unknown, { hidden }: Logging, isSensitive = false): unknown {
  hidden.push(value);
  return isSensitive
    ? "secret"
    : { characters: [...typeof value === "string" ? value : JSON.stringify(value)].length };
}

/** A message without the values that it quotes, as `describeValue` and JSON do. */
function withoutValues(message: string, hidden: readonly unknown[]): string {
  return hidden.flatMap((value) => [value, ...textsIn(value)]).reduce<string>((text, value) => {
    const rest = text.replaceAll(`not ${describeValue(value)}`, "not what was given");
    return typeof value === "string" ? rest.replaceAll(JSON.stringify(value), '"…"') : rest;
  }, message);
}

/** The texts in a list or an object: a tool may take such a value as its entries. */
function textsIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap((entry) => typeof entry === "string" ? [entry] : textsIn(entry));
}
