/** Reads whole programs and single elements in their toolkits' words, and assigns refs to elements. */

import { NotFoundError } from "../../core/errors.ts";
import type {
  ElementDetails,
  ElementInfo,
  ProgramElement,
  ProgramRequest,
  WindowInfo,
} from "../desktop/desktop.ts";
import type { Operator } from "../operator/operator.ts";
import { listWindows } from "../windows/list.ts";
import { elementsOf, PASSWORD, refsOf } from "./list.ts";

/** The programs read, and the windows of their processes. */
export interface ReadPrograms {
  elements: ProgramElement[];
  windows: readonly WindowInfo[];
  isWhole: boolean;
}

/**
 * Lists the windows of processes, the front one first.
 * @param pids The processes; every window if left out.
 */
export async function windowsOf(
  operator: Operator,
  pids: ReadonlySet<number> | undefined,
): Promise<readonly WindowInfo[]> {
  const windows = await listWindows(operator);
  return pids ? windows.filter(({ pid }) => pid !== undefined && pids.has(pid)) : windows;
}

/**
 * Reads programs.
 * @param pids The processes; every program if left out.
 * @param how Which parts to read, and whether to watch the programs for {@linkcode areQuiet}.
 * @throws UnsupportedError if this desktop cannot read elements.
 */
export async function readPrograms(
  operator: Operator,
  pids: ReadonlySet<number> | undefined,
  how: Omit<ProgramRequest, "pids" | "windows">,
): Promise<ReadPrograms> {
  const part = elementsOf(operator), windows = await windowsOf(operator, pids);
  if (!part.readPrograms) {
    const trees = await Promise.all(windows.map((window) => part.read(window, true)));
    const elements = joined(trees.map((tree, i) => listedElements(tree.elements, windows[i])));
    return { elements, windows, isWhole: trees.every(({ isWhole }) => isWhole) };
  }
  const request = { ...how, windows, ...(pids ? { pids: [...pids] } : {}) };
  const { elements, isWhole } = await part.readPrograms(request);
  return { elements, windows, isWhole };
}

/** Whether watched programs have reported no change; true if the desktop receives no such reports. */
export async function areQuiet(operator: Operator, pids: ReadonlySet<number> | undefined): Promise<boolean> {
  return await elementsOf(operator).isQuiet?.(pids && [...pids]) ?? true;
}

/** The ref of an element, which every action accepts. */
export function refOfElement(
  operator: Operator,
  { key, windowId = "", role, name, place }: ProgramElement,
  windows: readonly WindowInfo[],
): string {
  const window = windows.find(({ id }) => id === windowId), windowTitle = window?.title ?? "";
  const inWindow = place && window && { ...place, x: place.x - window.x, y: place.y - window.y };
  const seen = { seenAt: performance.now(), ...(inWindow ? { place: inWindow } : {}) };
  return refsOf(operator).of({ key, windowId, windowTitle, role, name, ...seen });
}

/**
 * Reads the element of a ref.
 * @param isBrief Skips text and value.
 * @throws NotFoundError if it no longer exists; StateError if its program does not answer.
 */
export async function describeRef(operator: Operator, ref: string, isBrief = false): Promise<ElementDetails> {
  const refs = refsOf(operator), { key, windowId } = refs.get(ref), part = elementsOf(operator);
  const window = windowId ? (await listWindows(operator)).find(({ id }) => id === windowId) : undefined;
  const isClosed = windowId !== "" && !window;
  const details = isClosed ? undefined : await detailsOf(operator, key, window);
  if (!details) throw new NotFoundError(`${ref} is gone`);
  if (details.role !== PASSWORD && !refs.wasPassword(key)) return details;
  const { text: _, ...rest } = details;
  return { ...rest, role: PASSWORD };

  async function detailsOf(operator: Operator, key: string, window: WindowInfo | undefined) {
    if (part.describe) return await part.describe(key, window, isBrief);
    const reread = window && await elementsOf(operator).reread(window, key);
    if (!reread) return undefined;
    const [{ parent: _, ...element }] = listedElements([reread], window);
    const { value } = reread, number = Number(value);
    const isNumber = value !== undefined && value !== "" && Number.isFinite(number);
    return { ...element, ...(value === undefined ? {} : { text: value, ...isNumber && { value: number } }) };
  }
}

/** Converts a window's elements to program elements, for desktops that read windows one at a time. */
function listedElements(elements: readonly ElementInfo[], window: WindowInfo): ProgramElement[] {
  const around: number[] = [];
  return elements.map((element, at) => {
    const { key, role, name, states, depth, place, description = "", id = "", className = "" } = element;
    around.length = depth;
    const parent = around.at(-1) ?? -1;
    around.push(at);
    return {
      ...{ key, parent, role, name, description, id, className, states, windowId: window.id },
      tag: controlTypeOf(role),
      isShown: !states.includes("hidden"),
      isEnabled: !states.includes("disabled"),
      ...(place ? { place } : {}),
    };
  });
}

/** Joins trees whose parent indices are relative to each tree. */
function joined(trees: readonly ProgramElement[][]): ProgramElement[] {
  const all: ProgramElement[] = [];
  for (const tree of trees) {
    const start = all.length;
    for (const element of tree) {
      all.push({ ...element, parent: element.parent < 0 ? -1 : element.parent + start });
    }
  }
  return all;
}

/** UI Automation's control types by role, unless they equal the capitalized role. */
const CONTROL_TYPES = new Map(
  (
    "frame Window,dialog Window,panel Pane,titlebar TitleBar,menubar MenuBar,scrollbar ScrollBar," +
    "menuitem MenuItem,menuitemcheckbox MenuItem,menuitemradio MenuItem,tooltip ToolTip," +
    "toolbar ToolBar,statusbar StatusBar,columnheader HeaderItem,rowheader HeaderItem,row DataItem," +
    "cell DataItem,link Hyperlink,listbox List,listitem ListItem,treeitem TreeItem,tab TabItem," +
    "tablist Tab,img Image,label Text,heading Text,textbox Edit,password Edit,togglebutton Button," +
    "menubutton SplitButton,checkbox CheckBox,switch Button,radio RadioButton,combobox ComboBox," +
    "progressbar ProgressBar,spinbutton Spinner,unknown Custom"
  ).split(",").map((row) => row.split(" ") as [role: string, type: string]),
);

/**
 * The UI Automation control type of a role.
 * @example
 * controlTypeOf("textbox"); // "Edit"
 */
export function controlTypeOf(role: string): string {
  const [first, ...rest] = role;
  return CONTROL_TYPES.get(role) ?? `${first.toUpperCase()}${rest.join("")}`.replaceAll(" ", "");
}
