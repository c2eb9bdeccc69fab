/**
 * The operations of deskhand's control API.
 *
 * Written by `deno task reference` from the tables that the program itself uses: do not edit.
 */

import { Transport } from "./transport.ts";

/** The version of deskhand that the operations are of. */
export const VERSION = "0.1.0";

/** An object of the control API. */
export interface Point {
  /** Pixels from the left of the desktop. */
  x: number;
  /** Pixels from the top of the desktop. */
  y: number;
}

/** An object of the control API. */
export interface Region {
  /** Left edge in pixels. */
  x: number;
  /** Top edge in pixels. */
  y: number;
  /** The size in pixels. */
  width: number;
  /** The size in pixels. */
  height: number;
}

/** An object of the control API. */
export interface Window {
  /** The window's id, as it is listed. */
  id: string;
  /** Text of the window's title bar. */
  title: string;
  /** The class that the program gave its window. */
  class: string;
  /** The id of the window's process, if the system tells it. */
  pid?: number;
  /** Left edge in pixels, with the frame. */
  x: number;
  /** Top edge in pixels, with the frame. */
  y: number;
  /** The size in pixels, with the frame. */
  width: number;
  /** The size in pixels, with the frame. */
  height: number;
  /** How the window is shown. */
  state: "normal" | "minimized" | "maximized" | "fullscreen";
  /** True if the window gets keys. */
  active: boolean;
}

/** An object of the control API. */
export interface Windows {
  /** Windows that were opened. */
  opened: Window[];
  /** Windows that were closed. */
  closed: Window[];
  /** A window. */
  active?: Window;
}

/** An object of the control API. */
export interface Element {
  /** The ref of an element. */
  ref: string;
  /** The element's role, by ARIA if ARIA has one. */
  role: string;
  /** The name as the element's program gives it. */
  name: string;
  /** The text of a field or the number of a slider; never of a password. */
  value?: string;
  /** The states of the element that are set. */
  states: (
    | "focused"
    | "disabled"
    | "checked"
    | "mixed"
    | "pressed"
    | "selected"
    | "expanded"
    | "collapsed"
    | "required"
    | "readonly"
    | "hidden"
  )[];
  /** The number of elements around this one, up to the window. */
  depth: number;
  /** Left edge in pixels. */
  x?: number;
  /** Top edge in pixels. */
  y?: number;
  /** The size in pixels. */
  width?: number;
  /** The size in pixels. */
  height?: number;
}

/** An object of the control API. */
export interface Elements {
  /** Elements that were added; of a window that opened, all. */
  added: Element[];
  /** Elements whose name, value or state changed, as they are now. */
  changed: Element[];
  /** Elements that were removed. */
  removed: Element[];
  /** Why a window shows no elements. */
  silent?: string;
}

/** An object of the control API. */
export interface Seen {
  /** hit: the action had an effect; miss: it had none; unsure: that cannot be known. */
  verdict: "hit" | "miss" | "unsure";
  /** The reason. */
  reason: string;
  /** Milliseconds from the action to the last change; left out if the screen did not settle. */
  settled_ms?: number;
  /** The changed parts of the screen, without those that move by themselves. */
  regions: Region[];
  /** Windows that were opened and closed; active is the window that gets keys now, if that changed. */
  windows?: Windows;
  /** Elements of the window that were added, changed and removed, at most 30 of each, where observe is elements. */
  elements?: Elements;
  /** An element. */
  focus?: Element;
}

/** An object of the control API. */
export interface Done {
  ok: true;
  /** Effect of the action, where observe is given; focus is the element that has the keyboard. */
  seen?: Seen;
}

/** An object of the control API. */
export interface FromWanted {
  /** Pixels from the left of the desktop. */
  x?: number;
  /** Pixels from the top of the desktop. */
  y?: number;
  /** In place of x and y: the middle of this element, such as e12, button "Save" or button "Save" in "Ask". */
  element?: string;
}

/** An object of the control API. */
export interface Monitor {
  /** The system's name for the display. */
  name: string;
  /** True for the primary display of the system. */
  primary: boolean;
  /** Pixels from the left of the desktop. */
  x: number;
  /** Pixels from the top of the desktop. */
  y: number;
  /** The size in pixels. */
  width: number;
  /** The size in pixels. */
  height: number;
}

/** An object of the control API. */
export interface ScreenAnswer {
  /** The backend, as --desktop takes it. */
  kind: string;
  /** Pixels from the left of the desktop. */
  x: number;
  /** Pixels from the top of the desktop. */
  y: number;
  /** The size of all displays together, in pixels. */
  width: number;
  /** The size of all displays together, in pixels. */
  height: number;
  /** The monitors. */
  displays: Monitor[];
}

/** An object of the control API. */
export interface Action {
  /** Name of the action; its fields are those of recorded events. */
  type: "move" | "button" | "scroll" | "key" | "text";
}

/** An object of the control API. */
export interface HistoryAnswer {
  /** The actions, the oldest first; the text of a call is one entry. */
  actions: Action[];
}

/** An object of the control API. */
export interface PixelAnswer {
  /** Red. */
  r: number;
  /** Green. */
  g: number;
  /** Blue. */
  b: number;
  /** The same colour as #rrggbb. */
  hex: string;
}

/** An object of the control API. */
export interface Place {
  /** Pixels from the left of the desktop. */
  x: number;
  /** Pixels from the top of the desktop. */
  y: number;
  /** The size in pixels. */
  width: number;
  /** The size in pixels. */
  height: number;
  /** The pixel in the middle of the place. */
  center: Point;
  /** The match of the text: 1 if every letter agrees. */
  match: number;
  /** The text as the screen shows it. */
  text?: string;
  /** element: the element's program gave the text; screen: the text was read from the picture. */
  source?: "element" | "screen";
  /** The line of text that has the match. */
  line?: string;
  /** The ref of the element. */
  ref?: string;
  /** Role of the element. */
  role?: string;
}

/** An object of the control API. */
export interface FindPlacesAnswerPlace {
  /** Pixels from the left of the desktop. */
  x: number;
  /** Pixels from the top of the desktop. */
  y: number;
  /** The size in pixels. */
  width: number;
  /** The size in pixels. */
  height: number;
  /** The pixel in the middle of the place. */
  center: Point;
  /** The share of pixels that agree. */
  match: number;
}

/** An object of the control API. */
export interface Nearest {
  /** Pixels from the left of the desktop. */
  x: number;
  /** Pixels from the top of the desktop. */
  y: number;
  /** The size in pixels. */
  width: number;
  /** The size in pixels. */
  height: number;
  /** The pixel in the middle of the place. */
  center: Point;
  /** The match of the text: 1 if every letter agrees. */
  match: number;
  /** The text as the screen shows it. */
  text: string;
  /** element: the element's program gave the text; screen: the text was read from the picture. */
  source: "element" | "screen";
  /** The line of text that has the match. */
  line?: string;
  /** The ref of the element. */
  ref?: string;
  /** Role of the element. */
  role?: string;
}

/** An object of the control API. */
export interface FindPlacesAnswer {
  /** The found places, the best first; none overlaps a better one. */
  matches: Place[];
  /** A place. */
  best?: FindPlacesAnswerPlace;
  /** The matches, the best first; among equals, texts that stand alone come first, then elements, then reading order decides. */
  nearest?: Nearest[];
  /** Effect of the action, where observe is given; focus is the element that has the keyboard. */
  seen?: Seen;
}

/** An object of the control API. */
export interface Word {
  /** Pixels from the left of the desktop. */
  x: number;
  /** Pixels from the top of the desktop. */
  y: number;
  /** The size in pixels. */
  width: number;
  /** The size in pixels. */
  height: number;
  /** The word. */
  text: string;
}

