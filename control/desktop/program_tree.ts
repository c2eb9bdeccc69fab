/**
 * Whole programs in the words of their toolkits: every element, hidden ones and pure layout included. The listing of a
 * window (`elements.ts`) is for people and agents; a program's tree is for test suites, which name roles, states and
 * identifiers as the toolkit does.
 */

import type { Region } from "./input.ts";
import type { WindowInfo } from "./windows.ts";

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

/** A request for programs. */
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
