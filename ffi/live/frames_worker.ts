/** The Worker of a live picture whose frames another thread captures. */

import type { Region } from "../../control/desktop/desktop.ts";
import { waitForFrame } from "../../control/desktop/viewers.ts";
import { DesktopUnavailableError } from "../../core/errors.ts";
import { openJpegEncoder } from "../jpeg.ts";
import type { FrameSource } from "../on_thread.ts";
import { PolledScreen } from "./polled.ts";
import { serveLive } from "./worker.ts";

/**
 * Maximum time for the other thread to deliver a frame, in milliseconds: it may be busy, the desktop slow.
 */
const FRAME_MS = 10_000;

serveLive<FrameSource>(({ source, memory }, want) => {
  const { frames, ...place } = source;
  const pixels = new Uint8Array(frames) as Uint8Array as Uint8Array<ArrayBuffer>;
  const take = ({ width, height }: Region) => {
    if (!waitForFrame(memory, want, FRAME_MS)) {
      throw new DesktopUnavailableError(
        `the desktop did not provide a screenshot within ${FRAME_MS / 1000} s`,
      );
    }
    return { width, height, stride: width * 4, pixels };
  };
  return new PolledScreen({ layout: () => place, take }, memory, () => {}, openJpegEncoder());
});
