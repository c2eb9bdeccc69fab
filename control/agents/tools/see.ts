/** The tool that looks: at elements, tables, texts, or a picture. */

import { ExpectedError, NotFoundError, on, StateError } from "../../../core/errors.ts";
import { elementIn } from "../../actions/element_fields.ts";
import { ACTIONS } from "../../actions/mod.ts";
import { intersection, isShown, type Point, type Region, type WindowInfo } from "../../desktop/desktop.ts";
import { shownRegion } from "../../elements/click.ts";
import { isWithin } from "../../desktop/geometry.ts";
import { elementValues } from "../../actions/element_fields.ts";
import { documentLines, tableRows } from "../../elements/table.ts";
import { type ListedElement, readElements, type WindowElements } from "../../elements/list.ts";
import { type ElementTarget, matchingElements } from "../../elements/query.ts";
import { elementsText } from "../../elements/text.ts";
import { choice, flag, integer, optional, text, type Values } from "../../schema/schema.ts";
import { isOther, listWindows, titledWindow, uncoveredPart } from "../../windows/list.ts";
import type { Marked } from "../shown_elements.ts";
import { type Answer, REGION, said, tool, type ToolContext, zoomOf } from "../tool.ts";
import { elementShown, matchText } from "./windows.ts";

const KINDS = ["elements", "table", "text", "picture", "marks"] as const;
/** Maximum number of elements, table rows, text characters and marks in one answer. */
const MOST = { elements: 100, rows: 300, characters: 12_000, marks: 99 };
/** Number of characters of a title that identify its window. */
const PART = 40;

/** The subject of a look. */
interface Look {
  window: WindowInfo;
  /** The chosen part of the picture, in desktop pixels. */
  region?: Region;
  zoom?: number;
  find?: string;
  context: ToolContext;
}

const INPUT = {
  window: optional(text("Part of its title")),
  what: optional(choice(KINDS, "default elements")),
  find: optional(text("")),
  region: REGION,
  zoom: optional(integer(1, 4, "")),
  structured: optional(flag("For programs: words as structured content, too")),
};

export const see = tool({
  name: "see",
  title: "Look at the screen",
  description:
    "Looks at a window, the active one if none is named. elements: buttons, fields, texts, each with a ref such as " +
    "e12; table: rows, tab-separated; text: of documents, or read from the picture; picture: of the window, or of the " +
    'screen with window:"screen"; marks: a picture with numbers m1, m2 on what has no name. find: only elements of ' +
    "this name, or where these words are. Prefer words; take a picture where they say too little.",
  action: ACTIONS.screenshot,
  input: INPUT,
  async run(values, context) {
    for (let tries = 2;;) {
      const before = await windowsOf(context), answer = await lookOnce(values, before, context);
      // The head line and what follows it are from the same moment, unless windows change constantly.
      if (!--tries || !isOther(before, await windowsOf(context))) return answer;
    }
  },
});

async function lookOnce(
  { window: title, what, region, zoom, find, structured }: Values<typeof INPUT>,
  windows: readonly WindowInfo[],
  context: ToolContext,
): Promise<Answer> {
  const isScreen = title?.toLowerCase() === "screen";
  const head = headOf(windows, context);
  const named = title === undefined || isScreen ? undefined : titledWindow(windows, title);
  const window = named ?? windows.find(({ active }) => active) ?? windows[0];
  const isPicture = what === "picture" || what === undefined && (region !== undefined || isScreen);
  const area = region
    ? context.region(region, "region.")
    : isPicture && window && find !== undefined
    ? await regionOf(find, window, context)
    : undefined;
  if (!window || isPicture) {
    return withHead(head, await lookAtPicture(isScreen ? undefined : window, area, zoom, context));
  }
  const look: Look = { window, context, ...(area ? { region: area } : {}), ...(find ? { find } : {}) };
  const answer = find !== undefined ? await lookFor(find, look) : await LOOKS[what ?? "elements"](look);
  const { structured: values, ...words } = withHead(head, answer);
  return structured && values
    ? { ...words, structured: { ...windowValues(windows, look), ...values } }
    : words;
}

/** The place of the only element on the screen with a name. */
async function regionOf(
  find: string,
  { id }: WindowInfo,
  { operator, signal }: ToolContext,
): Promise<Region> {
  const query = findQuery(find), isNamed = Object.keys(query.window).length > 0;
  return await shownRegion(operator, isNamed ? query : { ...query, window: { id } }, signal);
}

/** The elements that the words describe: a ref, a role and a name, or a part of the name. */
function findQuery(find: string): ElementTarget {
  return /^e[1-9]\d*$|"/.test(find) ? elementIn(find, "find") : { name: find, window: {} };
}

async function windowsOf({ operator }: ToolContext): Promise<readonly WindowInfo[]> {
  return await listWindows(operator).catch(on(ExpectedError, [])); // not every desktop lists them
}

/** The windows and the screen, in one line. */
function headOf(windows: readonly WindowInfo[], { view }: ToolContext): string {
  const titles = windows.filter(({ title, active }) => title || active).map(({ title, active, state }) =>
    `${JSON.stringify(title.slice(0, 60))}${
      active ? " (active)" : state === "minimized" ? " (minimized)" : ""
    }`
  );
  return `windows: ${titles.join(", ") || "none"}; screen ${view.width}x${view.height}`;
}

