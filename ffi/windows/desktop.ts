/** The desktop of Windows, by user32 and gdi32. */

import type { Desktop, Observer, Player, Watch, WatchListener } from "../../control/desktop.ts";
import { playInWorker } from "../playback/in_worker.ts";
import { Displays } from "./displays.ts";
import { WindowsKeyboard } from "./keyboard.ts";
import type { Libraries } from "./libraries.ts";
import { WindowsPointer } from "./pointer.ts";
import { WindowsScreen } from "./screen.ts";
import { InputSender } from "./sender.ts";
import { HookWatch } from "./watch.ts";

/** The desktop that this process belongs to. */
export class WindowsDesktop implements Desktop {
  readonly kind = "windows";
  readonly pointer: WindowsPointer;
  readonly keyboard: WindowsKeyboard;
  readonly screen: WindowsScreen;
  readonly observer: Observer = { watch: (listener) => this.#watch(listener) };
  readonly playback: Player = playInWorker(new URL("./playback_worker.ts", import.meta.url), undefined);
  readonly #libraries: Libraries;
  readonly #displays: Displays;
  readonly #watches = new Set<HookWatch>();
  #closed = false;

  constructor(libraries: Libraries) {
    this.#libraries = libraries;
    this.#displays = new Displays(libraries);
    const sender = new InputSender(libraries);
    this.pointer = new WindowsPointer(libraries.user32, this.#displays, sender);
    this.keyboard = new WindowsKeyboard(libraries.user32, sender);
    this.screen = new WindowsScreen(libraries, this.#displays, sender);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    // A watch decodes its last events with the displays: they are freed after it.
    const ends = [...this.#watches].map((watch) => watch.close());
    Promise.allSettled(ends).then(() => {
      this.screen[Symbol.dispose]();
      this.#displays[Symbol.dispose]();
    });
  }

  async #watch(listener: WatchListener): Promise<Watch> {
    const watch = await HookWatch.start(this.#libraries, this.#displays, listener);
    this.#watches.add(watch);
    return {
      close: async () => {
        await watch.close();
        this.#watches.delete(watch);
      },
    };
  }
}
