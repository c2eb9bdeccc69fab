/**
 * The table of a session's commands: method, path, and how the command is translated into actions. `unknown command`
 * and `unknown method` derive from it.
 */

import type { AnyAction } from "../../actions/action.ts";
import { ACTIONS } from "../../actions/mod.ts";
import type { ElementDetails, WindowInfo } from "../../desktop/desktop.ts";
import { answeredCapabilities } from "./capabilities.ts";
import { type Command, reference } from "./command.ts";
import { clear, clickOn, reachedMiddle, sendKeys, setValue, waitUntilHandled } from "./element_commands.ts";
import { invalid, WebDriverError } from "./errors.ts";
import { Performer, releaseHeld, ticksOf } from "./input_actions.ts";
import { locatorOf } from "./locators.ts";
import { execute, readClipboard, writeClipboard } from "./scripts.ts";
import { attributeOf, sourceOf } from "./source.ts";

/** Runs a command and gives its value; undefined stands for null. */
export type Run = (command: Command) => unknown;
/** A row: the method, the path behind the session, and the command. */
type Row = readonly [method: "GET" | "POST" | "DELETE", path: string, run: Run];

/** A command that reads the element of the path. */
function reading(name: string, tell: (details: ElementDetails, command: Command) => unknown): Run {
  return (command) => {
    const { element, given: { name: attribute } } = command;
    const noted = attribute === undefined ? { element } : { element, name: attribute };
    return command.own(name, "read", noted, async () => tell(await command.details(), command));
  };
}

/** Finds elements: everywhere, or below the element of the path. */
function finding(isOne: boolean): Run {
  return async (command) => {
    const { session, body: { using, value }, element, caller } = command,
      locator = await locatorOf(using, value);
    const noted = { locator: locator.words, ...(element === undefined ? {} : { element }) };
    return await command.own(isOne ? "findElement" : "findElements", "read", noted, async () => {
      const found = await session.find(locator, element, isOne, caller.signal);
      if (!isOne) return found.map((one) => reference(session.refOf(one)));
      if (found.length) return reference(session.refOf(found[0]));
      throw new WebDriverError("no such element", `no element has ${locator.words}`);
    });
  };
}

/** The element that has the keyboard; that of the active window, if several say so. */
const active: Run = (command) =>
  command.own("activeElement", "read", {}, async () => {
    const { session } = command, elements = await session.read({});
    const focused = elements.filter(({ states }) => states.includes("focused"));
    const front = (await session.windows()).find(({ active }) => active);
    const found = focused.findLast(({ windowId }) => windowId === front?.id) ?? focused.at(-1);
    if (found) return reference(session.refOf(found));
    throw new WebDriverError("no such element", "no element has the keyboard");
  });

const source: Run = (command) =>
  command.own("source", "read", {}, async () => {
    const parts = { ids: true, descriptions: true, places: true };
    return sourceOf(await command.session.read(parts));
  });

function rectOf({ x, y, width, height }: WindowInfo) {
  return { x, y, width, height };
}

/** A command that reads the session's window. */
function telling(name: string, tell: (window: WindowInfo) => unknown): Run {
  return (command) => command.own(name, "read", {}, async () => tell(await command.session.window()));
}

/** A command that changes the session's window. */
function changing(
  action: AnyAction,
  values: (command: Command) => Record<string, unknown> = () => ({}),
): Run {
  return async (command) => {
    const given = values(command), { id } = await command.session.window();
    return rectOf(await command.act(action, { id, ...given }) as WindowInfo);
  };
}

/** The parts of Set Window Rect that are given; null leaves a part as it is. */
function rectGiven({ body }: Command): Record<string, unknown> {
  const given = ["x", "y", "width", "height"].map((name) => [name, body[name]])
    .filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(given);
}

const placing: Run = async (command) => {
  const given = rectGiven(command);
  if (Object.keys(given).length) return await changing(ACTIONS.placeWindow, () => given)(command);
  return rectOf(await command.session.window());
};

const handles: Run = (command) =>
  command.own("windowHandles", "read", {}, async () => (await command.session.windows()).map(({ id }) => id));

const switchWindow: Run = async (command) => {
  const { session, body: { handle } } = command;
  if (typeof handle !== "string") throw invalid("handle must be a text");
  const window = (await session.windows()).find(({ id }) => id === handle);
  if (!window) throw new WebDriverError("no such window", `there is no window ${handle}`);
  session.windowId = window.id;
  if (!command.runner.readOnly && !window.active) {
    await command.act(ACTIONS.activateWindow, { id: window.id });
  }
};

const closeWindow: Run = async (command) => {
  const { id } = await command.session.window();
  await command.act(ACTIONS.closeWindow, { id });
  return (await command.session.windows()).map(({ id }) => id);
};

/** The text of Element Send Keys; older clients send a list of characters. */
function textIn({ body: { text, value } }: Command): string {
  if (typeof text === "string") return text;
  if (Array.isArray(value) && value.every((part) => typeof part === "string")) return value.join("");
  if (typeof value === "string") return value;
  throw invalid("text must be a text");
}

const perform: Run = async (command) => {
  const ticks = ticksOf(command.body);
  await command.own(
    "performActions",
    "act",
    {},
    (context) =>
      new Performer(context, command.session.held, (element) => reachedMiddle(command, element)).perform(
        ticks,
      ),
  );
  await waitUntilHandled(command);
};

const isSelected = ({ states }: ElementDetails) =>
  ["selected", "checked", "pressed"].some((state) => states.includes(state));

/** Texts are those of fields and labels; other elements have a name. A password has none. */
const textOf = ({ text, name, role }: ElementDetails) => role === "password" ? "" : text ?? name;

