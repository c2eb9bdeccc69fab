/** The tool that acts: several steps in one call, and what they changed in words. */

import { ExpectedError, on } from "../../../core/errors.ts";
import { ACTIONS } from "../../actions/mod.ts";
import { intersection, type Region, type WindowInfo } from "../../desktop/desktop.ts";
import { readElements, type WindowElements } from "../../elements/list.ts";
import { choice, type Field, flag, list, optional } from "../../schema/schema.ts";
import { activeOf, listWindows, quotedTitle } from "../../windows/list.ts";
import { MOST_LINES } from "../shown_elements.ts";
import { loggedStep, type Outcome, runSteps, type Step, stepOf } from "../steps/step.ts";
import { play } from "../steps/verbs.ts";
import { type Answer, said, type Tool, tool, type ToolContext, zoomOf } from "../tool.ts";
import { linesOf, partText } from "./see.ts";

const EXAMPLE =
  '[{"fill":{"Name":"Ann","Courier":true,"Country":"Norway"}},{"click":"Send"},{"wait":{"window":"Sent"}}]';

/**
 * How long the screen must be still before the answer is made, in milliseconds: a dialog may close well after
 * the key or click that ends it.
 */
const END_MS = 400;

/**
 * A step in any of its forms. The tool's description lists verbs and their fields, which takes fewer tokens.
 */
const STEP: Field<Step, true> = {
  required: true,
  schema: { type: "object" },
  parse: stepOf,
};
const STEPS: Field<Step[], true> = {
  ...list(STEP, "", { least: 1, most: 50 }),
  logged: (value, hide) => Array.isArray(value) ? value.map((step) => loggedStep(step, hide)) : hide(value),
};

/** Extra time for each step beyond the time of a call, in milliseconds: its target may appear late. */
const STEP_MS = 4000;

export const act = tool({
  name: "act",
  title: "Act",
  description:
    "Does steps in order and tells what changed. Each step waits for what it names (5 s) and until the screen is still; " +
    "add no waits. Stops where a step fails or changes nothing, or types into a window that no step named. Steps: " +
    "{click:TARGET,button?,count?,hold?}; {fill:{TARGET:text|true|false|number|option}}, read back; {type:text} inserts " +
    'at the focus, \\n is Enter; {paste:text}; {key:"ctrl+s",repeat?}; {menu:["File","Save As..."]}; ' +
    '{file:"/path",existing?:"replace"|"stop"} answers a file dialog; {drag:[TARGET,TARGET]}; ' +
    "{scroll:up|down|left|right,amount?,at?} or {scroll:TARGET} into view; {move:TARGET}; {press|release:key}; " +
    '{window:title,to:"front"|"close"|"max"|"left half"|[x,y,w,h]}; {open:program}; ' +
    "{wait:{element|text|window|ms:...},gone?}; {expect:...}; {if:...,then:[],else?:[]}. background:true with click, fill, type " +
    "into, scroll TARGET: by the element's program; pointer, focus, windows stay. TARGET: e12 of see; a name, " +
    'Save; button "Reject" in "row text"; text:words on the screen; [x,y]; [x,y,"window"]; m3 of marks. Example: ' +
    EXAMPLE,
  action: ACTIONS.click,
  settleMs: 1,
  tellsEffect: true,
  destructive: true,
  input: {
    steps: STEPS,
    see: optional(choice(["changes", "picture", "none"], "What is told at the end; default changes")),
    any_window: optional(flag("Go on in a window that no step named")),
  },
  ownMs: ({ steps }) => steps.length * STEP_MS,
  async run({ steps, see, any_window = false }, context) {
    const before = see === "none" ? undefined : await activeElements(context);
    if (before && !context.shownElements.has(before.window)) {
      context.shownElements.keep(before.window, before.elements);
    }
    const isKnownName = (name: string) =>
      before !== undefined && context.shownElements.hasName(before.window, name);
    try {
      const outcome = await runSteps(
        steps,
        context,
        any_window,
        (step, number) => play({ ...step, context, number, isKnownName }),
      );
      const isSeen = steps.at(-1)!.verb === "see" && !outcome.isStopped;
      return await answerOf(outcome, steps.length, see ?? (isSeen ? "none" : "changes"), before, context);
    } finally {
      await context.operator.releaseOwned([...context.kept.values()]);
      context.kept.clear();
    }
  },
}) as Tool;

/** The elements of the active window; undefined if they cannot be read. */
async function activeElements({ operator, windows }: ToolContext): Promise<WindowElements | undefined> {
  const read = async () => await readElements(operator, {}, false, undefined, await windows.ifListed());
  return await read().catch(on(ExpectedError));
}

