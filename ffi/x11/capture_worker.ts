/// <reference lib="deno.worker" />
/**
 * The thread that captures the screen for pictures that are then encoded or searched, over a connection of its own, so
 * that neither the capture nor the copy of its 8 MB keeps other requests waiting.
 */

import { DesktopUnavailableError } from "../../core/errors.ts";
import { answerCalls } from "../../core/worker_entry.ts";
import type { CaptureCall } from "./capture_call.ts";
import { Connection } from "./connection.ts";
import { X11Screen } from "./screen.ts";

/** How long the connection stays without a capture, in milliseconds: less than the Worker, whose end would leave it open. */
const IDLE_MS = 10_000;

let open: { connection: Connection; screen: X11Screen } | undefined;
let idle: ReturnType<typeof setTimeout> | undefined;

answerCalls<CaptureCall, void>(({ display, region, cursor, memory }) => {
  clearTimeout(idle);
  try {
    const { width, height, stride, pixels } = opened(display).capture(region, cursor);
    const rows = new Uint8Array(memory), rowBytes = width * 4;
    if (stride === rowBytes) rows.set(pixels.subarray(0, rowBytes * height));
    else {
      for (let row = 0; row < height; row++) {
        rows.set(pixels.subarray(row * stride, row * stride + rowBytes), row * rowBytes);
      }
    }
  } catch (error) {
    close(); // the next capture connects again
    throw error;
  }
  idle = setTimeout(close, IDLE_MS);
});

/** @throws DesktopUnavailableError while there is no server. */
function opened(display: string): X11Screen {
  if (open) return open.screen;
  const connection = Connection.open(display);
  if (!connection) {
    throw new DesktopUnavailableError(
      `the X server of display ${display} is gone; waiting for it to be back`,
    );
  }
  open = { connection, screen: new X11Screen(connection) };
  return open.screen;
}

function close(): void {
  open?.screen.close();
  open?.connection.close();
  open = undefined;
}