const attribute: Run = reading(
  "elementAttribute",
  (details, { given: { name } }) => attributeOf(details, name),
);

/** Every command of a session but its end, which is in webdriver.ts. */
const ROWS: readonly Row[] = [
  ["GET", "", ({ session }) => answeredCapabilities(session.capabilities, session.timeouts)],
  ["GET", "/timeouts", ({ session }) => session.timeouts],
  ["POST", "/timeouts", ({ session, body }) => session.setTimeouts(body)],
  ["POST", "/timeouts/implicit_wait", ({ session, body: { ms } }) => session.setTimeouts({ implicit: ms })],
  ["GET", "/title", telling("windowTitle", ({ title }) => title)],
  ["GET", "/window", telling("windowHandle", ({ id }) => id)],
  ["POST", "/window", switchWindow],
  ["DELETE", "/window", closeWindow],
  ["GET", "/window/handles", handles],
  ["GET", "/window/rect", telling("windowRect", rectOf)],
  ["POST", "/window/rect", placing],
  ["POST", "/window/maximize", changing(ACTIONS.maximizeWindow)],
  ["POST", "/window/minimize", changing(ACTIONS.minimizeWindow)],
  ["POST", "/window/fullscreen", changing(ACTIONS.fullscreenWindow)],
  ["POST", "/element", finding(true)],
  ["POST", "/elements", finding(false)],
  ["GET", "/element/active", active],
  ["POST", "/element/:element/element", finding(true)],
  ["POST", "/element/:element/elements", finding(false)],
  ["GET", "/source", source],
  ["GET", "/element/:element/text", reading("elementText", textOf)],
  ["GET", "/element/:element/name", reading("elementTag", ({ tag }) => tag)],
  ["GET", "/element/:element/rect", reading("elementRect", ({ place }) => place ?? NO_PLACE)],
  ["GET", "/element/:element/enabled", reading("elementEnabled", ({ isEnabled }) => isEnabled)],
  ["GET", "/element/:element/displayed", reading("elementDisplayed", ({ isShown }) => isShown)],
  ["GET", "/element/:element/selected", reading("elementSelected", isSelected)],
  ["GET", "/element/:element/attribute/:name", attribute],
  ["GET", "/element/:element/property/:name", attribute],
  ["GET", "/element/:element/computedrole", reading("elementRole", ({ role }) => role)],
  ["GET", "/element/:element/computedlabel", reading("elementLabel", ({ name }) => name)],
  [
    "GET",
    "/element/:element/screenshot",
    async (command) => {
      command.session.keyOf(command.element);
      return await command.act(ACTIONS.screenshot, { format: "png", element: command.element });
    },
  ],
  ["POST", "/element/:element/click", (command) => clickOn(command, command.element)],
  ["POST", "/element/:element/clear", clear],
  ["POST", "/element/:element/value", (command) => sendKeys(command, command.element, textIn(command))],
  ["POST", "/actions", perform],
  ["DELETE", "/actions", ({ session, runner }) => releaseHeld(runner.operator, session.held)],
  ["GET", "/screenshot", (command) => command.act(ACTIONS.screenshot, { format: "png" })],
  ["POST", "/execute/sync", execute],
  [
    "POST",
    "/appium/element/:element/value",
    (command) => setValue(command, command.element, textIn(command)),
  ],
  ["POST", "/appium/device/get_clipboard", readClipboard],
  ["POST", "/appium/device/set_clipboard", (command) => writeClipboard(command, command.body.content)],
  [
    "POST",
    "/appium/device/app_state",
    ({ session: { program } }) => program?.hasEnded ? NOT_RUNNING : IN_FRONT,
  ],
  ["GET", "/appium/settings", () => ({})],
];

const NO_PLACE = { x: 0, y: 0, width: 0, height: 0 };
/** States of programs in Appium's numbers. */
const NOT_RUNNING = 1, IN_FRONT = 4;

/** Commands of browsers that a desktop has no meaning for, by the beginning of their paths. */
const REFUSED =
  /^\/(?:url|back|forward|refresh|cookie|frame|alert|print|window\/new|execute\/async|shadow|element\/[^/]+\/shadow|se\/|moz\/|chromium\/|goog\/)(?:\/|$)/;

interface TableRow {
  method: string;
  pattern: RegExp;
  run: Run;
}

const TABLE: readonly TableRow[] = ROWS.map(([method, path, run]) => ({
  method,
  run,
  pattern: new RegExp(`^${path.replace(/:(\w+)/g, "(?<$1>[^/]+)")}$`),
}));

/**
 * Finds a command.
 * @param path The path behind `/session/{session}`.
 * @returns The command, and the parameters in the path.
 * @throws WebDriverError if there is none.
 */
export function commandAt(method: string, path: string): { run: Run; given: Record<string, string> } {
  const fitting = TABLE.filter(({ pattern }) => pattern.test(path));
  const row = fitting.find((one) => one.method === method);
  if (row) {
    const { groups = {} } = row.pattern.exec(path)!;
    return {
      run: row.run,
      given: Object.fromEntries(Object.entries(groups).map(([name, text]) => [name, decoded(text)])),
    };
  }
  if (fitting.length) throw new WebDriverError("unknown method", `${path} does not take ${method}`);
  if (REFUSED.test(path)) {
    throw new WebDriverError("unsupported operation", `${path} is of browsers: a desktop has no such thing`);
  }
  throw new WebDriverError("unknown command", `there is no command ${method} ${path}`);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalid(`${text} in the path is no percent-encoding`);
  }
}
