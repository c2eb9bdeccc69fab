/** AT-SPI roles and states by number (at-spi2-core, atspi/atspi-constants.h), in ARIA terms if possible. */

import { type ElementState, PROGRAM_STATES } from "../../control/desktop/desktop.ts";

/** The names of AtspiRole, from 0. */
const ROLES = (
  "invalid,accelerator label,alert,animation,arrow,calendar,canvas,checkbox,menuitemcheckbox," +
  "color chooser,columnheader,combobox,date editor,desktop icon,desktop frame,dial,dialog," +
  "directory pane,drawing area,file chooser,filler,focus traversable,font chooser,frame,glass pane," +
  "html container,icon,img,internal frame,label,layered pane,list,listitem,menu,menubar,menuitem," +
  "option pane,tab,tablist,panel,password,popup menu,progressbar,button,radio,menuitemradio,root pane," +
  "rowheader,scrollbar,scroll pane,separator,slider,spinbutton,split pane,statusbar,table,cell," +
  "columnheader,rowheader,tearoff menu item,terminal,text,togglebutton,toolbar,tooltip,tree,treegrid," +
  "unknown,viewport,window,extended,header,footer,paragraph,ruler,application,autocomplete,editbar," +
  "embedded,textbox,chart,caption,document,heading,page,section,redundant,form,link," +
  "input method window,row,treeitem,spreadsheet,presentation,document,document,email,comment,listbox," +
  "group,image map,notification,info bar,meter,titlebar,blockquote,audio,video,definition,article," +
  "landmark,log,marquee,math,rating,timer,static,fraction,root,subscript,superscript,description list," +
  "term,description,footnote,deletion,insertion,mark,suggestion,menubutton,switch"
).split(",");

/**
 * A role's name.
 * @param role The AtspiRole number.
 * @example
 * roleName(43); // "button"
 */
export function roleName(role: number): string {
  return ROLES[role] ?? "unknown";
}

/** The AtspiStateType bits in use. */
const BITS = {
  active: 1,
  checked: 4,
  collapsed: 5,
  editable: 7,
  enabled: 8,
  expandable: 9,
  expanded: 10,
  focused: 12,
  modal: 16,
  pressed: 20,
  multiLine: 17,
  selected: 23,
  sensitive: 24,
  showing: 25,
  visible: 30,
  indeterminate: 32,
  required: 33,
  readOnly: 43,
} as const;
/** A state in use. */
export type StateName = keyof typeof BITS;

/**
 * Whether a state is set.
 * @param states Two 32-bit words, the lower one first.
 */
export function has(states: readonly number[], state: StateName): boolean {
  const bit = BITS[state];
  return ((states[bit >> 5] ?? 0) >>> (bit & 31) & 1) === 1;
}

/**
 * A role's name in view of the element's states: GTK calls a field `text`.
 * @example
 * roleIn("text", [1 << 7, 0]); // "textbox"
 */
export function roleIn(role: string, states: readonly number[]): string {
  return role === "text" && has(states, "editable") ? "textbox" : role;
}

/** Whether an ARIA state applies to AT-SPI states. */
type IsSet = (states: readonly number[], isShown: boolean, usable: readonly StateName[]) => boolean;

const are = (state: StateName): IsSet => (states) => has(states, state);
const WORDS: readonly [ElementState, IsSet][] = [
  ["focused", are("focused")],
  // Chromium reports a read-only field as neither sensitive nor enabled, although it accepts clicks.
  [
    "disabled",
    (states, _, usable) => !has(states, "readOnly") && !usable.some((state) => has(states, state)),
  ],
  ["checked", are("checked")],
  ["mixed", are("indeterminate")],
  ["pressed", are("pressed")],
  ["selected", are("selected")],
  ["expanded", are("expanded")],
  ["collapsed", (states) => has(states, "expandable") && !has(states, "expanded")],
  ["required", are("required")],
  ["readonly", are("readOnly")],
  ["multiline", (states) => has(states, "multiLine") && has(states, "editable")],
  ["hidden", (_, isShown) => !isShown],
];

/**
 * An element's states in ARIA terms.
 * @param isShown Whether the element is on the screen, as far as its program knows.
 * @param usable States of which one is set if a person can use the element.
 */
export function statesOf(
  states: readonly number[],
  isShown: boolean,
  usable: readonly StateName[],
): ElementState[] {
  const words: ElementState[] = [];
  for (const [word, isSet] of WORDS) if (isSet(states, isShown, usable)) words.push(word);
  return words;
}

/** The names of AtspiRole from 0 in accessibility tools. Role 43 is `button` since at-spi2-core 2.53. */
const TAGS = (
  "invalid,accelerator label,alert,animation,arrow,calendar,canvas,check box,check menu item,color chooser," +
  "column header,combo box,date editor,desktop icon,desktop frame,dial,dialog,directory pane,drawing area," +
  "file chooser,filler,focus traversable,font chooser,frame,glass pane,html container,icon,image," +
  "internal frame,label,layered pane,list,list item,menu,menu bar,menu item,option pane,page tab," +
  "page tab list,panel,password text,popup menu,progress bar,button,radio button,radio menu item,root pane," +
  "row header,scroll bar,scroll pane,separator,slider,spin button,split pane,status bar,table,table cell," +
  "table column header,table row header,tearoff menu item,terminal,text,toggle button,tool bar,tool tip," +
  "tree,tree table,unknown,viewport,window,extended,header,footer,paragraph,ruler,application,autocomplete," +
  "editbar,embedded,entry,chart,caption,document frame,heading,page,section,redundant object,form,link," +
  "input method window,table row,tree item,document spreadsheet,document presentation,document text," +
  "document web,document email,comment,list box,grouping,image map,notification,info bar,level bar," +
  "title bar,block quote,audio,video,definition,article,landmark,log,marquee,math,rating,timer,static," +
  "math fraction,math root,subscript,superscript,description list,description term,description value," +
  "footnote,content deletion,content insertion,mark,suggestion,push button menu,switch"
).replaceAll(" ", "_").split(",");

/**
 * A role's name as written by accessibility tools, with `_` for spaces.
 * @param role The AtspiRole number.
 * @example
 * roleTag(37); // "page_tab"
 */
export function roleTag(role: number): string {
  return TAGS[role] ?? "unknown";
}

/**
 * The names of all set states, in alphabetical order.
 * @param states Two 32-bit words, the lower one first.
 * @example
 * stateWords([1 << 25 | 1 << 8, 0]); // ["enabled", "showing"]
 */
export function stateWords(states: readonly number[]): string[] {
  return PROGRAM_STATES.filter((_, bit) => ((states[bit >> 5] ?? 0) >>> (bit & 31) & 1) === 1).sort();
}
