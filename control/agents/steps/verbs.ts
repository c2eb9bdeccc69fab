/** The verbs of steps: the tool calls that perform each. */

import { InputError, NotFoundError } from "../../../core/errors.ts";
import { isJsonObject } from "../../../core/json.ts";
import { describeValue } from "../../../core/printable.ts";
import { type Direction, DIRECTIONS, type Region } from "../../desktop/desktop.ts";
import { MovedError } from "../../elements/press.ts";
import { ACTIONS } from "../../actions/mod.ts";
import { listWindows, titledWindow } from "../../windows/list.ts";
import { type Answer, focusText, said, type ToolContext } from "../tool.ts";
import { click, drag, move, scroll } from "../tools/pointer.ts";
import { fill as fillTool, key as keyTool, type as typeTool } from "../tools/keyboard.ts";
import { press, release } from "../tools/steps.ts";
import { clipboard, window as windowTool } from "../tools/windows.ts";
import { chooseFile } from "./file_dialog.ts";
import {
  chooseMenu,
  COMES_MS,
  findTarget,
  type FoundTarget,
  isMet,
  pointOf,
  targetOf,
  waitFor,
} from "./target.ts";
import { type Play, type Step, stepOf, type Verb } from "./step.ts";

/** The input of a verb. */
interface Doing extends Step {
  context: ToolContext;
  /** The step's number, from 1. */
  number: number;
  /**
   * Whether the window showed an element with this name before the steps: in a new window, it may be a
   * different one.
   */
  isKnownName(name: string): boolean;
}

/** Makes the parts of a step. */
export function play(doing: Doing): Play {
  return PLAYS[doing.verb](doing);
}

const PLAYS: Record<Verb, (doing: Doing) => Play> = {
  click: clickPlay,
  fill: fillPlay,
  type: typePlay,
  paste: pastePlay,
  key: keyPlay,
  menu: ({ value, context }) => chooseMenu(textsOf(value, "menu"), context),
  file: ({ value, more, context }) => chooseFile(textOf(value, "file"), more.existing, context),
  drag: dragPlay,
  scroll: scrollPlay,
  move: movePlay,
  press: (doing) => holdPlay(doing, press),
  release: (doing) => holdPlay(doing, release),
  window: windowPlay,
  open: openPlay,
  see: seePlay,
  wait: waitPlay,
  expect: expectPlay,
  if: ifPlay,
};

/** Maximum wait for a step's target: no earlier step could still make the first step's target appear. */
const comesIn = ({ number }: Doing) => number === 1 ? COMES_MS.first : COMES_MS.later;

async function find(doing: Doing, value: unknown, isField = false): Promise<FoundTarget> {
  const { context, verb } = doing;
  return await findTarget(targetOf(value, verb), { context, mostMs: comesIn(doing), isField });
}

/**
 * The fields that identify a found target to a pointer tool. The guard treats a ref as a known window; a
 * plain name that was in the window before may refer to an element there.
 */
function fieldsOf(found: FoundTarget, context: ToolContext): Record<string, unknown> {
  if ("element" in found) return { element: found.element };
  if ("text" in found) return { text: found.text };
  return { ...found.isChosen ? context.shown(found.point) : context.found(found.point) };
}

async function* clickPlay(doing: Doing): Play {
  const { value, more, context } = doing, found = await find(doing, value);
  const valuesOf = (found: FoundTarget) => ({ ...more, ...fieldsOf(found, context) });
  const values = valuesOf(found);
  yield {
    tool: click,
    values: guarded(doing, value, values),
    run: () =>
      unlessReplaced(() => context.call(click, values), async () => {
        return await context.call(click, valuesOf(await find(doing, value)));
      }),
  };
  return undefined;
}

/**
 * Acts on an element, or on its replacement: a page may redraw its elements between the search and the act,
 * which has then done nothing yet.
 */
async function unlessReplaced(act: () => Promise<Answer>, again: () => Promise<Answer>): Promise<Answer> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof NotFoundError || error instanceof MovedError) return await again();
    throw error;
  }
}

/** The values that the guard receives: without a ref whose plain name also exists in an earlier window. */
function guarded(
  { isKnownName }: Doing,
  target: unknown,
  values: Record<string, unknown>,
): Record<string, unknown> {
  const isPlain = typeof target === "string" && !/^[em][1-9]\d*$/.test(target) && !/\bin\s+"/.test(target);
  if (!isPlain || !isKnownName(target)) return values;
  const { element: _, ...rest } = values;
  return rest;
}

