/** Several actions in one request. */

import { delay } from "@std/async/delay";
import { attempt, ExpectedError, ForbiddenError, StateError } from "../../core/errors.ts";
import { isJsonObject } from "../../core/json.ts";
import { action, type AnyAction } from "../actions/action.ts";
import { KEYBOARD_ACTIONS, POINTER_ACTIONS, WINDOW_ACTIONS } from "../actions/mod.ts";
import { X, Y } from "../schema/fields.ts";
import { click, drag, key, move, press, type } from "../actions/pointer.ts";
import type { ActionRunner } from "../actions/runner.ts";
import type { GuardedStep, StepAim, StepGuard } from "../actions/step_guard.ts";
import { wait } from "../actions/wait.ts";
import type { Caller } from "../operator/calls.ts";
import {
  anyObject,
  choice,
  flag,
  group,
  ignoredIn,
  list,
  namingIgnored,
  objectSchema,
  optional,
  parseCall,
  parseFields,
  plainText,
  wholeNumber,
} from "../schema/schema.ts";
import { closeWindow } from "../actions/windows.ts";
import { contains, type Point, type ScreenLayout } from "../desktop/desktop.ts";
import type { Endpoint, Services } from "./endpoint.ts";
import { readJson, WatchedClient } from "./request.ts";
import { errorAnswer, jsonText } from "./responses.ts";

// Performs successive moves of a list of steps in one turn: asking the system after each move takes twenty
// times as long.

/** A step as received. */
type Step = Record<string, unknown>;

/** Maximum time per place along the pointer's path, in milliseconds. */
const PLACE_MS = 20;

/** The action of several moves in one turn; each counts as a move. */
const MOVES = action({
  name: move.name,
  summary: "Move the pointer to several places",
  effect: "act",
  input: { points: list(group({ x: X, y: Y }, "A place"), "Places on the screen") },
  output: {},
  run: ({ points }, context) =>
    context.operator.gesture(({ desktop }) => desktop.pointer.moveThrough!(points), context, {
      takesMs: points.length * PLACE_MS,
      waitsFor: "the desktop to move the pointer",
    }),
});

/**
 * Finds the places that {@linkcode moveThrough} can take: those of moves whose values cannot fail. On several
 * displays each move is checked individually, since some systems confine the pointer to one of them. A trace
 * has a picture of each move, so a followed call runs alone.
 * @returns The places of the steps from the given one on; none if single moves do as well.
 */
function successivePlaces(steps: readonly Step[], from: number, runner: ActionRunner): Point[] {
  const { operator } = runner, places: Point[] = [];
  const isFollowed = steps[from].action === move.name && steps[from + 1]?.action === move.name;
  if (!isFollowed || !operator.desktop.pointer.moveThrough || runner.calls.isFollowed) return places;
  const screen = operator.screen();
  if (!isOneDisplay(screen)) return places;
  for (let at = from; at < steps.length && steps[at].action === move.name; at++) {
    const place = placeOf(steps[at]);
    if (!place || !contains(screen, place)) break;
    places.push(place);
  }
  return places.length > 1 ? places : [];
}

/** Whether one display is the whole screen. If Xinerama joins several, only the first is known. */
function isOneDisplay({ displays: [display, ...others], width, height }: ScreenLayout): boolean {
  return !others.length && display?.width === width && display.height === height;
}

/**
 * The place of a move; undefined for a step that names an element or is invalid, which the action itself
 * reports.
 */
function placeOf({ action: _, ...fields }: Step): Point | undefined {
  if (Object.keys(fields).length !== 2) return undefined;
  const { x, y } = attempt(() => parseFields(move.input, fields, "", "the step"), {} as Partial<Point>);
  return x === undefined || y === undefined ? undefined : { x, y };
}

/** Moves the pointer through the places in one turn. */
async function moveThrough(points: Point[], runner: ActionRunner, caller: Caller): Promise<void> {
  await runner.run(MOVES, { points }, caller);
  runner.counts.of(move.name).done += points.length - 1;
}

/** The actions allowed as steps, by name: those on the pointer, the keyboard and windows, and waiting. */
const ACTIONS = new Map(
  [
    ...Object.values<AnyAction>({ ...POINTER_ACTIONS, ...KEYBOARD_ACTIONS, ...WINDOW_ACTIONS })
      .filter(({ effect }) => effect === "act"),
    wait,
  ].map((action) => [action.name, action]),
);
/** Targets of steps that press or type. */
const AIMS: Readonly<Record<string, StepAim>> = {
  [click.name]: "place",
  [drag.name]: "place",
  [type.name]: "text",
  [key.name]: "keys",
  [press.name]: "held",
};
/** Maximum number of steps. */
const MOST = 1000;
/** Time after which other requests get a turn, in milliseconds. */
const TURN_MS = 10;

const NAMES = [...ACTIONS.keys()], ACTION = choice(NAMES, "");
const STEP = anyObject({});
const STEPS =
  'Actions in order, each with its fields, such as {"action":"move","x":1,"y":2} (of moves in a row, the last ' +
  'place is checked), or steps as agents write them: {"click":"Save"}';
