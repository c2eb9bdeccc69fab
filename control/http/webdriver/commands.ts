/**
 * The table of a session's commands: method, path, and how the command is translated to actions.
 * `unknown command` and `unknown method` derive from it.
 */

import { Mutex, waiterOf } from "../../../core/mutex.ts";
import type { ActionContext, AnyAction } from "../../actions/action.ts";
import { ACTIONS } from "../../actions/mod.ts";
import type { ElementDetails, WindowInfo } from "../../desktop/desktop.ts";
import { answeredBy } from "./capabilities.ts";
import type { Command } from "./command.ts";
import {
  clear,
  clickOn,
  focused,
  reachedMiddle,
  sendKeys,
  setValue,
  tried,
  waitUntilHandled,
} from "./element_commands.ts";
import { invalid, WebDriverError } from "./errors.ts";
import { DialogError } from "../../windows/list.ts";
import { durationOf, Performer, releaseHeld, ticksOf } from "./input_actions.ts";
import { locatorOf } from "./locators.ts";
import { isInstalled } from "./program.ts";
import { appIn, appState, execute, readClipboard, writeClipboard } from "./scripts.ts";
import { attributeOf, sourceOf } from "./source.ts";

/** Runs a command and returns its value; undefined stands for null. */
type Run = (command: Command) => unknown;
/** A row: the method, the path after the session, and the command. */
type Row = readonly [method: "GET" | "POST" | "DELETE", path: string, run: Run];

/** A command that reads the element in the path. */
function ofElement(name: string, tell: (details: ElementDetails, command: Command) => unknown): Run {
  return (command) => {
    const { element, given: { name: attribute } } = command;
    const noted = attribute === undefined ? { element } : { element, name: attribute };
    return command.own(name, "read", noted, async () => tell(await command.details(), command));
  };
}

/** A command that reads the session's window. */
function ofWindow(name: string, tell: (window: WindowInfo) => unknown): Run {
  return (command) => command.own(name, "read", {}, async () => tell(await command.session.window()));
}

/** A command that changes the session's window. */
function changing(action: AnyAction): Run {
  return async (command) => {
    const { id } = await command.session.window();
    return rectOf(await command.act(action, { id, ...rectGiven(command) }) as WindowInfo);
  };
}

/** Finds elements: everywhere, or below the element in the path. */
function finding(isOne: boolean): Run {
  return async (command) => {
    const { session, body: { using, value }, element } = command, locator = await locatorOf(using, value);
    const noted = { locator: locator.words, ...(element === undefined ? {} : { element }) };
    return await command.own(isOne ? "findElement" : "findElements", "read", noted, async ({ signal }) => {
      const found = await session.find(locator, element, isOne, signal);
      if (!isOne) return found.map((one) => session.reference(one));
      if (found.length) return session.reference(found[0]);
      throw new WebDriverError("no such element", `no element has ${locator.words}`);
    }, { takesMs: session.timeouts.implicit, waits: true });
  };
}

const active: Run = (command) =>
  command.own("activeElement", "read", {}, async () => {
    const found = await focused(command);
    if (found) return command.session.reference(found);
    throw new WebDriverError("no such element", "no element has the keyboard focus");
  });

const source: Run = (command) =>
  command.own("source", "read", {}, async () => {
    return sourceOf(await command.session.read({ ids: true, descriptions: true, places: true }));
  });

/** Orders the commands of all sessions that move the focus between windows, with a limited queue. */
const hands = new Mutex(64, "64 commands wait for the keyboard already; try again later");

/** A command during which no other session's command takes the focus. */
function inTurn(run: Run): Run {
  return (command) => hands.run(() => run(command), { waiter: waiterOf(command.caller.signal) });
}

const rectOf = ({ x, y, width, height }: WindowInfo) => ({ x, y, width, height });

