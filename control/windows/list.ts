/** Lists the windows of a desktop, waits for a window, and compares two lists. */

import { InputError, NotFoundError, on, StateError, UnsupportedError } from "../../core/errors.ts";
import { printableJson } from "../../core/printable.ts";
import { timeByLoad } from "../../core/proc.ts";
import {
  type ElementDialog,
  intersection,
  isShown,
  type Region,
  type WindowInfo,
} from "../desktop/desktop.ts";
import type { Operator } from "../operator/operator.ts";
import { poll } from "../operator/wait.ts";

// Selects a window by its id, or by title, class and process.

/** A query for windows. A window must match every given field. */
export interface WindowQuery {
  id?: string;
  /** A part of the title, case-insensitive. */
  title?: string;
  /** The class, case-insensitive. */
  class?: string;
  pid?: number;
  active?: boolean;
}

/** The windows that match a query, in list order. */
export function matchingWindows(windows: readonly WindowInfo[], query: WindowQuery): WindowInfo[] {
  const title = query.title?.toLowerCase(),
    className = query.class?.toLowerCase(),
    id = query.id?.toLowerCase();
  return windows.filter((window) =>
    (id === undefined || window.id === id) &&
    (title === undefined || window.title.toLowerCase().includes(title)) &&
    (className === undefined || window.class.toLowerCase() === className) &&
    (query.pid === undefined || window.pid === query.pid) &&
    (query.active === undefined || window.active === query.active)
  );
}

/**
 * Selects the only window that matches a query. Unless any may be used, a title equal to the query takes
 * precedence over those that contain it.
 * @param any Uses the front window if several match.
 * @throws NotFoundError if none matches; StateError naming the ids if several do.
 */
export function oneWindow(windows: readonly WindowInfo[], query: WindowQuery, any = false): WindowInfo {
  const found = matchingWindows(windows, query), whole = any ? [] : wholeTitles(found, query.title);
  const matches = whole.length ? whole : found;
  if (!matches.length) throw new NotFoundError(`no window matches ${describeQuery(query)}`);
  if (matches.length > 1 && !any) {
    const ids = matches.slice(0, 20).map((window) => `${window.id} ${quotedTitle(window)}`).join(", ");
    throw new StateError(`${matches.length} windows match ${describeQuery(query)}: ${ids}; specify id`);
  }
  return matches[0];
}

/**
 * Selects the front window with a title: one with exactly that title, otherwise one that contains it.
 * @throws NotFoundError if there is none.
 */
export function titledWindow(windows: readonly WindowInfo[], title: string): WindowInfo {
  return wholeTitles(windows, title)[0] ?? oneWindow(windows, { title }, true);
}

function wholeTitles(windows: readonly WindowInfo[], wanted: string | undefined): WindowInfo[] {
  return windows.filter(({ title }) => title.toLowerCase() === wanted?.toLowerCase());
}

/**
 * Describes a query, for messages.
 * @example
 * describeQuery({ title: "notes", pid: 12 }); // 'title "notes" and pid 12'
 */
export function describeQuery({ id, title, class: className, pid, active }: WindowQuery): string {
  const parts = [
    id !== undefined && `id ${id}`,
    title !== undefined && `title ${JSON.stringify(title)}`,
    className !== undefined && `class ${JSON.stringify(className)}`,
    pid !== undefined && `pid ${pid}`,
    active !== undefined && `active ${active}`,
  ];
  return parts.filter((part) => part !== false).join(" and ");
}

/** Maximum number of windows in an error. */
const NEAR = 5;

/**
 * Selects the only window that matches a query, or the active one if nothing is given.
 * @throws NotFoundError if there is none; StateError like {@linkcode oneWindow}.
 */
export function windowOrActive(windows: readonly WindowInfo[], query: WindowQuery): WindowInfo {
  if (Object.values(query).some((value) => value !== undefined)) {
    if (!matchingWindows(windows, query).length) throw new NotFoundError(whyNone(windows, query));
    return oneWindow(windows, query);
  }
  const active = windows.find(({ active }) => active) ?? windows[0];
  if (active) return active;
  throw new NotFoundError("there is no window");
}

function whyNone(windows: readonly WindowInfo[], query: WindowQuery): string {
  const titles = windows.filter(({ title }) => title).slice(0, NEAR).map((window) => quotedTitle(window));
  const near = titles.length ? `; open windows: ${titles.join(", ")}` : "";
  return `no window matches ${describeQuery(query)}${near}`;
}

/** Polling interval, in milliseconds. */
const INTERVAL_MS = 20;

/**
 * Maximum age of a list that a call reuses, in milliseconds, longer on a busy machine: programs also open
 * windows on their own.
 */
const FRESH_MS = 200;

/** When each list was made or found unchanged, on the scale of `performance.now()`. */
const LISTED_AT = new WeakMap<readonly WindowInfo[], number>();
/** The last list of each desktop. */
const LAST = new WeakMap<Operator, readonly WindowInfo[]>();

