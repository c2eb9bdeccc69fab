/** How tools are listed for clients. */

import { type Fields, flag, type JsonSchema, objectSchema, optional } from "../actions/schema.ts";
import type { Tool } from "./tool.ts";

/** A tool as MCP lists it. */
export interface ListedTool {
  name: string;
  title: string;
  description: string;
  inputSchema: JsonSchema & { type: "object" };
  annotations: Record<string, boolean>;
}

const LOOK = {
  "if asked": flag("Adds a screenshot, taken when the screen is still"),
  "unless refused": flag("Adds a screenshot, taken when the screen is still; true if left out"),
};

/** The fields that a tool takes, `look` among them. */
export function inputOf({ input, looks }: Tool): Fields & { look?: ReturnType<typeof optional<boolean>> } {
  return looks ? { ...input, look: optional(LOOK[looks]) } : input;
}

/** Describes a tool. */
export function listed(tool: Tool): ListedTool {
  const { name, title, description, effect, destructive = false, idempotent = false } = tool;
  const looks = effect === "look";
  return {
    name,
    title,
    description,
    inputSchema: { ...objectSchema(inputOf(tool)), additionalProperties: false, type: "object" },
    annotations: {
      readOnlyHint: looks,
      ...(looks ? {} : { destructiveHint: destructive, idempotentHint: idempotent }),
      openWorldHint: !looks,
    },
  };
}
