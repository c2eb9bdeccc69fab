/** The desktop of Windows: its parts, and the person's own input as reports of a Worker. */

import type {
  Desktop,
  DesktopIdentity,
  LivePicture,
  Observer,
  Player,
  Screen,
  Watch,
  WatchListener,
} from "../../control/desktop/desktop.ts";
import { NoDesktopError } from "../../core/errors.ts";
import { CaptureWorker } from "../capture/in_worker.ts";
import { liveInWorker } from "../live/in_worker.ts";
import { playInWorker } from "../playback/in_worker.ts";
import { watchInWorker, type WorkerWatch } from "../watch.ts";
import { WindowsClipboard } from "./clipboard.ts";
import { WindowsElements } from "./elements/mod.ts";
import { InputSender } from "./input.ts";
import { WindowsKeyboard } from "./keyboard.ts";
import { WindowsPointer } from "./pointer.ts";
import { declareDpiAwareness, WindowsScreen } from "./screen.ts";
import { inspectSession, noDesktopReason } from "./session.ts";
import { type Libraries, openLibraries } from "./symbols.ts";
import { DesktopWindows } from "./windows.ts";

/**
 * Opens the desktop of the person who is logged on to this Windows.
 * @throws NoDesktopError on another system, and where the process has no screen (a service, a program over SSH).
 */
export function openWindows(): WindowsDesktop {
  if (Deno.build.os !== "windows") {
    throw new NoDesktopError(`No Windows desktop to control: this is ${Deno.build.os}. Use --desktop auto`);
  }
  const libraries = openLibraries();
  declareDpiAwareness(libraries); // must come before all other calls
  const reason = noDesktopReason(inspectSession(libraries));
  if (reason) throw new NoDesktopError(reason);
  return new WindowsDesktop(libraries);
}

const WORKERS = new URL("./workers.ts", import.meta.url);

/** The desktop that this process belongs to. */
export class WindowsDesktop implements Desktop {
  readonly kind = "windows";
  readonly pointer: WindowsPointer;
  readonly keyboard: WindowsKeyboard;
  readonly screen: WindowsScreen & Pick<Screen, "captureInto">;
  readonly windows: DesktopWindows;
  readonly clipboard: WindowsClipboard;
  readonly elements = new WindowsElements();
  readonly observer: Observer = { watch: (listener) => this.#watch(listener) };
  readonly playback: Player = playInWorker({ url: WORKERS, role: "playback" }, undefined);
  readonly live: LivePicture = liveInWorker({ url: WORKERS, role: "live" }, undefined);
  readonly #captures = new CaptureWorker({ url: WORKERS, role: "capture" }, undefined);
  readonly #watches = new Set<Watch>();
  #address: string | undefined;
  #closed = false;

  constructor(readonly libraries: Libraries) {
    const sender = new InputSender(libraries);
    this.pointer = new WindowsPointer(libraries.user32, sender);
    this.keyboard = new WindowsKeyboard(libraries.user32, sender);
    this.screen = Object.assign(new WindowsScreen(libraries, sender), {
      captureInto: this.#captures.captureInto.bind(this.#captures),
    });
    this.windows = new DesktopWindows(libraries, sender);
    this.clipboard = new WindowsClipboard(libraries);
  }

  /** Each session has keys and buttons of its own. */
  identity(): DesktopIdentity {
    return { address: this.#address ??= `windows ${inspectSession(this.libraries).id}` };
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const watch of this.#watches) watch.close();
    this.#captures.close();
    this.elements.close();
    this.screen[Symbol.dispose]();
    this.windows[Symbol.dispose]();
  }

  async #watch(listener: WatchListener): Promise<Watch> {
    const watch = await watchWindows(this.libraries, listener);
    this.#watches.add(watch);
    return {
      close: () => {
        this.#watches.delete(watch);
        return watch.close();
      },
    };
  }
}

/** The time between checks that Windows has not removed the Worker's hooks, in milliseconds. */
const HEARTBEAT_MS = 2000;
/** Thread message that ends the Worker (winuser.h). */
const WM_QUIT = 0x12;

/** The Worker's report once its hooks are installed. */
export interface HooksReady {
  /** The Worker's thread id. */
  thread: number;
  /** Handles of the hooks (HHOOK). */
  hooks: bigint[];
}

/**
 * Watches all input until closed.
 * @param heartbeatMs How often the hooks are checked, in milliseconds.
 * @returns Once the hooks are installed.
 * @throws DesktopUnavailableError if Windows refuses them.
 */
export function watchWindows(
  { user32 }: Libraries,
  listener: WatchListener,
  heartbeatMs = HEARTBEAT_MS,
): Promise<WorkerWatch<HooksReady>> {
  const url = new URL("./watch_worker.ts", import.meta.url);
  // The Worker blocks in GetMessageW, so only a thread message reaches it.
  return watchInWorker<number, HooksReady>(
    url,
    heartbeatMs,
    listener,
    ({ thread }) => user32.PostThreadMessageW(thread, WM_QUIT, 0n, 0n),
  );
}
