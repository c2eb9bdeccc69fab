/**
 * Bringing a window to the front. Windows lets only some programs do that (see the remarks of SetForegroundWindow), and
 * its calls report success either way: the window in front afterwards tells whether it worked.
 */

import { StateError } from "../../core/errors.ts";
import { until } from "../../core/until.ts";
import { type InputSender, NO_INPUT } from "./input.ts";
import type { Libraries } from "./symbols.ts";

// Whether programs react.

const WM_NULL = 0;
const SMTO_ABORTIFHUNG = 2;

/**
 * Whether the program of a window answers a message without effect (SendMessageTimeoutW), without blocking this
 * thread.
 * @param ms How long the program may take, in milliseconds.
 */
export async function isResponsive(
  user32: Libraries["user32"],
  window: bigint,
  ms: number,
): Promise<boolean> {
  return await user32.SendMessageTimeoutW(window, WM_NULL, 0n, 0n, SMTO_ABORTIFHUNG, ms, null) !== 0n;
}

/** The time that a window may take to come to the front, and between two looks, in milliseconds. */
const FRONT_MS = 500, LOOK_MS = 5;
/** The time that a program may take to answer before it counts as one that does not react, in milliseconds. */
const ANSWER_MS = 200;
/** SetWindowPos: SWP_NOSIZE, SWP_NOMOVE, SWP_NOACTIVATE, SWP_ASYNCWINDOWPOS; HWND_TOP. */
const RAISE = 0x1 | 0x2 | 0x10 | 0x4000;
const HWND_TOP = 0n;

/**
 * Brings a window to the front and gives it the keyboard.
 * @param sender Sends the input that makes Windows allow the activation.
 * @throws StateError with the reason if the window does not come to the front; DesktopUnavailableError if Windows takes
 *   no input, as on a locked screen.
 */
export async function bringToFront(
  libraries: Libraries,
  sender: InputSender,
  window: bigint,
): Promise<void> {
  const { user32 } = libraries;
  // The program that had the last input may choose the window in front; this input has no other effect.
  sender.send([NO_INPUT]);
  raise(user32, window);
  if (await comesToFront(user32, window)) return;
  if (!await isResponsive(user32, window, ANSWER_MS)) {
    throw new StateError("cannot bring the window to the front: its program does not respond");
  }
  const front = user32.GetForegroundWindow();
  // Sharing input with a program that does not react would block this one too.
  if (!front || await isResponsive(user32, front, ANSWER_MS)) {
    raiseAsOneOf(libraries, front, window);
    if (await comesToFront(user32, window)) return;
  }
  const refusal = sender.guard.refusal(front),
    reason = refusal ? `: the window in front keeps it, and ${refusal}` : "";
  throw new StateError(`Windows did not let the window come to the front${reason}`);
}

/** Windows raises a window that it puts in front; Wine leaves that to a window manager, which may be missing. */
function raise(user32: Libraries["user32"], window: bigint): void {
  user32.SetWindowPos(window, HWND_TOP, 0, 0, 0, 0, RAISE);
  user32.SetForegroundWindow(window);
}

/** Raises a window with the rights of the program in front: both threads share their input during that. */
function raiseAsOneOf({ user32, kernel32 }: Libraries, front: bigint, window: bigint): void {
  const own = kernel32.GetCurrentThreadId(), other = user32.GetWindowThreadProcessId(front, null);
  const isShared = other !== 0 && other !== own && user32.AttachThreadInput(own, other, 1) !== 0;
  try {
    raise(user32, window);
  } finally {
    if (isShared) user32.AttachThreadInput(own, other, 0);
  }
}

/**
 * Waits until a window is in front, or gone: the caller then finds it missing from the list. The window's own thread
 * raises it, before it answers; a raise that came later would put the window over one that was activated since.
 */
async function comesToFront(user32: Libraries["user32"], window: bigint): Promise<boolean> {
  const isInFront = () => user32.GetForegroundWindow() === window || !user32.IsWindow(window);
  if (!await until(isInFront, { ms: FRONT_MS, every: LOOK_MS })) return false;
  await isResponsive(user32, window, ANSWER_MS);
  return true;
}
