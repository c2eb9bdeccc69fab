/** The list of tools for clients, and the check of clients' arguments. */

import { InputError } from "../../core/errors.ts";
import { isJsonObject } from "../../core/json.ts";
import { describeValue } from "../../core/printable.ts";
import {
  type Field,
  type Fields,
  type JsonSchema,
  objectSchema,
  parseFields,
  type Values,
} from "../actions/schema.ts";
import type { Tool } from "./tool.ts";

/** A tool as MCP lists it. */
export interface ListedTool {
  name: string;
  title: string;
  description: string;
  inputSchema: JsonSchema & { type: "object" };
  annotations: Record<string, boolean>;
}

/** The pictures that a call may add: none, the whole view, or the active window. */
const LOOKS = [false, true, "window"] as const;
type Look = Field<typeof LOOKS[number], false>;

const LOOK = {
  "if asked": look(""), // the server's instructions say it once for all tools
  "unless refused": look("true if left out"),
};

function look(description: string): Look {
  return {
    required: false,
    schema: { enum: LOOKS, description },
    parse(value, name) {
      const known = LOOKS.find((look) => look === value);
      if (known !== undefined) return known;
      throw new InputError(`${name} must be true, false or "window", not ${describeValue(value)}`);
    },
  };
}

/** The fields that a tool takes, `look` among them. */
export function inputOf({ input, picture: looks }: Tool): Fields & { look?: Look } {
  return looks ? { ...input, look: LOOK[looks] } : input;
}

/** Keywords of a schema that take a model's context without use, since errors name the allowed values. */
const LIMITS = ["minimum", "maximum", "minLength", "minItems", "maxItems", "pattern"];

/** A schema without limits and empty descriptions. */
function lean(schema: JsonSchema): JsonSchema {
  const entries = Object.entries(schema).filter(([keyword, value]) =>
    !LIMITS.includes(keyword) && value !== ""
  );
  return Object.fromEntries(entries.map(([keyword, value]) => [keyword, leanValue(value)]));
}

function leanValue(value: unknown): unknown {
  return isJsonObject(value) ? lean(value) : value;
}

/** Describes a tool. */
export function listed(tool: Tool): ListedTool {
  const { name, title, description, effect, destructive = false, idempotent = false } = tool;
  const looks = effect === "read";
  // Hints that equal the defaults of the protocol are left out: a tool is destructive, not idempotent, and open-world.
  return {
    name,
    title,
    description,
    inputSchema: { ...lean(objectSchema(inputOf(tool))), type: "object" },
    annotations: looks ? { readOnlyHint: true } : {
      ...(destructive ? {} : { destructiveHint: false }),
      ...(idempotent ? { idempotentHint: true } : {}),
    },
  };
}

/**
 * Checks the arguments of a call. The message of a missing word lists the words that there are.
 * @throws InputError that names the wrong argument and the allowed values.
 */
export function argumentsOf(tool: Tool, given: Record<string, unknown>): Values<ReturnType<typeof inputOf>> {
  const fields = inputOf(tool), values = parsedArguments(fields, given);
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(fields, name));
  if (unknown === undefined) return values;
  const known = Object.keys(fields).join(", ") || "nothing";
  throw new InputError(`${tool.name} has no field ${JSON.stringify(unknown)}; it takes ${known}`);
}

function parsedArguments<F extends Fields>(fields: F, given: Record<string, unknown>): Values<F> {
  try {
    return parseFields(fields, given, "", "the arguments");
  } catch (error) {
    const name = error instanceof InputError && /^Missing (\w+)$/.exec(error.message)?.[1];
    const words = name && Object.hasOwn(fields, name) && fields[name].schema.enum;
    if (!Array.isArray(words)) throw error;
    throw new InputError(`Missing ${name}: one of ${words.join(", ")}`, { cause: error });
  }
}
