/** The Worker for the desktop's sound: it captures and encodes while someone listens. */

import { serveWorker } from "../../../core/worker_entry.ts";
import { checkOpus, checkPulse, Framer, OpusEncoder, PulseInput } from "./capture.ts";
import type { SoundStart } from "./mod.ts";

/** Maximum time from the last listener's end to the end of capture, in milliseconds. */
const STOP_MS = 100;
/** Size of a packet's timestamp, in bytes. */
const TIME_BYTES = 8;

serveWorker<SoundStart, Uint8Array<ArrayBuffer>, void>(({ stop, isCheck }, { report }) => {
  checkOpus();
  if (isCheck) return checkPulse();
  const encoder = new OpusEncoder();
  const framer = new Framer((samples, at) => {
    const packet = encoder.encode(samples), message = new Uint8Array(TIME_BYTES + packet.length);
    new DataView(message.buffer).setFloat64(0, at, true);
    message.set(packet, TIME_BYTES);
    report(message, [message.buffer]);
  });
  try {
    const input = new PulseInput((samples) =>
      framer.push(samples, performance.timeOrigin + performance.now())
    );
    try {
      while (Atomics.load(stop, 0) === 0) input.iterate(STOP_MS);
    } finally {
      input.close();
    }
  } finally {
    encoder.close();
  }
});