function withHead(head: string, { text, ...answer }: Answer): Answer {
  return { ...answer, text: text ? `${head}\n${text}` : head };
}

/**
 * The windows and the screen as structured content, which an answer has only if the call requests it: some
 * clients show it to the model instead of the text, which is shorter.
 */
function windowValues(windows: readonly WindowInfo[], { context: { view: { width, height } } }: Look) {
  return {
    windows: windows.map(({ id, title, active, state }) => ({ id, title, active, state })),
    screen: { width, height },
  };
}

const LOOKS: Record<Exclude<typeof KINDS[number], "picture">, (look: Look) => Promise<Answer>> = {
  elements: lookAtElements,
  table: lookAtTable,
  text: lookAtText,
  marks: lookAtMarks,
};

/** Reads a window's elements, and records that the agent knows them. */
async function elementsIn({ window, context }: Look): Promise<WindowElements> {
  const read = await readElements(context.operator, { id: window.id }, false, context.signal);
  context.shownElements.keep(window, read.elements);
  return read;
}

async function lookAtElements(look: Look): Promise<Answer> {
  const read = await elementsIn(look);
  const words = linesOf(read, look.context, read.elements, MOST.elements);
  if (read.silent === undefined || read.elements.length > 1) {
    return { ...said(words), structured: { elements: shownValues(read, look.context, read.elements) } };
  }
  const picture = await lookAtPicture(look.window, undefined, undefined, look.context);
  return { ...picture, text: `${words.replace("; use find and screenshot", "")}\n${picture.text}` };
}

/** Elements as values, with the picture places of their middles. */
function shownValues(
  { places }: WindowElements,
  context: ToolContext,
  elements: readonly ListedElement[],
) {
  return elements.map((element) => elementShown(elementValues(element), places, context));
}

/**
 * Elements as lines, with places in the picture.
 * @param limit Maximum number of elements.
 */
