/** The changes of the screen and of the windows, as server-sent events (WHATWG HTML, section 9.2). */

import { Capacity } from "../../core/coalesced_read.ts";
import type { ActionRunner } from "../actions/runner.ts";
import { changesValues } from "../actions/observe_fields.ts";
import { headersOf } from "./responses.ts";

/** Readers that may listen at once, to all desktops of this process. */
const READERS = new Capacity(32, "32 clients are listening to changes already");
/** The time between comments, which keep proxies from closing a silent stream, in milliseconds. */
const KEEP_ALIVE_MS = 15_000;

/**
 * Answers a listener.
 * @param signal Aborted when the client leaves.
 * @returns A stream of events named `change`; each has the changes since the event before.
 * @throws BusyError if too many listen; DesktopUnavailableError if the screen cannot be watched.
 */
export async function changeStream(runner: ActionRunner, signal: AbortSignal): Promise<Response> {
  const lease = READERS.enter(), ending = new AbortController();
  const ends = AbortSignal.any([signal, ending.signal, runner.pictures.closing]);
  let following: Disposable | undefined;
  const release = () => {
    lease[Symbol.dispose]();
    following?.[Symbol.dispose]();
  };
  try {
    const follower = await runner.followed();
    following = await follower.follow();
    const encoder = new TextEncoder();
    let serial = follower.serial;
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(encoder.encode(": listening\n\n")),
      async pull(controller) {
        try {
          await follower.waitFor(serial, KEEP_ALIVE_MS, ends);
        } catch {
          release();
          return controller.close();
        }
        const changes = follower.since(serial), isNew = changes.serial > serial;
        serial = changes.serial;
        const event = isNew ? `event: change\ndata: ${JSON.stringify(changesValues(changes))}\n\n` : ":\n\n";
        controller.enqueue(encoder.encode(event));
      },
      cancel() {
        ending.abort();
        release();
      },
    }, { highWaterMark: 1 });
    return new Response(stream, { headers: headersOf("text/event-stream") });
  } catch (error) {
    release();
    throw error;
  }
}
