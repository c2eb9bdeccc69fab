/** A virtual desktop's windows: their order, positions and frames. */

import {
  contains,
  type Point,
  type Region,
  type TextFolder,
  type WindowChange,
  type WindowInfo,
  type Windows,
  type WindowState,
} from "../../control/desktop/desktop.ts";
import { type Host, type Program, TITLE_HEIGHT } from "./program.ts";
import { rect } from "./canvas.ts";
import type { TextClipboard } from "./text_field.ts";
import type { Popup, Press, Widget } from "./widgets.ts";

/** Minimum size to which the pointer can resize a window. */
const SMALLEST = { width: 160, height: 90 };
/** The key prefix of a frame's parts, which are not elements of the program. */
const FRAME = "frame/";

/** The parts of the desk that all windows share. */
interface Shared {
  clipboard: TextClipboard;
  files: TextFolder;
  now(): Date;
  /** Marks the desk's picture as outdated. */
  changed(): void;
}

/** A window in memory, and the desk as its program sees it. */
export class DeskWindow implements Host {
  readonly program: Program;
  state: WindowState = "normal";
  /** The window's current region, and its region while it is neither maximized nor minimized. */
  region: Region;
  normal: Region;
  /** The key of the window's focused widget. */
  focused: string | undefined;
  open: Popup | undefined;
  #grabbed: { at: Point; region: Region } | undefined;

  /**
   * @param number The number in the window's id.
   * @param owner The window that this one, a dialog, blocks.
   */
  constructor(
    readonly number: number,
    readonly stack: VirtualWindows,
    make: (host: Host) => Program,
    at: Point,
    readonly name: string,
    readonly owner?: DeskWindow,
  ) {
    this.program = make(this);
    this.region = this.normal = { ...at, ...this.program.size };
    this.focused = this.program.focus;
  }

  get id(): string {
    return `0x${this.number.toString(16)}`;
  }

  get clipboard(): TextClipboard {
    return this.stack.shared.clipboard;
  }

  get files(): TextFolder {
    return this.stack.shared.files;
  }

  readonly now = (): Date => this.stack.shared.now();
  readonly popup = (popup: Popup | undefined): void => void (this.open = popup);
  readonly focus = (key: string | undefined): void => void (this.focused = key);
  readonly close = (): void => this.stack.close(this);
  readonly ask = (make: (host: Host) => Program): void => this.stack.ask(this, make);

  soon<T>(result: T | Promise<T>, done: (result: T) => void, failed: (reason: string) => void): void {
    if (!(result instanceof Promise)) return done(result);
    const { changed } = this.stack.shared;
    result.then(done, ({ message }: Error) => failed(message)).then(changed);
  }

  /** The part below the title bar. */
  get area(): Region {
    const { width, height } = this.region, y = this.state === "fullscreen" ? 0 : TITLE_HEIGHT;
    return rect(0, y, width, height - y);
  }

  /** The program's widgets, and those of the open menu. */
  view(): Widget[] {
    return [...this.program.view(this.area), ...(this.open?.widgets ?? [])];
  }

  /** The title bar with its buttons, and the edges that resize the window. */
  frame(): Widget[] {
    if (this.state === "fullscreen") return [];
    const { width, height } = this.region, isDialog = this.owner !== undefined;
    const part = (key: string, place: Region, more: Partial<Widget>): Widget => {
      return { key: FRAME + key, role: "none", name: "", place, look: key, ...more };
    };
    const grab = ({ at }: Press) => this.#grabbed = { at: this.toScreen(at), region: this.region };
    const title = part("title", rect(0, 0, width, TITLE_HEIGHT), {
      name: this.program.title,
      grab: (press) => press.count === 2 && !isDialog ? this.#toggle() : grab(press),
      drag: (at) => this.#drag(at, (region, x, y) => ({ ...region, x: region.x + x, y: region.y + y })),
    });
    const minimize = () => this.stack.apply(this, { to: "minimized" });
    const buttons = [["close", this.close], ["maximize", () => this.#toggle()], [
      "minimize",
      minimize,
    ]] as const;
    const shown = buttons.slice(0, isDialog ? 1 : 3).map(([key, click], i) =>
      part(key, rect(width - 34 * (i + 1) - 2, 3, 34, 28), { click })
    );
    const edge = (key: string, place: Region, alongX: number, alongY: number) =>
      part(key, place, {
        grab,
        drag: (at) =>
          this.#drag(at, (region, x, y) => ({
            ...region,
            width: Math.max(SMALLEST.width, region.width + alongX * x),
            height: Math.max(SMALLEST.height, region.height + alongY * y),
          })),
      });
    const edges = isDialog || this.state === "maximized" ? [] : [
      edge("right", rect(width - 4, TITLE_HEIGHT, 4, height - TITLE_HEIGHT), 1, 0),
      edge("bottom", rect(0, height - 4, width, 4), 0, 1),
      edge("corner", rect(width - 14, height - 14, 14, 14), 1, 1),
    ];
    return [title, ...shown, ...edges];
  }

  /** Converts a position in the window to one on the screen, and the reverse. */
  toScreen<P extends Point>(place: P): P {
    return { ...place, x: place.x + this.region.x, y: place.y + this.region.y };
  }

  fromScreen<P extends Point>(place: P): P {
    return { ...place, x: place.x - this.region.x, y: place.y - this.region.y };
  }

  /** Whether a position on the screen is in the window or in its open menu. */
  has(point: Point): boolean {
    const isOnMenu = this.open && contains(this.open.place, this.fromScreen(point));
    return this.state !== "minimized" && (isOnMenu || contains(this.region, point));
  }

  #toggle(): void {
    this.stack.apply(this, { to: this.state === "maximized" ? "normal" : "maximized" });
  }

  #drag(at: Point, move: (region: Region, x: number, y: number) => Region): void {
    if (!this.#grabbed || this.state !== "normal") return;
    const { at: from, region } = this.#grabbed, now = this.toScreen(at);
    this.region = this.normal = move(region, now.x - from.x, now.y - from.y);
  }
}