export function linesOf(
  read: WindowElements,
  context: ToolContext,
  elements: readonly ListedElement[],
  limit: number,
  isAsked = false,
): string {
  const { window, places, silent, isWhole } = read, values = shownValues(read, context, elements);
  const told = { window, places, elements: values, more: 0, whole: isWhole };
  return elementsText({ ...told, ...(silent === undefined ? {} : { silent }) }, {
    limit,
    isAsked,
    hidesPlaces: true,
  })
    .replace(/^#.*\n?/, "") || "no elements";
}

/** Elements with a name, or otherwise the places of the text. */
async function lookFor(find: string, look: Look): Promise<Answer> {
  const { context, window } = look, read = await elementsIn(look);
  const query = findQuery(find);
  const all = matchingElements(read.elements, query);
  const hidden = all.length ? [] : matchingElements(
    (await readElements(context.operator, { id: window.id }, true, context.signal)).elements,
    query,
  );
  const found = all.length ? all : hidden;
  if (found.length) {
    const words = linesOf(read, context, found, MOST.elements, true);
    return { ...said(words), structured: { elements: shownValues(read, context, found) } };
  }
  const { matches, nearest = [] } = await context.run(ACTIONS.findText, {
    text: query.name ?? find,
    limit: 10,
    ...await placeOf(look, areaOf(look)),
  });
  if (matches.length) {
    const places = matches.map((match) => ({ text: match.text, ...context.shown(match.center) }));
    return {
      ...said(matches.map((match) => matchText(match, context)).join("\n")),
      structured: { matches: places },
    };
  }
  const near = nearest.length ? `; nearest: ${matchText(nearest[0], context)}` : "";
  throw new NotFoundError(
    `nothing in ${JSON.stringify(window.title)} is named ${JSON.stringify(find)}${near}`,
  );
}

async function lookAtTable(look: Look): Promise<Answer> {
  const read = await elementsIn(look), rows = tableRows(read.elements);
  if (!rows.length) return await lookAtText(look);
  const lines = rows.slice(0, MOST.rows).map((row) =>
    row.map((cell) => cell.replace(/[\t\n]+/g, " ")).join("\t")
  );
  if (rows.length > MOST.rows) lines.push(`… ${rows.length - MOST.rows} more rows`);
  if (!read.isWhole) lines.push("… the window has more elements than were read");
  return { ...said(lines.join("\n")), structured: { rows } };
}

/** The text of a document; if its program provides none, the text is read from the screen. */
async function lookAtText(look: Look): Promise<Answer> {
  const read = look.region ? undefined : await elementsIn(look).catch(on(ExpectedError)),
    lines = documentLines(read?.elements ?? []);
  if (lines.length) return { ...said(cut(lines.join("\n"))), structured: { lines } };
  const seen = await readScreen(look, areaOf(look));
  const texts = seen.map(({ text }) => text);
  return {
    ...said(cut(texts.join("\n")) || "no text is on the screen there"),
    structured: { lines: texts },
  };
}

function cut(text: string): string {
  return text.length > MOST.characters
    ? `${text.slice(0, MOST.characters)}\n… ${text.length} characters in all`
    : text;
}

/** The part of the desktop to look at. */
function areaOf({ region, window, context: { view } }: Look): Region {
  return region ?? (window.width ? intersection(window, view.area) : undefined) ?? view.area;
}

/**
 * The window itself if others cover it, otherwise a part of the screen.
 * @throws StateError if a part was chosen in a window that others cover.
 */
async function placeOf({ window, region, context }: Look, area: Region) {
  const isOwn = window.width > 0 && isWithin(area, window);
  if (!isOwn || !await coveredWindow(window, area, context)) return area;
  if (!region) return { window: { id: window.id } };
  throw new StateError(
    `other windows cover ${
      JSON.stringify(window.title)
    }, whose text is read from the screen; activate it first`,
  );
}

/** Reads the text of a part of the screen, or of a covered window. @throws Like {@linkcode placeOf}. */
async function readScreen(look: Look, area: Region) {
  const place = await placeOf(look, area);
  return (await look.context.run(ACTIONS.text, { ...place, source: "screen" })).lines;
}

async function lookAtPicture(
  window: WindowInfo | undefined,
  region: Region | undefined,
  zoom: number | undefined,
  context: ToolContext,
): Promise<Answer> {
  const { area } = context.view;
  const own = window?.width ? intersection(window, area) : undefined, part = region ?? own;
  if (!part) return await context.picture();
  const covered = own && isWithin(part, own) ? await coveredWindow(window!, part, context) : undefined;
  const { x, y } = context.shown(part), shape = { zoom: zoom ?? zoomOf(part), window: covered };
  const picture = await context.pictureOf(part, shape), text = partText(picture, { x, y });
  const isOwn = window !== undefined && !region && shape.zoom === 1;
  return {
    ...picture,
    text: isOwn ? `${text}, or the picture's as [x,y,${JSON.stringify(window.title.slice(0, PART))}]` : text,
  };
}

/** The text for a picture of a part of the screen. */
export function partText({ text }: Answer, { x, y }: Point): string {
  return `picture ${text} of the part at ${x},${y}; coordinates are the screen's`;
}

/**
 * The window of a part that others cover, which is captured without them; undefined if it is not covered.
 * @throws StateError if the window is not shown at all, or this desktop cannot show covered windows.
 */
async function coveredWindow(
  window: WindowInfo,
  part: Region,
  { operator }: ToolContext,
): Promise<WindowInfo | undefined> {
  if (isShown(window)) return uncoveredPart(operator, await listWindows(operator), window, part).window;
  const where = window.state === "minimized" ? "minimized" : "on another workspace or behind a tab";
  throw new StateError(`${JSON.stringify(window.title)} is ${where}; activate it first`);
}

/** Roles of elements that are not clickable. */
const CONTAINERS = new Set(
  ("window,dialog,frame,panel,menubar,toolbar,statusbar,titlebar,tablist,group,region,scrollbar,separator,list,listbox," +
    "tree,treegrid,table,grid,row,document,section,paragraph,label,static,text,filler,splitter,progressbar")
    .split(","),
);

/**
 * Draws numbers on clickable things without a name: elements, or the text on the screen of a program without
 * elements.
 */
async function lookAtMarks(look: Look): Promise<Answer> {
  const { context } = look, area = areaOf(look), read = await elementsIn(look).catch(on(ExpectedError));
  const nameless = (read?.elements ?? []).filter(({ role, name, place, states }) =>
    name === "" && !CONTAINERS.has(role) && place !== undefined && place.width > 0 &&
    !states.includes("hidden") &&
    intersection(place, area) !== undefined
  ).filter((element, _, all) =>
    !all.some((other) => other !== element && isAround(element.place!, other.place!))
  );
  const words = nameless.length ? [] : await readScreen(look, area);
  const marked: (Marked & { at: { x: number; y: number }; text: string })[] = nameless.length
    ? nameless.map(({ ref, role, place }) => ({ ref, at: middleOf(place!), text: role }))
    : words.map(({ text, ...place }) => ({
      point: middleOf(place),
      at: middleOf(place),
      text: JSON.stringify(text),
    }));
  const shown = marked.slice(0, MOST.marks);
  context.marks.set(shown);
  const marks = shown.map(({ at: { x, y } }, i) => ({ number: i + 1, x: x - area.x, y: y - area.y }));
  const lines = shown.map(({ text }, i) => `m${i + 1} ${text}`);
  const { window } = look, own = window.width > 0 && isWithin(area, window);
  const covered = own ? await coveredWindow(window, area, context) : undefined;
  const picture = await context.pictureOf(area, { marks, window: covered });
  return { ...picture, text: lines.join("\n") || "there is nothing to mark" };
}

const middleOf = ({ x, y, width, height }: Region) => ({ x: x + (width >> 1), y: y + (height >> 1) });

/** Whether a place is larger than another and surrounds it. */
function isAround(outer: Region, inner: Region): boolean {
  const common = intersection(outer, inner);
  return common?.width === inner.width && common.height === inner.height &&
    outer.width * outer.height > inner.width * inner.height;
}
