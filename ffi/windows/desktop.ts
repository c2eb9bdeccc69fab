/** The desktop of Windows, by user32 and gdi32. */

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
import { CaptureWorker } from "../capture/in_worker.ts";
import { liveInWorker } from "../live/in_worker.ts";
import { playInWorker } from "../playback/in_worker.ts";
import { WindowsClipboard } from "./clipboard.ts";
import { WindowsElements } from "./elements/mod.ts";
import { WindowsKeyboard } from "./keyboard.ts";
import type { Libraries } from "./symbols.ts";
import { WindowsPointer } from "./pointer.ts";
import { WindowsScreen } from "./screen.ts";
import { inspectSession } from "./session.ts";
import { InputSender } from "./input.ts";
import { watchWindows } from "./watch.ts";
import { DesktopWindows } from "./windows.ts";

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
