/** The screen of a virtual desktop. */

import type {
  Button,
  Frame,
  Picture,
  Point,
  Region,
  Screen,
  ScreenLayout,
  WindowChange,
  WindowInfo,
  Windows,
} from "../../control/desktop/desktop.ts";
import { copiedPicture } from "../copied_picture.ts";

// A pixel font of 3 by 5, enough to read what was typed into the virtual screen. A glyph is five octal
// digits, one for each row from the top, with the highest bit on the left. Small letters look like capitals.

const GLYPHS: Record<string, string> = {
  A: "25755",
  B: "65656",
  C: "34443",
  D: "65556",
  E: "74647",
  F: "74644",
  G: "34553",
  H: "55755",
  I: "72227",
  J: "11152",
  K: "55655",
  L: "44447",
  M: "57755",
  N: "65555",
  O: "25552",
  P: "65644",
  Q: "25573",
  R: "65655",
  S: "34216",
  T: "72222",
  U: "55557",
  V: "55552",
  W: "55775",
  X: "55255",
  Y: "55222",
  Z: "71247",
  0: "75557",
  1: "26227",
  2: "61247",
  3: "61216",
  4: "55711",
  5: "74616",
  6: "34652",
  7: "71222",
  8: "25252",
  9: "25316",
  " ": "00000",
  ".": "00002",
  ",": "00024",
  ":": "02020",
  ";": "02024",
  "!": "22202",
  "?": "61202",
  "'": "22000",
  '"': "55000",
  "-": "00700",
  "+": "02720",
  "=": "07070",
  "/": "11244",
  "\\": "44211",
  "(": "12221",
  ")": "42224",
  "[": "64446",
  "]": "31113",
  "{": "32623",
  "}": "62326",
  "<": "12421",
  ">": "42124",
  _: "00007",
  "#": "57575",
  $: "36263",
  "%": "51245",
  "&": "24253",
  "@": "25543",
  "*": "05250",
  "^": "25000",
  "`": "42000",
  "|": "22222",
  "~": "03600",
};

/** Width and height of a glyph in its own pixels, without the gap to the next. */
const GLYPH_SIZE = { width: 3, height: 5 } as const;

/**
 * The rows of a character's glyph, from the top, each a number of 3 bits.
 * @returns undefined for a character that the font lacks.
 */
function glyphRows(character: string): number[] | undefined {
  const glyph = GLYPHS[character.toUpperCase()];
  return glyph === undefined ? undefined : [...glyph].map(Number);
}

// A picture in memory that the virtual desktop draws its marks on.

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

/** Pixels of 32 bits (`0x00RRGGBB`), rows from the top down. */
class Canvas {
  readonly pixels: Uint32Array<ArrayBuffer>;

  /** @param width @param height In pixels. */
  constructor(readonly width: number, readonly height: number) {
    this.pixels = new Uint32Array(width * height);
  }

  /** Sets one pixel; a place outside is left out. */
  dot(x: number, y: number, color: number) {
    if (x >= 0 && y >= 0 && x < this.width && y < this.height) this.pixels[y * this.width + x] = color;
  }

  /** Fills a rectangle, cut at the edges. */
  fill(x: number, y: number, width: number, height: number, color: number) {
    const left = Math.max(0, x), right = Math.min(this.width, x + width);
    for (let row = Math.max(0, y); row < Math.min(this.height, y + height); row++) {
      this.pixels.fill(color, row * this.width + left, row * this.width + Math.max(left, right));
    }
  }

  /** Moves the rows of a band up and fills the rows below them. */
  scrollUp(top: number, bottom: number, rows: number, color: number) {
    this.pixels.copyWithin(top * this.width, (top + rows) * this.width, bottom * this.width);
    this.fill(0, bottom - rows, this.width, rows, color);
  }

  /** Draws a ring of two pixels' width around a place. */
  ring(x: number, y: number, radius: number, color: number) {
    for (let dy = -radius; dy <= radius; dy++) {
      for (let dx = -radius; dx <= radius; dx++) {
        const distance = Math.hypot(dx, dy);
        if (distance <= radius && distance > radius - 2) this.dot(x + dx, y + dy, color);
      }
    }
  }

  /**
   * Draws a character.
   * @param scale Canvas pixels a glyph pixel.
   * @returns false if the font lacks it; nothing is drawn then.
   */
  glyph(character: string, x: number, y: number, scale: number, color: number): boolean {
    const rows = glyphRows(character);
    rows?.forEach((bits, row) => {
      for (let column = 0; column < GLYPH_SIZE.width; column++) {
        if (bits & (4 >> column)) this.fill(x + column * scale, y + row * scale, scale, scale, color);
      }
    });
    return rows !== undefined;
  }

  /** Draws the pointer with its tip at a place. */
  pointer(x: number, y: number) {
    POINTER.forEach((row, dy) =>
      [...row].forEach((mark, dx) => {
        if (mark !== " ") this.dot(x + dx, y + dy, mark === "#" ? 0x000000 : 0xffffff);
      })
    );
  }
}

// The windows of a virtual desktop: drawn ones, which can be moved and closed.