async function answerOf(
  outcome: Outcome,
  all: number,
  see: "changes" | "picture" | "none",
  before: WindowElements | undefined,
  context: ToolContext,
): Promise<Answer> {
  const { lines, done, isStopped, pictures } = outcome;
  if (done && see !== "none") await context.settle(END_MS);
  const { active, shown } = await seenAtEnd(outcome, see, before, context);
  const window = active ? `active ${quotedTitle(active)}` : "no window is active";
  const text = [`${done}/${all} done; ${window}`, ...lines];
  return {
    text: [...text, ...shown?.text ? [shown.text] : []].join("\n"),
    pictures: [...pictures, ...shown?.pictures ?? []],
    done,
    ...(isStopped ? { isError: true, failure: lines.at(-1)! } : {}),
  };
}

/** Maximum number of looks until no window becomes active between the reading of the windows and the picture. */
const LOOKS = 3;

/** The active window, and what the steps changed, both of the same moment. */
async function seenAtEnd(
  outcome: Outcome,
  see: "changes" | "picture" | "none",
  before: WindowElements | undefined,
  context: ToolContext,
): Promise<{ active: WindowInfo | undefined; shown: Answer | undefined }> {
  for (let look = 1;; look++) {
    const now = see === "changes" ? await activeElements(context) : undefined;
    const active = now?.window.active ? now.window : await activeWindow(context);
    const shown = see === "none"
      ? undefined
      : await effectOf(outcome, { see, now, active }, before, context).catch((error) =>
        unread(error, context)
      );
    if (see !== "picture" || look === LOOKS) return { active, shown };
    const later = await activeWindow(context);
    if (later?.id === active?.id && later?.title === active?.title) return { active, shown };
  }
}

/** Answers that the effect was not visible in time on a busy machine, though the steps were done. */
function unread(error: unknown, { signal }: ToolContext): Answer {
  signal.throwIfAborted();
  if (!(error instanceof ExpectedError)) throw error;
  return said(`what changed could not be read: ${error.message}`);
}

/** The window that receives keys, even while one window closes and the next becomes active. */
async function activeWindow({ operator }: ToolContext): Promise<WindowInfo | undefined> {
  return activeOf(await listWindows(operator).catch(on(ExpectedError, []))); // not every desktop lists them
}

/** The windows at the end. */
interface EndLook {
  see: "changes" | "picture";
  active: WindowInfo | undefined;
  /** The elements of the active window; undefined if they cannot be read, or only a picture is wanted. */
  now: WindowElements | undefined;
}

/** The changes that the steps made: as text if the active window has elements, otherwise as a picture. */
async function effectOf(
  { regions, done }: Outcome,
  { see, now, active }: EndLook,
  before: WindowElements | undefined,
  context: ToolContext,
): Promise<Answer | undefined> {
  const { view: { area }, shownElements } = context;
  if (see === "picture") {
    return await pictureOf(active?.width ? intersection(active, area) : undefined, context);
  }
  if (!now || now.silent !== undefined && now.elements.length <= 1) {
    const changed = regions.length ? unionOf(regions) : undefined;
    return changed && await pictureOf(intersection(changed, area), context);
  }
  const isKnown = shownElements.has(now.window);
  const lines = isKnown
    ? shownElements.changes(now.window, now.elements)
    : [linesOf(now, context, now.elements, MOST_LINES)];
  shownElements.keep(now.window, now.elements);
  if (lines.length) return { text: lines.join("\n"), pictures: [] };
  const isSilent = done > 0 && before?.window.id === now.window.id && regions.length > 0;
  return { text: isSilent ? "the picture changed, and no element did" : "nothing changed", pictures: [] };
}

async function pictureOf(part: Region | undefined, context: ToolContext): Promise<Answer> {
  if (!part) return await context.picture();
  const { x, y } = context.shown(part), picture = await context.pictureOf(part, { zoom: zoomOf(part) });
  return { ...picture, text: partText(picture, { x, y }) };
}

/** Margin around changed parts, in pixels, so that their context is visible. */
const AROUND = 12;

function unionOf(regions: readonly Region[]): Region {
  const left = Math.min(...regions.map(({ x }) => x)) - AROUND,
    top = Math.min(...regions.map(({ y }) => y)) - AROUND;
  const right = Math.max(...regions.map(({ x, width }) => x + width)) + AROUND;
  const bottom = Math.max(...regions.map(({ y, height }) => y + height)) + AROUND;
  return { x: left, y: top, width: right - left, height: bottom - top };
}
