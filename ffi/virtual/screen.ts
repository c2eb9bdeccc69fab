/** The screen of a virtual desktop: a picture of the desk, which is drawn when someone asks for it. */

import {
  contains,
  type Frame,
  intersection,
  type Picture,
  type Point,
  type Region,
  type Screen,
  type ScreenLayout,
  type WindowChange,
  type WindowInfo,
  type Windows,
  type WindowState,
} from "../../control/desktop/desktop.ts";
import { copiedPicture } from "../copied_picture.ts";
import type { Desk } from "./desk.ts";
import { paintDesk } from "./paint.ts";
import { type FileStore, type Host, type Program, TITLE_HEIGHT } from "./program.ts";
import type { TextClipboard } from "./text_field.ts";
import type { Popup, Press, Widget } from "./widgets.ts";

// The letters of the virtual desktop: glyphs of Noto Sans in an atlas, which `deno task atlas` writes. The
// first text that is measured or drawn loads it.

/** A glyph; places are in pixels. */
interface Glyph {
  width: number;
  rows: number;
  /** The distance of the glyph's left edge from the pen, and of its top above the baseline. */
  left: number;
  top: number;
  /** The distance to the next character's pen. */
  advance: number;
  /** The place of the first pixel in {@linkcode Face.data}; each byte holds two, the first in the high half. */
  at: number;
}

/** Letters of one weight and size. */
interface Face {
  /** The distance from the top of a line to the baseline. */
  ascent: number;
  /** The height of a line. */
  height: number;
  glyphs: ReadonlyMap<string, Glyph>;
  data: Uint8Array;
}

/** The faces of the atlas; `large` has only digits and the colon. */
type FaceName = "regular" | "bold" | "large";

/** The size of the box that stands for a character that the font lacks. */
const BOX = { width: 10, height: 13 };

let faces: Map<string, Face> | undefined;

/** A face of the atlas. */
export function faceOf(name: FaceName): Face {
  faces ??= readAtlas(Deno.readFileSync(new URL("./noto/atlas.bin", import.meta.url)));
  return faces.get(name)!;
}

/** The glyph of a character; bold letters that the atlas lacks are regular ones. */
function glyphOf(character: string, name: FaceName): Glyph | undefined {
  const glyph = faceOf(name).glyphs.get(character);
  if (glyph) return glyph;
  return name === "regular" ? undefined : faceOf("regular").glyphs.get(character);
}

/** The characters of a text as they are drawn: letters and their accents as one. */
export function drawnCharacters(text: string): string[] {
  if (/^[ -~]*$/.test(text)) return text.split("");
  return [...text.normalize("NFC")].filter((character) => !/[\p{M}\p{Cf}]/u.test(character));
}

/** The width of a text in pixels. */
export function textWidth(text: string, name: FaceName = "regular"): number {
  return drawnCharacters(text).reduce((sum, character) => sum + advanceOf(character, name), 0);
}

/** The distance from one character to the next, in pixels. */
export function advanceOf(character: string, name: FaceName = "regular"): number {
  return glyphOf(character, name)?.advance ?? BOX.width + 2;
}

/** Reads an atlas: a line of JSON, then the glyphs of its faces as tools/atlas.ts writes them. */
function readAtlas(data: Uint8Array): Map<string, Face> {
  const end = data.indexOf(10), view = new DataView(data.buffer, data.byteOffset);
  const heads: { name: string; ascent: number; height: number; count: number }[] = JSON.parse(
    new TextDecoder().decode(data.subarray(0, end)),
  );
  let at = end + 1;
  return new Map(heads.map(({ name, ascent, height, count }) => {
    const glyphs = new Map<string, Glyph>();
    for (let i = 0; i < count; i++) {
      const width = data[at + 2],
        rows = data[at + 3],
        left = view.getInt8(at + 4),
        top = view.getInt8(at + 5);
      const character = String.fromCodePoint(view.getUint16(at, true));
      glyphs.set(character, { width, rows, left, top, advance: data[at + 6], at: at + 7 });
      at += 7 + Math.ceil(width * rows / 2);
    }
    return [name, { ascent, height, glyphs, data }];
  }));
}

