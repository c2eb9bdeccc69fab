/** Actions about AI agents: whether they may act, and in which programs. */

import { NotFoundError } from "../../core/errors.ts";
import { ANSWERS, RIGHTS } from "../operator/agent_policy.ts";
import { anyObject, choice, count, flag, group, integer, list, optional, text } from "../schema/schema.ts";
import { action } from "./action.ts";

const PROGRAM = {
  exe: optional(text("The path of the program")),
  class: optional(text("The class of its window")),
  flatpak: optional(text("Its Flatpak id")),
};

const QUESTION = {
  id: count("The number of the question"),
  client: text("The name that the agent reports"),
  action: text("The action that is waiting, such as click"),
  title: text("The title of the window"),
  ...PROGRAM,
};

export const agents = action({
  name: "agents",
  summary: "Check whether AI agents may act",
  effect: "read",
  input: {},
  output: {
    allowed: flag("Whether agents may act"),
    at_work: flag("True if an agent has made a call within the last few seconds"),
    client: optional(text("Name of the active agent as it reports itself, or unknown")),
    tool: optional(text("The tool that the agent called last")),
    questions: optional(
      list(group(QUESTION, "A question"), "The open questions of --agent-allow, the oldest first"),
    ),
    grants: optional(list(
      group({ agent: text("The interface and the name of the agent"), ...PROGRAM }, "A grant"),
      "Programs that agents may act in until they are idle",
    )),
    programs: optional(list(
      group({ ...PROGRAM, may: choice(RIGHTS, "The right"), until: optional(text("The last day")) }, "A row"),
      "The rows of --agent-allow",
    )),
    default: optional(choice(RIGHTS, "The right in programs without a row")),
  },
  async run(_, { permission: { isAllowed, isAtWork, lastCall, programs } }) {
    const policy = await programs?.file.read();
    return {
      allowed: isAllowed,
      at_work: isAtWork,
      ...isAtWork && lastCall,
      ...programs && {
        questions: programs.questions.open.map(({ program, ...rest }) => ({ ...rest, ...program })),
        grants: programs.grants.map(({ agent, program }) => ({ agent, ...program })),
        programs: policy?.programs,
        default: policy?.default,
      },
    };
  },
});

export const answerAgent = action({
  name: "answerAgent",
  summary: "Answer whether an AI agent may act in a program",
  effect: "act",
  refusesAgents: "always",
  input: {
    id: count("The number of the question"),
    answer: choice(ANSWERS, "Allow one action, until the agent is idle, or always; or deny"),
  },
  output: {},
  run: ({ id, answer }, { permission: { programs } }) =>
    Promise.try(() => {
      if (programs?.questions.answer(id, answer)) return;
      throw new NotFoundError(`there is no open question ${id}: it was answered or has expired`);
    }),
});

export const forgetGrants = action({
  name: "forgetGrants",
  summary: "Revoke permissions of AI agents",
  effect: "act",
  refusesAgents: "always",
  input: {
    program: optional(
      text(
        "A path, name, class or Flatpak id; matching rows of the file are removed, too. Default: all session grants",
      ),
    ),
  },
  output: { forgotten: count("The number of revoked grants") },
  run: async ({ program }, { permission: { programs } }) => ({
    forgotten: (await programs?.forget(program))?.length ?? 0,
  }),
});

export const allowAgents = action({
  name: "allowAgents",
  summary: "Allow AI agents to act, or stop them",
  effect: "act",
  refusesAgents: "always",
  input: { allowed: flag("Whether agents may act; false also stops their current actions") },
  output: {},
  run: ({ allowed }, { permission }) => Promise.try(() => permission.allow(allowed)),
});

// Fields of a model's action received over HTTP.

/** Dialect names; `gemini` is another name for Google's. */
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
