/** Commands that act on an element: click, sendKeys, clear, and the value of a slider. */

import { delay } from "@std/async/delay";
import { StateError } from "../../../core/errors.ts";
import { ACTIONS } from "../../actions/mod.ts";
import type { ElementDetails, Point } from "../../desktop/desktop.ts";
import { findElement } from "../../elements/query.ts";
import { reachElement } from "../../elements/click.ts";
import { middleOf } from "../../desktop/geometry.ts";
import { elementsOf, refsOf } from "../../elements/list.ts";
import { poll } from "../../operator/wait.ts";
import type { Command } from "./command.ts";
import { WebDriverError } from "./errors.ts";
import { typingSteps } from "./keys.ts";

/** The time that an element may take to get the keyboard, and between two looks, in milliseconds. */
const FOCUS_MS = 500, LOOK_MS = 15;
/** The time that a desktop may take to make a window active by itself, in milliseconds. */
const FRONT_MS = 2000;
/** The time that a program may take to handle what was sent, in milliseconds. */
const HANDLED_MS = 1000;
/** Roles of elements whose text can be changed, where the toolkit has no state for that. */
const EDITABLE: ReadonlySet<string> = new Set(["textbox", "password", "combobox", "spinbutton"]);

const describe = ({ tag, name }: ElementDetails) => `${tag} ${JSON.stringify(name)}`;

/** Waits until the program of the active window has handled what was sent, so that the next command sees its effect. */
export async function waitUntilHandled({ session, runner }: Command): Promise<void> {
  const { windows } = runner.operator.desktop;
  if (!windows?.hasHandled) return;
  const active = (await session.windows()).find(({ active }) => active);
  if (active) await windows.hasHandled(active, HANDLED_MS).catch(() => undefined); // it has closed
}

/**
 * Clicks an element as `element/click` does. An element that is not shown, such as an item of a closed menu, is pressed
 * by its program.
 * @param more Further values of the action.
 */
export async function clickOn(
  command: Command,
  element: string,
  more: Record<string, unknown> = {},
): Promise<void> {
  const key = command.session.keyOf(element), { operator } = command.runner;
  const isListed = refsOf(operator).get(element).windowId !== "";
  const refusal = isListed ? await clicked(command, element, more) : undefined;
  if (isListed && !refusal) return await waitUntilHandled(command);
  const details = await command.details(element);
  if (refusal && (details.isShown && details.place || !details.isEnabled)) throw refusal;
  await command.own("pressElement", "act", { element }, async ({ operator }) => {
    let isDone = false;
    await operator.run(async () => void (isDone = await elementsOf(operator).change(key, { type: "press" })));
    if (isDone) return;
    throw new WebDriverError(
      "element not interactable",
      `${describe(details)} is not shown, and its program does not press it`,
    );
  });
  await waitUntilHandled(command);
}

/** @returns The reason if the element is in no state to be clicked. */
async function clicked(command: Command, element: string, more: Record<string, unknown>) {
  try {
    await command.act(ACTIONS.clickOnElement, { element, ...more });
    return undefined;
  } catch (error) {
    if (error instanceof StateError) return error;
    throw error;
  }
}

/** Types characters into an element, behind the text that it has. */
export async function sendKeys(command: Command, element: string, text: string): Promise<void> {
  const details = await command.details(element), steps = typingSteps(text);
  if (details.role === "password") command.caller.isSensitive = true;
  await giveKeyboard(command, element, details);
  const held: string[] = [];
  try {
    for (const step of steps) {
      if (step.type === "text") await command.act(ACTIONS.type, { text: step.text });
      else if (step.type === "key") await command.act(ACTIONS.key, { keys: keysOf(step.key) });
      else if (step.type === "press") {
        held.push(step.key);
        await command.act(ACTIONS.press, { key: step.key });
      } else {
        held.splice(held.indexOf(step.key), 1);
        await command.act(ACTIONS.release, { key: step.key });
      }
    }
  } finally {
    await command.runner.operator.releaseOwned(held.reverse().map((key) => ["key", key]));
  }
  await waitUntilHandled(command);
}

/** A key as a combination of one. */
const keysOf = (key: string) => key === "+" ? "plus" : key;

/** Gives an element the keyboard, with the caret behind its text. */
async function giveKeyboard(command: Command, element: string, details: ElementDetails): Promise<void> {
  const { states, windowId, text } = details, isFocused = states.includes("focused");
  if (!isFocused) await focus(command, element);
  await bringToFront(command, windowId);
  if (isFocused || !text || !isEditable(details)) return;
  await command.act(ACTIONS.key, { keys: states.includes("multi line") ? "ctrl+end" : "end" });
}

/** Makes a window active. A desktop that lets no program do that may do it by itself, as for a window that opens. */
async function bringToFront(command: Command, windowId: string | undefined): Promise<void> {
  const isBehind = async () =>
    (await command.session.windows()).some(({ id, active }) => id === windowId && !active);
  if (!await isBehind()) return;
  try {
    await command.act(ACTIONS.activateWindow, { id: windowId });
  } catch (error) {
    if (!(error instanceof StateError)) throw error;
    const isFront = async () => !await isBehind();
    if (await poll(isFront, LOOK_MS, FRONT_MS, command.caller.signal) === undefined) throw error;
  }
}

/** Asks for the keyboard, and clicks if the element does not get it. */
async function focus(command: Command, element: string): Promise<void> {
  const isDone = await command.act(ACTIONS.focusOnElement, { element }).then(() => true, (error) => {
    if (error instanceof StateError) return false;
    throw error;
  });
  for (const end = performance.now() + FOCUS_MS; isDone && performance.now() < end;) {
    if ((await command.details(element)).states.includes("focused")) return;
    await delay(LOOK_MS);
  }
  await clickOn(command, element);
}

function isEditable({ states, role }: ElementDetails): boolean {
  return states.includes("editable") || EDITABLE.has(role) && !states.includes("readonly");
}

/** Removes the text of a field. @throws WebDriverError if the element is none. */
export async function clear(command: Command): Promise<void> {
  const details = await command.details();
  if (!isEditable(details)) {
    throw new WebDriverError("invalid element state", `${describe(details)} has no text that can be cleared`);
  }
  await command.act(ACTIONS.setElementText, { element: command.element, text: "" });
  await waitUntilHandled(command);
}

/** Sets the text of a field, or the number of a slider. */
export async function setValue(command: Command, element: string, text: string): Promise<void> {
  const { value } = await command.details(element), isNumber = value !== undefined && text.trim() !== "";
  const to = isNumber && Number.isFinite(Number(text)) ? { to: Number(text) } : { text };
  await command.act(ACTIONS.setElementText, { element, ...to });
  await waitUntilHandled(command);
}

/**
 * Brings an element to where the pointer reaches it.
 * @returns Its middle.
 * @throws WebDriverError if the element has no place on the screen.
 */
export async function reachedMiddle(command: Command, element: string): Promise<Point> {
  const { operator } = command.runner, details = await command.details(element);
  const unplaced = () =>
    new WebDriverError("move target out of bounds", `${describe(details)} has no place on the screen`);
  if (details.windowId === undefined) {
    if (details.place) return middleOf(details.place);
    throw unplaced();
  }
  const found = await findElement(operator, { element, window: {} });
  const { point } = await reachElement(operator, found, command.caller.signal);
  if (point) return point;
  throw unplaced();
}