// A picture in memory, and the shapes, letters and pointer that the virtual desktop draws on it.

/** The pointer's picture: `#` outline, `.` filling; its tip is the top left corner. */
const POINTER = [
  "#",
  "##",
  "#.#",
  "#..#",
  "#...#",
  "#....#",
  "#.....#",
  "#......#",
  "#.......#",
  "#........#",
  "#.....#####",
  "#..#..#",
  "#.# #..#",
  "##  #..#",
  "#    #..#",
  "     #..#",
  "      ##",
];

/** How a text is drawn. */
export interface TextStyle {
  color: number;
  face?: FaceName;
  /** The most pixels; a longer text ends in an ellipsis. */
  width?: number;
}

/** Pixels of 32 bits (`0x00RRGGBB`), rows from the top down. */
export class Canvas {
  readonly pixels: Uint32Array<ArrayBuffer>;
  /** The part that is drawn on. */
  clip: Region;

  /** @param width @param height In pixels. */
  constructor(readonly width: number, readonly height: number) {
    this.pixels = new Uint32Array(width * height);
    this.clip = { x: 0, y: 0, width, height };
  }

  /** Draws on a part of the canvas alone. */
  within(region: Region, draw: () => void): void {
    const before = this.clip, clip = intersection(before, region);
    if (!clip) return;
    this.clip = clip;
    draw();
    this.clip = before;
  }

  /** Fills a rectangle. */
  fill(region: Region, color: number): void {
    const part = intersection(this.clip, region);
    if (!part) return;
    for (let y = part.y; y < part.y + part.height; y++) {
      const start = y * this.width + part.x;
      this.pixels.fill(color, start, start + part.width);
    }
  }

  /** Mixes a color into a pixel. @param cover From 0 to 1. */
  blend(x: number, y: number, color: number, cover: number): void {
    const { x: left, y: top, width, height } = this.clip;
    if (cover <= 0 || x < left || y < top || x >= left + width || y >= top + height) return;
    const at = y * this.width + x;
    this.pixels[at] = cover >= 1 ? color : mixed(this.pixels[at], color, cover);
  }

  /** Draws a shape by the part of each pixel of a region that it covers, from 0 to 1. */
  shape(region: Region, color: number, coverAt: (x: number, y: number) => number): void {
    const part = intersection(this.clip, region);
    if (!part) return;
    for (let y = part.y; y < part.y + part.height; y++) {
      for (let x = part.x; x < part.x + part.width; x++) this.blend(x, y, color, coverAt(x + 0.5, y + 0.5));
    }
  }

  /** Fills a rectangle with round corners. */
  round(region: Region, radius: number, color: number): void {
    const { x, y, width, height } = region, right = x + width, bottom = y + height;
    this.fill({ x, y: y + radius, width, height: height - 2 * radius }, color);
    this.fill({ x: x + radius, y, width: width - 2 * radius, height: radius }, color);
    this.fill({ x: x + radius, y: bottom - radius, width: width - 2 * radius, height: radius }, color);
    for (const [cornerX, centerX] of [[x, x + radius], [right - radius, right - radius]]) {
      for (const [cornerY, centerY] of [[y, y + radius], [bottom - radius, bottom - radius]]) {
        const corner = { x: cornerX, y: cornerY, width: radius, height: radius };
        this.shape(corner, color, (x, y) => radius + 0.5 - Math.hypot(x - centerX, y - centerY));
      }
    }
  }

  /** Draws a box with round corners and a border of one pixel. */
  box({ x, y, width, height }: Region, radius: number, border: number, color: number): void {
    this.round({ x, y, width, height }, radius, border);
    this.round({ x: x + 1, y: y + 1, width: width - 2, height: height - 2 }, Math.max(0, radius - 1), color);
  }