const SEE = choice(
  ["changes", "picture", "none"],
  "With verbs: the report at the end; default changes",
);
const INPUT = {
  steps: list(STEP, STEPS, { least: 1, most: MOST }),
  observe: optional(
    flag(
      "False: do not check whether clicks, drags and text change anything (up to half a second each)",
    ),
  ),
  any_window: optional(
    flag("Continue in windows that became active without a step that waits for them"),
  ),
};
const DONE = wholeNumber("The number of completed steps");

/** Statuses of the answer when a step fails: those of its action. */
const STATUSES = {
  400: `A step is invalid; its action must be one of ${NAMES.join(", ")}`,
  404: "No window matches the step",
  408: "The window did not change in time",
  409:
    "A step would press or type blindly, or does not fit the current state; done is the number of completed steps",
};

async function run(
  { steps, at, observes }: { steps: readonly Step[]; at: number; observes: boolean },
  guard: StepGuard,
  runner: ActionRunner,
  caller: Caller,
): Promise<void> {
  const { action: name, ...fields } = steps[at], action = ACTIONS.get(ACTION.parse(name, "action"))!;
  const values = parseCall(action.input, fields, "", "the step"),
    step = guardedStep(action.name, steps[at], at + 1);
  const isFollowed = steps.slice(at + 1).some(({ action }) => AIMS[String(action)] !== undefined);
  await guard.run(step, async () => {
    return observes && isFollowed && (step.aim === "place" || step.aim === "text")
      ? await runner.observe(action, values, caller, { patience: "step", known: guard.windows.listed })
      : { result: await runner.run(action, values, caller) };
  }).catch((error) => {
    throw namingIgnored(error, ignoredIn(values));
  });
}

/** Converts a step to the guard's form, which all lists of steps share. */
function guardedStep(name: string, given: Step, number: number): GuardedStep {
  const isWait = name === wait.name,
    namesWindow = Object.hasOwn(WINDOW_ACTIONS, name) && name !== closeWindow.name;
  return {
    number,
    aim: AIMS[name],
    given,
    awaits: isWait ? [given] : namesWindow ? [{ window: given }] : [],
    isWait: isWait && given.still === undefined && given.stable === undefined,
  };
}

// Steps whose key is a verb, such as {"click":"Save"}: those of the agent tool `act`, run by the same code.

/** Whether the first step is one of `act` rather than an action with its fields. */
function isNamedByVerbs(given: unknown): given is Record<string, unknown> {
  if (!isJsonObject(given) || !Array.isArray(given.steps)) return false;
  const [first] = given.steps;
  return typeof first === "string" || isJsonObject(first) && !Object.hasOwn(first, "action");
}

/** Runs the steps through the tool. @throws ForbiddenError if it is not available. */
async function actAnswer(
  given: Record<string, unknown>,
  request: Request,
  { signal }: WatchedClient,
  { agents }: Services,
): Promise<Response> {
  const client = request.headers.get("user-agent") ?? "unknown", desk = await agents();
  const answer = await desk.call("act", given, { client, by: "http", signal, tellsWindows: true });
  if (!answer) throw new ForbiddenError("the tool act is not available here");
  const { text, pictures, error, isError, failure = text, done = 0 } = answer;
  if (error) throw error;
  const more = { done, text, ...pictures.length ? { images: pictures.map((png) => png.toBase64()) } : {} };
  if (isError) return errorAnswer(new StateError(failure), () => {}, more);
  return jsonText(JSON.stringify({ ok: true, ...more }));
}

/**
 * The endpoint. Each step waits for its own turn among other callers' actions; successive moves may share
 * one.
 */
export const STEPS_ENDPOINT: Endpoint = {
  method: "POST",
  path: "/api/steps",
  id: "steps",
  summary: "Do several actions in order, until one fails",
  effect: "act",
  body: objectSchema({ ...INPUT, see: optional(SEE) }),
  answer: {
    "application/json": objectSchema({
      ok: { ...DONE, schema: { const: true } },
      done: DONE,
      text: optional(plainText("With verbs: what the steps changed")),
      images: optional(list(plainText("A PNG file in base64"), "With verbs: the pictures")),
    }),
  },
  statuses: STATUSES,
  async handle({ request, peer, services }) {
    const given = await readJson(request), { runner, hasLeft } = services;
    using caller = new WatchedClient(request, peer, hasLeft);
    if (isNamedByVerbs(given)) return await actAnswer(given, request, caller, services);
    const { steps, observe = true, any_window: anyWindow = false } = parseCall(INPUT, given);
    const { StepGuard } = await import("../actions/step_guard.ts");
    let done = 0, turn = performance.now();
    try {
      const guard = await StepGuard.begin(runner.knownWindows(), anyWindow);
      while (done < steps.length) {
        caller.signal.throwIfAborted();
        const places = successivePlaces(steps, done, runner);
        if (places.length) await moveThrough(places, runner, caller);
        else await run({ steps, at: done, observes: observe }, guard, runner, caller);
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
