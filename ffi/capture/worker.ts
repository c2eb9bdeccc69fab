/**
 * The Worker's side of captures: it uses its own connection, so that neither the capture nor the copy of its
 * 8 MB blocks other requests.
 */

import type { Screen } from "../../control/desktop/desktop.ts";
import { IdleTimer } from "../../core/until.ts";
import { answerCalls } from "../../core/worker_entry.ts";
import { openedAgain } from "../permission.ts";
import type { CaptureCall } from "../in_worker.ts";
import { copyFrame } from "../copied_picture.ts";

/**
 * How long the screen stays open without a capture, in milliseconds; shorter than the Worker's own idle time,
 * since the Worker's end does not close the screen.
 */
const IDLE_MS = 10_000;

/** A screen to capture. */
export interface CapturedDesktop extends Pick<Screen, "capture"> {
  close(): void;
}

/**
 * Makes this module the Worker of a `CaptureWorker`.
 * @param open Opens the screen for the first capture, and again after a failed capture or a long pause.
 */
export function answerCaptures<Source>(
  open: (source: Source) => CapturedDesktop | Promise<CapturedDesktop>,
): void {
  let screen: CapturedDesktop | undefined;
  const close = () => {
    screen?.close();
    screen = undefined;
  };
  const idle = new IdleTimer(IDLE_MS, close);
  answerCalls<CaptureCall<Source>, void>(async ({ source, region, cursor, memory }) => {
    idle.cancel();
    try {
      screen ??= await openedAgain(() => open(source));
      await screen.capture(region, cursor, (frame) => copyFrame(frame, memory));
    } catch (error) {
      close(); // the next capture opens a new connection
      throw error;
    }
    idle.touch();
  });
}
