/** The watching side of a Worker that reads XInput 2 events on a connection of its own. */

import type { Watch, WatchListener } from "../../control/desktop.ts";
import { DesktopUnavailableError } from "../../core/errors.ts";
import { clockSkew } from "../clock.ts";
import type { WatchReport, WatchStart, WatchStop } from "./watch_protocol.ts";

/**
 * Watches all input of a display until closed.
 * @returns Once everything that happens from now on will be told.
 * @throws DesktopUnavailableError if it cannot be watched.
 */
export function watchX11(display: string, listener: WatchListener): Promise<Watch> {
  const worker = new Worker(new URL("./watch_worker.ts", import.meta.url), { type: "module" });
  const started = Promise.withResolvers<Watch>();
  const stopped = Promise.withResolvers<void>();
  let state: "starting" | "watching" | "closed" = "starting";

  const end = () => {
    worker.terminate();
    stopped.resolve();
  };
  const fail = (message: string) => {
    const was = state;
    state = "closed";
    end();
    if (was === "starting") {
      started.reject(new DesktopUnavailableError(`input cannot be watched: ${message}`));
    } else if (was === "watching") listener.problem("ended", `watching input ended: ${message}`);
  };
  worker.onmessage = ({ data }: MessageEvent<WatchReport>) => {
    if (data.type === "actions") listener.actions(data.batch);
    else if (data.type === "stopped") end();
    else if (data.type === "failed") fail(data.message);
    else {
      state = "watching";
      started.resolve({
        close() {
          if (state === "watching") {
            state = "closed";
            worker.postMessage({ type: "stop" } satisfies WatchStop);
          }
          return stopped.promise;
        },
      });
    }
  };
  worker.onerror = (event) => {
    event.preventDefault(); // else it ends the process
    fail(event.message);
  };
  worker.postMessage({ type: "start", display, skew: clockSkew() } satisfies WatchStart);
  return started.promise;
}
