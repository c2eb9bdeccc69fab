/**
 * Execute Script: the scripts that Selenium clients send instead of commands, Appium's extensions, and every
 * deskhand action as `deskhand: NAME`.
 */

import { delay } from "@std/async/delay";
import { isJsonObject } from "../../../core/json.ts";
import { printable } from "../../../core/printable.ts";
import type { AnyAction } from "../../actions/action.ts";
import { ACTIONS } from "../../actions/mod.ts";
import { rereadElement } from "../../elements/list.ts";
import { checkEnabled } from "../../elements/query.ts";
import { KEYS } from "../../desktop/keys.ts";
import { listWindows } from "../../windows/list.ts";
import { type Command, referredBy } from "./command.ts";
import { clickOn, reachedMiddle, setValue, tried } from "./element_commands.ts";
import { invalid, WebDriverError } from "./errors.ts";
import { DELTAS, ELEMENT_KEY, notchesOf, noteHeld } from "./input_actions.ts";
import { BUTTON_OR_KEY, heldOf } from "../../schema/fields.ts";
import { parseFields } from "../../schema/schema.ts";
import { isInstalled } from "./program.ts";
import { attributeOf, sourceOf } from "./source.ts";

/**
 * The scripts of `get_attribute` and `is_displayed`, recognized by their first comment; older ones have none.
 */