/** An object of the control API. */
export interface Line {
  /** Pixels from the left of the desktop. */
  x: number;
  /** Pixels from the top of the desktop. */
  y: number;
  /** The size in pixels. */
  width: number;
  /** The size in pixels. */
  height: number;
  /** The text as the screen shows it. */
  text: string;
  /** element: the element's program gave the text; screen: the text was read from the picture. */
  source: "element" | "screen";
  /** The words of the line. */
  words?: Word[];
  /** The ref of the element. */
  ref?: string;
  /** Role of the element. */
  role?: string;
}

/** An object of the control API. */
export interface TextAnswer {
  /** The lines, in reading order. */
  lines: Line[];
}

/** An object of the control API. */
export interface PixelWanted {
  /** Pixels from the left of the desktop. */
  x: number;
  /** Pixels from the top of the desktop. */
  y: number;
  /** The colour to wait for. */
  hex: string;
  /** How far each of red, green, blue may be off; 0 if left out. */
  tolerance?: number;
}

/** An object of the control API. */
export interface StillWanted {
  /** Milliseconds for which nothing may change. */
  ms: number;
  /** Left edge in pixels; the desktop's left edge if left out. */
  x?: number;
  /** Top edge in pixels; the desktop's top edge if left out. */
  y?: number;
  /** The size in pixels; up to the desktop's edge if left out. */
  width?: number;
  /** The size in pixels; up to the desktop's edge if left out. */
  height?: number;
}

/** An object of the control API. */
export interface ChangeWanted {
  /** Left edge in pixels; the desktop's left edge if left out. */
  x?: number;
  /** Top edge in pixels; the desktop's top edge if left out. */
  y?: number;
  /** The size in pixels; up to the desktop's edge if left out. */
  width?: number;
  /** The size in pixels; up to the desktop's edge if left out. */
  height?: number;
}

/** An object of the control API. */
export interface PictureWanted {
  /** A PNG or BMP file, in base64. */
  png: string;
  /** How far each of red, green, blue of a pixel may be off; 0 if left out. */
  tolerance?: number;
  /** The share of pixels that must agree, both of all pixels and of the picture's details; 1 if left out. */
  match?: number;
  /** Left edge in pixels; the desktop's left edge if left out. */
  x?: number;
  /** Top edge in pixels; the desktop's top edge if left out. */
  y?: number;
  /** The size in pixels; up to the desktop's edge if left out. */
  width?: number;
  /** The size in pixels; up to the desktop's edge if left out. */
  height?: number;
  /** Waits until the picture or text is not there. */
  gone?: boolean;
}

/** An object of the control API. */
export interface TextWanted {
  /** The text; case and spaces do not count. */
  text: string;
  /** The least match of a found text; 0.9 if left out, which allows letters of similar shape such as l and 1. */
  match?: number;
  /** True if upper and lower case must fit. */
  case?: boolean;
  /** The number of the match to take among those that fit, from 1. */
  nth?: number;
  /** Languages such as eng+deu; those of --languages if left out. */
  language?: string;
  /** Looks only in this source. */
  source?: "element" | "screen";
  /** Left edge in pixels; the desktop's left edge if left out. */
  x?: number;
  /** Top edge in pixels; the desktop's top edge if left out. */
  y?: number;
  /** The size in pixels; up to the desktop's edge if left out. */
  width?: number;
  /** The size in pixels; up to the desktop's edge if left out. */
  height?: number;
  /** Waits until the picture or text is not there. */
  gone?: boolean;
}

/** An object of the control API. */
export interface ElementWantedWindow {
  /** The window's id, as it is listed. */
  id?: string;
  /** A part of the title, in any case. */
  title?: string;
  /** The class, such as xterm, in any case. */
  class?: string;
  /** The id of the window's process. */
  pid?: number;
}

/** An object of the control API. */
export interface ElementWanted {
  /** The role, such as button. */
  role?: string;
  /** A part of the name, in any case. */
  name?: string;
  /** True if the whole name must fit. */
  exact?: boolean;
  /** The number of the element to take among those that fit, from 1. */
  nth?: number;
  /** The window; the active one if left out. */
  window?: ElementWantedWindow;
  /** Waits until no window or element fits. */
  gone?: boolean;
}

/** An object of the control API. */
export interface WindowWanted {
  /** A part of the title, in any case. */
  title?: string;
  /** The class, such as xterm, in any case. */
  class?: string;
  /** The id of the window's process. */
  pid?: number;
  /** True if the window must get keys. */
  active?: boolean;
  /** Waits until no window or element fits. */
  gone?: boolean;
}

/** An object of the control API. */
export interface WaitAnswer {
  /** true. */
  ok: boolean;
  /** Milliseconds that the wait took. */
  ms: number;
  /** A place. */
  match?: Place;
  /** A window. */
  window?: Window;
  /** An element. */
  element?: Element;
}

/** An object of the control API. */
export interface ChangesAnswer {
  /** The serial of the last change: the value of since for the next call. */
  serial: number;
  /** true if since is so old that not all changes are kept. */
  cut: boolean;
  /** The changed parts of the screen, without those that move by themselves. */
  regions: Region[];
  /** Windows that were opened and closed; active is the window that gets keys now, if that changed. */
  windows?: Windows;
}

/** An object of the control API. */
export interface StepsAnswer {
  ok: true;
  /** How many steps were done. */
  done: number;
}

/** An object of the control API. */
export interface WindowsAnswer {
  /** The windows that a person can switch to. */
  windows: Window[];
}

/** An object of the control API. */
export interface WindowDone {
  /** The window's id, as it is listed. */
  id: string;
  /** Text of the window's title bar. */
  title: string;
  /** The class that the program gave its window. */
  class: string;
  /** The id of the window's process, if the system tells it. */
  pid?: number;
  /** Left edge in pixels, with the frame. */
  x: number;
  /** Top edge in pixels, with the frame. */
  y: number;
  /** The size in pixels, with the frame. */
  width: number;
  /** The size in pixels, with the frame. */
  height: number;
  /** How the window is shown. */
  state: "normal" | "minimized" | "maximized" | "fullscreen";
  /** True if the window gets keys. */
  active: boolean;
  /** Effect of the action, where observe is given; focus is the element that has the keyboard. */
  seen?: Seen;
}

/** An object of the control API. */
export interface ElementsAnswer {
  /** A window. */
  window: Window;
  /** The serial of this list, for since; it stays the same as long as nothing changes. */
  serial: number;
  /** The given serial; left out if deskhand no longer remembers that list, and lists all elements. */
  since?: number;
  /** With since: the refs of elements that are gone. */
  removed?: string[];
  /** The point from which places count: screen or window; none if places are unknown. */
  places: "screen" | "window" | "none";
  /** The elements, in the order of the window's tree. */
  elements: Element[];
  /** The number of elements that the limit left out. */
  more: number;
  /** false if the tree was too large, or its program too slow, to be read whole. */
  whole: boolean;
  /** Why the window shows no elements. */
  silent?: string;
}

/** An object of the control API. */
export interface SwitchElementsAnswer {
  /** true. */
  ok: boolean;
  /** Whether the setting was different before. */
  changed: boolean;
  /** The verdict in words. */
  did: string;
  /** Effect of the action, where observe is given; focus is the element that has the keyboard. */
  seen?: Seen;
}

/** An object of the control API. */
export interface ElementDone {
  /** true. */
  ok: boolean;
  /** click: by the pointer; action: by the element's program; keys: by typing. */
  via: "click" | "action" | "keys";
  /** The ref of an element. */
  ref: string;
  /** The element's role, by ARIA if ARIA has one. */
  role: string;
  /** The name as the element's program gives it. */
  name: string;
  /** The text of a field or the number of a slider; never of a password. */
  value?: string;
  /** The states of the element that are set. */
  states: (
    | "focused"
    | "disabled"
    | "checked"
    | "mixed"
    | "pressed"
    | "selected"
    | "expanded"
    | "collapsed"
    | "required"
    | "readonly"
    | "hidden"
  )[];
  /** The number of elements around this one, up to the window. */
  depth: number;
  /** Left edge in pixels. */
  x?: number;
  /** Top edge in pixels. */
  y?: number;
  /** The size in pixels. */
  width?: number;
  /** The size in pixels. */
  height?: number;
  /** Effect of the action, where observe is given; focus is the element that has the keyboard. */
  seen?: Seen;
}

