/**
 * ARIA roles for UI Automation's control types (UIAutomationClient.h), for MSAA roles (oleacc.h), and for the
 * classes of Windows's own controls (CommCtrl.h), which are used if MSAA reports only "client".
 */

import type { ElementState, Region } from "../../../control/desktop/desktop.ts";

/** The control types and MSAA roles for each role. */
const ROLES: readonly (readonly [role: string, controlTypes: readonly number[], msaa: readonly number[]])[] =
  [
    ["titlebar", [50037], [0x01]],
    ["menubar", [50010], [0x02]],
    ["scrollbar", [50014], [0x03]],
    ["alert", [], [0x08]],
    ["frame", [50032], [0x09]],
    ["menu", [50009], [0x0b]],
    ["menuitem", [50011], [0x0c]],
    ["tooltip", [50022], [0x0d, 0x1f]],
    ["application", [], [0x0e]],
    ["document", [50030], [0x0f]],
    ["panel", [50033], [0x0a, 0x10, 0x26]],
    ["chart", [], [0x11]],
    ["dialog", [], [0x12]],
    ["group", [50026, 50039], [0x14]],
    ["separator", [50038], [0x15]],
    ["toolbar", [50021, 50040], [0x16]],
    ["statusbar", [50017], [0x17]],
    ["table", [50028, 50036], [0x18]],
    ["header", [50034], []],
    ["columnheader", [50035], [0x19]],
    ["rowheader", [], [0x1a]],
    ["row", [50029], [0x1c]],
    ["cell", [], [0x1d]],
    ["link", [50005], [0x1e]],
    ["list", [50008], [0x21]],
    ["listitem", [50007], [0x22]],
    ["tree", [50023], [0x23]],
    ["treeitem", [50024], [0x24]],
    ["tab", [50019], [0x25]],
    ["img", [50006], [0x28]],
    ["label", [50020], [0x29]],
    ["textbox", [50004], [0x2a, 0x32, 0x3f]],
    ["button", [50000, 50031], [0x2b, 0x3e, 0x40]],
    ["checkbox", [50002], [0x2c]],
    ["radio", [50013], [0x2d]],
    ["combobox", [50003], [0x2e, 0x2f]],
    ["progressbar", [50012], [0x30]],
    ["dial", [], [0x31]],
    ["slider", [50015], [0x33]],
    ["spinbutton", [50016], [0x34]],
    ["menubutton", [], [0x38, 0x39, 0x3a]],
    ["tablist", [50018], [0x3c]],
    ["calendar", [50001], []],
  ];

const BY_CONTROL_TYPE = new Map(ROLES.flatMap(([role, types]) => types.map((type) => [type, role])));
const BY_MSAA = new Map(ROLES.flatMap(([role, , numbers]) => numbers.map((number) => [number, role])));

/** Roles that say little: if the program also provides an ARIA role, that role is used. */
const VAGUE = new Set(["panel", "group", "unknown", "label", "document"]);
/** ARIA roles that are used unchanged in element lists. */
const UNCHANGED =
  "alert article cell dialog form heading listbox log math meter paragraph row switch treegrid".split(" ");
/** Roles in element lists by the program's own ARIA role. */
const ARIA = new Map([
  ...UNCHANGED.map((role): [string, string] => [role, role]),
  ["option", "listitem"],
  ["alertdialog", "dialog"],
  ["status", "statusbar"],
  ["gridcell", "cell"],
  ...["navigation", "main", "banner", "search"].map((role): [string, string] => [role, "landmark"]),
]);

/**
 * The role of a UI Automation element.
 * @param controlType Its number.
 * @param aria The program's own ARIA role, as used in web pages; several are separated by spaces.
 * @example
 * roleOfControlType(50000); // "button"
 */
export function roleOfControlType(controlType: number, aria = ""): string {
  const role = BY_CONTROL_TYPE.get(controlType) ?? "unknown";
  return VAGUE.has(role) ? ARIA.get(aria.trim().split(/\s+/)[0].toLowerCase()) ?? role : role;
}

/**
 * The role of an MSAA element.
 * @param role Its number.
 * @example
 * roleOfMsaa(0x2b); // "button"
 */
