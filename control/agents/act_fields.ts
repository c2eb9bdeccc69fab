/** The fields of a model's action, as it comes over HTTP. */

import { InputError } from "../../core/errors.ts";
import { describeValue } from "../../core/printable.ts";
import { choice, type Field, group, integer, optional } from "../actions/schema.ts";

/** The dialects; Gemini is a name of Google's. */
export const DIALECT_NAMES = ["anthropic", "openai", "google", "gemini"] as const;

const ACTION: Field<Record<string, unknown>, true> = {
  required: true,
  schema: { type: "object", description: "The action, as the model writes it" },
  parse(value, name) {
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return value as Record<string, unknown>;
    }
    throw new InputError(`${name} must be a JSON object, not ${describeValue(value)}`);
  },
};

/** What a request holds. */
export const ACT_INPUT = {
  dialect: choice(DIALECT_NAMES, "Whose model wrote the action"),
  action: ACTION,
  view: optional(
    group({
      width: integer(1, 32_768, "In pixels"),
      height: integer(1, 32_768, "In pixels"),
    }, "The size of the pictures that the model gets; that of --view if left out"),
  ),
};