/** An object of the control API. */
export interface FocusElementAnswer {
  /** true. */
  ok: boolean;
  /** The ref of an element. */
  ref: string;
  /** The element's role, by ARIA if ARIA has one. */
  role: string;
  /** The name as the element's program gives it. */
  name: string;
  /** The text of a field or the number of a slider; never of a password. */
  value?: string;
  /** The states of the element that are set. */
  states: (
    | "focused"
    | "disabled"
    | "checked"
    | "mixed"
    | "pressed"
    | "selected"
    | "expanded"
    | "collapsed"
    | "required"
    | "readonly"
    | "hidden"
  )[];
  /** The number of elements around this one, up to the window. */
  depth: number;
  /** Left edge in pixels. */
  x?: number;
  /** Top edge in pixels. */
  y?: number;
  /** The size in pixels. */
  width?: number;
  /** The size in pixels. */
  height?: number;
  /** Effect of the action, where observe is given; focus is the element that has the keyboard. */
  seen?: Seen;
}

/** An object of the control API. */
export interface ClipboardAnswer {
  /** The text; left out if the clipboard has none. */
  text?: string;
  /** Kinds of content on the clipboard. */
  types: ("text" | "png")[];
}

/** An object of the control API. */
export interface ResultElements {
  /** Presses on elements that were found. */
  found: number;
  /** The elements that were at another place than in the recording. */
  moved: number;
}

/** An object of the control API. */
export interface Result {
  /** Actions done, merged moves included. */
  performed: number;
  /** The mean lateness of the actions. */
  meanLatenessMs: number;
  /** The median lateness of the actions. */
  medianLatenessMs: number;
  /** The lateness that 99 % of the actions stayed below. */
  p99LatenessMs: number;
  /** The largest lateness of an action. */
  maxLatenessMs: number;
  /** True if the replay was stopped before its end. */
  stopped: boolean;
  /** The reason of an early end: a caller's stop, the Escape key, or a person's pointer. */
  stoppedBy?: "stop" | "escape" | "pointer";
  /** The counts of presses on elements, if elements were looked for. */
  elements?: ResultElements;
}

/** An object of the control API. */
export interface RecordingStateAnswer {
  /** State of the recorder. */
  state: "idle" | "recording" | "playing";
  /** Events of the recording. */
  events: number;
  /** Milliseconds that the recording or replay has run, or ran. */
  ms: number;
  /** Why the recording ended, or lost events. */
  problem?: string;
  /** How the last replay ended. */
  result?: Result;
}

/** An object of the control API. */
export interface StartTraceAnswer {
  /** State of the trace. */
  state: "off" | "running" | "paused";
  /** The path of the trace's file. */
  file?: string;
  /** The name of the trace that was given. */
  name?: string;
  /** Milliseconds that the trace has run, or ran. */
  ms: number;
  /** The number of actions in the trace. */
  actions: number;
  /** The number of pictures in the trace. */
  pictures: number;
  /** The size of the trace's last file in bytes. */
  bytes: number;
  /** Why the trace ended by itself, or lacks pictures. */
  problem?: string;
  /** Effect of the action, where observe is given; focus is the element that has the keyboard. */
  seen?: Seen;
}

/** An object of the control API. */
export interface TraceStateAnswer {
  /** State of the trace. */
  state: "off" | "running" | "paused";
  /** The path of the trace's file. */
  file?: string;
  /** The name of the trace that was given. */
  name?: string;
  /** Milliseconds that the trace has run, or ran. */
  ms: number;
  /** The number of actions in the trace. */
  actions: number;
  /** The number of pictures in the trace. */
  pictures: number;
  /** The size of the trace's last file in bytes. */
  bytes: number;
  /** Why the trace ended by itself, or lacks pictures. */
  problem?: string;
}

/** An object of the control API. */
export interface File {
  /** The file's name. */
  name: string;
  /** The size of the file in bytes. */
  bytes: number;
  /** Time of the last write, as in RFC 3339. */
  modified: string;
  /** True while the file is being written. */
  running: boolean;
}

/** An object of the control API. */
export interface TracesAnswer {
  /** The folder of the files. */
  folder: string;
  /** The files of traces. */
  traces: File[];
}

/** An object of the control API. */
export interface AgentsAnswer {
  /** True if agents may act. */
  allowed: boolean;
  /** True if an agent has called in the last seconds. */
  at_work: boolean;
  /** The name that the agent at work gives itself, or unknown. */
  client?: string;
  /** The tool that the agent called last. */
  tool?: string;
}

/** An object of the control API. */
export interface ViewWanted {
  /** The size in pixels. */
  width: number;
  /** The size in pixels. */
  height: number;
}

/** An object of the control API. */
export interface ActAnswer {
  /** false if a block of tool_use failed. */
  ok: boolean;
  /** A PNG file in base64. */
  image?: string;
  /** The answers of the actions, or the requested information. */
  text?: string;
  /** The results of blocks of tool_use, in their order. */
  results?: Record<string, unknown>[];
}

/** An object of the control API. */
export interface PutFileAnswer {
  /** Where the file is on the desktop's machine. */
  path: string;
}

/** An object of the control API. */
export interface MakeLinkAnswer {
  /** The id by which the link is revoked. */
  id: string;
  /** The name of the link's guest; empty if it has none. */
  name: string;
  /** Rights of the guest: to look, or to act as well. */
  rights: "look" | "act";
  /** End of the link (RFC 3339). */
  ends: string;
  /** The link for each address of this machine, this machine's own last. */
  links: string[];
}

/** An object of the control API. */
export interface Link {
  /** The id by which the link is revoked. */
  id: string;
  /** The name of the link's guest; empty if it has none. */
  name: string;
  /** Rights of the guest: to look, or to act as well. */
  rights: "look" | "act";
  /** End of the link (RFC 3339). */
  ends: string;
}

/** An object of the control API. */
export interface Viewer {
  /** The guest's name; empty for a caller with every right, and for a link without a name. */
  name: string;
  /** The caller's rights: to look, to act as well, or all. */
  rights: "look" | "act" | "all";
}

/** An object of the control API. */
export interface LinksAnswer {
  /** The open links, the oldest first. */
  links: Link[];
  /** The viewers of the live picture. */
  viewers: Viewer[];
}

/** An object of the control API. */
export interface RevokeLinkAnswer {
  ok: true;
}

/** An object of the control API. */
export interface SoundAnswer {
  /** Whether there is sound. */
  offered: boolean;
  /** The sound server that gives the sound. */
  server?: string;
  /** The reason why there is no sound. */
  reason?: string;
}

/** An object of the control API. */
export interface Endpoint {
  /** HTTP method. */
  method: string;
  /** Path. */
  path: string;
  /** Purpose. */
  summary: string;
}

/** An object of the control API. */
export interface ListEndpointsAnswer {
  /** Every endpoint that is open. */
  endpoints: Endpoint[];
}

/** An object of the control API. */
export interface Info {
  title?: string;
  version?: string;
}

/** An object of the control API. */
export interface OpenApiAnswer {
  openapi: string;
  info: Info;
  paths: Record<string, unknown>;
  components?: Record<string, unknown>;
}

/** The fields of {@linkcode Api.move}. */
export interface MoveInput {
  /** Pixels from the left of the desktop. */
  x?: number;
  /** Pixels from the top of the desktop. */
  y?: number;
  /** In place of x and y: the middle of this element, such as e12, button "Save" or button "Save" in "Ask". */
  element?: string;
  /** Waits until the screen settles and tells what changed; with elements it tells changed elements, too. */
  observe?: false | true | "elements";
}

