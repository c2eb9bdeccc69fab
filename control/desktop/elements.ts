/**
 * The elements of windows (buttons, fields, list items …) as a part of a desktop. A window's listing is for
 * people and agents. A program's tree is for test suites: it has every element, including hidden ones and
 * pure layout, with roles, states and identifiers in the toolkit's own words.
 */

import type { Point, Region } from "./input.ts";
import type { WindowInfo } from "./windows.ts";

/** States, named as in ARIA (https://www.w3.org/TR/wai-aria-1.2/#states_and_properties) where it has them. */
export const ELEMENT_STATES = [
  "focused",
  "disabled",
  "checked",
  "mixed",
  "pressed",
  "selected",
  "expanded",
  "collapsed",
  "required",
  "readonly",
  "multiline",
  "hidden",
] as const;
/** One of {@linkcode ELEMENT_STATES}. */
export type ElementState = typeof ELEMENT_STATES[number];

/** An element as its program describes it. The program chooses names and values. */
export interface ElementInfo {
  /** Identifies the element to the desktop; constant while the element exists. */
  key: string;
  /** An ARIA role where one fits, such as `button`. */
  role: string;
  name: string;
  /** The text of a field or the number of a slider; never a password. */
  value?: string;
  /** The formula of a spreadsheet cell. */
  formula?: string;
  states: readonly ElementState[];
  /** Number of elements that contain this one, up to the window. */
  depth: number;
  /** The element's place in the pixels of {@linkcode ElementTree.places}; undefined if it has none. */
  place?: Region;
  /** The element's identifier and description from the program, and its widget class. */
  id?: string;
  description?: string;
  className?: string;
}

/** The elements of a window, in tree order. */
export interface ElementTree {
  elements: ElementInfo[];
  /** The origin of positions: the screen or the window; or no positions at all. */
  places: "screen" | "window" | "none";
  /** Whether everything was read: a very large tree is cut. */
  isWhole: boolean;
  /** Whether elements are missing because the program did not answer in time. */
  isLate?: boolean;
  /** The reason why the window shows no elements. */
  silent?: string;
}

/** A change that the element's own program makes. */
export type ElementChange =
  /**
   * `select` selects the element among its siblings, such as an option of a list; `choose` does so through
   * the element's own action, which may be a toggle. `trigger` presses without any action that opens a menu
   * or a list.
   */
  | { type: "press" | "trigger" | "focus" | "scroll" | "select" | "choose" }
  | { type: "set"; text: string }
  | { type: "value"; value: number };

/** A dialog that an element waits for, or that it is in. */
export interface ElementDialog {
  title: string;
  /** Whether it is a popover, which any press elsewhere closes; the title is then a text in it. */
  isPopover?: boolean;
  /** How long the dialog that the element is in still ignores presses, in milliseconds. */
  ignoresMs?: number;
}

/** The elements of a desktop's windows. */
export interface Elements {
  /**
   * Whether {@linkcode change} leaves the pointer, the keyboard focus and the stacking order alone, apart
   * from `focus` and from windows that a program opens in response. Left out where unknown.
   */
  readonly isUnobtrusive?: boolean;

  /** Whether every multiline field has the state `multiline`. Left out where fields do not report it. */
  readonly tellsLines?: boolean;

  /**
   * Reads the elements of a window.
   * @param hidden Includes elements that the window does not show, such as pages behind a tab.
   * @param signal Ends the wait for its turn with the signal's reason (one window is read at a time), and for
   * the program where the desktop can.
   * @throws StateError with the reason if elements cannot be read here; BusyError if too many calls wait.
   */
  read(window: WindowInfo, hidden: boolean, signal?: AbortSignal): Promise<ElementTree>;

  /**
   * Reads one element again.
   * @param key From {@linkcode read} of this window.
   * @param signal As in {@linkcode read}.
   * @returns undefined if it no longer exists.
   * @throws StateError if its program does not answer.
   */
  reread(window: WindowInfo, key: string, signal?: AbortSignal): Promise<ElementInfo | undefined>;

  /**
   * Reads an element that is found by its name alone, such as a spreadsheet cell that is scrolled out of
   * view. Left out where no such elements exist.
   * @param window A window that was read before.
   * @param signal As in {@linkcode read}.
   */
  named?(window: WindowInfo, name: string, signal?: AbortSignal): Promise<ElementInfo | undefined>;