/**
 * Lists the windows, front one first: again the last list, if the desktop says that nothing has changed since.
 * @param atHand A list that the same call made before it did anything, which is returned if it is fresh.
 * @throws UnsupportedError if the desktop's windows are not accessible.
 */
export async function listWindows(
  operator: Operator,
  atHand?: readonly WindowInfo[],
): Promise<readonly WindowInfo[]> {
  if (atHand && performance.now() - (LISTED_AT.get(atHand) ?? -Infinity) < timeByLoad(FRESH_MS)) {
    return atHand;
  }
  const last = LAST.get(operator);
  const windows = await operator.read(async ({ windows, kind }) => {
    if (!windows) throw new UnsupportedError(`window management is not available on the ${kind} desktop`);
    return last && await windows.isSame?.(last) ? last : await windows.list();
  });
  LAST.set(operator, windows);
  const before = SEEN.get(operator), now = performance.now();
  LISTED_AT.set(windows, now);
  // Windows of the first list may be of any age.
  SEEN.set(operator, new Map(windows.map(({ id }) => [id, before ? before.get(id) ?? now : -Infinity])));
  return windows;
}

/** The windows as {@linkcode listWindows} returns them; undefined if the desktop does not list them. */
export async function windowsIfListed(
  operator: Operator,
  atHand?: readonly WindowInfo[],
): Promise<readonly WindowInfo[] | undefined> {
  return await listWindows(operator, atHand).catch(on(UnsupportedError));
}

/** A list of windows. */
export interface Listed {
  /** undefined if the desktop does not list its windows. */
  list: readonly WindowInfo[] | undefined;
  /** Whether the watched screen has not changed since; false if it is not watched. */
  isCurrent(): boolean;
}

/**
 * The windows as one call knows them: its steps share a list, until the screen changes or the call acts or
 * waits.
 */
export class KnownWindows {
  /** The list, while it may be right. */
  listed: Listed | undefined;

  /** @param noted Notes the screen's state; returns {@linkcode Listed.isCurrent}. */
  constructor(readonly operator: Operator, readonly noted: () => () => boolean) {}

  /** As {@linkcode windowsIfListed}. */
  async ifListed(): Promise<readonly WindowInfo[] | undefined> {
    const atHand = this.listed?.isCurrent() ? this.listed.list : undefined, isCurrent = this.noted();
    const list = await windowsIfListed(this.operator, atHand);
    if (list !== atHand) this.listed = { list, isCurrent };
    return list;
  }

  /** Forgets the list, since the call has acted or waited. */
  forget(): void {
    this.listed = undefined;
  }
}

/** When the windows of the last list were first seen, on the scale of `performance.now()`. */
const SEEN = new WeakMap<Operator, ReadonlyMap<string, number>>();

/** Time since a window was first listed, in milliseconds; Infinity if it existed before the first list. */
export function ageOf(operator: Operator, { id }: WindowInfo): number {
  return performance.now() - (SEEN.get(operator)?.get(id) ?? -Infinity);
}

/** A window waits for a dialog, which the message names. */
export class DialogError extends StateError {}

/**
 * Finds the dialog that a window waits for: until it is answered, the program ignores presses in the window.
 * @param atHand As in {@linkcode listWindows}.
 * @param key An element's key: the dialog that this element waits for.
 * @returns undefined if none is known. Other windows are queried only if they are of the same program.
 */
export async function dialogOver(
  operator: Operator,
  window: WindowInfo,
  atHand?: readonly WindowInfo[],
  key?: string,
): Promise<ElementDialog | undefined> {
  const all = await windowsIfListed(operator, atHand), { windows, elements } = operator.desktop;
  const others = all?.some(({ id, pid }) => id !== window.id && pid === window.pid) ? all : undefined;
  const isAsked = others !== undefined && windows?.dialogOver !== undefined;
  const dialog = isAsked && await operator.read(({ windows }) => windows!.dialogOver!(window, others));
  return dialog || await elements?.dialogOver?.(window, isAsked || !others, key);
}

/** A part of a window to capture. */
export interface WindowPart {
  /** In desktop pixels. */
  region: Region;
  /**
   * The window, if others cover the part, so that the window itself must be captured; otherwise, the screen
   * shows the part.
   */
  window?: WindowInfo;
}

/**
 * The part of a window that is on the screen.
 * @param given Must not contain a region.
 * @throws NotFoundError if there is no such window; StateError if it is minimized or off the screen, or if
 * other windows cover it and this desktop cannot show covered windows; InputError if a region is also given.
 */