/** The fields of {@linkcode Api.click}. */
export interface ClickInput {
  /** Pixels from the left of the desktop. */
  x?: number;
  /** Pixels from the top of the desktop. */
  y?: number;
  /** Button. */
  button?: "left" | "middle" | "right" | "back" | "forward";
  /** In place of x and y: the pointer's place, with the left button if no button is named. */
  at?: "pointer";
  /** In place of x and y: the middle of this element, such as e12, button "Save" or button "Save" in "Ask". */
  element?: string;
  /** The number of clicks: 2 is a double click. */
  count?: number;
  /** Keys that are held during the action, such as ctrl or shift+alt. */
  hold?: string;
  /** Waits until the screen settles and tells what changed; with elements it tells changed elements, too. */
  observe?: false | true | "elements";
}

/** The fields of {@linkcode Api.scroll}. */
export interface ScrollInput {
  /** The direction. */
  direction: "up" | "down" | "left" | "right";
  /** Notches of the wheel. */
  amount: number;
  /** Pixels from the left of the desktop. */
  x?: number;
  /** Pixels from the top of the desktop. */
  y?: number;
  /** In place of x and y: the middle of this element, such as e12, button "Save" or button "Save" in "Ask". */
  element?: string;
  /** Keys that are held during the action, such as ctrl or shift+alt. */
  hold?: string;
  /** Waits until the screen settles and tells what changed; with elements it tells changed elements, too. */
  observe?: false | true | "elements";
}

/** The fields of {@linkcode Api.press}. */
export interface PressInput {
  /** Button. */
  button?: "left" | "middle" | "right" | "back" | "forward";
  /** A key by name, such as shift, f5 or a. */
  key?: string;
  /** Pixels from the left of the desktop. */
  x?: number;
  /** Pixels from the top of the desktop. */
  y?: number;
  /** In place of x and y: the middle of this element, such as e12, button "Save" or button "Save" in "Ask". */
  element?: string;
  /** Waits until the screen settles and tells what changed; with elements it tells changed elements, too. */
  observe?: false | true | "elements";
}

/** The fields of {@linkcode Api.release}. */
export interface ReleaseInput {
  /** Button. */
  button?: "left" | "middle" | "right" | "back" | "forward";
  /** A key by name, such as shift, f5 or a. */
  key?: string;
  /** Pixels from the left of the desktop. */
  x?: number;
  /** Pixels from the top of the desktop. */
  y?: number;
  /** In place of x and y: the middle of this element, such as e12, button "Save" or button "Save" in "Ask". */
  element?: string;
  /** Waits until the screen settles and tells what changed; with elements it tells changed elements, too. */
  observe?: false | true | "elements";
}

/** The fields of {@linkcode Api.drag}. */
export interface DragInput {
  /** The place where the button is pressed. */
  from: FromWanted;
  /** Places on the way, in order. */
  via?: Point[];
  /** The place where the button is released. */
  to: FromWanted;
  /** Button. */
  button?: "left" | "middle" | "right" | "back" | "forward";
  /** Keys that are held during the action, such as ctrl or shift+alt. */
  hold?: string;
  /** Waits until the screen settles and tells what changed; with elements it tells changed elements, too. */
  observe?: false | true | "elements";
}

/** The fields of {@linkcode Api.screenshot}. */
export interface ScreenshotInput {
  /** The format of the picture; bmp if left out. */
  format?: "bmp" | "png";
  /** Left edge in pixels; the desktop's left edge if left out. */
  x?: number;
  /** Top edge in pixels; the desktop's top edge if left out. */
  y?: number;
  /** The size in pixels; up to the desktop's edge if left out. */
  width?: number;
  /** The size in pixels; up to the desktop's edge if left out. */
  height?: number;
  /** Draw the pointer into the picture. */
  cursor?: boolean;
  /** The window's id, as it is listed. */
  window?: string;
  /** The place of this element, such as e12 or button "Save" in "Ask". */
  element?: string;
  /** The longest edge of the picture, which is shrunk to it; as large as the region if left out. */
  max_edge?: number;
}

/** The fields of {@linkcode Api.pixel}. */
export interface PixelInput {
  /** Pixels from the left of the desktop. */
  x?: number;
  /** Pixels from the top of the desktop. */
  y?: number;
  /** In place of x and y: the middle of this element, such as e12, button "Save" or button "Save" in "Ask". */
  element?: string;
}

/** The fields of {@linkcode Api.findPlaces}. */
export interface FindPlacesInput {
  /** How far each of red, green, blue of a pixel may be off; 0 if left out. */
  tolerance?: number;
  /** The share of pixels that must agree, both of all pixels and of the picture's details; 1 if left out. */
  match?: number;
  /** Left edge in pixels; the desktop's left edge if left out. */
  x?: number;
  /** Top edge in pixels; the desktop's top edge if left out. */
  y?: number;
  /** The size in pixels; up to the desktop's edge if left out. */
  width?: number;
  /** The size in pixels; up to the desktop's edge if left out. */
  height?: number;
  /** How many places are wanted; 1 if left out. */
  limit?: number;
  /** Milliseconds to look for the picture or text; one look if left out. */
  timeout_ms?: number;
  /** With timeout_ms: waits until the picture or text is not there. */
  gone?: boolean;
  /** Return the nearest place if no place agrees. */
  best?: boolean;
  /** Clicks on the middle of the place with this button; not under --read-only. */
  click?: "left" | "middle" | "right" | "back" | "forward";
  /** With click, the number of clicks: 2 is a double click. */
  count?: number;
  /** Waits until the screen settles and tells what changed; with elements it tells changed elements, too. */
  observe?: "false" | "true" | "elements";
}

/** The fields of {@linkcode Api.findText}. */
export interface FindTextInput {
  /** The text; case and spaces do not count. */
  text: string;
  /** The least match of a found text; 0.9 if left out, which allows letters of similar shape such as l and 1. */
  match?: number;
  /** True if upper and lower case must fit. */
  case?: boolean;
  /** The number of the match to take among those that fit, from 1. */
  nth?: number;
  /** Languages such as eng+deu; those of --languages if left out. */
  language?: string;
  /** Looks only in this source. */
  source?: "element" | "screen";
  /** Left edge in pixels; the desktop's left edge if left out. */
  x?: number;
  /** Top edge in pixels; the desktop's top edge if left out. */
  y?: number;
  /** The size in pixels; up to the desktop's edge if left out. */
  width?: number;
  /** The size in pixels; up to the desktop's edge if left out. */
  height?: number;
  /** How many places are wanted; 1 if left out. */
  limit?: number;
  /** Milliseconds to look for the picture or text; one look if left out. */
  timeout_ms?: number;
  /** With timeout_ms: waits until the picture or text is not there. */
  gone?: boolean;
  /** Clicks on the middle of the place with this button; not under --read-only. */
  click?: "left" | "middle" | "right" | "back" | "forward";
  /** With click, the number of clicks: 2 is a double click. */
  count?: number;
  /** Waits until the screen settles and tells what changed; with elements it tells changed elements, too. */
  observe?: false | true | "elements";
}

/** The fields of {@linkcode Api.text}. */
export interface TextInput {
  /** Left edge in pixels; the desktop's left edge if left out. */
  x?: number;
  /** Top edge in pixels; the desktop's top edge if left out. */
  y?: number;
  /** The size in pixels; up to the desktop's edge if left out. */
  width?: number;
  /** The size in pixels; up to the desktop's edge if left out. */
  height?: number;
  /** Languages such as eng+deu; those of --languages if left out. */
  language?: string;
  /** Looks only in this source. */
  source?: "element" | "screen";
}

