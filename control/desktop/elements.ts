/**
 * The elements of windows (buttons, fields, list items …) as a part of a desktop. The listing of a window is for
 * people and agents. A program's tree is for test suites: it has every element, hidden ones and pure layout included,
 * with roles, states and identifiers in the words of the toolkit.
 */

import type { Point, Region } from "./input.ts";
import type { WindowInfo } from "./windows.ts";

/** States in the words of ARIA (https://www.w3.org/TR/wai-aria-1.2/#states_and_properties) where it has them. */
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

/** An element as its program describes it. Names and values are the program's to choose. */
export interface ElementInfo {
  /** Names the element to the desktop; stays the same while the element exists. */
  key: string;
  /** A role of ARIA where it has one, such as `button`. */
  role: string;
  name: string;
  /** The text of a field or the number of a slider; never of a password. */
  value?: string;
  /** The formula of a cell of a spreadsheet. */
  formula?: string;
  states: readonly ElementState[];
  /** The number of elements that contain this one, up to the window. */
  depth: number;
  /** The element's place in pixels of {@linkcode ElementTree.places}; undefined if it has none. */
  place?: Region;
  /** The identifier and the description that the program gives the element, and the class of its widget. */
  id?: string;
  description?: string;
  className?: string;
}

/** The elements of a window, in the tree's order. */
export interface ElementTree {
  elements: ElementInfo[];
  /** Pixels that places are of: the desktop's, the window's, or no places. */
  places: "screen" | "window" | "none";
  /** Whether all was read: a very large tree is cut. */
  isWhole: boolean;
  /** Whether elements are missing because the program did not answer in time. */
  isLate?: boolean;
  /** The reason why the window shows no elements. */
  silent?: string;
}

/** A change by the element's own program. */
export type ElementChange =
  /**
   * `select` chooses the element among its siblings, as an option of a list; `choose` does so by the element's own action,
   * which may be a toggle. `trigger` presses without any action that opens a menu or a list.
   */
  | { type: "press" | "trigger" | "focus" | "scroll" | "select" | "choose" }
  | { type: "set"; text: string }
  | { type: "value"; value: number };

/** The elements of a desktop's windows. */
export interface Elements {
  /**
   * Whether {@linkcode change} leaves the pointer, the keyboard focus and the stack of windows alone, apart from `focus` and
   * from windows that a program opens in response. Left out where that is not known.
   */
  readonly isUnobtrusive?: boolean;

  /** Whether each field of several lines has the state `multiline`. Left out where fields do not tell. */
  readonly tellsLines?: boolean;

  /**
   * Reads the elements of a window.
   * @param hidden Includes elements that the window does not show, such as pages behind a tab.
   * @throws StateError if elements cannot be read here, with the reason.
   */
  read(window: WindowInfo, hidden: boolean): Promise<ElementTree>;

  /**
   * Reads one element again.
   * @param key From {@linkcode read} of this window.
   * @returns undefined if it is gone.
   * @throws StateError if its program does not answer.
   */
  reread(window: WindowInfo, key: string): Promise<ElementInfo | undefined>;

  /**
   * Reads an element that is found by its name alone, such as a cell of a spreadsheet that is scrolled away. Left out
   * where there are none.
   * @param window Was read before.
   */
  named?(window: WindowInfo, name: string): Promise<ElementInfo | undefined>;

  /**
   * Whether a window has not changed since the last reading, as far as its program reports changes. Without
   * this method, windows are read again.
   */
  isSame?(window: WindowInfo): Promise<boolean>;

  /**
   * Asks the element's program for a change.
   * @returns Whether the program reports success, which is no proof.
   */
  change(key: string, change: ElementChange): Promise<boolean>;

  /** Whether a window's program knows its elements' places only once the pointer has moved in the window. */
  placesByPointer?(window: WindowInfo): boolean;

  /**
   * Whether a click at a place of the screen reaches the element's window, and no window in front of it. Left
   * out where the desktop does not tell.
   * @param key From {@linkcode read}.
   */
  hits?(key: string, point: Point): Promise<boolean>;

  /**
   * Finds the dialog that a window waits for, where `Windows.dialogOver` is left out: the only other window of its program, if
   * the program says that it is modal. Left out where programs do not tell.
   */
  dialogOver?(window: WindowInfo): Promise<Pick<WindowInfo, "title"> | undefined>;

  /**
   * Reads whole programs in their toolkits' words. Left out where windows can only be read one by one.
   * @throws UnsupportedError if the session has no accessibility.
   */
  readPrograms?(request: ProgramRequest): Promise<ProgramTree>;

