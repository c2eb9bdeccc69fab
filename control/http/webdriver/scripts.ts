/**
 * Execute Script: the scripts that Selenium's clients send in place of commands, Appium's extensions, and every action
 * of deskhand as `deskhand: NAME`.
 */

import { delay } from "@std/async/delay";
import { isJsonObject } from "../../../core/json.ts";
import type { AnyAction } from "../../actions/action.ts";
import { ACTIONS } from "../../actions/mod.ts";
import { KEYS } from "../../desktop/keys.ts";
import { type Command, referredBy } from "./command.ts";
import { clickOn, reachedMiddle, setValue } from "./element_commands.ts";
import { invalid, WebDriverError } from "./errors.ts";
import { ELEMENT_KEY } from "./input_actions.ts";
import { attributeOf } from "./source.ts";

/** The scripts for `get_attribute` and `is_displayed`, by the comment at their beginning; older ones have none. */
const ATOM = /^\s*\/\* ?(get-?attribute|is-?displayed)(?:\.js)? ?\*\//i;
const BARE_ATOM = /^\s*return \(function\s?\(/;

/** Appium's extensions, which stand behind `mobile:` and `windows:`. */
const EXTENSIONS: Readonly<Record<string, (command: Command, given: Record<string, unknown>) => unknown>> = {
  getClipboard: (command) => readClipboard(command),
  setClipboard: (command, { b64Content, content }) => writeClipboard(command, b64Content ?? content),
  click: async (command, given) => {
    const { button = "left", times = 1, x, y } = given;
    const isPlace = typeof x === "number" && typeof y === "number";
    if (isPlace) return void await command.act(ACTIONS.click, { x, y, button, count: times });
    await clickOn(command, referredBy(given), { button, count: times });
  },
  toggle: (command, given) => clickOn(command, referredBy(given)),
  invoke: (command, given) => clickOn(command, referredBy(given)),
  select: (command, given) => clickOn(command, referredBy(given)),
  setValue: (command, given) => setValue(command, referredBy(given), String(given.value ?? "")),
  async scroll(command, given) {
    const { deltaX = 0, deltaY = 0 } = given, at = await reachedMiddle(command, referredBy(given));
    const turns = [[Number(deltaY), "up", "down"], [Number(deltaX), "right", "left"]] as const;
    for (const [delta, forth, back] of turns) {
      const amount = Math.min(100, Math.round(Math.abs(delta) / 120) || 1);
      if (delta) await command.act(ACTIONS.scroll, { direction: delta > 0 ? forth : back, amount, ...at });
    }
  },
  async keys(command, { actions }) {
    const all = Array.isArray(actions) ? actions : [actions];
    if (!all.every(isJsonObject)) throw invalid("actions must be a list of objects");
    for (const action of all) await keyAction(command, action);
  },
};

/** A step of `windows: keys`: a pause in milliseconds, a text, or a virtual key. */
async function keyAction(command: Command, { pause, text, virtualKeyCode, down }: Record<string, unknown>) {
  if (Number.isSafeInteger(pause) && (pause as number) >= 0 && (pause as number) <= 60_000) {
    return await delay(pause as number, { signal: command.caller.signal });
  }
  if (typeof text === "string") return void await command.act(ACTIONS.type, { text });
  if (!Number.isSafeInteger(virtualKeyCode)) {
    throw invalid("an action has neither pause, text nor virtualKeyCode");
  }
  const key = keyOfCode(virtualKeyCode as number);
  if (down === undefined) return void await command.act(ACTIONS.key, { keys: key });
  await command.act(down ? ACTIONS.press : ACTIONS.release, { key });
}

/** The key of a virtual-key code of Windows (winuser.h). */
function keyOfCode(code: number): string {
  const named = KEYS.find(({ vk }) =>
    vk === code || code >= 0x10 && code <= 0x12 && vk === 0xa0 + 2 * (code - 0x10)
  );
  const isCharacter = code >= 0x30 && code <= 0x39 || code >= 0x41 && code <= 0x5a;
  if (isCharacter) return String.fromCharCode(code).toLowerCase();
  return named?.name ?? `vk:0x${code.toString(16).padStart(2, "0")}`;
}

/** The text on the clipboard, in base64. */
export async function readClipboard(command: Command): Promise<string> {
  const { text = "" } = await command.act(ACTIONS.clipboard) as { text?: string };
  return new TextEncoder().encode(text).toBase64();
}

/** Puts a text in base64 on the clipboard. */
export async function writeClipboard(command: Command, content: unknown): Promise<void> {
  let text: string;
  try {
    text = new TextDecoder().decode(Uint8Array.fromBase64(String(content)));
  } catch {
    throw invalid("content must be base64");
  }
  await command.act(ACTIONS.setClipboard, { text });
}

/** Runs a script. @throws WebDriverError for a script of a page. */
export async function execute(command: Command): Promise<unknown> {
  const { script, args = [] } = command.body;
  if (typeof script !== "string" || !Array.isArray(args)) {
    throw invalid("script must be a text and args a list");
  }
  const atom = ATOM.exec(script)?.[1].toLowerCase().replace("-", "");
  const isBare = !atom && BARE_ATOM.test(script) && isJsonObject(args[0]) && ELEMENT_KEY in args[0];
  if (atom === "getattribute" || isBare && typeof args[1] === "string") {
    const element = referredBy(args[0]), name = String(args[1]);
    const read = async () => attributeOf(await command.details(element), name);
    return await command.own("elementAttribute", "read", { element, name }, read);
  }
  if (atom === "isdisplayed" || isBare && args.length === 1) {
    const element = referredBy(args[0]);
    const read = async () => (await command.details(element)).isShown;
    return await command.own("elementDisplayed", "read", { element }, read);
  }
  const [, room, name] = /^\s*(mobile|windows|macos|linux|deskhand):\s*(\w+)\s*$/.exec(script) ?? [];
  if (room === "deskhand") return await runAction(command, name, args[0]);
  const given = isJsonObject(args[0]) ? args[0] : {};
  if (room && Object.hasOwn(EXTENSIONS, name)) return await EXTENSIONS[name](command, given);
  if (room) throw new WebDriverError("unknown method", `there is no ${script.trim()}`);
  throw new WebDriverError("unsupported operation", "a desktop runs no scripts of pages");
}

/** Runs an action of deskhand. References to elements become refs. */
async function runAction(command: Command, name: string, given: unknown): Promise<unknown> {
  const action = Object.values<AnyAction>(ACTIONS).find((one) => one.name === name);
  if (!action) {
    throw new WebDriverError(
      "unknown method",
      `there is no action ${name}; docs/api.md lists them by their names`,
    );
  }
  return await command.act(action, withRefs(given ?? {}) as Record<string, unknown>);
}

function withRefs(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withRefs);
  if (!isJsonObject(value)) return value;
  if (typeof value[ELEMENT_KEY] === "string") return value[ELEMENT_KEY];
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withRefs(inner)]));
}