/** All windows of the desk. */
export class VirtualWindows implements Windows {
  /** The windows, topmost first. */
  all: DeskWindow[] = [];
  #last = 0;

  /** @param screen The whole screen. @param area The screen without the bar. */
  constructor(readonly screen: Region, readonly area: Region, readonly shared: Shared) {}

  /** The active window. */
  get active(): DeskWindow | undefined {
    return this.all[0]?.state === "minimized" ? undefined : this.all[0];
  }

  list(): Promise<WindowInfo[]> {
    return Promise.resolve(this.#listed());
  }

  isSame(listed: readonly WindowInfo[]): Promise<boolean> {
    return Promise.resolve(JSON.stringify(listed) === JSON.stringify(this.#listed()));
  }

  #listed(): WindowInfo[] {
    return this.all.map((window) => ({
      ...{ id: window.id, title: window.program.title, class: window.name, state: window.state },
      active: window === this.active,
      ...window.region,
    }));
  }

  change({ id }: WindowInfo, change: WindowChange): Promise<void> {
    const window = this.all.find((window) => window.id === id);
    if (window) this.apply(window, change); // otherwise the window has already been closed
    this.shared.changed();
    return Promise.resolve();
  }

  /** All input is handled synchronously. */
  hasHandled(): Promise<boolean> {
    return Promise.resolve(true);
  }

  /** Opens a window on top. @param at Its position, moved onto the screen. */
  add(name: string, make: (host: Host) => Program, at: Point, owner?: DeskWindow): DeskWindow {
    const window = new DeskWindow(++this.#last, this, make, at, name, owner);
    const { region } = window, { area } = this;
    region.x = Math.max(0, Math.min(region.x, area.width - region.width));
    region.y = Math.max(0, Math.min(region.y, area.height - region.height));
    this.all.unshift(window);
    return window;
  }

  /** Opens a dialog in the middle of its window. */
  ask(owner: DeskWindow, make: (host: Host) => Program): void {
    const dialog = this.add(owner.name, make, { x: 0, y: 0 }, owner), { region } = dialog;
    const middle = (at: number, size: number, own: number) => at + Math.round((size - own) / 2);
    const place = {
      x: Math.max(0, middle(owner.region.x, owner.region.width, region.width)),
      y: Math.max(0, middle(owner.region.y, owner.region.height, region.height)),
    };
    dialog.region = dialog.normal = { ...region, ...place };
  }

  dialogOver({ id }: WindowInfo): Promise<Pick<WindowInfo, "id" | "title"> | undefined> {
    const window = this.all.find((window) => window.id === id), dialog = window && this.dialogOf(window);
    return Promise.resolve(dialog && { id: dialog.id, title: dialog.program.title });
  }

  /** The dialog that blocks a window. */
  dialogOf(window: DeskWindow): DeskWindow | undefined {
    const dialog = this.all.find(({ owner }) => owner === window);
    return dialog && (this.dialogOf(dialog) ?? dialog);
  }

  /** Closes a window with its dialogs, and theirs. */
  close(window: DeskWindow): void {
    const isOf = (one?: DeskWindow): boolean => one !== undefined && (one === window || isOf(one.owner));
    this.all = this.all.filter((one) => !isOf(one));
  }

  /** Changes a window immediately. */
  apply(window: DeskWindow, change: WindowChange): void {
    switch (change.to) {
      case "closed":
        return this.close(window);
      case "active":
        if (window.state === "minimized") this.#show(window, "normal");
        for (const one of [window, this.dialogOf(window)]) {
          if (one) this.all = [one, ...this.all.filter((other) => other !== one)];
        }
        return;
      case "placed":
        window.normal = { ...window.normal, ...change.region };
        return this.#show(window, "normal");
      default:
        return this.#show(window, change.to);
    }
  }

  #show(window: DeskWindow, state: WindowState): void {
    const large: Partial<Record<WindowState, Region>> = { maximized: this.area, fullscreen: this.screen };
    window.state = state;
    window.region = { ...large[state] ?? window.normal };
    window.open = undefined;
    if (state === "minimized") this.all = [...this.all.filter((other) => other !== window), window];
  }
}