/** The fields of {@linkcode Api.textAsText}. */
export interface TextAsTextInput {
  /** Left edge in pixels; the desktop's left edge if left out. */
  x?: number;
  /** Top edge in pixels; the desktop's top edge if left out. */
  y?: number;
  /** The size in pixels; up to the desktop's edge if left out. */
  width?: number;
  /** The size in pixels; up to the desktop's edge if left out. */
  height?: number;
  /** Languages such as eng+deu; those of --languages if left out. */
  language?: string;
  /** Looks only in this source. */
  source?: "element" | "screen";
}

/** The fields of {@linkcode Api.wait}. */
export interface WaitInput {
  /** Wait until a pixel has a colour. */
  pixel?: PixelWanted;
  /** Wait until a region stops changing. */
  still?: StillWanted;
  /** Wait until a region differs from its look at the time of the call. */
  change?: ChangeWanted;
  /** Wait until a picture is there. */
  picture?: PictureWanted;
  /** Wait until a text is there. */
  text?: TextWanted;
  /** Wait until a window has an element. */
  element?: ElementWanted;
  /** Wait until a window is there. */
  window?: WindowWanted;
  /** Milliseconds after which the call gives up; 10000 if left out. */
  timeout_ms?: number;
}

/** The fields of {@linkcode Api.changes}. */
export interface ChangesInput {
  /** The serial of an earlier answer; from now on if left out. */
  since?: number;
  /** How long to wait for a change; 0 if left out. */
  wait_ms?: number;
}

/** The fields of {@linkcode Api.key}. */
export interface KeyInput {
  /** The combination, such as ctrl+shift+t, f5 or a; + itself is plus. */
  keys: string;
  /** The number of repetitions; once if left out. */
  repeat?: number;
  /** Milliseconds for which the button or key is held down each time; 0 if left out. */
  hold_ms?: number;
  /** Waits until the screen settles and tells what changed; with elements it tells changed elements, too. */
  observe?: false | true | "elements";
}

/** The fields of {@linkcode Api.type}. */
export interface TypeInput {
  /** Text to type; a line feed is Enter, a tab is Tab. */
  text: string;
  /** Waits until the screen settles and tells what changed; with elements it tells changed elements, too. */
  observe?: false | true | "elements";
}

/** The fields of {@linkcode Api.steps}. */
export interface StepsInput {
  /** Actions in their order, each with its fields, such as {"action":"move","x":1,"y":2}. Of moves that follow each other, the place of the last is checked. */
  steps: Record<string, unknown>[];
}

/** The fields of {@linkcode Api.windows}. */
export interface WindowsInput {
  /** A part of the title, in any case. */
  title?: string;
  /** The class, such as xterm, in any case. */
  class?: string;
  /** The id of the window's process. */
  pid?: number;
  /** True if the window gets keys. */
  active?: boolean;
}

/** The fields of {@linkcode Api.activateWindow}. */
export interface ActivateWindowInput {
  /** The window's id, as it is listed. */
  id?: string;
  /** A part of the title, in any case. */
  title?: string;
  /** The class, such as xterm, in any case. */
  class?: string;
  /** The id of the window's process. */
  pid?: number;
  /** Takes the front one of the windows that fit; without other fields, the front window of all. */
  any?: boolean;
  /** Milliseconds after which the call gives up; 2000 if left out. */
  timeout_ms?: number;
  /** Waits until the screen settles and tells what changed; with elements it tells changed elements, too. */
  observe?: false | true | "elements";
}

/** The fields of {@linkcode Api.minimizeWindow}. */
export interface MinimizeWindowInput {
  /** The window's id, as it is listed. */
  id?: string;
  /** A part of the title, in any case. */
  title?: string;
  /** The class, such as xterm, in any case. */
  class?: string;
  /** The id of the window's process. */
  pid?: number;
  /** Takes the front one of the windows that fit; without other fields, the front window of all. */
  any?: boolean;
  /** Milliseconds after which the call gives up; 2000 if left out. */
  timeout_ms?: number;
  /** Waits until the screen settles and tells what changed; with elements it tells changed elements, too. */
  observe?: false | true | "elements";
}

/** The fields of {@linkcode Api.maximizeWindow}. */
export interface MaximizeWindowInput {
  /** The window's id, as it is listed. */
  id?: string;
  /** A part of the title, in any case. */
  title?: string;
  /** The class, such as xterm, in any case. */
  class?: string;
  /** The id of the window's process. */
  pid?: number;
  /** Takes the front one of the windows that fit; without other fields, the front window of all. */
  any?: boolean;
  /** Milliseconds after which the call gives up; 2000 if left out. */
  timeout_ms?: number;
  /** Waits until the screen settles and tells what changed; with elements it tells changed elements, too. */
  observe?: false | true | "elements";
}

/** The fields of {@linkcode Api.restoreWindow}. */
export interface RestoreWindowInput {
  /** The window's id, as it is listed. */
  id?: string;
  /** A part of the title, in any case. */
  title?: string;
  /** The class, such as xterm, in any case. */
  class?: string;
  /** The id of the window's process. */
  pid?: number;
  /** Takes the front one of the windows that fit; without other fields, the front window of all. */
  any?: boolean;
  /** Milliseconds after which the call gives up; 2000 if left out. */
  timeout_ms?: number;
  /** Waits until the screen settles and tells what changed; with elements it tells changed elements, too. */
  observe?: false | true | "elements";
}

/** The fields of {@linkcode Api.fullscreenWindow}. */
export interface FullscreenWindowInput {
  /** The window's id, as it is listed. */
  id?: string;
  /** A part of the title, in any case. */
  title?: string;
  /** The class, such as xterm, in any case. */
  class?: string;
  /** The id of the window's process. */
  pid?: number;
  /** Takes the front one of the windows that fit; without other fields, the front window of all. */
  any?: boolean;
  /** Milliseconds after which the call gives up; 2000 if left out. */
  timeout_ms?: number;
  /** Waits until the screen settles and tells what changed; with elements it tells changed elements, too. */
  observe?: false | true | "elements";
}

/** The fields of {@linkcode Api.placeWindow}. */
export interface PlaceWindowInput {
  /** The window's id, as it is listed. */
  id?: string;
  /** A part of the title, in any case. */
  title?: string;
  /** The class, such as xterm, in any case. */
  class?: string;
  /** The id of the window's process. */
  pid?: number;
  /** Takes the front one of the windows that fit; without other fields, the front window of all. */
  any?: boolean;
  /** Milliseconds after which the call gives up; 2000 if left out. */
  timeout_ms?: number;
  /** Left edge in pixels, with the frame. */
  x?: number;
  /** Top edge in pixels, with the frame. */
  y?: number;
  /** The size in pixels, with the frame. */
  width?: number;
  /** The size in pixels, with the frame. */
  height?: number;
  /** Waits until the screen settles and tells what changed; with elements it tells changed elements, too. */
  observe?: false | true | "elements";
}

/** The fields of {@linkcode Api.closeWindow}. */
export interface CloseWindowInput {
  /** The window's id, as it is listed. */
  id?: string;
  /** A part of the title, in any case. */
  title?: string;
  /** The class, such as xterm, in any case. */
  class?: string;
  /** The id of the window's process. */
  pid?: number;
  /** Takes the front one of the windows that fit; without other fields, the front window of all. */
  any?: boolean;
  /** Milliseconds after which the call gives up; 2000 if left out. */
  timeout_ms?: number;
  /** Waits until the screen settles and tells what changed; with elements it tells changed elements, too. */
  observe?: false | true | "elements";
}

/** The fields of {@linkcode Api.elements}. */
export interface ElementsInput {
  /** The role, such as button. */
  role?: string;
  /** A part of the name, in any case. */
  name?: string;
  /** True if the whole name must fit. */
  exact?: boolean;
  /** The window's id, as it is listed. */
  id?: string;
  /** A part of the title, in any case. */
  title?: string;
  /** The class, such as xterm, in any case. */
  class?: string;
  /** The id of the window's process. */
  pid?: number;
  /** false to include elements that the window does not show; true if left out. */
  visible?: boolean;
  /** The most elements; 200 if left out. */
  limit?: number;
  /** The serial of an earlier list: only elements that are new or changed since then are listed. */
  since?: number;
}