export function roleOfMsaa(role: number): string {
  return BY_MSAA.get(role) ?? "unknown";
}

/** Roles of controls by class, in lower case. */
const CLASSES = new Map(Object.entries({
  edit: "textbox",
  static: "label",
  combobox: "combobox",
  comboboxex32: "combobox",
  listbox: "listbox",
  combolbox: "listbox",
  scrollbar: "scrollbar",
  mdiclient: "panel",
  syslistview32: "list",
  systreeview32: "tree",
  systabcontrol32: "tablist",
  sysheader32: "header",
  syslink: "link",
  sysipaddress32: "textbox",
  sysdatetimepick32: "textbox",
  sysmonthcal32: "calendar",
  msctls_trackbar32: "slider",
  msctls_progress32: "progressbar",
  msctls_updown32: "spinbutton",
  msctls_statusbar32: "statusbar",
  msctls_hotkey32: "textbox",
  toolbarwindow32: "toolbar",
  rebarwindow32: "toolbar",
  tooltips_class32: "tooltip",
  "#32768": "menu",
}));

/** Roles of buttons by the BS_TYPEMASK of their style (WinUser.h); others are plain buttons. */
const BUTTONS: Readonly<Record<number, string>> = {
  2: "checkbox",
  3: "checkbox",
  4: "radio",
  5: "checkbox",
  6: "checkbox",
  7: "group",
  9: "radio",
};
const BS_TYPEMASK = 0xf;
/** SS_TYPEMASK values of controls that show a picture: icon, bitmap, metafile. */
const PICTURES = new Set([0x03, 0x0e, 0x0f]);
const SS_TYPEMASK = 0x1f;

/**
 * The role of a Windows control.
 * @param className The window's class, in upper or lower case.
 * @param style GWL_STYLE.
 * @returns undefined if the class is not one of Windows's own.
 * @example
 * roleOfClass("Button", 0x50010003); // "checkbox"
 */
export function roleOfClass(className: string, style: number): string | undefined {
  const name = className.toLowerCase();
  if (name === "button") return BUTTONS[style & BS_TYPEMASK] ?? "button";
  if (name === "static" && PICTURES.has(style & SS_TYPEMASK)) return "img";
  if (name.startsWith("richedit")) return "textbox";
  return CLASSES.get(name);
}

/** ES_MULTILINE: a multi-line field, by its window style (WinUser.h, Richedit.h). */
export const MULTILINE_STYLE = 4;

/** Roles of elements whose text is their value. */
export const FIELDS: ReadonlySet<string> = new Set(["textbox", "combobox", "spinbutton"]);
/** Roles of elements whose number is their value. */
export const RANGES: ReadonlySet<string> = new Set(["slider", "progressbar", "dial", "meter"]);

// States in ARIA terms, and texts and regions in deskhand's format.

/** Maximum number of characters of a name or value to read. */
const CHARACTERS = 2000;

/** The properties that determine an element's states. */
export interface StateFlags {
  isFocused?: boolean;
  isDisabled?: boolean;
  /** Whether the control is checked, pressed or selected, depending on its role. */
  isOn?: boolean;
  isMixed?: boolean;
  isPressed?: boolean;
  isSelected?: boolean;
  isExpanded?: boolean;
  isCollapsed?: boolean;
  isRequired?: boolean;
  isReadOnly?: boolean;
  isMultiline?: boolean;
  isHidden?: boolean;
}

/** An element's states in ARIA terms. */
export function statesOf(role: string, flags: StateFlags): ElementState[] {
  const isButton = role === "button" || role === "togglebutton", isRadio = role === "radio";
  const words: [ElementState, boolean | undefined][] = [
    ["focused", flags.isFocused],
    ["disabled", flags.isDisabled],
    ["checked", flags.isOn && !isButton || isRadio && flags.isSelected],
    ["mixed", flags.isMixed],
    ["pressed", flags.isPressed || flags.isOn && isButton],
    ["selected", flags.isSelected && !isRadio],
    ["expanded", flags.isExpanded],
    ["collapsed", flags.isCollapsed],
    ["required", flags.isRequired],
    ["readonly", flags.isReadOnly],
    ["multiline", flags.isMultiline && role === "textbox"],
    ["hidden", flags.isHidden],
  ];
  return words.filter(([, isSet]) => isSet).map(([word]) => word);
}

