/** Prompt commands that are actions: each pattern yields the values of its action. */

import { readSmall } from "../../core/bytes.ts";
import { InputError, NotFoundError, on } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";
import type { AnyAction } from "../actions/action.ts";
import { ACTIONS } from "../actions/mod.ts";
import { BUTTONS, SCROLL_LIMIT, type WindowInfo } from "../desktop/desktop.ts";
import { elementsText } from "../elements/text.ts";
import { PICTURE_FILE_LIMIT } from "../find/find.ts";
import { isPicture } from "../image/bitmap.ts";
import type { TextMatch } from "../read/find.ts";
import { color } from "../schema/fields.ts";
import { actionCommand, type Command, onFile, plain } from "./command.ts";

/** Two coordinates, either of which may be negative: `10-20`, `-5-10`, `10--5`. */
const POINT = String.raw`(-?\d{1,7})-(-?\d{1,7})`;

/** Converts the given fields to numbers. */
const numbers = (given: Record<string, string | undefined>): Record<string, number> =>
  Object.fromEntries(
    Object.entries(given).filter(([, text]) => text !== undefined).map((
      [name, text],
    ) => [name, Number(text)]),
  );

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

/** Checks a typed colour here, since the request's own check would name the request's field. */
function checkedColour(text: string | undefined): string | undefined {
  color("").parse(text, "the colour");
  return text;
}

/** The name of a button or a key; `key left` is the arrow key, `left` the button. */
function buttonOrKey(isKey: string | undefined, name: string | undefined): Record<string, unknown> {
  const isButton = !isKey && (BUTTONS as readonly (string | undefined)[]).includes(name);
  return isButton ? { button: name } : { key: name };
}

/** Pointer commands, in help order. */
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
    { ...plain("g"), summary: "print the pointer's position" },
    () => ({}),
    ({ x, y }) => `${x} ${y}`,
  ),
];

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
    ...numbers({ timeout_ms: timeout }),
  })),
];

// Window commands.

/** A window as a line: its id, then state, bounds, class and title. */
function line({ id, title, class: name, x, y, width, height, state, active }: WindowInfo): string {
  return `${active ? "*" : " "} ${id} ${state} ${width}x${height}+${x}+${y} ${printable(name)} ${
    printable(title)
  }`;
}

/** A window by its id or by part of its title. */
const query = (text: string | undefined) =>
  /^0x[0-9a-f]+$/i.test(text ?? "") ? { id: text } : { title: text };

function change(name: string, action: AnyAction): Command {
  return actionCommand(action, {
    name,
    usage: `${name} <title or id>`,
    example: `${name} notes`,
    pattern: new RegExp(String.raw`^${name}\s+(.+)$`, "u"),
  }, ([text]) => query(text));
}

/** The commands, in help order. */
export const WINDOW_COMMANDS: readonly Command[] = [
  actionCommand(
    ACTIONS.windows,
    {
      name: "win",
      usage: "win [<title>]",
      example: "win notes",
      summary: "list the windows, the front one first; * has the keyboard",
      pattern: /^win(?:\s+(.+))?$/u,
    },
    ([title]) => title === undefined ? {} : { title },
    ({ windows }, [title]) => {
      if (windows.length) return windows.map(line).join("\n");
      return title === undefined ? "there is no window" : `no window matches title "${printable(title)}"`;
    },
  ),
  change("act", ACTIONS.activateWindow),
  change("min", ACTIONS.minimizeWindow),
  change("max", ACTIONS.maximizeWindow),
  change("restore", ACTIONS.restoreWindow),
  change("full", ACTIONS.fullscreenWindow),
  change("close", ACTIONS.closeWindow),
  actionCommand(
    ACTIONS.placeWindow,
    {
      name: "place",
      usage: "place <title or id> <x>-<y> [<width>x<height>]",
      example: "place notes 10-20 640x480",
      pattern: /^place\s+(.+?)\s+(-?\d{1,7})-(-?\d{1,7})(?:\s+(\d{1,7})x(\d{1,7}))?$/u,
    },
    ([text, x, y, width, height]) => ({ ...query(text), ...numbers({ x, y, width, height }) }),
    line,
  ),
  actionCommand(ACTIONS.wait, {
    name: "waitwin",
    usage: "waitwin <title>",
    example: "waitwin save as",
    summary: "wait until a window has this title, for 10000 ms at most",
    pattern: /^waitwin\s+(.+)$/u,
  }, ([title]) => ({ window: { title } })),
];

