/** The desktop of Windows as a {@linkcode Desktop}. */

import type {
  Button,
  Desktop,
  Direction,
  Frame,
  Point,
  Region,
  Screen,
  Watch,
  WatchListener,
} from "../../control/desktop.ts";
import { Capture } from "./capture.ts";
import { Displays } from "./displays.ts";
import { type MouseInput, moveTo, pressButton, turnWheel } from "./input.ts";
import { Keyboard } from "./keyboard.ts";
import type { Libraries } from "./libraries.ts";
import { InputSender } from "./sender.ts";
import { HookWatch } from "./watch.ts";

/** SM_SWAPBUTTON: the person uses the right-hand button as the left one. */
const SM_SWAPBUTTON = 23;
const SWAPPED: Partial<Record<Button, Button>> = { left: "right", right: "left" };

/** GetCursorPos may lag behind an absolute move by a moment (2 ms at most were seen). */
const MOVE_SETTLES_MS = 20;
/** Notches in one call of SendInput. */
const NOTCHES_AT_ONCE = 100;

/** Pointer, keyboard and screen by user32 and gdi32. */
export class WindowsDesktop implements Desktop {
  readonly kind = "windows";
  readonly #libraries: Libraries;
  readonly #displays: Displays;
  readonly #sender: InputSender;
  readonly #keyboard: Keyboard;
  readonly #capture: Capture;
  readonly #watches = new Set<HookWatch>();
  readonly #point = new Int32Array(2);
  /** Where we put the pointer, until when Windows may still tell the place before. */
  #moved: { to: Point; until: number } | undefined;
  #closed = false;

  constructor(libraries: Libraries) {
    this.#libraries = libraries;
    this.#displays = new Displays(libraries);
    this.#sender = new InputSender(libraries);
    this.#keyboard = new Keyboard(libraries.user32, this.#sender);
    this.#capture = new Capture(libraries);
  }

  screen(): Screen {
    return this.#displays.screen();
  }

  position(): Point {
    if (!this.#libraries.user32.GetCursorPos(this.#point)) {
      throw this.#sender.refused("the pointer's position");
    }
    const [x, y] = this.#point;
    return this.#underWay() ?? { x, y };
  }

  move(point: Point): void {
    this.#sender.send([moveTo(point, this.#displays.region())]);
    this.#moved = { to: { ...point }, until: performance.now() + MOVE_SETTLES_MS };
  }

  button(button: Button, down: boolean): void {
    if (down) this.#sender.checkPointer(this.position()); // releasing is tried in any case
    const swapped = this.#libraries.user32.GetSystemMetrics(SM_SWAPBUTTON) !== 0;
    this.#sendHere([pressButton(swapped ? SWAPPED[button] ?? button : button, down)]);
  }

  scroll(direction: Direction, amount: number): void {
    this.#sender.checkPointer(this.position());
    for (let left = amount; left > 0; left -= NOTCHES_AT_ONCE) {
      this.#sendHere(Array.from({ length: Math.min(left, NOTCHES_AT_ONCE) }, () => turnWheel(direction)));
    }
  }

  /**
   * Sends inputs to where the pointer is. A move of a moment ago goes along in the same piece: under Wine the X
   * server's echo of an earlier move may put the pointer back for an instant, and a person may push the mouse.
   */
  #sendHere(inputs: readonly MouseInput[]): void {
    const to = this.#underWay();
    this.#sender.send(to ? [moveTo(to, this.#displays.region()), ...inputs] : inputs);
  }

  /** Where the last move goes to, as long as Windows may not have taken note of it everywhere. */
  #underWay(): Point | undefined {
    if (this.#moved && performance.now() > this.#moved.until) this.#moved = undefined;
    return this.#moved && { ...this.#moved.to };
  }

  key(key: string, down: boolean): void {
    this.#keyboard.key(key, down);
  }

  type(text: string, signal?: AbortSignal): Promise<void> {
    return this.#keyboard.type(text, signal);
  }

  capture(region: Region, cursor: boolean): Frame {
    const frame = this.#capture.take(region, cursor);
    if (!frame) throw this.#sender.refused("a picture of the screen");
    return frame;
  }

  async watch(listener: WatchListener): Promise<Watch> {
    const watch = await HookWatch.start(this.#libraries, this.#displays, listener);
    this.#watches.add(watch);
    return {
      close: async () => {
        await watch.close();
        this.#watches.delete(watch);
      },
    };
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    // A watch decodes its last events with the displays: they are freed after it.
    const ends = [...this.#watches].map((watch) => watch.close());
    Promise.allSettled(ends).then(() => {
      this.#capture[Symbol.dispose]();
      this.#displays[Symbol.dispose]();
    });
  }
}