  /**
   * Reads one element in its toolkit's words.
   * @param key From {@linkcode readPrograms} or {@linkcode read}.
   * @param window The window that the element is in; undefined if the desktop does not list that window.
   * @param isBrief Leaves out text and value, which take calls of their own.
   * @returns undefined if the element is gone.
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
   * Switches the session's accessibility, which some programs need to show elements. The switch is stored in the
   * person's settings; left out if the desktop has no such switch.
   * @returns Whether the setting was changed.
   * @throws UnsupportedError if the session has no accessibility.
   */
  setEnabled?(enabled: boolean): Promise<boolean>;

  close(): void;
}

// Elements that are not listed: those that only lay others out, and texts that repeat the element around
// them. Backends need not ask for their places.

/** Roles that only lay other elements out, where they have neither a name nor a value. */
const LAYOUT = new Set(
  ("filler,panel,viewport,scroll pane,split pane,layered pane,root pane,section,redundant,unknown,glass pane,group," +
    "html container,internal frame,option pane,static,separator,scrollbar,invalid,embedded,window,img,icon,label")
    .split(","),
);
const TEXTS = new Set(["label", "static"]);
/** Roles of elements that their texts name where their programs do not (Accessible Name and Description Computation, 2F). */
const NAMED_BY_TEXT = new Set("button,togglebutton,link,menuitem,tab,checkbox,radio,switch".split(","));

/** The part of an element that decides whether it is listed. */
type Outline = Pick<ElementInfo, "depth" | "role" | "name" | "value">;

/**
 * Leaves out elements that only lay others out, and texts that repeat or name the element around them; their children move
 * up.
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
 * @param parent The nearest listed element around it.
 */
export function isLayout({ depth, role, name, value }: Outline, parent?: Omit<Outline, "depth">): boolean {
  if (depth === 0 || value !== undefined) return false;
  return LAYOUT.has(role) &&
    (name === "" || name === parent?.name || isText({ role }) && name === parent?.value);
}

/** Whether an element is a text, and may repeat the value of the element around it. */
export function isText({ role }: Pick<Outline, "role">): boolean {
  return TEXTS.has(role);
}

/** States of elements in the words of AT-SPI: the names of AtspiStateType, from 0. */
export const PROGRAM_STATES: readonly string[] = (
  "invalid,active,armed,busy,checked,collapsed,defunct,editable,enabled,expandable,expanded,focusable,focused," +
  "has tooltip,horizontal,iconified,modal,multi line,multiselectable,opaque,pressed,resizable,selectable," +
  "selected,sensitive,showing,single line,stale,transient,vertical,visible,manages descendants," +
  "indeterminate,required,truncated,animated,invalid entry,supports autocompletion,selectable text," +
  "is default,visited,checkable,has popup,read only"
).split(",");

/** An element in its toolkit's words. Texts are the program's to choose. */
export interface ProgramElement {
  /** Names the element to the desktop, as `ElementInfo.key` does. */
  key: string;
  /** The index of the parent in {@linkcode ProgramTree.elements}; -1 for a program's own element. */
  parent: number;
  /** The toolkit's role, such as `page_tab` (AT-SPI) or `TabItem` (UI Automation). */
  tag: string;
  /** The role as `ElementInfo.role` has it. */
  role: string;
  name: string;
  /** The description; empty unless it was requested. */
  description: string;
  /** The identifier that the program gives the element; empty unless it was requested. */
  id: string;
  /** The class of the widget; empty where the toolkit reports none. */
  className: string;
  /** The states in the toolkit's words, such as `focused` and `multi line`. */
  states: readonly string[];
  /** Whether the element is on the screen as far as its program knows. */
  isShown: boolean;
  /** Whether a person can use the element. */
  isEnabled: boolean;
  /** The window that the element is in; undefined if the desktop does not list that window. */
  windowId?: string;
  /** The place in pixels of {@linkcode ProgramTree.places}; undefined unless it was requested and is known. */
  place?: Region;
}

/** The parts of elements that take calls of their own. */
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
  /** Reads the programs' windows alone. */
  isShallow?: boolean;
  /** Watches the programs from now on, so that `isQuiet` can answer. */
  watched?: boolean;
}

/** Programs as they were read. */
export interface ProgramTree {
  /** The elements in document order. */
  elements: ProgramElement[];
  /** Pixels that places are of, as `ElementTree.places` has it. */
  places: "screen" | "window" | "none";
  /** Whether all was read: a very large tree is cut. */
  isWhole: boolean;
}

/** One element with all that its program reports. */
export interface ElementDetails extends Omit<ProgramElement, "parent"> {
  /** The element's text, at most 2,000 characters; undefined if it has none, and for a password. */
  text?: string;
  /** The number of a slider or a progress bar. */
  value?: number;
}