const ATOM = /^\s*(?:\/\* ?(get-?attribute|is-?displayed)(?:\.js)? ?\*\/|return \(function\s?\()/i;
/**
 * The script with which Selenium clients look for a window by name, after no handle matches: here, the name
 * is the title.
 */
const WINDOW_NAME = /(?:^\s*return window\.name;?|return \(\s*\(\)\s*=>\s*window\.name\s*\)\.apply\(.*)\s*$/;
/** The scripts that webdriverio sends instead of commands, by the name of their function. */
const WEBDRIVERIO = /return \(function (isFocused|isElementClickable|checkVisibility|getHTML)\b/;
/** Maximum pause of `windows: keys`, in milliseconds. */
const LONGEST_MS = 60_000;

type Extension = (command: Command, given: Record<string, unknown>) => unknown;
const press: Extension = (command, given) => clickOn(command, referredBy(given));

/** Program states as Appium's numbers. */
const NOT_RUNNING = 1, BEHIND = 3, IN_FRONT = 4;

/** The program that an Appium command names; clients send it under either name or both. */
export function appIn({ appId, bundleId }: Record<string, unknown>): string | undefined {
  const app = appId ?? bundleId;
  return app === undefined ? undefined : String(app);
}

/**
 * The state of the session's program, or of one whose window class is the given name, such as
 * `org.kde.kcalc.desktop`.
 */
export async function appState(command: Command, given: Record<string, unknown>): Promise<number> {
  const { session: { program, capabilities }, runner } = command, app = appIn(given);
  if (app === undefined || app === capabilities.app) return program?.hasEnded ? NOT_RUNNING : IN_FRONT;
  const name = app.replace(/\.desktop$/, "").toLowerCase(), names = [name, name.split(".").at(-1)];
  const windows = await command.own("appState", "read", { program: app }, () => listWindows(runner.operator));
  const own = windows.filter((window) => names.includes(window.class.toLowerCase()));
  return own.some(({ active }) => active) ? IN_FRONT : own.length ? BEHIND : NOT_RUNNING;
}

/** The fields with which clients refer to an element. */
const REFERENCE = `${ELEMENT_KEY} ELEMENT elementId element`;

/** Appium's extensions, called as `mobile:` and `windows:`, and the fields that they take. */
const EXTENSIONS: Readonly<Record<string, readonly [fields: string, run: Extension]>> = {
  getClipboard: ["contentType", (command, { contentType }) => readClipboard(command, contentType)],
  setClipboard: [
    "b64Content content contentType",
    (command, { b64Content, content, contentType }) =>
      writeClipboard(command, b64Content ?? content, contentType),
  ],
  click: [`${REFERENCE} button times x y`, async (command, given) => {
    const { button = "left", times: count = 1, x, y, ...element } = given;
    if (x === undefined && y === undefined) {
      return await clickOn(command, referredBy(element), { button, count });
    }
    if (Object.keys(element).length) throw invalid("click takes either an element, or x and y on the screen");
    await command.act(ACTIONS.click, { x, y, button, count });
  }],
  queryAppState: ["appId bundleId", appState],
  isAppInstalled: ["appId bundleId", (_, given) => isInstalled(appIn(given) ?? "")],
  toggle: [REFERENCE, press],
  invoke: [REFERENCE, press],
  select: [REFERENCE, press],
  setValue: [`${REFERENCE} value`, (command, given) => {
    if (given.value === undefined) throw invalid("a value is missing");
    return setValue(command, referredBy(given), String(given.value));
  }],
  scroll: [`${REFERENCE} deltaX deltaY`, async (command, { deltaX, deltaY, ...element }) => {
    if (deltaX === undefined && deltaY === undefined) throw invalid("deltaX or deltaY is missing");
    const turn = parseFields(DELTAS, { deltaX: deltaX ?? 0, deltaY: deltaY ?? 0 });
    const at = await reachedMiddle(command, referredBy(element));
    // WinAppDriver's wheel is positive upwards.
    for (const notches of notchesOf(turn.deltaX, -turn.deltaY)) {
      await command.act(ACTIONS.scroll, { ...notches, ...at });
    }
  }],
  keys: ["actions forceUnicode", async (command, { actions }) => {
    const all = [actions].flat();
    if (!all.every(isJsonObject)) throw invalid("actions must be a list of objects");
    const steps = all.map(keyStep); // all are checked before the first one presses a key
    for (const step of steps) await step(command);
  }],
};

/**
 * Runs one of Appium's extensions; null means that a field is left out.
 * @throws WebDriverError for a field that it does not take, which would otherwise be ignored.
 */
function extend(command: Command, script: string, name: string, given: unknown): unknown {
  const [fields, run] = EXTENSIONS[name], all = isJsonObject(given) ? Object.entries(given) : [];
  const values = Object.fromEntries(all.filter(([, value]) => value !== null));
  const other = Object.keys(values).find((field) => !fields.split(" ").includes(field));
  if (other === undefined) return run(command, values);
  throw invalid(
    `${script} takes no ${printable(other, 60)}; it takes ${fields.replace(REFERENCE, "elementId")}`,
  );
}

/**
 * A step of `windows: keys`: a pause in milliseconds, a text, or a virtual key.
 * @throws WebDriverError if it is none of them.
 */
function keyStep({ pause, text, virtualKeyCode, down }: Record<string, unknown>): (by: Command) => unknown {
  if (typeof pause === "number" && pause >= 0 && pause <= LONGEST_MS) {
    const limits = { takesMs: pause, waits: true };
    return (by) => by.own("pause", "read", {}, ({ signal }) => delay(pause, { signal }), limits);
  }
  if (typeof text === "string") return (by) => by.act(ACTIONS.type, { text });
  if (!Number.isSafeInteger(virtualKeyCode)) {
    throw invalid("an action has neither pause, text nor virtualKeyCode");
  }
  const key = keyOfCode(virtualKeyCode as number);
  if (down === undefined) return (by) => by.act(ACTIONS.key, { keys: key });
  return (by) => acted(by, down ? ACTIONS.press : ACTIONS.release, { key });
}

/** Runs an action, and notes what stays down, which ends with the session. */
async function acted(command: Command, action: AnyAction, values: Record<string, unknown>): Promise<unknown> {
  const result = await command.act(action, values), isPress = action === ACTIONS.press;
  if (isPress || action === ACTIONS.release) {
    noteHeld(command.session.held, heldOf(parseFields(BUTTON_OR_KEY, values)), isPress);
  }
  return result;
}

/** The key of a Windows virtual-key code (winuser.h): Shift, Ctrl and Alt are the left ones. */
function keyOfCode(code: number): string {
  const character = String.fromCharCode(code),
    side = code >= 0x10 && code <= 0x12 ? 0xa0 + 2 * (code - 0x10) : code;
  if (/[0-9A-Z]/.test(character)) return character.toLowerCase();
  return KEYS.find(({ vk }) => vk === side)?.name ?? `vk:0x${code.toString(16).padStart(2, "0")}`;
}

/** @throws WebDriverError for a kind of clipboard content that is not text. */
function checkIsText(contentType: unknown): void {
  if (/^plaintext$/i.test(String(contentType ?? "plaintext"))) return;
  throw new WebDriverError("unsupported operation", "contentType must be plaintext: the clipboard's text");
}

/** The clipboard text, in base64. */
export async function readClipboard(command: Command, contentType: unknown): Promise<string> {
  checkIsText(contentType);
  const { text = "" } = await command.act(ACTIONS.clipboard) as { text?: string };
  return new TextEncoder().encode(text).toBase64();
}

/** Puts a base64 text on the clipboard. */
export async function writeClipboard(
  command: Command,
  content: unknown,
  contentType: unknown,
): Promise<void> {
  checkIsText(contentType);
  let text: string;
  try {
    text = new TextDecoder().decode(Uint8Array.fromBase64(String(content)));
  } catch {
    throw invalid("content must be base64");
  }
  await command.act(ACTIONS.setClipboard, { text });
}

/** Runs a script. @throws WebDriverError for a script that belongs to a web page. */
export async function execute(command: Command): Promise<unknown> {
  const { script, args = [] } = command.body;
  if (typeof script !== "string" || !Array.isArray(args)) {
    throw invalid("script must be a string and args a list");
  }
  const [given, attribute] = args,
    [atom, kind = attribute === undefined ? "isdisplayed" : "getattribute"] = ATOM.exec(script) ?? [];
  if (atom !== undefined && isJsonObject(given) && ELEMENT_KEY in given) {
    return await runAtom(command, kind, referredBy(given), attribute);
  }
  if (WINDOW_NAME.test(script)) {
    return await command.own("windowTitle", "read", {}, async () => (await command.session.window()).title);
  }
  const [, name] = WEBDRIVERIO.exec(script) ?? [];
  if (name !== undefined) return await runOfWebdriverio(command, name, referredBy(given));
  const [, room, word] = /^\s*(mobile|windows|macos|linux|deskhand):\s*(\w+)\s*$/.exec(script) ?? [];
  if (!room) {
    const instead = 'the script "deskhand: NAME" runs an action, such as "deskhand: findText"';
    throw new WebDriverError("unsupported operation", `a desktop cannot run page scripts; ${instead}`);
  }
  if (room === "deskhand") return await runAction(command, word, given);
  if (Object.hasOwn(EXTENSIONS, word)) {
    return await extend(command, `${room}: ${word}`, word, given);
  }
  const known = `${room}: knows ${Object.keys(EXTENSIONS).join(", ")}`;
  throw new WebDriverError("unknown method", `there is no ${script.trim()}; ${known}`);
}

/** Answers a script that a client sends instead of a command. */
async function runAtom(command: Command, atom: string, element: string, attribute: unknown) {
  const name = String(attribute), details = () => command.details(element);
  return /display/i.test(atom)
    ? await command.own("elementDisplayed", "read", { element }, async () => (await details()).isShown)
    : await command.own(
      "elementAttribute",
      "read",
      { element, name },
      async () => attributeOf(await details(), name),
    );
}

/** Answers a script of webdriverio, which asks for the HTML of an element whose click was refused. */
async function runOfWebdriverio(command: Command, name: string, element: string): Promise<unknown> {
  return await command.own(name, "read", { element }, async ({ operator, signal }) => {
    const details = await command.details(element), { states, isShown, windowId } = details;
    if (name === "isFocused") return states.includes("focused");
    if (name === "getHTML") return sourceOf([{ ...details, parent: -1 }]).replace(/^<\?.*?\?>/, "");
    if (name === "checkVisibility" || !isShown) return isShown;
    return windowId !== undefined &&
      !await tried(checkEnabled(operator, await rereadElement(operator, element, signal)));
  });
}

/** Runs a deskhand action. References to elements become refs. */
async function runAction(command: Command, name: string, given: unknown): Promise<unknown> {
  const action = Object.values<AnyAction>(ACTIONS).find((one) => one.name === name);
  if (action) return await acted(command, action, withRefs(given ?? {}) as Record<string, unknown>);
  const where = "docs/api.md lists them by their names";
  throw new WebDriverError("unknown method", `there is no action ${name}; ${where}`);
}

function withRefs(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withRefs);
  if (!isJsonObject(value)) return value;
  if (typeof value[ELEMENT_KEY] === "string") return value[ELEMENT_KEY];
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withRefs(inner)]));
}