  /** Darkens the surroundings of a region, as a window's shadow does. */
  shadow({ x, y, width, height }: Region, reach: number): void {
    const bottom = y + height, sides = { y: y - reach, height: height + 2 * reach, width: reach };
    const strips = [
      { ...sides, x: x - reach },
      { ...sides, x: x + width },
      { x, y: y - reach, width, height: reach },
      { x, y: bottom, width, height: reach },
    ];
    for (const strip of strips) {
      this.shape(strip, 0, (px, py) => {
        const dx = Math.max(x - px, 0, px - x - width), dy = Math.max(y + 3 - py, 0, py - bottom - 1);
        return 0.22 * Math.max(0, 1 - Math.hypot(dx, dy) / reach) ** 2;
      });
    }
  }

  /** Draws a line through points. */
  stroke(points: readonly Point[], color: number, width = 1.6): void {
    const xs = points.map(({ x }) => x), ys = points.map(({ y }) => y);
    const x = Math.floor(Math.min(...xs)) - 2, y = Math.floor(Math.min(...ys)) - 2;
    const region = { x, y, width: Math.max(...xs) - x + 3, height: Math.max(...ys) - y + 3 };
    this.shape(whole(region), color, (px, py) => {
      const distances = points.slice(1).map((to, i) => distanceTo(px, py, points[i], to));
      return width / 2 + 0.5 - Math.min(...distances);
    });
  }

  /** Draws a disc, or a ring of some width. */
  disc({ x, y }: Point, radius: number, color: number, width = Infinity): void {
    const region = { x: x - radius - 1, y: y - radius - 1, width: 2 * radius + 2, height: 2 * radius + 2 };
    this.shape(whole(region), color, (px, py) => {
      const distance = Math.hypot(px - x, py - y);
      return Math.min(radius + 0.5 - distance, distance - (radius - width) + 0.5);
    });
  }

  /**
   * Draws a text from its left upper corner on. A character that the font lacks is drawn as a box.
   * @returns Where the text ends.
   */
  text(x: number, y: number, text: string, { color, face = "regular", width = Infinity }: TextStyle): number {
    const { ascent, data } = faceOf(face), shown = shortened(text, face, width);
    for (const character of drawnCharacters(shown)) {
      const glyph = glyphOf(character, face);
      if (!glyph) {
        this.missing(x + 1, y + ascent - BOX.height + 2, color);
        x += BOX.width + 2;
        continue;
      }
      const { left, top, width, rows, at, advance } = glyph;
      const region = { x: x + left, y: y + ascent - top, width, height: rows };
      if (width && rows && intersection(this.clip, region)) {
        for (let i = 0; i < width * rows; i++) {
          const byte = data[at + (i >> 1)], cover = i & 1 ? byte & 15 : byte >> 4;
          if (cover) this.blend(region.x + i % width, region.y + Math.floor(i / width), color, cover / 15);
        }
      }
      x += advance;
    }
    return x;
  }

  /** Draws the box of a character that the font lacks. */
  missing(x: number, y: number, color: number): void {
    const { width, height } = BOX;
    for (const side of [0, width - 1]) this.fill({ x: x + side, y, width: 1, height }, color);
    for (const side of [0, height - 1]) this.fill({ x, y: y + side, width, height: 1 }, color);
  }

  /** Draws the pointer with its tip at a place. */
  pointer(x: number, y: number): void {
    POINTER.forEach((row, dy) =>
      [...row].forEach((mark, dx) => {
        if (mark !== " ") this.blend(x + dx, y + dy, mark === "#" ? 0x000000 : 0xffffff, 1);
      })
    );
  }
}

/** A color between two others. @param part From 0, the first, to 1, the second. */
export function mixed(from: number, to: number, part: number): number {
  const share = Math.round(part * 256), red = from >> 16 & 255, green = from >> 8 & 255, blue = from & 255;
  return red + (((to >> 16 & 255) - red) * share >> 8) << 16 |
    green + (((to >> 8 & 255) - green) * share >> 8) << 8 | blue + (((to & 255) - blue) * share >> 8);
}