async function* fillPlay(doing: Doing): Play {
  const { value, more: { to, value: given, ...more }, context } = doing, single = to ?? given;
  const entries = single !== undefined
    ? [[value, single] as const]
    : isJsonObject(value)
    ? Object.entries(value)
    : Array.isArray(value) && value.every(isPair)
    ? value as [unknown, unknown][]
    : undefined;
  if (!entries?.length) {
    throw new InputError(`fill takes {TARGET: value}, such as {"Name":"Ann"}, not ${describeValue(value)}`);
  }
  for (const [target, to] of entries) {
    const found = await find(doing, target, true);
    if (!("element" in found)) {
      throw new InputError(`${JSON.stringify(target)} is not an element: click it, then type`);
    }
    const values = { element: found.element, to, ...more };
    yield {
      tool: fillTool,
      values: guarded(doing, target, values),
      run: () =>
        unlessReplaced(() => context.call(fillTool, values), async () => {
          const now = await find(doing, target, true);
          return await context.call(
            fillTool,
            "element" in now ? { ...values, element: now.element } : values,
          );
        }),
    };
  }
  return undefined;
}

const isPair = (entry: unknown) => Array.isArray(entry) && entry.length === 2;

async function* typePlay(doing: Doing): Play {
  const { value, more: { into, background, ...more } } = doing;
  if (background) return yield* typeInBackground(doing);
  if (into !== undefined) yield* clickPlay({ ...doing, value: into, more: {} });
  yield { tool: typeTool, values: { text: textOf(value, "type"), ...more } };
  return undefined;
}

/** Appends a text to a field through its program. */
async function* typeInBackground(doing: Doing): Play {
  const { value, more: { into, background }, context } = doing;
  if (into === undefined) throw new InputError("type in the background requires into");
  const found = await find(doing, into, true);
  if (!("element" in found)) throw new InputError("background needs an element");
  const text = `${found.found.value ?? ""}${textOf(value, "type")}`;
  const values = { element: found.element, to: text, background };
  yield { tool: fillTool, values: guarded(doing, into, values), run: () => context.call(fillTool, values) };
  return undefined;
}

async function* pastePlay(doing: Doing): Play {
  const { value, more: { into } } = doing;
  if (into !== undefined) yield* clickPlay({ ...doing, value: into, more: {} });
  yield { tool: clipboard, values: { text: textOf(value, "paste") } };
  yield { tool: { ...keyTool, aim: "text" }, values: { keys: "ctrl+v" } };
  return undefined;
}

async function* keyPlay({ value, more }: Doing): Play {
  for (const keys of Array.isArray(value) ? value : [value]) {
    yield { tool: keyTool, values: { keys, ...more } };
  }
  return undefined;
}

async function* dragPlay(doing: Doing): Play {
  const { value, more: { to, ...more }, context } = doing;
  const ends = to !== undefined ? [value, to] : value;
  if (!Array.isArray(ends) || ends.length < 2) {
    throw new InputError(
      `drag takes at least two targets, such as ["Rope", "Basket"], not ${describeValue(ends)}`,
    );
  }
  const path = [];
  for (const end of ends) {
    const found = await find(doing, end), point = await pointOf(found, context);
    path.push("point" in found && found.isChosen ? context.shown(point) : context.found(point));
  }
  yield { tool: drag, values: { path, ...more } };
  return undefined;
}

async function* scrollPlay(doing: Doing): Play {
  const { value, more: { at, background, ...more }, context } = doing;
  if ((DIRECTIONS as readonly unknown[]).includes(value)) {
    if (background) {
      throw new InputError("background can scroll an element into view, but cannot turn the wheel");
    }
    const place = at === undefined ? {} : fieldsOf(await find(doing, at), context);
    yield { tool: scroll, values: { direction: value as Direction, ...more, ...place } };
    return undefined;
  }
  const found = await find(doing, value);
  if (!("element" in found)) throw new InputError(`scroll takes ${DIRECTIONS.join(", ")} or an element`);
  yield {
    tool: scroll,
    values: { element: found.element },
    run: async () => {
      const scrolled = { element: { element: found.element, window: {} }, background: background === true };
      const { focus } = await context.run(ACTIONS.scrollToElement, scrolled);
      return { ...said(`shown${focusText(focus)}`), isReadBack: true };
    },
  };
  return undefined;
}