  /**
   * Whether a window is unchanged since the last reading, as far as its program reports changes. Without this
   * method, windows are always read again.
   */
  isSame?(window: WindowInfo): Promise<boolean>;

  /**
   * Asks the element's program for a change.
   * @param signal As in {@linkcode read}; a change that the program has been asked for is awaited.
   * @returns Whether the program reports success, which is no proof.
   */
  change(key: string, change: ElementChange, signal?: AbortSignal): Promise<boolean>;

  /**
   * Waits until keys that a program has passed on to assistive technologies have come back: Qt and GTK 3 handle a
   * key only then. Left out where programs handle keys themselves.
   * @param key An element of the program, from {@linkcode read}.
   * @param signal As in {@linkcode read}.
   * @returns false if that is unknown, since an answer was late.
   */
  keysReturned?(key: string, signal?: AbortSignal): Promise<boolean>;

  /** Whether a window's program learns its elements' places only once the pointer has moved in the window. */
  placesByPointer?(window: WindowInfo): boolean;

  /**
   * Whether a click at a screen position reaches the element's window and no window in front of it. Left out
   * where the desktop does not know.
   * @param key From {@linkcode read}.
   */
  hits?(key: string, point: Point): Promise<boolean>;

  /**
   * Finds the dialog that a window or an element in it waits for: the only other window of its program, if the
   * program reports it as modal, or a dialog that a browser shows in the window. Left out where programs do not
   * report this.
   * @param isAlone Whether only dialogs in the window count.
   * @param key The element, from {@linkcode read}: parts of a browser beside the page do not wait.
   */
  dialogOver?(
    window: WindowInfo,
    isAlone: boolean,
    key?: string,
  ): Promise<ElementDialog | undefined>;

  /**
   * Whether an open menu, list or popover of the window's program would take a press on an element outside of it.
   * Left out where programs do not report this.
   * @param key From {@linkcode read}.
   * @param isRead Whether the window was read for the press, so that it need not be read again.
   * @throws StateError if the program does not answer: the press might choose an item of its menu.
   */
  isUnderMenu?(window: WindowInfo, key: string, isRead: boolean): Promise<boolean>;

  /**
   * Reads whole programs in their toolkits' words. Left out where windows can only be read one at a time.
   * @throws UnsupportedError if the session has no accessibility.
   */
  readPrograms?(request: ProgramRequest): Promise<ProgramTree>;

  /**
   * Reads one element in its toolkit's words.
   * @param key From {@linkcode readPrograms} or {@linkcode read}.
   * @param window The element's window; undefined if the desktop does not list it.
   * @param isBrief Skips text and value, which need calls of their own.
   * @returns undefined if the element no longer exists.
   * @throws StateError if its program does not answer.
   */
  describe?(
    key: string,
    window: WindowInfo | undefined,
    isBrief: boolean,
  ): Promise<ElementDetails | undefined>;

  /**
   * Whether the programs have reported no change since {@linkcode readPrograms} began to watch them.
   * @param pids The processes; every program if left out.
   */
  isQuiet?(pids?: readonly number[]): Promise<boolean>;

  /**
   * Turns the session's accessibility on or off; some programs need it to show elements. The switch is stored
   * in the user's settings; left out if the desktop has no such switch.
   * @returns Whether the setting changed.
   * @throws UnsupportedError if the session has no accessibility.
   */
  setEnabled?(enabled: boolean): Promise<boolean>;

  close(): void;
}

// Elements that are not listed: pure layout, and texts that repeat their parent. Back ends need not ask for
// their places.

/** Roles that are pure layout, unless they have a name or a value. */
const LAYOUT = new Set(
  ("filler,panel,viewport,scroll pane,split pane,layered pane,root pane,section,redundant,unknown,glass pane,group," +
    "html container,internal frame,option pane,static,separator,scrollbar,invalid,embedded,window,img,icon,label")
    .split(","),
);
const TEXTS = new Set(["label", "static"]);
/**
 * Roles that are named by their texts if the program gives no name (Accessible Name and Description
 * Computation, 2F).
 */
const NAMED_BY_TEXT = new Set("button,togglebutton,link,menuitem,tab,checkbox,radio,switch".split(","));

/** The properties that decide whether an element is listed. */
type Outline = Pick<ElementInfo, "depth" | "role" | "name" | "value">;

