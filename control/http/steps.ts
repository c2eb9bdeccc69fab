/** Several actions in one request. */

import { delay } from "@std/async/delay";
import { ExpectedError } from "../../core/errors.ts";
import type { AnyAction } from "../actions/action.ts";
import * as keyboard from "../actions/keyboard.ts";
import * as pointer from "../actions/pointer.ts";
import type { ActionRunner, Caller } from "../actions/runner.ts";
import { anyObject, choice, list, objectSchema, parseFields, wholeNumber } from "../actions/schema.ts";
import * as windows from "../actions/windows.ts";
import type { Endpoint } from "./endpoint.ts";
import { readJson } from "./request_body.ts";
import { errorAnswer, jsonText } from "./responses.ts";
import { moveThrough, successivePlaces } from "./successive_moves.ts";
import { WatchedClient } from "./watched_client.ts";

/** The actions that a step may be, by name: those that act on the pointer, the keyboard and windows. */
const ACTIONS = new Map(
  Object.values<AnyAction>({ ...pointer, ...keyboard, ...windows }).filter(({ effect }) => effect === "act")
    .map((action) => [action.name, action]),
);
/** The longest list. */
const MOST = 1000;
/** The time after which other requests get a turn, in milliseconds. */
const TURN_MS = 10;

const NAMES = [...ACTIONS.keys()], ACTION = choice(NAMES, "");
const STEP = anyObject({});
const STEPS =
  'Actions in their order, each with its fields, such as {"action":"move","x":1,"y":2}. Of moves that ' +
  "follow each other, the place of the last is checked";
const INPUT = { steps: list(STEP, STEPS, { least: 1, most: MOST }) };
const DONE = wholeNumber("How many steps were done");

/** Statuses of the answer to a step that fails: those of its action. */
const STATUSES = {
  400: `A step is wrong; its action is one of ${NAMES.join(", ")}`,
  404: "No window fits the step",
  408: "The change of a window did not happen in time",
  409: "A step does not fit the present state. The field done of each refusal tells how many steps were done",
};

/** Runs a step. */
async function run(
  { action: name, ...given }: Record<string, unknown>,
  runner: ActionRunner,
  caller: Caller,
) {
  const action = ACTIONS.get(ACTION.parse(name, "action"))!;
  await runner.run(action, parseFields(action.input, given, "", "the step"), caller);
}

/** The endpoint. Each step waits for its own turn among the actions of other callers; successive moves may share one. */
export const STEPS_ENDPOINT: Endpoint = {
  method: "POST",
  path: "/api/steps",
  id: "steps",
  summary: "Do several actions in order, until one fails",
  effect: "act",
  body: objectSchema(INPUT),
  answer: { "application/json": objectSchema({ ok: { ...DONE, schema: { const: true } }, done: DONE }) },
  statuses: STATUSES,
  async handle({ request, peer, services: { runner, hasLeft } }) {
    const { steps } = parseFields(INPUT, await readJson(request));
    using caller = new WatchedClient(request, peer, hasLeft);
    let done = 0, turn = performance.now();
    try {
      while (done < steps.length) {
        caller.signal.throwIfAborted();
        const places = successivePlaces(steps, done, runner);
        if (places.length) await moveThrough(places, runner, caller);
        else await run(steps[done], runner, caller);
        done += places.length || 1;
        if (performance.now() - turn < TURN_MS) continue;
        await delay(0);
        turn = performance.now();
      }
    } catch (error) {
      if (!(error instanceof ExpectedError)) throw error;
      return errorAnswer(error, () => {}, { done });
    }
    return jsonText(JSON.stringify({ ok: true, done }));
  },
};
