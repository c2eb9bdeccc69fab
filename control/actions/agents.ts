/** Actions about AI agents: whether they may act. */

import { action } from "./action.ts";
import { flag, optional, text } from "./schema.ts";

export const agents = action({
  name: "agents",
  summary: "Check whether AI agents may act",
  effect: "read",
  input: {},
  output: {
    allowed: flag("True if agents may act"),
    at_work: flag("True if an agent has called in the last seconds"),
    client: optional(text("The name that the agent at work gives itself, or unknown")),
    tool: optional(text("The tool that the agent called last")),
  },
  run: (_, { permission: { isAllowed, isAtWork, lastCall } }) =>
    Promise.resolve({ allowed: isAllowed, at_work: isAtWork, ...isAtWork && lastCall }),
});

export const allowAgents = action({
  name: "allowAgents",
  summary: "Allow AI agents to act, or stop them",
  effect: "act",
  input: { allowed: flag("True to let agents act; false also stops their present actions") },
  output: {},
  run: ({ allowed }, { permission }) => Promise.try(() => permission.allow(allowed)),
});