/**
 * Removes pure layout elements, and texts that repeat or name their parent; their children move up.
 */
export function withoutLayout(elements: readonly ElementInfo[]): ElementInfo[] {
  const kept: ElementInfo[] = [], around: { depth: number; kept?: ElementInfo }[] = [];
  for (const element of elements) {
    while (around.length && around.at(-1)!.depth >= element.depth) around.pop();
    const above = around.filter(({ kept }) => kept), parent = above.at(-1)?.kept;
    const isNamedBy = parent?.name === "" && NAMED_BY_TEXT.has(parent.role) && isText(element);
    if (isNamedBy) parent.name = element.name;
    const own = isLayout(element, parent) ? undefined : { ...element, depth: above.length };
    if (own) kept.push(own);
    around.push({ depth: element.depth, ...(own ? { kept: own } : {}) });
  }
  return kept;
}

/**
 * Whether an element is not listed.
 * @param parent The nearest listed ancestor.
 */
export function isLayout({ depth, role, name, value }: Outline, parent?: Omit<Outline, "depth">): boolean {
  if (depth === 0 || value !== undefined) return false;
  return LAYOUT.has(role) &&
    (name === "" || name === parent?.name || isText({ role }) && name === parent?.value);
}

/** Whether an element is a text, which may repeat its parent's value. */
export function isText({ role }: Pick<Outline, "role">): boolean {
  return TEXTS.has(role);
}

/** Element states in AT-SPI's words: the names of AtspiStateType, from 0. */
export const PROGRAM_STATES: readonly string[] = (
  "invalid,active,armed,busy,checked,collapsed,defunct,editable,enabled,expandable,expanded,focusable,focused," +
  "has tooltip,horizontal,iconified,modal,multi line,multiselectable,opaque,pressed,resizable,selectable," +
  "selected,sensitive,showing,single line,stale,transient,vertical,visible,manages descendants," +
  "indeterminate,required,truncated,animated,invalid entry,supports autocompletion,selectable text," +
  "is default,visited,checkable,has popup,read only"
).split(",");

/** An element in its toolkit's words. The program chooses the texts. */
export interface ProgramElement {
  /** Identifies the element to the desktop, like `ElementInfo.key`. */
  key: string;
  /** The parent's index in {@linkcode ProgramTree.elements}; -1 for a program's root element. */
  parent: number;
  /** The toolkit's role, such as `page_tab` (AT-SPI) or `TabItem` (UI Automation). */
  tag: string;
  /** The role, as in `ElementInfo.role`. */
  role: string;
  name: string;
  /** The description; empty unless it was requested. */
  description: string;
  /** The element's identifier from the program; empty unless it was requested. */
  id: string;
  /** The widget class; empty where the toolkit reports none. */
  className: string;
  /** The states in the toolkit's words, such as `focused` and `multi line`. */
  states: readonly string[];
  /** Whether the element is on the screen, as far as its program knows. */
  isShown: boolean;
  /** Whether a person can use the element. */
  isEnabled: boolean;
  /** The element's window; undefined if the desktop does not list it. */
  windowId?: string;
  /**
   * The place in the pixels of {@linkcode ProgramTree.places}; undefined unless it was requested and is
   * known.
   */
  place?: Region;
}

/** The properties that need calls of their own. */
export interface ProgramParts {
  ids?: boolean;
  descriptions?: boolean;
  places?: boolean;
}

export interface ProgramRequest extends ProgramParts {
  /** The processes; every program if left out. */
  pids?: readonly number[];
  /** The windows of these processes, the front one first. */
  windows: readonly WindowInfo[];
  /** Reads only the programs' windows. */
  isShallow?: boolean;
  /** Watches the programs from now on, so that `isQuiet` can answer. */
  watched?: boolean;
}

/** Programs as they were read. */
export interface ProgramTree {
  /** The elements in document order. */
  elements: ProgramElement[];
  /** The origin of positions, as in `ElementTree.places`. */
  places: "screen" | "window" | "none";
  /** Whether everything was read: a very large tree is cut. */
  isWhole: boolean;
}

/** One element with everything that its program reports. */
export interface ElementDetails extends Omit<ProgramElement, "parent"> {
  /** The element's text, at most 2,000 characters; undefined if it has none, and for a password. */
  text?: string;
  /** The number of a slider or a progress bar. */
  value?: number;
}