/** A text cut to a width, with an ellipsis for the rest. */
function shortened(text: string, face: FaceName, width: number): string {
  if (width === Infinity || textWidth(text, face) <= width) return text;
  const characters = [...text];
  while (characters.length && textWidth(`${characters.join("")}…`, face) > width) characters.pop();
  return `${characters.join("").trimEnd()}…`;
}

/** The distance of a point from the part of a line between two points. */
function distanceTo(x: number, y: number, from: Point, to: Point): number {
  const dx = to.x - from.x, dy = to.y - from.y, length = dx * dx + dy * dy;
  const part = length ? Math.max(0, Math.min(1, ((x - from.x) * dx + (y - from.y) * dy) / length)) : 0;
  return Math.hypot(x - from.x - part * dx, y - from.y - part * dy);
}

function whole({ x, y, width, height }: Region): Region {
  return { x: Math.floor(x), y: Math.floor(y), width: Math.ceil(width), height: Math.ceil(height) };
}

/** The size of the screen if none is given. */
export const DEFAULT_SIZE = { width: 1280, height: 720 };

/** A picture that was drawn, and what it shows. */
interface Drawing {
  canvas: Canvas;
  revision: number;
  minute: string;
}

/** The picture of a desk. */
export class VirtualScreen implements Screen {
  /** The picture as it was drawn last, and what it shows. */
  #drawn: Drawing | undefined;
  /** The memory of the last capture: to allocate a screen takes longer than to copy it. */
  #frame: Canvas | undefined;

  constructor(readonly desk: Desk) {}

  layout(): ScreenLayout {
    const { screen } = this.desk;
    return { ...screen, displays: [{ name: "virtual", primary: true, ...screen }] };
  }

  capture<T>(region: Region, cursor: boolean, read: (frame: Frame) => T): Promise<T> {
    return Promise.try(() => read(this.take(region, cursor)));
  }

  picture(region: Region, cursor: boolean): Promise<Picture> {
    return Promise.try(() => copiedPicture(this.take(region, cursor)));
  }

  /** Captures a region, in memory that the next capture of its size takes. */
  take({ x, y, width, height }: Region, cursor: boolean): Frame {
    const { canvas } = this.#draw(), { pointer } = this.desk, kept = this.#frame;
    const frame = kept?.width === width && kept.height === height ? kept : new Canvas(width, height);
    this.#frame = frame;
    for (let row = 0; row < height; row++) {
      const start = (y + row) * canvas.width + x;
      frame.pixels.set(canvas.pixels.subarray(start, start + width), row * width);
    }
    if (cursor) frame.pointer(pointer.x - x, pointer.y - y);
    return { width, height, stride: width * 4, pixels: new Uint8Array(frame.pixels.buffer) };
  }

  #draw(): Drawing {
    const { desk } = this, { revision, screen } = desk, minute = desk.now().toISOString().slice(0, 16);
    if (this.#drawn?.revision === revision && this.#drawn.minute === minute) return this.#drawn;
    const canvas = this.#drawn?.canvas ?? new Canvas(screen.width, screen.height);
    paintDesk(canvas, desk);
    return this.#drawn = { canvas, revision, minute };
  }
}

// The windows of a virtual desktop: their order, places and frames.

/** The smallest size to which the pointer resizes a window. */
const SMALLEST = { width: 160, height: 90 };
/** The keys of the parts of a frame begin so; they are no elements of the program. */
const FRAME = "frame/";

/** The parts of the desk that all windows share. */
interface Shared {
  clipboard: TextClipboard;
  files: FileStore;
  now(): Date;
  /** Notes that the picture of the desk is old. */
  changed(): void;
}

/** A window in memory, and the desk as its program sees it. */
export class DeskWindow implements Host {
  readonly program: Program;
  state: WindowState = "normal";
  /** The window's place now, and while it is neither maximized nor minimized. */
  region: Region;
  normal: Region;
  /** The key of the widget that has the window's keyboard. */
  focused: string | undefined;
  open: Popup | undefined;
  #grabbed: { at: Point; region: Region } | undefined;