// Element commands.

/** A quoted name or title. */
const QUOTED = String.raw`"(?:[^"\\]|\\.)*"`;
/** An element as typed: `e12`, `button "Save"`, `button "Save" 2 in "Ask"`, or an object. */
const TARGET = String.raw`(e[1-9]\d*|(?:[a-z ]*${QUOTED}|[a-z]+)(?: +[1-9]\d*)?(?: +in +${QUOTED})?|\{.*?\})`;

/** Maximum number of elements to read, and to print. */
const LIMITS = { read: 20_000, printed: 200 };

/** The fields that a typed target stands for. */
function targetOf(text: string | undefined) {
  if (text === undefined) throw new InputError("Missing the element");
  return { element: text };
}

const print = ({ via, ref, role, name }: { via: string; ref: string; role: string; name: string }) =>
  `${ref} ${role} ${JSON.stringify(name)}${via === "action" ? ", by its program" : ""}`;

/** The commands, in help order. */
export const ELEMENT_COMMANDS: readonly Command[] = [
  actionCommand(
    ACTIONS.elements,
    {
      name: "el",
      usage: "el [<name>]",
      example: "el save",
      summary: "list the elements of the active window: buttons, fields, list items",
      pattern: /^el(?:\s+(.+))?$/u,
    },
    ([name]) => ({ limit: LIMITS.read, ...(name === undefined ? {} : { name }) }),
    (list, [name]) => elementsText(list, { limit: LIMITS.printed, isAsked: name !== undefined }),
  ),
  actionCommand(
    ACTIONS.clickOnElement,
    {
      name: "ec",
      usage: 'ec <ref or role "name">',
      example: 'ec button "Save"',
      pattern: new RegExp(`^ec\\s+${TARGET}$`, "u"),
    },
    ([target]) => targetOf(target),
    print,
  ),
  actionCommand(
    ACTIONS.setElementText,
    {
      name: "es",
      usage: 'es <ref or role "name"> = <text, option, number, true or false>',
      example: 'es textbox "Name" = Ada',
      pattern: new RegExp(`^es\\s+${TARGET}\\s*=\\s?(.*)$`, "u"),
    },
    ([target, text]) => ({ ...targetOf(target), to: text ?? "" }),
    print,
  ),
  actionCommand(
    ACTIONS.switchElements,
    {
      name: "elements",
      usage: "elements on|off",
      example: "elements on",
      pattern: /^elements\s+(on|off)$/u,
    },
    ([state]) => ({ enabled: state === "on" }),
    ({ did }) => did,
  ),
];

// Clipboard commands.

/** The commands, in help order. */
export const CLIPBOARD_COMMANDS: readonly Command[] = [
  actionCommand(ACTIONS.setClipboard, {
    name: "copy",
    usage: "copy <text>",
    example: "copy hello",
    summary: "put text on the clipboard",
    pattern: /^copy\s(.+)$/u,
  }, ([text]) => ({ text })),
  actionCommand(
    ACTIONS.clipboard,
    {
      name: "paste",
      usage: "paste [primary]",
      example: "paste",
      summary: "print the text on the clipboard",
      pattern: /^paste(?:\s+(primary))?$/,
    },
    ([selection]) => selection === undefined ? {} : { selection },
    ({ text }) => text ?? "",
  ),
];

// Commands for text on the screen. Text is quoted; an unquoted word is a file name.

const TEXT_COMMANDS_QUOTED = '"([^"]+)"';
const FIND_TEXT = { name: "find", usage: 'find "<text>" [click]', example: 'find "Save" click' };

/** The window to look at, as in `expect looks`; quoted if it contains spaces. */
const IN_WINDOW = { usage: "[window=<title>]", pattern: String.raw`(?:\s+window=(?:"([^"]+)"|([^\s"]+)))?` };
const inWindow = (quoted: string | undefined, plain: string | undefined) =>
  quoted === undefined && plain === undefined ? {} : { window: query(quoted ?? plain) };

const printMatch = ({ center: { x, y }, text, match, line = text }: TextMatch) => {
  const agrees = match === 1 ? "" : `, match ${match}`, words = line === text ? text : `${text} in ${line}`;
  return `${x} ${y} ${printable(words, 80)}${agrees}`;
};

