/** The fields of a model's action, as it comes over HTTP. */

import { anyObject, choice, flag, group, integer, list, optional } from "../schema/schema.ts";

/** The names of the dialects; `gemini` is another name of Google's. */
export const DIALECT_NAMES = ["anthropic", "openai", "google", "gemini"] as const;

/** Fields of a request. */
export const ACT_INPUT = {
  dialect: choice(DIALECT_NAMES, "Whose model wrote the action"),
  action: optional(anyObject({ description: "The action, as the model writes it" })),
  actions: optional(list(
    anyObject({ description: "An action, a block of tool_use, a computer_call, or a function_call" }),
    "Several actions, done in order until one fails or would press or type blindly",
    { least: 1, most: 100 },
  )),
  acknowledged: optional(
    flag(
      "The user has allowed what the vendor's safety checks ask about; otherwise the action returns a 409",
    ),
  ),
  any_window: optional(flag("Continue in windows that became active without an action that waits for them")),
  observe: optional(
    flag("Add a line per action: the verdict on its effect, and the windows"),
  ),
  view: optional(
    group({
      width: integer(1, 32_768, "The size in pixels"),
      height: integer(1, 32_768, "The size in pixels"),
    }, "The size of the model's pictures; default --view"),
  ),
};
