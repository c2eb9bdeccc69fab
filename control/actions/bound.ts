/**
 * Time limits of actions: how long each may spend on its own waits, apart from its turns on the desktop,
 * which have their own limits (`operator/turn.ts`).
 */

import type { OverdueError } from "../../core/errors.ts";
import { deadline } from "../../core/until.ts";
import type { Operator } from "../operator/operator.ts";
import { overdue } from "../operator/turn.ts";
import type { AnyAction, Bound } from "./action.ts";

/** Maximum time an action may wait for earlier actions, in milliseconds. */
const QUEUE_MS = 3_600_000;
/** Minimum interval between two checks of a running action, in milliseconds. */
const LOOK_MS = 50;

const DESKTOP: Bound = { takesMs: 0, waitsFor: "the desktop to answer" };
/** Accessibility may have to start first, and the programs of all windows are queried. */
export const ELEMENTS: Bound = { takesMs: 60_000, waitsFor: "the programs that have the elements" };
const PICTURE: Bound = { takesMs: 60_000, waitsFor: "the picture of the screen" };
/** The search thread gives up on a picture after a minute; others may be ahead in the queue. */
const SEARCH: Bound = { takesMs: 120_000, waitsFor: "the search for the picture" };
/** All text of a large screen, on a slow machine, behind other callers. */
const TEXT: Bound = { takesMs: 180_000, waitsFor: "the text on the screen to be read" };
const WINDOWS: Bound = { takesMs: 10_000, waitsFor: "the window manager" };
const CLIPBOARD: Bound = { takesMs: 60_000, waitsFor: "the program that has the clipboard" };
const RECORDER: Bound = { takesMs: 30_000, waitsFor: "the recorder" };
const TRACE: Bound = { takesMs: 30_000, waitsFor: "the file of the trace" };

/** Actions that wait for more than the desktop's replies. */
const BOUNDS: Readonly<Record<string, Bound>> = {
  screenshot: PICTURE,
  elementLines: ELEMENTS,
  elementTree: ELEMENTS,
  elements: ELEMENTS,
  clickOnElement: ELEMENTS,
  setElement: ELEMENTS,
  focusElement: ELEMENTS,
  scrollToElement: ELEMENTS,
  switchElements: ELEMENTS,
  find: SEARCH,
  clickPicture: SEARCH,
  compare: SEARCH,
  comparePicture: SEARCH,
  text: TEXT,
  textLines: TEXT,
  findText: TEXT,
  clickText: TEXT,
  changes: { takesMs: 30_000, waitsFor: "the screen to be watched" },
  wait: { takesMs: 190_000, waitsFor: "the screen" },
  activateWindow: WINDOWS,
  minimizeWindow: WINDOWS,
  maximizeWindow: WINDOWS,
  restoreWindow: WINDOWS,
  fullscreenWindow: WINDOWS,
  closeWindow: WINDOWS,
  placeWindow: WINDOWS,
  clipboard: CLIPBOARD,
  clipboardPicture: CLIPBOARD,
  setClipboard: CLIPBOARD,
  recording: RECORDER,
  loadRecording: RECORDER,
  discardRecording: RECORDER,
  startRecording: RECORDER,
  stopRecording: RECORDER,
  playRecording: RECORDER,
  startTrace: TRACE,
  stopTrace: TRACE,
  pauseTrace: TRACE,
  resumeTrace: TRACE,
  traceState: TRACE,
  traces: TRACE,
  removeTrace: TRACE,
};

/** Names of the actions that wait for more than the desktop's replies, for a test. */
export const BOUNDED_NAMES: readonly string[] = Object.keys(BOUNDS);

/**
 * The time limit of one call.
 * @param values The fields of the call; `timeout_ms` and `wait_ms` are waits that the caller requests.
 */
function boundOf({ name, bound }: AnyAction, values: Record<string, unknown>): Bound {
  const { takesMs, waitsFor } = bound ?? BOUNDS[name] ?? (values.element === undefined ? DESKTOP : ELEMENTS);
  const asked = [values.timeout_ms, values.wait_ms].filter((ms) => typeof ms === "number");
  return { takesMs: asked.reduce((sum, ms) => sum + ms, takesMs), waitsFor };
}

/**
 * Waits for a call within its time limit. For actions that take turns, time in which any action has its turn
 * on the desktop does not count: each turn has its own limit.
 * @param running The call, already started.
 * @param end Called if the call is ended before its result.
 * @throws OverdueError, which `end` also receives, if the call is ended; the errors of the call.
 */
export function withinOwnBound<T>(
  operator: Operator,
  action: AnyAction,
  values: Record<string, unknown>,
  running: Promise<T>,
  end: (error: OverdueError) => void,
): Promise<T> {
  const { takesMs, waitsFor } = boundOf(action, values), ms = operator.boundMs + takesMs;
  const busyMs = action.effect === "act" ? () => operator.busyMs : () => 0;
  const start = performance.now(), busyBefore = busyMs();
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const look = () => {
    const spent = performance.now() - start, left = ms - (spent - Math.min(busyMs() - busyBefore, QUEUE_MS));
    if (left > 0) return void (withdraw = deadline(Math.max(left, LOOK_MS), look));
    const error = overdue(action.name, ms, waitsFor);
    end(error);
    reject(error);
  };
  let withdraw = deadline(ms, look);
  running.then((result) => {
    withdraw();
    resolve(result);
  }, (error) => {
    withdraw();
    reject(error);
  });
  return promise;
}
