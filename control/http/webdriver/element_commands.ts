/** Commands that act on an element: click, sendKeys, clear, and the value of a slider. */

import { StateError } from "../../../core/errors.ts";
import { timeByLoad } from "../../../core/proc.ts";
import { until } from "../../../core/until.ts";
import { ACTIONS } from "../../actions/mod.ts";
import type { ElementDetails, Point, ProgramElement } from "../../desktop/desktop.ts";
import { findElement, keysReturned } from "../../elements/query.ts";
import { reachElement } from "../../elements/click.ts";
import { pressOf } from "../../elements/press.ts";
import { middleOf } from "../../desktop/geometry.ts";
import { elementsOf, refsOf } from "../../elements/list.ts";
import type { Held } from "../../operator/held.ts";
import { DialogError } from "../../windows/list.ts";
import type { Command } from "./command.ts";
import { WebDriverError } from "./errors.ts";
import { typingSteps } from "./input_actions.ts";

/** How long an element may take to get the focus, normally and on a busy machine, in milliseconds. */
const FOCUS_MS = 500, LONGEST_FOCUS_MS = 4000;
/**
 * How long a desktop may take to activate a window itself, normally and on a busy machine, in milliseconds.
 */
const FRONT_MS = 2000, LONGEST_FRONT_MS = 16_000;
/** Polling interval, in milliseconds. */
const LOOK_MS = 15;
/**
 * How long a program may take to handle what was sent, longer on a busy machine, and the extra time per
 * character of a text, in milliseconds.
 */
const HANDLED_MS = 1000, CHARACTER_MS = 10;
/** Roles of elements with editable text, where the toolkit has no state for it. */
const EDITABLE: ReadonlySet<string> = new Set(["textbox", "password", "combobox", "spinbutton"]);

/** Window roles. */
const WINDOWS: ReadonlySet<string> = new Set(["frame", "dialog", "alert", "window", "file chooser"]);

const describe = ({ tag, name }: Pick<ElementDetails, "tag" | "name">) => `${tag} ${JSON.stringify(name)}`;

/** Runs an action. @returns The error if an element or a window is not in the required state. */
export async function tried(run: Promise<unknown>): Promise<StateError | undefined> {
  return await run.then(() => undefined, (error) => {
    if (error instanceof StateError) return error;
    throw error;
  });
}

/**
 * Waits until a program has handled what was sent, so that the next command sees its effect.
 * @param typed Number of characters sent.
 * @param element The element that received them; the program of the active window if left out.
 */
export async function waitUntilHandled(
  { session, runner: { operator }, caller }: Command,
  typed = 0,
  element?: string,
): Promise<void> {
  const { windows } = operator.desktop, id = element && refsOf(operator).get(element).windowId;
  const window = windows?.hasHandled &&
    (await session.windows()).find((one) => id ? one.id === id : one.active);
  const ms = timeByLoad(HANDLED_MS + typed * CHARACTER_MS);
  // The window may have closed, and its program ended, in response.
  if (window) await windows.hasHandled!(window, ms).catch(() => undefined);
  if (element) await keysReturned(operator, session.keyOf(element), caller.signal).catch(() => undefined);
}

/**
 * Clicks an element like `element/click`. A hidden element, such as an item of a closed menu, is pressed by
 * its program.
 * @param more Further values of the action.
 */
export async function clickOn(
  command: Command,
  element: string,
  more: Record<string, unknown> = {},
): Promise<void> {
  const key = command.session.keyOf(element),
    isListed = refsOf(command.runner.operator).get(element).windowId;
  const refusal = isListed && await tried(command.act(ACTIONS.clickOnElement, { element, ...more }));
  if (refusal !== undefined) {
    const details = await command.details(element);
    const isReachable = details.isShown && details.place;
    if (refusal && (isReachable || !details.isEnabled || refusal instanceof DialogError)) throw refusal;
    const isDone = await command.own("pressElement", "act", { element }, async ({ operator }) => {
      let isDone = false;
      const type = pressOf(details.role);
      await operator.run(async () => void (isDone = await elementsOf(operator).change(key, { type })));
      return isDone;
    });
    const why = `${describe(details)} is not shown, and its program does not press it`;
    if (!isDone) throw new WebDriverError("element not interactable", why);
  }
  await waitUntilHandled(command);
}

/** Types characters into an element, after its existing text. */
export async function sendKeys(command: Command, element: string, text: string): Promise<void> {
  const details = await command.details(element), held: Held[] = [];
  if (details.role === "password") command.caller.isSensitive = true;
  await giveKeyboard(command, element, details);
  try {
    for (const step of typingSteps(text)) {
      if (step.type === "text") await command.act(ACTIONS.type, { text: step.text });
      else if (step.type === "key") {
        await command.act(ACTIONS.key, { keys: step.key === "+" ? "plus" : step.key });
      } else {
        if (step.type === "press") held.unshift(["key", step.key]);
        else held.splice(held.findIndex(([, key]) => key === step.key), 1);
        await command.act(ACTIONS[step.type], { key: step.key });
      }
    }
  } finally {
    await command.runner.operator.releaseOwned(held);
  }
  await waitUntilHandled(command, text.length, element);
}