/** The fields of {@linkcode Api.elementsAsText}. */
export interface ElementsAsTextInput {
  /** The role, such as button. */
  role?: string;
  /** A part of the name, in any case. */
  name?: string;
  /** True if the whole name must fit. */
  exact?: boolean;
  /** The window's id, as it is listed. */
  id?: string;
  /** A part of the title, in any case. */
  title?: string;
  /** The class, such as xterm, in any case. */
  class?: string;
  /** The id of the window's process. */
  pid?: number;
  /** false to include elements that the window does not show; true if left out. */
  visible?: boolean;
  /** The most elements; 200 if left out. */
  limit?: number;
  /** The serial of an earlier list: only elements that are new or changed since then are listed. */
  since?: number;
}

/** The fields of {@linkcode Api.switchElements}. */
export interface SwitchElementsInput {
  /** Whether accessibility is on; the person's settings keep that. */
  enabled: boolean;
  /** Waits until the screen settles and tells what changed; with elements it tells changed elements, too. */
  observe?: false | true | "elements";
}

/** The fields of {@linkcode Api.clickOnElement}. */
export interface ClickOnElementInput {
  /** The ref of an element. */
  element?: string;
  /** The role, such as button. */
  role?: string;
  /** A part of the name, in any case. */
  name?: string;
  /** True if the whole name must fit. */
  exact?: boolean;
  /** The number of the element to take among those that fit, from 1. */
  nth?: number;
  /** The window's id, as it is listed. */
  id?: string;
  /** A part of the title, in any case. */
  title?: string;
  /** The class, such as xterm, in any case. */
  class?: string;
  /** The id of the window's process. */
  pid?: number;
  /** left if left out. */
  button?: "left" | "middle" | "right" | "back" | "forward";
  /** The number of clicks: 2 is a double click. */
  count?: number;
  /** Waits until the screen settles and tells what changed; with elements it tells changed elements, too. */
  observe?: false | true | "elements";
}

/** The fields of {@linkcode Api.setElement}. */
export interface SetElementInput {
  /** The ref of an element. */
  element?: string;
  /** The role, such as button. */
  role?: string;
  /** A part of the name, in any case. */
  name?: string;
  /** True if the whole name must fit. */
  exact?: boolean;
  /** The number of the element to take among those that fit, from 1. */
  nth?: number;
  /** The window's id, as it is listed. */
  id?: string;
  /** A part of the title, in any case. */
  title?: string;
  /** The class, such as xterm, in any case. */
  class?: string;
  /** The id of the window's process. */
  pid?: number;
  /** The new text of the field. */
  text: string;
  /** Waits until the screen settles and tells what changed; with elements it tells changed elements, too. */
  observe?: false | true | "elements";
}

/** The fields of {@linkcode Api.focusElement}. */
export interface FocusElementInput {
  /** The ref of an element. */
  element?: string;
  /** The role, such as button. */
  role?: string;
  /** A part of the name, in any case. */
  name?: string;
  /** True if the whole name must fit. */
  exact?: boolean;
  /** The number of the element to take among those that fit, from 1. */
  nth?: number;
  /** The window's id, as it is listed. */
  id?: string;
  /** A part of the title, in any case. */
  title?: string;
  /** The class, such as xterm, in any case. */
  class?: string;
  /** The id of the window's process. */
  pid?: number;
  /** Waits until the screen settles and tells what changed; with elements it tells changed elements, too. */
  observe?: false | true | "elements";
}

/** The fields of {@linkcode Api.clipboard}. */
export interface ClipboardInput {
  /** The selection: clipboard if left out; primary, on X11, is the text that was selected last. */
  selection?: "clipboard" | "primary";
}

/** The fields of {@linkcode Api.clipboardAsPng}. */
export interface ClipboardAsPngInput {
  /** The selection: clipboard if left out; primary, on X11, is the text that was selected last. */
  selection?: "clipboard" | "primary";
}

/** The fields of {@linkcode Api.setClipboard}. */
export interface SetClipboardInput {
  /** Waits until the screen settles and tells what changed; with elements it tells changed elements, too. */
  observe?: "false" | "true" | "elements";
  /** The text; may be empty. */
  text?: string;
  /** A picture, as a PNG file. */
  png?: string;
  /** The selection: clipboard if left out; primary, on X11, is the text that was selected last. */
  selection?: "clipboard" | "primary";
}

/** The fields of {@linkcode Api.loadRecording}. */
export interface LoadRecordingInput {
  /** Waits until the screen settles and tells what changed; with elements it tells changed elements, too. */
  observe?: "false" | "true" | "elements";
}

/** The fields of {@linkcode Api.discardRecording}. */
export interface DiscardRecordingInput {
  /** Waits until the screen settles and tells what changed; with elements it tells changed elements, too. */
  observe?: "false" | "true" | "elements";
}

/** The fields of {@linkcode Api.startRecording}. */
export interface StartRecordingInput {
  /** Record keys, which may be passwords; true if left out. */
  keyboard?: boolean;
  /** Notes the elements under presses; true if left out. */
  elements?: boolean;
  /** Waits until the screen settles and tells what changed; with elements it tells changed elements, too. */
  observe?: false | true | "elements";
}

/** The fields of {@linkcode Api.stopRecording}. */
export interface StopRecordingInput {
  /** Waits until the screen settles and tells what changed; with elements it tells changed elements, too. */
  observe?: false | true | "elements";
}

/** The fields of {@linkcode Api.playRecording}. */
export interface PlayRecordingInput {
  /** The speed: 2 is twice as fast. */
  speed?: number;
  /** The number of rounds. */
  times?: number;
  /** Scale places to a desktop of another size. */
  scale?: boolean;
  /** Sends each press to the present place of its element; the replay ends where an element is not found. */
  elements?: boolean;
  /** Waits until the screen settles and tells what changed; with elements it tells changed elements, too. */
  observe?: false | true | "elements";
}

/** The fields of {@linkcode Api.trace}. */
export interface TraceInput {
  /** The file's name. */
  name?: string;
  /** Keep sending the trace while it is being recorded; true if left out. */
  follow?: boolean;
  /** True if a browser saves the file. */
  download?: boolean;
}

/** The fields of {@linkcode Api.startTrace}. */
export interface StartTraceInput {
  /** A name for the trace, such as that of a test. */
  name?: string;
  /** Record texts that callers type; only their length is recorded if left out. */
  texts?: boolean;
  /** Record actions that only read, such as screenshots; false if left out. */
  looks?: boolean;
  /** Waits until the screen settles and tells what changed; with elements it tells changed elements, too. */
  observe?: false | true | "elements";
}

/** The fields of {@linkcode Api.stopTrace}. */
export interface StopTraceInput {
  /** Waits until the screen settles and tells what changed; with elements it tells changed elements, too. */
  observe?: false | true | "elements";
}

/** The fields of {@linkcode Api.markTrace}. */
export interface MarkTraceInput {
  /** The text of the mark. */
  text: string;
  /** Waits until the screen settles and tells what changed; with elements it tells changed elements, too. */
  observe?: false | true | "elements";
}

/** The fields of {@linkcode Api.pauseTrace}. */
export interface PauseTraceInput {
  /** Waits until the screen settles and tells what changed; with elements it tells changed elements, too. */
  observe?: false | true | "elements";
}

/** The fields of {@linkcode Api.resumeTrace}. */
export interface ResumeTraceInput {
  /** Waits until the screen settles and tells what changed; with elements it tells changed elements, too. */
  observe?: false | true | "elements";
}

