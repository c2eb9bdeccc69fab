/** The windows of a virtual desktop: drawn ones, which can be moved and closed. */

import type { Point, Region, WindowChange, WindowInfo, Windows } from "../../control/desktop.ts";
import type { Canvas } from "./canvas.ts";
import { GLYPH_SIZE } from "./font.ts";

const COLORS = { title: 0x3d5a80, activeTitle: 0x5b8def, body: 0xf2efe6, text: 0xffffff };
/** Height of a title bar, and pixels of the canvas a pixel of its glyphs. */
const TITLE = { height: 24, scale: 3 };

/** A window in memory. */
interface VirtualWindow extends WindowInfo {
  /** The window's place while it is neither maximized nor minimized. */
  normal: Region;
}

function virtualWindow(id: number, title: string, normal: Region): VirtualWindow {
  const number = `0x${id.toString(16)}`;
  return {
    id: number,
    title,
    class: "virtual",
    pid: Deno.pid,
    state: "normal",
    active: false,
    ...normal,
    normal,
  };
}

/** Two windows to try things with. */
export class VirtualWindows implements Windows {
  /** The windows, the front one first. */
  #windows: VirtualWindow[] = [
    virtualWindow(1, "Notes", { x: 800, y: 380, width: 320, height: 180 }),
    virtualWindow(2, "Clock", { x: 980, y: 40, width: 200, height: 120 }),
  ];

  /** @param screen The whole screen. */
  constructor(readonly screen: Region) {
    this.#windows[0].active = true;
  }

  list(): Promise<WindowInfo[]> {
    return Promise.resolve(this.#windows.map(({ normal: _, ...window }) => ({ ...window })));
  }

  change({ id }: WindowInfo, change: WindowChange): Promise<void> {
    const window = this.#windows.find((window) => window.id === id);
    if (window) this.#change(window, change); // otherwise the window is closed by now
    return Promise.resolve();
  }

  /** Draws the windows, the front one last. @param origin The place on the desktop of the canvas's left upper corner. */
  draw(canvas: Canvas, origin: Point): void {
    for (const { x, y, width, height, title, state, active } of this.#windows.toReversed()) {
      if (state === "minimized") continue;
      const left = x - origin.x, top = y - origin.y;
      canvas.fill(left, top, width, height, COLORS.body);
      canvas.fill(left, top, width, TITLE.height, active ? COLORS.activeTitle : COLORS.title);
      [...title].forEach((character, i) => {
        const at = left + 6 + i * (GLYPH_SIZE.width + 1) * TITLE.scale;
        canvas.glyph(character, at, top + 5, TITLE.scale, COLORS.text);
      });
    }
  }

  #change(window: VirtualWindow, change: WindowChange): void {
    switch (change.to) {
      case "closed":
        this.#windows = this.#windows.filter((other) => other !== window);
        break;
      case "active":
        this.#activate(window);
        break;
      case "placed":
        Object.assign(window.normal, change.region);
        this.#show(window, "normal");
        break;
      default:
        this.#show(window, change.to);
    }
    this.#windows.forEach((window, i) => window.active = i === 0 && window.state !== "minimized");
  }

  #activate(window: VirtualWindow): void {
    if (window.state === "minimized") this.#show(window, "normal");
    this.#windows = [window, ...this.#windows.filter((other) => other !== window)];
  }

  #show(window: VirtualWindow, state: WindowInfo["state"]): void {
    const { x, y, width, height } = state === "maximized" || state === "fullscreen"
      ? this.screen
      : window.normal;
    Object.assign(window, { state, x, y, width, height });
    if (state !== "minimized") return;
    this.#windows = [...this.#windows.filter((other) => other !== window), window];
  }
}