/** Focuses an element and puts the caret after its text. */
async function giveKeyboard(command: Command, element: string, details: ElementDetails): Promise<void> {
  const { states, windowId, text, role } = details, isFocused = states.includes("focused");
  // An element focused inside a window stays focused: a click would press whatever is in the window's middle.
  if (!isFocused && !WINDOWS.has(role)) await focus(command, element, details);
  await bringToFront(command, windowId);
  if (isFocused || !text || !isEditable(details)) return;
  await command.act(ACTIONS.key, { keys: states.includes("multi line") ? "ctrl+end" : "end" });
}

/**
 * Activates a window. A desktop that lets no program do so may activate it itself, for example when it opens.
 */
async function bringToFront(command: Command, windowId: string | undefined): Promise<void> {
  const isFront = async () =>
    !(await command.session.windows()).some(({ id, active }) => id === windowId && !active);
  if (await isFront()) return;
  const refusal = await tried(command.act(ACTIONS.activateWindow, { id: windowId }));
  const { signal } = command.caller, ms = timeByLoad(FRONT_MS, LONGEST_FRONT_MS);
  if (refusal instanceof DialogError || refusal && !await until(isFront, { ms, every: LOOK_MS, signal })) {
    throw refusal;
  }
}

/**
 * Requests the focus, and clicks if the element does not get it.
 * @throws WebDriverError if the element cannot be focused, such as a label.
 */
async function focus(command: Command, element: string, details: ElementDetails): Promise<void> {
  const isFocused = async () => (await command.details(element)).states.includes("focused");
  const refusal = await tried(command.act(ACTIONS.focusOnElement, { element })), { signal } = command.caller;
  const ms = timeByLoad(FOCUS_MS, LONGEST_FOCUS_MS);
  if (!refusal && await until(isFocused, { ms, every: LOOK_MS, signal })) return;
  const takesKeys = details.states.includes("focusable"),
    before = takesKeys ? undefined : await focused(command);
  await clickOn(command, element);
  if (takesKeys || await isFocused()) return;
  const after = await focused(command);
  // A program may pass the focus on, as a label does to its field, or not report the focused element.
  if (!after || after.key !== before?.key) return;
  const elements = await command.session.read({}), own = refsOf(command.runner.operator).get(element).key;
  if (isWithin(elements, after.key, own) || isWithin(elements, own, after.key)) return;
  const why = `${describe(details)} does not take the keyboard, which ${describe(after)} has`;
  throw new WebDriverError("element not interactable", why);
}

/** Whether an element is another one or inside it. */
function isWithin(elements: readonly ProgramElement[], key: string, outer: string): boolean {
  let at = elements.findIndex((element) => element.key === key);
  while (at >= 0 && elements[at].key !== outer) at = elements[at].parent;
  return at >= 0;
}

/** The focused element; if several claim the focus, that of the active window. */
export async function focused({ session }: Command): Promise<ProgramElement | undefined> {
  const all = (await session.read({})).filter(({ states }) => states.includes("focused"));
  const front = (await session.windows()).find(({ active }) => active);
  return all.findLast(({ windowId }) => windowId === front?.id) ?? all.at(-1);
}

function isEditable({ states, role }: ElementDetails): boolean {
  return states.includes("editable") || EDITABLE.has(role) && !states.includes("readonly");
}

/** Clears a field. @throws WebDriverError if the element is not a field. */
export async function clear(command: Command): Promise<void> {
  const details = await command.details();
  if (isEditable(details)) return await setValue(command, command.element, "");
  throw new WebDriverError("invalid element state", `${describe(details)} has no editable text`);
}

/** Sets the text of a field, the number of a slider, or the choice of a combo box. */
export async function setValue(command: Command, element: string, text: string): Promise<void> {
  const { value, role, states, windowId } = await command.details(element);
  const isNumber = value !== undefined && text.trim() !== "" && Number.isFinite(Number(text));
  const isChoice = role === "combobox" && !states.includes("editable");
  const given = isNumber ? { to: Number(text) } : isChoice ? { to: text } : { text };
  await command.act(ACTIONS.setElementText, { element, ...given });
  const { windows } = command.runner.operator.desktop;
  const own = (await command.session.windows()).find(({ id }) => id === windowId);
  // A program that receives the focus may raise its window through the manager.
  if (own) await windows?.hasHandled?.(own, HANDLED_MS).catch(() => undefined);
  await windows?.pressHandled?.(FOCUS_MS);
  await waitUntilHandled(command);
}

/**
 * Scrolls an element to where the pointer can reach it.
 * @returns Its middle.
 * @throws WebDriverError if the element is not on the screen.
 */
export async function reachedMiddle(command: Command, element: string): Promise<Point> {
  const { operator } = command.runner, details = await command.details(element);
  const found = details.windowId === undefined
    ? undefined
    : await findElement(operator, { element, window: {} }, command.caller.signal);
  const point = found
    ? (await reachElement(operator, found, command.caller.signal)).point
    : details.place && middleOf(details.place);
  if (point) return point;
  throw new WebDriverError("move target out of bounds", `${describe(details)} is not on the screen`);
}