export async function windowPart(
  operator: Operator,
  id: string,
  given: Partial<Region>,
): Promise<WindowPart> {
  if (Object.values(given).some((value) => value !== undefined)) {
    throw new InputError("window and a region cannot both be given");
  }
  const windows = await listWindows(operator),
    window = oneWindow(windows, { id }),
    screen = operator.screen();
  if (!window.width) throw new StateError("this desktop does not report where its windows are");
  if (window.state === "minimized") throw new StateError(`window ${id} is minimized`);
  if (window.elsewhere) {
    throw new StateError(`window ${id} is on another workspace or behind a tab; activate it first`);
  }
  const visible = intersection(window, screen);
  if (!visible) throw new StateError(`window ${id} is off the screen`);
  return uncoveredPart(operator, windows, window, visible);
}

/**
 * How to capture a part of a window. Menus and other popups, which are not listed, count as parts of the
 * window below them.
 * @param part The on-screen part.
 * @throws StateError if another window covers the part and this desktop cannot show covered windows.
 */
export function uncoveredPart(
  { desktop }: Operator,
  windows: readonly WindowInfo[],
  window: WindowInfo,
  part: Region,
): WindowPart {
  const front = windows.slice(0, windows.findIndex(({ id }) => id === window.id));
  const cover = front.find((other) => isShown(other) && other.width > 0 && intersection(other, part));
  if (!cover) return { region: part };
  if (desktop.screen.captureWindow) return { region: part, window };
  const [over, under] = [quotedTitle(cover), quotedTitle(window)];
  throw new StateError(
    `${over} covers part of ${under}, and this desktop cannot capture covered windows; activate the window first`,
  );
}

/**
 * Waits until a window exists, or no longer exists.
 * @param gone Waits until no window matches the query.
 * @param timeoutMs Maximum wait, in milliseconds.
 * @param signal Aborts the wait with its reason.
 * @returns The window (undefined if it is gone), and how long the wait took, in milliseconds; undefined on
 * timeout.
 * @throws UnsupportedError if the desktop's windows are not accessible.
 */
export async function waitForWindow(
  operator: Operator,
  query: WindowQuery,
  gone: boolean,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<{ ms: number; window?: WindowInfo } | undefined> {
  let window: WindowInfo | undefined;
  const ms = await poll(
    async () => {
      [window] = matchingWindows(await listWindows(operator), query);
      return (window === undefined) === gone;
    },
    INTERVAL_MS,
    timeoutMs,
    signal,
  );
  return ms === undefined ? undefined : { ms, window };
}

/** Windows that opened and closed. */
export interface WindowsDifference {
  opened: WindowInfo[];
  closed: WindowInfo[];
  /** The active window, if it has changed; null if no window is active now. */
  active?: WindowInfo | null;
}

/** The window that receives keys. */
export const activeOf = (windows: readonly WindowInfo[]) => windows.find(({ active }) => active);

/** Compares two lists of windows. */
export function differenceOf(before: readonly WindowInfo[], after: readonly WindowInfo[]): WindowsDifference {
  const had = byId(before), has = byId(after), active = activeOf(after);
  return {
    opened: after.filter((window) => !isSame(window, had.get(window.id))),
    closed: before.filter((window) => !isSame(window, has.get(window.id))),
    ...(isSame(active, activeOf(before)) ? {} : { active: active ?? null }),
  };
}

/**
 * Whether two descriptions are of the same window; ids alone are not enough, since an X server reuses the ids
 * of a program that has ended.
 */
function isSame(one: WindowInfo | undefined, other: WindowInfo | undefined): boolean {
  if (one?.id !== other?.id) return false;
  return one?.pid === undefined || other?.pid === undefined || one.pid === other.pid;
}

/** Whether windows opened or closed, or another window is active. */
export function isOther(before: readonly WindowInfo[], after: readonly WindowInfo[]): boolean {
  const { opened, closed, active } = differenceOf(before, after);
  return opened.length > 0 || closed.length > 0 || active !== undefined;
}

/** A difference in words; undefined if there is none. */
export function changeText({ opened, closed, active }: WindowsDifference): string | undefined {
  if (opened.length) return "a window opened";
  if (closed.length) return "a window closed";
  if (active === undefined) return undefined;
  return active ? "another window became active" : "no window is active any more";
}

/**
 * Maximum length of a title in a line of text, in UTF-8 bytes: such a line stays below 40 tokens, even in
 * scripts where a character is a token.
 */
const TITLE_BYTES = 36;

/**
 * A window's title in quotes, truncated. The program chooses it, so quotes, line breaks and characters that
 * reorder text are escaped.
 * @param bytes Maximum length of the title, in UTF-8 bytes.
 */
export function quotedTitle({ title }: Pick<WindowInfo, "title">, bytes = TITLE_BYTES): string {
  const { read } = new TextEncoder().encodeInto(title, new Uint8Array(bytes));
  return printableJson(JSON.stringify(read < title.length ? `${title.slice(0, read)}…` : title));
}

/** A dialog that is in the way, in words. */
export function dialogText(dialog: ElementDialog): string {
  return `the ${dialog.isPopover ? "popover with" : "dialog"} ${quotedTitle(dialog)}`;
}

const byId = (windows: readonly WindowInfo[]) => new Map(windows.map((window) => [window.id, window]));