/** Bits of STATE_SYSTEM_* (oleacc.h). */
const BITS = {
  isDisabled: 0x1,
  isSelected: 0x2,
  isFocused: 0x4,
  isPressed: 0x8,
  isOn: 0x10,
  isMixed: 0x20,
  isReadOnly: 0x40,
  isExpanded: 0x200,
  isCollapsed: 0x400,
} as const satisfies Partial<Record<keyof StateFlags, number>>;
const HIDDEN = 0x8000 | 0x10000;
/** STATE_SYSTEM_PROTECTED: a password. */
export const PROTECTED = 0x20000000;

/** The flags for MSAA states. */
export function msaaFlags(states: number): StateFlags {
  const flags = Object.entries(BITS).map(([name, bit]) => [name, (states & bit) !== 0]);
  return { ...Object.fromEntries(flags), isHidden: (states & HIDDEN) !== 0 };
}

/** A name in the form in which it is listed. */
export function nameOf(text: string): string {
  return text.slice(0, CHARACTERS).replaceAll("\ufffc", "").trim();
}

/** A text in the form used by deskhand's callers: lines end with a line feed. */
export function valueOf(text: string): string {
  return text.slice(0, CHARACTERS).replaceAll(/\r\n?/g, "\n").replaceAll("\ufffc", "");
}

/** A text in the form required by Windows's fields: lines end with a carriage return and a line feed. */
export function fieldText(text: string): string {
  return text.replaceAll(/\r\n|\r|\n/g, "\r\n");
}

/** A region of whole pixels; undefined for one without an area. */
export function placeOf(numbers: readonly number[] | undefined): Region | undefined {
  if (!numbers || numbers.length < 4 || !numbers.every(Number.isFinite)) return undefined;
  const [x, y, width, height] = numbers.map(Math.round);
  return width > 0 && height > 0 ? { x, y, width, height } : undefined;
}

// Element keys: each identifies one element in this process, so that exactly this element is found again.

/** A UI Automation element: its window, and the identifier that it keeps while it exists. */
export interface AutomationKey {
  window: bigint;
  id: string;
}

/**
 * An MSAA element: its window, and the window's process, since a later window may get the same handle; the
 * part of the window; and the path of positions to the element. Since positions change, the key of an element
 * that is not itself a window also contains its role and name.
 */
export interface MsaaKey {
  window: bigint;
  process: number;
  part: number;
  path: readonly number[];
  /** Role and name of an element with a path. */
  identity?: string;
}

/** A UI Automation element's key as text. */
export function automationKey({ window, id }: AutomationKey): string {
  return `uia ${window.toString(16)} ${id}`;
}

/** An MSAA element's key as text. */
export function msaaKey({ window, process, part, path, identity = "" }: MsaaKey): string {
  return `msaa ${window.toString(16)} ${process} ${part} ${path.join(".")} ${encodeURIComponent(identity)}`;
}

/** The element at a position within another element. */
export function childOf({ identity: _, path, ...key }: MsaaKey, position: number): MsaaKey {
  return { ...key, path: [...path, position] };
}

/**
 * Parses a key.
 * @returns undefined for a text that is not a key.
 */
export function parseKey(
  key: string,
): ({ kind: "uia" } & AutomationKey) | ({ kind: "msaa" } & MsaaKey) | undefined {
  const [kind, handle, ...rest] = key.split(" ");
  if (!/^[0-9a-f]+$/.test(handle ?? "")) return undefined;
  const window = BigInt(`0x${handle}`);
  if (kind === "uia" && rest.length === 1) return { kind, window, id: rest[0] };
  if (kind !== "msaa" || rest.length !== 4) return undefined;
  const [process, part, path, identity] = rest;
  return {
    kind,
    window,
    process: Number(process),
    part: Number(part),
    path: path === "" ? [] : path.split(".").map(Number),
    ...(identity ? { identity: decodeURIComponent(identity) } : {}),
  };
}