  /**
   * @param number The number of the window's id.
   * @param owner The window that waits for this one, a dialog.
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

  get files(): FileStore {
    return this.stack.shared.files;
  }

  readonly now = (): Date => this.stack.shared.now();
  readonly popup = (popup: Popup | undefined): void => void (this.open = popup);
  readonly focus = (key: string | undefined): void => void (this.focused = key);
  readonly close = (): void => this.stack.close(this);
  readonly ask = (make: (host: Host) => Program): void => this.stack.ask(this, make);

  /** The part below the title bar. */
  get area(): Region {
    const { width, height } = this.region, y = this.state === "fullscreen" ? 0 : TITLE_HEIGHT;
    return { x: 0, y, width, height: height - y };
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
    const title = part("title", { x: 0, y: 0, width, height: TITLE_HEIGHT }, {
      name: this.program.title,
      grab: (press) => press.count === 2 && !isDialog ? this.#toggle() : grab(press),
      drag: (at) => this.#drag(at, (region, x, y) => ({ ...region, x: region.x + x, y: region.y + y })),
    });
    const buttons = [["close", this.close], ["maximize", () => this.#toggle()], [
      "minimize",
      () => this.stack.apply(this, { to: "minimized" }),
    ]] as const;
    const shown = buttons.slice(0, isDialog ? 1 : 3).map(([key, click], i) =>
      part(key, { x: width - 34 * (i + 1) - 2, y: 3, width: 34, height: 28 }, { click })
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
      edge("right", { x: width - 4, y: TITLE_HEIGHT, width: 4, height: height - TITLE_HEIGHT }, 1, 0),
      edge("bottom", { x: 0, y: height - 4, width, height: 4 }, 0, 1),
      edge("corner", { x: width - 14, y: height - 14, width: 14, height: 14 }, 1, 1),
    ];
    return [title, ...shown, ...edges];
  }

  /** A place of the window on the screen, and the other way round. */
  toScreen<P extends Point>(place: P): P {
    return { ...place, x: place.x + this.region.x, y: place.y + this.region.y };
  }

  fromScreen<P extends Point>(place: P): P {
    return { ...place, x: place.x - this.region.x, y: place.y - this.region.y };
  }

  /** Tells whether a place of the screen is in the window, or in its open menu. */
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
  /** The windows, the front one first. */
  all: DeskWindow[] = [];
  #last = 0;

  /** @param screen The whole screen. @param area The part beside the bar. */
  constructor(readonly screen: Region, readonly area: Region, readonly shared: Shared) {}

  /** The window that has the keyboard. */
  get active(): DeskWindow | undefined {
    return this.all[0]?.state === "minimized" ? undefined : this.all[0];
  }

  list(): Promise<WindowInfo[]> {
    return Promise.resolve(this.all.map((window) => ({
      ...{ id: window.id, title: window.program.title, class: window.name, state: window.state },
      active: window === this.active,
      ...window.region,
    })));
  }

  change({ id }: WindowInfo, change: WindowChange): Promise<void> {
    const window = this.all.find((window) => window.id === id);
    if (window) this.apply(window, change); // otherwise the window is closed by now
    this.shared.changed();
    return Promise.resolve();
  }

  /** All input is handled at once. */
  hasHandled(): Promise<boolean> {
    return Promise.resolve(true);
  }

  /** Opens a window in front. @param at Its place, moved onto the screen. */
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

  /** The dialog that a window waits for. */
  dialogOf(window: DeskWindow): DeskWindow | undefined {
    const dialog = this.all.find(({ owner }) => owner === window);
    return dialog && (this.dialogOf(dialog) ?? dialog);
  }

  close(window: DeskWindow): void {
    this.all = this.all.filter((other) => other !== window && other.owner !== window);
  }

  /** Changes a window at once. */
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
    const places = {
      normal: window.normal,
      minimized: window.normal,
      maximized: this.area,
      fullscreen: this.screen,
    };
    window.state = state;
    window.region = { ...places[state] };
    window.open = undefined;
    if (state === "minimized") this.all = [...this.all.filter((other) => other !== window), window];
  }
}