async function* movePlay(doing: Doing): Play {
  const { value, context } = doing, point = await pointOf(await find(doing, value), context, true);
  yield { tool: move, values: { ...context.shown(point) } };
  return undefined;
}

async function* holdPlay({ value }: Doing, tool: typeof press | typeof release): Play {
  const isButton = ["left", "middle", "right", "back", "forward"].includes(String(value));
  yield { tool, values: isJsonObject(value) ? value : { [isButton ? "button" : "key"]: value } };
  return undefined;
}

// Windows and programs.

/** Window changes by the words of a step. */
const CHANGES: Record<string, string> = {
  front: "activate",
  close: "close",
  max: "maximize",
  min: "minimize",
  restore: "restore",
  full: "fullscreen",
};
/** Parts of the screen, in halves: left, top, width, height. */
const PARTS: Record<string, [number, number, number, number]> = {
  left: [0, 0, 1, 2],
  right: [1, 0, 1, 2],
  top: [0, 0, 2, 1],
  bottom: [0, 1, 2, 1],
};

async function* windowPlay({ value, more: { to = "front" }, context }: Doing): Play {
  const title = textOf(value, "window"),
    window = titledWindow(await listWindows(context.operator), title);
  const word = typeof to === "string"
    ? to.toLowerCase().replace(/(?<!\s)\s*half$/, "").replace(/imi[sz]ed?$/, "")
    : "";
  const change = CHANGES[word] ?? (Object.values(CHANGES).includes(String(to)) ? String(to) : undefined);
  const region = change === undefined ? regionOf(to, word, context) : undefined;
  yield {
    tool: windowTool,
    values: { id: window.id, ...(change === undefined ? { change: "place", ...region } : { change }) },
    ...(change === "close" ? {} : { awaited: window.title }),
  };
  return undefined;
}

function regionOf(to: unknown, word: string, { view: { width, height } }: ToolContext): Region {
  const numbers = Array.isArray(to) && to.length === 4 ? to.map(Number) : undefined;
  if (numbers?.every(Number.isInteger)) {
    const [x, y, width, height] = numbers;
    return { x, y, width, height };
  }
  const part = Object.hasOwn(PARTS, word) ? PARTS[word] : undefined;
  if (!part) {
    throw new InputError(
      `to must be one of ${
        Object.keys(CHANGES).join(", ")
      }, left half, right half, top half, bottom half or ` +
        `[x,y,width,height], not ${describeValue(to)}`,
    );
  }
  const halfWidth = width >> 1, halfHeight = height >> 1, [left, top, wide, high] = part;
  return { x: left * halfWidth, y: top * halfHeight, width: wide * halfWidth, height: high * halfHeight };
}

async function* openPlay({ value, more, context }: Doing): Play {
  const open = context.step("open");
  yield { tool: open, values: { program: value, ...more } };
  return undefined;
}

// Looks, waits, expectations, conditions.

/** Looks with the `see` tool, which is available wherever steps are. */
async function* seePlay({ value, more, context }: Doing): Play {
  const { see } = await import("../tools/see.ts");
  const values = { ...more, ...(typeof value === "string" && value ? { what: value } : {}) };
  const { text } = yield { tool: see, values, run: () => context.call(see, values) };
  return text;
}

async function* waitPlay({ value, more, context }: Doing): Play {
  yield* waitFor(value, more, context);
  return undefined;
}

async function* expectPlay({ value, more, context }: Doing): Play {
  yield* waitFor(value, { timeout_ms: COMES_MS.later, ...more }, context);
  return undefined;
}

async function* ifPlay(doing: Doing): Play {
  const { value, more: { then, else: otherwise, gone }, context, number } = doing;
  const steps = await isMet(value, gone === true, context) ? then : otherwise;
  if (steps === undefined) return undefined;
  for (const [i, step] of (Array.isArray(steps) ? steps : [steps]).entries()) {
    yield* play({
      ...doing,
      ...stepOf(step, `steps[${number - 1}].${steps === then ? "then" : "else"}[${i}]`),
    });
  }
  return undefined;
}

function textOf(value: unknown, name: string): string {
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  throw new InputError(`${name} must be a string, not ${describeValue(value)}`);
}

function textsOf(value: unknown, name: string): string[] {
  const list = typeof value === "string" ? value.split(">").map((name) => name.trim()) : value;
  if (Array.isArray(list) && list.length && list.every((entry) => typeof entry === "string")) return list;
  throw new InputError(
    `${name} must be a list of names such as ["File","Save"], not ${describeValue(value)}`,
  );
}
