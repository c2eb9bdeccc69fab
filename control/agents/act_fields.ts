/** The fields of a model's action, as it comes over HTTP. */

import { anyObject, choice, group, integer, optional } from "../actions/schema.ts";

/** The dialects; Gemini is a name of Google's. */
export const DIALECT_NAMES = ["anthropic", "openai", "google", "gemini"] as const;

/** What a request holds. */
export const ACT_INPUT = {
  dialect: choice(DIALECT_NAMES, "Whose model wrote the action"),
  action: anyObject({ description: "The action, as the model writes it" }),
  view: optional(
    group({
      width: integer(1, 32_768, "In pixels"),
      height: integer(1, 32_768, "In pixels"),
    }, "The size of the pictures that the model gets; that of --view if left out"),
  ),
};
