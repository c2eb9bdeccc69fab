/** The watching side of the hooks: starts their Worker, tells the listener, sees to it that the hooks live. */

import type { ObservedAction, Region, Watch, WatchListener } from "../../control/desktop.ts";
import { DesktopUnavailableError } from "../../core/errors.ts";
import { clockSkew } from "../clock.ts";
import type { Displays } from "./displays.ts";
import { EventRing, ringMemory } from "./event_ring.ts";
import { HookDecoder, tickOf } from "./hook_events.ts";
import { Layout } from "./layout.ts";
import type { Libraries } from "./libraries.ts";
import { type WatchReport, type WatchStart, WM_QUIT, WM_REINSTALL } from "./watch_protocol.ts";

/** How often the hooks are looked after, ms. */
const HEARTBEAT_MS = 2000;
/** Windows' last input may be this much newer than the last event, ms: both are in ticks of up to 16 ms. */
const TICK_TOLERANCE_MS = 200;
/** An event may be under way to the hooks for this long, ms: the longest that Windows waits for one. */
const UNDER_WAY_MS = 1000;

/** Watches all input until closed. */
export class HookWatch implements Watch {
  readonly #libraries: Libraries;
  readonly #displays: Displays;
  readonly #listener: WatchListener;
  readonly #memory = ringMemory();
  readonly #ring = new EventRing(this.#memory);
  readonly #decoder = new HookDecoder();
  readonly #worker = new Worker(new URL("./watch_worker.ts", import.meta.url), { type: "module" });
  readonly #ended = Promise.withResolvers<void>();
  readonly #heartbeat: ReturnType<typeof setInterval>;
  #thread = 0;
  #hooks: readonly bigint[] = [];
  #closing = false;
  #lastAt = 0;
  #lastTick: number;
  #screen: Region;

  private constructor(
    libraries: Libraries,
    displays: Displays,
    screen: Region,
    listener: WatchListener,
    heartbeatMs: number,
  ) {
    this.#libraries = libraries;
    this.#displays = displays;
    this.#listener = listener;
    this.#lastTick = libraries.kernel32.GetTickCount();
    this.#screen = screen;
    this.#heartbeat = setInterval(() => this.#beat(), heartbeatMs);
  }

  /**
   * Starts watching.
   * @param heartbeatMs How often the hooks are looked after, ms.
   * @returns Once the hooks are in place.
   * @throws DesktopUnavailableError if Windows refuses them.
   */
  static async start(
    libraries: Libraries,
    displays: Displays,
    listener: WatchListener,
    heartbeatMs = HEARTBEAT_MS,
  ): Promise<HookWatch> {
    const watch = new HookWatch(libraries, displays, displays.region(), listener, heartbeatMs);
    await watch.#started();
    return watch;
  }

  /** The handles of the hooks as first installed. */
  get hooks(): readonly bigint[] {
    return this.#hooks;
  }

  close(): Promise<void> {
    if (!this.#closing) {
      this.#closing = true;
      clearInterval(this.#heartbeat);
      if (!this.#libraries.user32.PostThreadMessageW(this.#thread, WM_QUIT, 0n, 0n)) this.#end();
    }
    return this.#ended.promise;
  }

  #started(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    let ready = false;
    const fail = (message: string) => {
      this.#end();
      if (!ready) return reject(new DesktopUnavailableError(`Input cannot be watched: ${message}`));
      if (!this.#closing) this.#listener.problem("ended", `Watching input ended: ${message}`);
      this.#closing = true;
    };
    this.#worker.onmessage = ({ data }: MessageEvent<WatchReport>) => {
      if (data.type === "events") this.#deliver();
      else if (data.type === "ended") this.#end();
      else if (data.type === "failed") fail(data.message);
      else {
        ready = true;
        this.#thread = data.thread;
        this.#hooks = data.hooks;
        resolve();
      }
    };
    this.#worker.onerror = (event) => {
      event.preventDefault(); // else it ends the process
      fail(event.message);
    };
    this.#worker.postMessage({ memory: this.#memory, skew: clockSkew() } satisfies WatchStart);
    return promise;
  }

  #end(): void {
    clearInterval(this.#heartbeat);
    this.#deliver();
    this.#worker.terminate();
    this.#ended.resolve();
  }

  #deliver(): void {
    const { events, lost } = this.#ring.drain();
    if (events.length > 0) {
      const screen = this.#lookAtScreen();
      const layout = Layout.ofForeground(this.#libraries.user32);
      const batch: ObservedAction[] = [];
      for (const event of events) {
        this.#lastTick = tickOf(event);
        const observed = this.#decoder.decode(event, screen, layout);
        if (!observed) continue;
        this.#lastAt = observed.at = Math.max(observed.at, this.#lastAt);
        batch.push(observed);
      }
      if (batch.length > 0) this.#listener.actions(batch);
    }
    if (lost > 0) {
      this.#listener.problem("gap", `${lost} input events were lost: the program was too busy to take them`);
    }
  }

  /** The virtual screen. While there is no monitor, as when a remote session is cut, what it was before. */
  #lookAtScreen(): Region {
    try {
      return this.#screen = this.#displays.region();
    } catch {
      return this.#screen;
    }
  }

  /**
   * Looks whether Windows counts input that the hooks were not told: it removes hooks that were once too slow, and
   * tells nobody.
   */
  #beat(): void {
    this.#deliver();
    const info = new Uint32Array([8, 0]); // LASTINPUTINFO: cbSize, dwTime
    if (!this.#libraries.user32.GetLastInputInfo(info)) return;
    const unseen = info[1] - this.#lastTick | 0; // ticks wrap
    const age = this.#libraries.kernel32.GetTickCount() - info[1] | 0;
    if (unseen <= TICK_TOLERANCE_MS || age < UNDER_WAY_MS) return;
    this.#lastTick = info[1];
    this.#libraries.user32.PostThreadMessageW(this.#thread, WM_REINSTALL, 0n, 0n);
    this.#listener.problem(
      "gap",
      "Windows counts input that deskhand was not told of, in the last seconds: it removes hooks of a busy machine " +
        "without a word. They are installed anew",
    );
  }
}