/** The fields of {@linkcode Api.removeTrace}. */
export interface RemoveTraceInput {
  /** The file's name. */
  name: string;
  /** Waits until the screen settles and tells what changed; with elements it tells changed elements, too. */
  observe?: "false" | "true" | "elements";
}

/** The fields of {@linkcode Api.allowAgents}. */
export interface AllowAgentsInput {
  /** True to let agents act; false also stops their present actions. */
  allowed: boolean;
  /** Waits until the screen settles and tells what changed; with elements it tells changed elements, too. */
  observe?: false | true | "elements";
}

/** The fields of {@linkcode Api.act}. */
export interface ActInput {
  /** Whose model wrote the action. */
  dialect: "anthropic" | "openai" | "google" | "gemini";
  /** The action, as the model writes it. */
  action?: Record<string, unknown>;
  /** Several actions, done in order until one fails. */
  actions?: Record<string, unknown>[];
  /** Adds a line to the text of each action: the verdict on its effect, and the windows. */
  observe?: boolean;
  /** The size of the pictures that the model gets; that of --view if left out. */
  view?: ViewWanted;
}

/** The fields of {@linkcode Api.putFile}. */
export interface PutFileInput {
  /** The name of the file. */
  name: string;
}

/** The fields of {@linkcode Api.makeLink}. */
export interface MakeLinkInput {
  /** Rights of the guest: to look, which is the default, or to act as well. */
  rights?: "look" | "act";
  /** Hours for which the link is open; 2 if left out. */
  hours?: number;
  /** The name of the guest, which other viewers see. */
  name?: string;
}

/** The fields of {@linkcode Api.revokeLink}. */
export interface RevokeLinkInput {
  /** The link. */
  id: string;
}

/** The operations of the control API, by their names in its OpenAPI document. Each rejects with an ApiError for an answer other than 200. */
export class Api extends Transport {
  /** The pointer's position. */
  position(): Promise<Point> {
    return this._call("GET", "/api/position", { answer: "json" });
  }

  /** Move the pointer. */
  move(input: MoveInput = {}): Promise<Done> {
    return this._call("POST", "/api/move", { body: { ...input }, answer: "json" });
  }

  /** Click at a place. */
  click(input: ClickInput = {}): Promise<Done> {
    return this._call("POST", "/api/click", { body: { ...input }, answer: "json" });
  }

  /** Turn the wheel. */
  scroll(input: ScrollInput): Promise<Done> {
    return this._call("POST", "/api/scroll", { body: { ...input }, answer: "json" });
  }

  /** Press a button or key and keep it down. */
  press(input: PressInput = {}): Promise<Done> {
    return this._call("POST", "/api/press", { body: { ...input }, answer: "json" });
  }

  /** Release a button or key, or everything held if none is named. */
  release(input: ReleaseInput = {}): Promise<Done> {
    return this._call("POST", "/api/release", { body: { ...input }, answer: "json" });
  }

  /** Drag from one place to another. */
  drag(input: DragInput): Promise<Done> {
    return this._call("POST", "/api/drag", { body: { ...input }, answer: "json" });
  }

  /** A picture of the screen. */
  screenshot(input: ScreenshotInput = {}): Promise<Uint8Array> {
    return this._call("GET", "/api/screenshot", { query: { ...input }, answer: "bytes" });
  }

  /** Size, displays and kind of the desktop. */
  screen(): Promise<ScreenAnswer> {
    return this._call("GET", "/api/screen", { answer: "json" });
  }

  /** The actions that a virtual desktop received, in order. */
  history(): Promise<HistoryAnswer> {
    return this._call("GET", "/api/history", { answer: "json" });
  }

  /** The colour of a pixel. */
  pixel(input: PixelInput = {}): Promise<PixelAnswer> {
    return this._call("GET", "/api/pixel", { query: { ...input }, answer: "json" });
  }

  /** Find a picture or a text on the screen. */
  findPlaces(content: Uint8Array | Blob, input: FindPlacesInput = {}): Promise<FindPlacesAnswer> {
    return this._call("POST", "/api/find", { query: { ...input }, content, answer: "json" });
  }

  /** Find a picture or a text on the screen. */
  findText(input: FindTextInput): Promise<FindPlacesAnswer> {
    return this._call("POST", "/api/find", { body: { ...input }, answer: "json" });
  }

  /** The text on the screen. */
  text(input: TextInput = {}): Promise<TextAnswer> {
    return this._call("GET", "/api/text", { query: { ...input }, answer: "json" });
  }

  /** The text on the screen. */
  textAsText(input: TextAsTextInput = {}): Promise<string> {
    return this._call("GET", "/api/text", { query: { ...input, format: "text" }, answer: "text" });
  }

  /** Wait for a pixel's colour, for a region to stay still or to change, for a picture, a text, an element or a window. */
  wait(input: WaitInput = {}): Promise<WaitAnswer> {
    return this._call("POST", "/api/wait", { body: { ...input }, answer: "json" });
  }

  /** Changes of the screen and of the windows. */
  changes(input: ChangesInput = {}): Promise<ChangesAnswer> {
    return this._call("GET", "/api/changes", { query: { ...input }, answer: "json" });
  }

  /** Changes as they happen (server-sent events). */
  changeStream(): AsyncGenerator<Record<string, unknown>> {
    return this._events("GET", "/api/changes/stream", {});
  }

  /** Press a combination of keys. */
  key(input: KeyInput): Promise<Done> {
    return this._call("POST", "/api/key", { body: { ...input }, answer: "json" });
  }

  /** Type text, any Unicode. */
  type(input: TypeInput): Promise<Done> {
    return this._call("POST", "/api/type", { body: { ...input }, answer: "json" });
  }

  /** Do several actions in order, until one fails. */
  steps(input: StepsInput): Promise<StepsAnswer> {
    return this._call("POST", "/api/steps", { body: { ...input }, answer: "json" });
  }

  /** The windows, the front one first. */
  windows(input: WindowsInput = {}): Promise<WindowsAnswer> {
    return this._call("GET", "/api/windows", { query: { ...input }, answer: "json" });
  }

  /** Bring a window to the front. */
  activateWindow(input: ActivateWindowInput = {}): Promise<WindowDone> {
    return this._call("POST", "/api/window/activate", { body: { ...input }, answer: "json" });
  }

  /** Minimize a window. */
  minimizeWindow(input: MinimizeWindowInput = {}): Promise<WindowDone> {
    return this._call("POST", "/api/window/minimize", { body: { ...input }, answer: "json" });
  }

  /** Maximize a window. */
  maximizeWindow(input: MaximizeWindowInput = {}): Promise<WindowDone> {
    return this._call("POST", "/api/window/maximize", { body: { ...input }, answer: "json" });
  }

  /** Give a window its normal size back. */
  restoreWindow(input: RestoreWindowInput = {}): Promise<WindowDone> {
    return this._call("POST", "/api/window/restore", { body: { ...input }, answer: "json" });
  }

  /** Make a window fill the screen. */
  fullscreenWindow(input: FullscreenWindowInput = {}): Promise<WindowDone> {
    return this._call("POST", "/api/window/fullscreen", { body: { ...input }, answer: "json" });
  }

  /** Move and resize a window. */
  placeWindow(input: PlaceWindowInput = {}): Promise<WindowDone> {
    return this._call("POST", "/api/window/place", { body: { ...input }, answer: "json" });
  }

  /** Ask a window to close. */
  closeWindow(input: CloseWindowInput = {}): Promise<Done> {
    return this._call("POST", "/api/window/close", { body: { ...input }, answer: "json" });
  }

  /** The elements of a window: buttons, fields, list items. */
  elements(input: ElementsInput = {}): Promise<ElementsAnswer> {
    return this._call("GET", "/api/elements", { query: { ...input }, answer: "json" });
  }

