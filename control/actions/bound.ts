/**
 * The bounds of actions: how long each may take by its own waits, beside its turns on the desktop, which have bounds of
 * their own (`operator/turn.ts`).
 */

import type { OverdueError } from "../../core/errors.ts";
import { deadline } from "../../core/until.ts";
import type { Operator } from "../operator/operator.ts";
import { overdue } from "../operator/turn.ts";
import type { AnyAction } from "./action.ts";

/** The longest wait of an action for actions before it, in milliseconds. */
const QUEUE_MS = 3_600_000;
/** The shortest time between two looks at an action that is not over yet, in milliseconds. */
const LOOK_MS = 50;

/** A row of the table. */
interface Bound {
  /** The time that the action itself waits at most, besides the times that its fields name, in milliseconds. */
  takesMs: number;
  /** The state that the action waits for, in words. */
  waitsFor: string;
}

const DESKTOP: Bound = { takesMs: 0, waitsFor: "the desktop to answer" };
/** Accessibility may have to be started first, and the programs of all windows are asked. */
const ELEMENTS: Bound = { takesMs: 60_000, waitsFor: "the programs that have the elements" };
const PICTURE: Bound = { takesMs: 60_000, waitsFor: "the picture of the screen" };
/** The thread that searches gives up a picture after a minute; others may be before it. */
const SEARCH: Bound = { takesMs: 120_000, waitsFor: "the search for the picture" };
/** The letters of a large screen, on a slow machine, behind other callers. */
const TEXT: Bound = { takesMs: 180_000, waitsFor: "the text on the screen to be read" };
const WINDOWS: Bound = { takesMs: 10_000, waitsFor: "the window manager" };
const CLIPBOARD: Bound = { takesMs: 60_000, waitsFor: "the program that has the clipboard" };
const RECORDER: Bound = { takesMs: 30_000, waitsFor: "the recorder" };
const TRACE: Bound = { takesMs: 30_000, waitsFor: "the file of the trace" };

/** Actions that wait for more than the desktop's answers. */
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

/** Names of the actions that wait for more than the desktop's answers, for a test. */
export const BOUNDED_NAMES: readonly string[] = Object.keys(BOUNDS);

/**
 * The bound of one call.
 * @param values The fields of the call; `timeout_ms` and `wait_ms` are waits that the caller asks for.
 */
function boundOf({ name }: AnyAction, values: Record<string, unknown>): Bound {
  const { takesMs, waitsFor } = BOUNDS[name] ?? (values.element === undefined ? DESKTOP : ELEMENTS);
  const asked = [values.timeout_ms, values.wait_ms].filter((ms) => typeof ms === "number");
  return { takesMs: asked.reduce((sum, ms) => sum + ms, takesMs), waitsFor };
}

/**
 * Waits for a call within its bound. The time in which actions have their turns on the desktop does not count for actions
 * that take turns: each turn has a bound of its own.
 * @param running The call, which has begun.
 * @param end Called when the call is ended before its result.
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
