/** Prompt commands that are actions: the pattern of each yields the values of its action. */

import { InputError } from "../../core/errors.ts";
import { ACTIONS } from "../actions/mod.ts";
import { color } from "../actions/schema.ts";
import { BUTTONS, SCROLL_LIMIT } from "../desktop.ts";
import { actionCommand, type Command } from "./command.ts";

/** Two coordinates, either of which may be negative: `10-20`, `-5-10`, `10--5`. */
const POINT = String.raw`(-?\d{1,7})-(-?\d{1,7})`;

const point = (x: string | undefined, y: string | undefined) => ({ x: Number(x), y: Number(y) });

function click(name: string, button: typeof BUTTONS[number], count: number, summary: string): Command {
  return actionCommand(ACTIONS.click, {
    name,
    usage: `${name}[<x>-<y>]`,
    example: `${name}10-20`,
    summary,
    pattern: new RegExp(`^${name}(?:${POINT})?$`),
  }, ([x, y]) => ({ ...(x === undefined ? { at: "pointer" } : point(x, y)), button, count }));
}

/** Checks a typed colour here, since the error of the request's check would name the request's field. */
function checkedColour(text: string | undefined): string | undefined {
  color("").parse(text, "the colour");
  return text;
}

/** A button's name, or a key's; `key left` is the arrow key, `left` the button. */
function buttonOrKey(isKey: string | undefined, name: string | undefined): Record<string, unknown> {
  const isButton = !isKey && (BUTTONS as readonly (string | undefined)[]).includes(name);
  return isButton ? { button: name } : { key: name };
}

/** Commands of the pointer, in the order of help. */
export const POINTER_COMMANDS: readonly Command[] = [
  actionCommand(ACTIONS.move, {
    name: "m",
    usage: "m<x>-<y>",
    example: "m10-20",
    pattern: new RegExp(`^m${POINT}$`),
  }, ([x, y]) => point(x, y)),
  click("c", "left", 1, "click there, or where the pointer is"),
  click("rc", "right", 1, "click with the right button"),
  click("mc", "middle", 1, "click with the middle button"),
  click("dc", "left", 2, "double click"),
  actionCommand(ACTIONS.drag, {
    name: "drag",
    usage: "drag <x>-<y> <x>-<y>",
    example: "drag 10-20 300-200",
    pattern: new RegExp(String.raw`^drag\s+${POINT}\s+${POINT}$`),
  }, ([x1, y1, x2, y2]) => ({ from: point(x1, y1), to: point(x2, y2) })),
  actionCommand(ACTIONS.scroll, {
    name: "sc",
    usage: "sc<n>",
    example: "sc3",
    summary: "scroll up by n notches, down if n is negative",
    pattern: /^sc(-?\d{1,7})$/,
  }, ([notches]) => {
    const n = Number(notches), amount = Math.abs(n);
    if (n === 0 || amount > SCROLL_LIMIT) {
      throw new InputError(`sc takes 1 to ${SCROLL_LIMIT} or -1 to -${SCROLL_LIMIT}, not ${n}`);
    }
    return { direction: n > 0 ? "up" : "down", amount };
  }),
  actionCommand(
    ACTIONS.position,
    {
      name: "g",
      usage: "g",
      example: "g",
      summary: "print the pointer's position",
      pattern: /^g$/,
    },
    () => ({}),
    ({ x, y }) => `${x} ${y}`,
  ),
];

/** Commands of the keyboard. */
export const KEY_COMMANDS: readonly Command[] = [
  actionCommand(ACTIONS.type, {
    name: "t",
    usage: "t <text>",
    example: "t hello",
    summary: "type text",
    pattern: /^t\s(.+)$/u,
  }, ([text]) => ({ text })),
  actionCommand(ACTIONS.key, {
    name: "k",
    usage: "k <keys>",
    example: "k ctrl+shift+t",
    pattern: /^k\s+(\S+)$/u,
  }, ([keys]) => ({ keys })),
  actionCommand(ACTIONS.press, {
    name: "press",
    usage: "press [key] <button or key>",
    example: "press shift",
    summary: "press a button or key and keep it down; `press key left` is the arrow key",
    pattern: /^press(\s+key)?\s+(\S+)$/u,
  }, ([isKey, name]) => buttonOrKey(isKey, name)),
  actionCommand(ACTIONS.release, {
    name: "release",
    usage: "release [[key] <button or key>]",
    example: "release shift",
    pattern: /^release(?:(\s+key)?\s+(\S+))?$/u,
  }, ([isKey, name]) => name === undefined ? {} : buttonOrKey(isKey, name)),
];

/** Commands that look at the screen. */
export const SCREEN_COMMANDS: readonly Command[] = [
  actionCommand(
    ACTIONS.pixel,
    {
      name: "pixel",
      usage: "pixel <x>-<y>",
      example: "pixel 10-20",
      summary: "print the colour of a pixel",
      pattern: new RegExp(String.raw`^pixel\s+${POINT}$`),
    },
    ([x, y]) => point(x, y),
    ({ hex }) => hex,
  ),
  actionCommand(ACTIONS.wait, {
    name: "wait",
    usage: "wait <x>-<y> <colour> [<ms>] | wait still <ms> [<ms>]",
    example: "wait 10-20 #20242c",
    summary:
      "wait for a pixel's colour, or until nothing changes; gives up after 10000 ms, or the last number",
    pattern: new RegExp(String.raw`^wait\s+(?:${POINT}\s+(\S+)|still\s+(\d{1,7}))(?:\s+(\d{1,7}))?$`),
  }, ([x, y, colour, ms, timeout]) => ({
    ...(ms === undefined
      ? { pixel: { ...point(x, y), hex: checkedColour(colour) } }
      : { still: { ms: Number(ms) } }),
    ...(timeout === undefined ? {} : { timeout_ms: Number(timeout) }),
  })),
];