  /** The elements of a window: buttons, fields, list items. */
  elementsAsText(input: ElementsAsTextInput = {}): Promise<string> {
    return this._call("GET", "/api/elements", { query: { ...input, format: "text" }, answer: "text" });
  }

  /** Switch the session's accessibility, which some programs need to show elements. */
  switchElements(input: SwitchElementsInput): Promise<SwitchElementsAnswer> {
    return this._call("POST", "/api/elements", { body: { ...input }, answer: "json" });
  }

  /** Click an element. */
  clickOnElement(input: ClickOnElementInput = {}): Promise<ElementDone> {
    return this._call("POST", "/api/element/click", { body: { ...input }, answer: "json" });
  }

  /** Set the text of an element. */
  setElement(input: SetElementInput): Promise<ElementDone> {
    return this._call("POST", "/api/element/set", { body: { ...input }, answer: "json" });
  }

  /** Give an element the keyboard. */
  focusElement(input: FocusElementInput = {}): Promise<FocusElementAnswer> {
    return this._call("POST", "/api/element/focus", { body: { ...input }, answer: "json" });
  }

  /** The text on the clipboard. */
  clipboard(input: ClipboardInput = {}): Promise<ClipboardAnswer> {
    return this._call("GET", "/api/clipboard", { query: { ...input }, answer: "json" });
  }

  /** The text on the clipboard. */
  clipboardAsPng(input: ClipboardAsPngInput = {}): Promise<Uint8Array> {
    return this._call("GET", "/api/clipboard", { query: { ...input, format: "png" }, answer: "bytes" });
  }

  /** Put text or a picture on the clipboard. */
  setClipboard(input: SetClipboardInput = {}): Promise<Done> {
    return this._call("PUT", "/api/clipboard", { query: { ...input }, body: { ...input }, answer: "json" });
  }

  /** The recording, as it would be saved. */
  recording(): Promise<Record<string, unknown>> {
    return this._call("GET", "/api/recording", { answer: "json" });
  }

  /** The recording, as it would be saved. */
  recordingAsSh(): Promise<string> {
    return this._call("GET", "/api/recording", { query: { format: "sh" }, answer: "text" });
  }

  /** Load a recording. */
  loadRecording(recording: Record<string, unknown>, input: LoadRecordingInput = {}): Promise<Done> {
    return this._call("PUT", "/api/recording", { query: { ...input }, body: recording, answer: "json" });
  }

  /** Discard the recording and its journal. */
  discardRecording(input: DiscardRecordingInput = {}): Promise<Done> {
    return this._call("DELETE", "/api/recording", { query: { ...input }, answer: "json" });
  }

  /** State of the recorder. */
  recordingState(): Promise<RecordingStateAnswer> {
    return this._call("GET", "/api/recording/state", { answer: "json" });
  }

  /** Record what is done on the desktop. */
  startRecording(input: StartRecordingInput = {}): Promise<Done> {
    return this._call("POST", "/api/recording/start", { body: { ...input }, answer: "json" });
  }

  /** Stop recording or playing. */
  stopRecording(input: StopRecordingInput = {}): Promise<Done> {
    return this._call("POST", "/api/recording/stop", { body: { ...input }, answer: "json" });
  }

  /** Replay the recording; answers when it has begun. */
  playRecording(input: PlayRecordingInput = {}): Promise<Done> {
    return this._call("POST", "/api/recording/play", { body: { ...input }, answer: "json" });
  }

  /** A trace as a page: the trace that is being recorded, or else the newest. */
  trace(input: TraceInput = {}): Promise<string> {
    return this._call("GET", "/api/trace", { query: { ...input }, answer: "text" });
  }

  /** Start a trace: what is done, with pictures, in a file that any browser opens. */
  startTrace(input: StartTraceInput = {}): Promise<StartTraceAnswer> {
    return this._call("POST", "/api/trace/start", { body: { ...input }, answer: "json" });
  }

  /** Stop the trace; the answer has the path of its file. */
  stopTrace(input: StopTraceInput = {}): Promise<StartTraceAnswer> {
    return this._call("POST", "/api/trace/stop", { body: { ...input }, answer: "json" });
  }

  /** Put a mark into the trace, such as the name of a step. */
  markTrace(input: MarkTraceInput): Promise<Done> {
    return this._call("POST", "/api/trace/mark", { body: { ...input }, answer: "json" });
  }

  /** Keep nothing in the trace until it is resumed. */
  pauseTrace(input: PauseTraceInput = {}): Promise<Done> {
    return this._call("POST", "/api/trace/pause", { body: { ...input }, answer: "json" });
  }

  /** Go on with a trace that is paused. */
  resumeTrace(input: ResumeTraceInput = {}): Promise<Done> {
    return this._call("POST", "/api/trace/resume", { body: { ...input }, answer: "json" });
  }

  /** State of the trace. */
  traceState(): Promise<TraceStateAnswer> {
    return this._call("GET", "/api/trace/state", { answer: "json" });
  }

  /** The files of traces, the oldest first. */
  traces(): Promise<TracesAnswer> {
    return this._call("GET", "/api/traces", { answer: "json" });
  }

  /** Remove the file of a trace. */
  removeTrace(input: RemoveTraceInput): Promise<Done> {
    return this._call("DELETE", "/api/traces", { query: { ...input }, answer: "json" });
  }

  /** Check whether AI agents may act. */
  agents(): Promise<AgentsAnswer> {
    return this._call("GET", "/api/agents", { answer: "json" });
  }

  /** Allow AI agents to act, or stop them. */
  allowAgents(input: AllowAgentsInput): Promise<Done> {
    return this._call("POST", "/api/agents", { body: { ...input }, answer: "json" });
  }

  /** Do actions in the form in which the models of Anthropic, OpenAI and Google write them. */
  act(input: ActInput): Promise<ActAnswer> {
    return this._call("POST", "/api/act", { body: { ...input }, answer: "json" });
  }

  /** Put a file into the served folder. */
  putFile(content: Uint8Array | Blob, input: PutFileInput): Promise<PutFileAnswer> {
    return this._call("PUT", "/api/file", { query: { ...input }, content, answer: "json" });
  }

  /** Make a link for a guest, who may look or act until the link ends. */
  makeLink(input: MakeLinkInput = {}): Promise<MakeLinkAnswer> {
    return this._call("POST", "/api/links", { body: { ...input }, answer: "json" });
  }

  /** The open links, and who looks now. */
  links(): Promise<LinksAnswer> {
    return this._call("GET", "/api/links", { answer: "json" });
  }

  /** End a link at once. */
  revokeLink(input: RevokeLinkInput): Promise<RevokeLinkAnswer> {
    return this._call("DELETE", "/api/links", { query: { ...input }, answer: "json" });
  }

  /** Input events as they happen (server-sent events). */
  events(): AsyncGenerator<Record<string, unknown>> {
    return this._events("GET", "/api/events", {});
  }

  /** Check whether the desktop can be heard; if not, the answer says why. */
  sound(): Promise<SoundAnswer> {
    return this._call("GET", "/api/sound", { answer: "json" });
  }

  /** Check whether deskhand answers. */
  health(): Promise<RevokeLinkAnswer> {
    return this._call("GET", "/healthz", { answer: "json" });
  }

  /** Check whether the desktop answers. */
  ready(): Promise<RevokeLinkAnswer> {
    return this._call("GET", "/readyz", { answer: "json" });
  }

  /** Figures in the text format of Prometheus. */
  metrics(): Promise<string> {
    return this._call("GET", "/metrics", { answer: "text" });
  }

  /** The list of all calls. */
  listEndpoints(): Promise<ListEndpointsAnswer> {
    return this._call("GET", "/api", { answer: "json" });
  }

  /** This API as an OpenAPI document. */
  openApi(): Promise<OpenApiAnswer> {
    return this._call("GET", "/openapi.json", { answer: "json" });
  }
}