/** The commands, in help order. */
export const TEXT_COMMANDS: readonly Command[] = [
  actionCommand(
    ACTIONS.findText,
    {
      ...FIND_TEXT,
      usage: `find "<text>" ${IN_WINDOW.usage}`,
      example: 'find "Save" window=Notes',
      summary:
        "print where text is on the screen, or in a window, even if it is covered: the x and y of the middle of each match",
      pattern: new RegExp(`^find\\s+${TEXT_COMMANDS_QUOTED}${IN_WINDOW.pattern}$`, "u"),
    },
    ([text, ...window]) => ({ text, limit: 20, ...inWindow(window[0], window[1]) }),
    ({ matches, nearest = [] }) => {
      if (matches.length) return matches.map(printMatch).join("\n");
      const near = nearest.map(printMatch).join("; ");
      throw new NotFoundError(`the text is not on the screen${near && `; nearest: ${near}`}`);
    },
  ),
  actionCommand(
    ACTIONS.clickText,
    {
      ...FIND_TEXT,
      usage: `find "<text>" click [<number>] ${IN_WINDOW.usage}`,
      summary: "click on text; the number chooses among several matches, a window comes to the front",
      pattern: new RegExp(
        `^find\\s+${TEXT_COMMANDS_QUOTED}\\s+click(?:\\s+(\\d{1,4}))?${IN_WINDOW.pattern}$`,
        "u",
      ),
    },
    ([text, nth, ...window]) => ({
      text,
      click: "left",
      ...numbers({ nth }),
      ...inWindow(window[0], window[1]),
    }),
    ({ matches: [match] }) => printMatch(match),
  ),
  actionCommand(
    ACTIONS.text,
    {
      name: "text",
      usage: `text [<x>-<y> <width>x<height>] ${IN_WINDOW.usage}`,
      example: "text 0-0 400x200",
      summary: "print the text of the screen, of a part of it, or of a window",
      pattern: new RegExp(
        String.raw`^text(?:\s+(\d{1,6})-(\d{1,6})\s+(\d{1,6})x(\d{1,6}))?${IN_WINDOW.pattern}$`,
        "u",
      ),
    },
    ([x, y, width, height, ...window]) => ({
      ...numbers({ x, y, width, height }),
      ...inWindow(window[0], window[1]),
    }),
    ({ lines }) => lines.map(({ text }) => printable(text, Infinity)).join("\n"),
  ),
  actionCommand(
    ACTIONS.wait,
    {
      name: "wait",
      usage: 'wait [gone] "<text>" [<ms>]',
      example: 'wait "Done" 5000',
      summary: "wait until the screen shows a text, or shows it no more",
      pattern: new RegExp(`^wait\\s+(?:(gone)\\s+)?${TEXT_COMMANDS_QUOTED}(?:\\s+(\\d{1,7}))?$`, "u"),
    },
    ([gone, text, timeout]) => ({
      text: { text, gone: gone !== undefined },
      ...numbers({ timeout_ms: timeout }),
    }),
    ({ match }) => match ? `${match.center.x} ${match.center.y}` : "",
  ),
];

// The command that finds a picture on the screen.

/** Prints the middle of the place that shows a picture. */
export const FIND: Command = actionCommand(
  ACTIONS.find,
  {
    name: "find",
    usage: `find <file> [<tolerance>] ${IN_WINDOW.usage}`,
    example: "find button.png 10",
    summary: "print where the screen or a window shows a picture: the x and y of its middle",
    pattern: new RegExp(String.raw`^find\s+([^"].*?)(?:\s+(\d{1,3}))?${IN_WINDOW.pattern}$`, "u"),
    takesFile: true,
  },
  async ([file, tolerance, ...window]) => ({
    png: await readPictureFile(file!),
    ...numbers({ tolerance }),
    ...inWindow(window[0], window[1]),
  }),
  ({ matches: [match] }) => {
    if (!match) throw new NotFoundError("the picture is not on the screen");
    return `${match.center.x} ${match.center.y}`;
  },
);

async function readPictureFile(path: string): Promise<Uint8Array<ArrayBuffer>> {
  return await onFile("read", path, async () => {
    const bytes = await readSmall(path, PICTURE_FILE_LIMIT).catch(on(Deno.errors.NotFound));
    if (!bytes) throw new InputError('there is no such file; text to find is in quotes: find "Save"');
    if (!isPicture(bytes)) throw new InputError("it must be a PNG or BMP file");
    return bytes;
  });
}