/** The given parts of Set Window Rect; null leaves a part unchanged. */
function rectGiven({ body }: Command): Record<string, unknown> {
  const given = ["x", "y", "width", "height"].map((name) => [name, body[name] ?? undefined]);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

const placing: Run = async (command) => {
  const window = await command.session.window();
  if (!Object.keys(rectGiven(command)).length) return rectOf(window);
  if (window.state === "minimized") await command.act(ACTIONS.restoreWindow, { id: window.id });
  return await changing(ACTIONS.placeWindow)(command);
};

const handles: Run = (command) =>
  command.own("windowHandles", "read", {}, async () => (await command.session.windows()).map(({ id }) => id));

const switchWindow: Run = async (command) => {
  const { session, body: { handle } } = command, windows = await session.windows();
  if (typeof handle !== "string") throw invalid("handle must be a string");
  // Selenium's JavaScript client sends titles as handles.
  const window = windows.find(({ id }) => id === handle) ?? windows.find(({ title }) => title === handle);
  if (!window) throw new WebDriverError("no such window", `there is no window ${handle}`);
  if (!command.runner.readOnly && !window.active) {
    const refusal = await tried(command.act(ACTIONS.activateWindow, { id: window.id }));
    // A window behind a dialog has a title and a place nevertheless.
    if (refusal && !(refusal instanceof DialogError)) throw refusal;
  }
  session.windowId = window.id;
};

const closeWindow: Run = async (command) => {
  const { id } = await command.session.window();
  await command.act(ACTIONS.closeWindow, { id });
  return await handles(command);
};

/** The text of Element Send Keys; older clients send an array of characters. */
function textIn({ body: { text, value } }: Command): string {
  const parts = [text ?? value].flat();
  if (parts.every((part) => typeof part === "string")) return parts.join("");
  throw invalid("text must be a string");
}

const perform: Run = async (command) => {
  const ticks = ticksOf(command.body), { held } = command.session;
  const middleOf = (element: string) => reachedMiddle(command, element);
  const run = (context: ActionContext) => new Performer(context, held, middleOf).perform(ticks);
  try {
    await command.own("performActions", "act", {}, run, { takesMs: durationOf(ticks) });
  } catch (error) {
    // A client that has left releases nothing, and its session may wait for it forever.
    if (command.caller.signal?.aborted) await releaseHeld(command.runner.operator, held);
    throw error;
  }
  await waitUntilHandled(command);
};

const picture: Run = async (command) => {
  const { element, session } = command, format = "png";
  if (element !== undefined) session.keyOf(element);
  return await command.act(ACTIONS.screenshot, element === undefined ? { format } : { format, element });
};

const setting: Run = (command) => setValue(command, command.element, textIn(command));

const displayOf = ({ isShown }: ElementDetails) => isShown ? "block" : "none";
const isSelected = ({ states }: ElementDetails) =>
  ["selected", "checked", "pressed"].some((state) => states.includes(state));
/** Fields and labels have texts; other elements have a name. A password has neither. */
const textOf = ({ text, name, role }: ElementDetails) => role === "password" ? "" : text ?? name;
const attribute = ofElement("elementAttribute", (details, { given: { name } }) => attributeOf(details, name));
const NO_PLACE = { x: 0, y: 0, width: 0, height: 0 };

/** Appium's name of what is no web page. */
const NATIVE = "NATIVE_APP";
const chooseContext: Run = ({ body: { name } }) => {
  if (name !== NATIVE) throw invalid(`the only context is ${NATIVE}`);
};

/** The timeouts of Set Timeouts; older clients name one, such as `page load`, with its milliseconds. */
function timesIn({ type, ms, ...times }: Record<string, unknown>): Record<string, unknown> {
  return typeof type === "string" ? { [type === "page load" ? "pageLoad" : type]: ms } : times;
}

/** Every command of a session except its end, which is in webdriver.ts. */
const ROWS: readonly Row[] = [
  ["GET", "", ({ session }) => answeredBy(session)],
  ["GET", "/appium/capabilities", ({ session }) => ({ capabilities: answeredBy(session) })],
  ["GET", "/timeouts", ({ session }) => session.timeouts],
  ["POST", "/timeouts", ({ session, body }) => session.setTimeouts(timesIn(body))],
  ["POST", "/timeouts/implicit_wait", ({ session, body: { ms } }) => session.setTimeouts({ implicit: ms })],
  ["GET", "/title", ofWindow("windowTitle", ({ title }) => title)],
  ["GET", "/window", ofWindow("windowHandle", ({ id }) => id)],
  ["POST", "/window", switchWindow],
  ["DELETE", "/window", closeWindow],
  ["GET", "/window/handles", handles],
  ["GET", "/window/rect", ofWindow("windowRect", rectOf)],
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
  ["GET", "/element/:element/text", ofElement("elementText", textOf)],
  ["GET", "/element/:element/name", ofElement("elementTag", ({ tag }) => tag)],
  ["GET", "/element/:element/rect", ofElement("elementRect", ({ place }) => place ?? NO_PLACE)],
  ["GET", "/element/:element/enabled", ofElement("elementEnabled", ({ isEnabled }) => isEnabled)],
  ["GET", "/element/:element/displayed", ofElement("elementDisplayed", ({ isShown }) => isShown)],
  ["GET", "/element/:element/selected", ofElement("elementSelected", isSelected)],
  ["GET", "/element/:element/attribute/:name", attribute],
  ["GET", "/element/:element/property/:name", attribute],
  ["GET", "/element/:element/computedrole", ofElement("elementRole", ({ role }) => role)],
  ["GET", "/element/:element/computedlabel", ofElement("elementLabel", ({ name }) => name)],
  ["GET", "/element/:element/screenshot", picture],
  ["POST", "/element/:element/click", inTurn((command) => clickOn(command, command.element))],
  ["POST", "/element/:element/clear", inTurn(clear)],
  [
    "POST",
    "/element/:element/value",
    inTurn((command) => sendKeys(command, command.element, textIn(command))),
  ],
  ["POST", "/actions", perform],
  ["DELETE", "/actions", ({ session, runner }) => releaseHeld(runner.operator, session.held)],
  ["GET", "/screenshot", picture],
  ["POST", "/execute/sync", execute],
  ["POST", "/appium/element/:element/value", inTurn(setting)],
  ["POST", "/appium/device/get_clipboard", (command) => readClipboard(command, command.body.contentType)],
  [
    "POST",
    "/appium/device/set_clipboard",
    (command) => writeClipboard(command, command.body.content, command.body.contentType),
  ],
  ["POST", "/appium/device/app_state", (command) => appState(command, command.body)],
  ["POST", "/appium/device/app_installed", ({ body }) => isInstalled(appIn(body) ?? "")],
  ["GET", "/appium/settings", () => ({})],
  // webdriverio takes a session without a context for a browser's.
  ["GET", "/context", () => NATIVE],
  ["GET", "/contexts", () => [NATIVE]],
  ["POST", "/context", chooseContext],
  ["GET", "/url", () => ""], // its switchWindow compares addresses before titles
  // It then asks for this with each look at whether an element is displayed.
  ["GET", "/element/:element/css/display", ofElement("elementDisplay", displayOf)],
];

const TABLE = ROWS.map(([method, path, run]) => ({
  method,
  run,
  pattern: new RegExp(`^${path.replace(/:(\w+)/g, "(?<$1>[^/]+)")}$`),
}));

/** Browser commands without a meaning on a desktop, by path prefix. */
const REFUSED =
  /^\/(?:url|back|forward|refresh|cookie|frame|alert|print|window\/new|execute\/async|shadow|element\/[^/]+\/(?:shadow|css)|permissions|webauthn|se(?!\/file$)|moz|chromium|goog)(?:\/|$)/;

/**
 * Finds a command.
 * @param path The path after `/session/{session}`.
 * @returns The command, and the parameters in the path.
 * @throws WebDriverError if there is none.
 */
export function commandAt(method: string, path: string): { run: Run; given: Record<string, string> } {
  const fitting = TABLE.filter(({ pattern }) => pattern.test(path));
  const row = fitting.find((one) => one.method === method);
  if (row) {
    const groups = Object.entries(row.pattern.exec(path)?.groups ?? {});
    return { run: row.run, given: Object.fromEntries(groups.map(([name, text]) => [name, decoded(text)])) };
  }
  if (REFUSED.test(path)) {
    const instead = path.startsWith("/alert") ? ": a dialog is a window to switch to" : "";
    throw new WebDriverError("unsupported operation", `${path} applies to browsers only${instead}`);
  }
  if (fitting.length) throw new WebDriverError("unknown method", `${path} does not support ${method}`);
  // If these words answer the upload of a local file, Selenium's Python client types the path instead.
  throw new WebDriverError("unknown command", `Command not found: ${method} ${path}`);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalid(`${text} in the path is not valid percent-encoding`);
  }
}
