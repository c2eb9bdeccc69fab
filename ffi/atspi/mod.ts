/** The elements of windows by AT-SPI, the accessibility of Linux desktops (https://www.freedesktop.org/wiki/Accessibility/AT-SPI2). */

import type { ElementChange, ElementInfo, Elements, ElementTree, WindowInfo } from "../../control/desktop.ts";
import { CallWorker } from "../../core/call_worker.ts";
import type { Origin } from "./window_reader.ts";

/** To the Worker. */
export type ElementsCall =
  & { origin: Origin }
  & (
    | { type: "read"; window: WindowInfo; hidden: boolean }
    | { type: "reread"; window: WindowInfo; key: string }
    | { type: "same"; window: WindowInfo }
    | { type: "change"; key: string; change: ElementChange }
  );

/** From the Worker. */
export type ElementsAnswer = ElementTree | ElementInfo | undefined | boolean;

/** How long the Worker and its connection stay without a call, in milliseconds: programs then drop what they keep for it. */
const IDLE_MS = 60_000;

/** Elements of the windows of a desktop. Nothing is loaded or connected before the first call. */
export class AtspiElements implements Elements {
  readonly #worker = new CallWorker<ElementsCall, ElementsAnswer>({
    url: new URL("./worker.ts", import.meta.url),
    idleMs: IDLE_MS,
  });

  /**
   * @param origin The origin of places that programs can tell on this desktop.
   */
  constructor(readonly origin: Origin) {}

  async read(window: WindowInfo, hidden: boolean): Promise<ElementTree> {
    return await this.#worker.call({ type: "read", origin: this.origin, window, hidden }) as ElementTree;
  }

  async reread(window: WindowInfo, key: string): Promise<ElementInfo | undefined> {
    return await this.#worker.call({ type: "reread", origin: this.origin, window, key }) as
      | ElementInfo
      | undefined;
  }

  async isSame(window: WindowInfo): Promise<boolean> {
    return await this.#worker.call({ type: "same", origin: this.origin, window }) as boolean;
  }

  async change(key: string, change: ElementChange): Promise<boolean> {
    return await this.#worker.call({ type: "change", origin: this.origin, key, change }) as boolean;
  }

  close(): void {
    this.#worker.close();
  }
}