const WINDOW_COLORS = { title: 0x3d5a80, activeTitle: 0x5b8def, body: 0xf2efe6, text: 0xffffff };
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
      canvas.fill(left, top, width, height, WINDOW_COLORS.body);
      canvas.fill(left, top, width, TITLE.height, active ? WINDOW_COLORS.activeTitle : WINDOW_COLORS.title);
      [...title].forEach((character, i) => {
        const at = left + 6 + i * (GLYPH_SIZE.width + 1) * TITLE.scale;
        canvas.glyph(character, at, top + 5, TITLE.scale, WINDOW_COLORS.text);
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

const SIZE = { width: 1280, height: 720 };
const COLORS = { background: 0x20242c, grid: 0x2b313c, text: 0xe8e6df, strip: 0x14161b };
const BUTTON_COLORS: Record<Button, number> = {
  left: 0x4fc3f7,
  middle: 0x81c784,
  right: 0xff8a65,
  back: 0xba68c8,
  forward: 0xffd54f,
};
/** The distance of lines of the background's grid, in pixels. */
const GRID = 80;
/** Radius of a button's ring, in pixels. */
const RING = { down: 9, up: 5 };
/** The strip at the bottom in which keys and text appear. */
const STRIP = { lines: 6, scale: 3, lineHeight: (GLYPH_SIZE.height + 3) * 3 };
const STRIP_TOP = SIZE.height - STRIP.lines * STRIP.lineHeight;

/** A picture in memory that input leaves marks on. */
export class VirtualScreen implements Screen {
  /** The place of the pointer. */
  pointer: Point = { x: SIZE.width / 2, y: SIZE.height / 2 };
  readonly windows: VirtualWindows = new VirtualWindows({ x: 0, y: 0, ...SIZE });
  #drawn: Canvas | undefined;
  /** Characters in the last line of the strip. */
  #column = 0;

  /** The drawing so far. The drawing begins at its first use, since the background would cost a start 1.5 ms. */
  get #canvas(): Canvas {
    return this.#drawn ??= emptyScreen();
  }

  layout(): ScreenLayout {
    const region = { x: 0, y: 0, ...SIZE };
    return { ...region, displays: [{ name: "virtual", primary: true, ...region }] };
  }

  capture<T>(region: Region, cursor: boolean, read: (frame: Frame) => T): Promise<T> {
    return Promise.try(() => read(this.take(region, cursor)));
  }

  picture(region: Region, cursor: boolean): Promise<Picture> {
    return Promise.try(() => copiedPicture(this.take(region, cursor)));
  }

  /** Captures a region, in memory of its own. */
  take(region: Region, cursor: boolean): Frame {
    const frame = new Canvas(region.width, region.height);
    for (let row = 0; row < region.height; row++) {
      const start = (region.y + row) * SIZE.width + region.x;
      frame.pixels.set(this.#canvas.pixels.subarray(start, start + region.width), row * region.width);
    }
    this.windows.draw(frame, region);
    if (cursor) frame.pointer(this.pointer.x - region.x, this.pointer.y - region.y);
    const { width, height } = region;
    return { width, height, stride: width * 4, pixels: new Uint8Array(frame.pixels.buffer) };
  }

  /** Draws a ring where the pointer is: a large one for a press, a small one for a release. */
  ring(button: Button, down: boolean): void {
    const { x, y } = this.pointer;
    this.#canvas.ring(x, y, down ? RING.down : RING.up, BUTTON_COLORS[button]);
  }

  /**
   * Adds text to the strip, which scrolls like a terminal. Accents are left out, and a character that the font lacks
   * appears as its number.
   */
  write(text: string): void {
    const step = (GLYPH_SIZE.width + 1) * STRIP.scale;
    const y = SIZE.height - STRIP.lineHeight + STRIP.scale;
    for (const character of text.normalize("NFD").replace(/\p{M}/gu, "")) {
      if (character === "\n" || (this.#column + 1) * step > SIZE.width) {
        this.#canvas.scrollUp(STRIP_TOP, SIZE.height, STRIP.lineHeight, COLORS.strip);
        this.#column = 0;
        if (character === "\n") continue;
      }
      if (this.#canvas.glyph(character, this.#column * step, y, STRIP.scale, COLORS.text)) this.#column++;
      else if (character.trim()) this.write(`<${character.codePointAt(0)!.toString(16)}>`);
    }
  }
}

/** The background with its grid, and the strip. */
function emptyScreen(): Canvas {
  const canvas = new Canvas(SIZE.width, SIZE.height), row = new Canvas(SIZE.width, 1);
  row.fill(0, 0, SIZE.width, 1, COLORS.background);
  for (let x = GRID; x < SIZE.width; x += GRID) row.dot(x, 0, COLORS.grid);
  for (let y = 0; y < STRIP_TOP; y++) canvas.pixels.set(row.pixels, y * SIZE.width);
  for (let y = GRID; y < STRIP_TOP; y += GRID) canvas.fill(0, y, SIZE.width, 1, COLORS.grid);
  canvas.fill(0, STRIP_TOP, SIZE.width, SIZE.height - STRIP_TOP, COLORS.strip);
  return canvas;
}
