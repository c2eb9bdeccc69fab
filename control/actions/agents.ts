/** Actions about AI agents: whether they may act. */

import { action } from "./action.ts";
import { flag } from "./schema.ts";

export const agents = action({
  name: "agents",
  summary: "Whether AI agents may act",
  effect: "look",
  input: {},
  output: {
    allowed: flag("Whether they may act"),
    at_work: flag("Whether one has called in the last seconds"),
  },
  run: (_, { permission }) => ({ allowed: permission.isAllowed, at_work: permission.isAtWork }),
});

export const allowAgents = action({
  name: "allowAgents",
  summary: "Allow AI agents to act, or stop them",
  effect: "act",
  input: { allowed: flag("Whether they may act; false stops what they do now") },
  output: {},
  run: ({ allowed }, { permission }) => permission.allow(allowed),
});
