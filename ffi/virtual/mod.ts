/**
 * The virtual desktop: a screen in memory, for trying deskhand, for dry runs and for tests. Clicks, keys and
 * text leave marks on it, and everything it was told is kept in order.
 */

import type {
  Button,
  Desktop,
  Direction,
  Frame,
  InputAction,
  LoggedAction,
  ObservedAction,
  Point,
  Region,
  Screen,
  Watch,
  WatchListener,
} from "../../control/desktop.ts";
import { namedKey } from "../../control/keys.ts";
import { charactersOf, KEYS_IN_TEXT } from "../text.ts";
import { Canvas } from "./canvas.ts";
import { GLYPH_SIZE } from "./font.ts";

const SIZE = { width: 1280, height: 720 };
const COLORS = { background: 0x20242c, grid: 0x2b313c, text: 0xe8e6df, strip: 0x14161b };
const BUTTON_COLORS: Record<Button, number> = {
  left: 0x4fc3f7,
  middle: 0x81c784,
  right: 0xff8a65,
  back: 0xba68c8,
  forward: 0xffd54f,
};
const GRID = 80;
/** The strip at the bottom in which keys and text appear. */
const STRIP = { lines: 6, scale: 3, lineHeight: (GLYPH_SIZE.height + 3) * 3 };
const STRIP_TOP = SIZE.height - STRIP.lines * STRIP.lineHeight;
/** Actions kept for {@linkcode VirtualDesktop.history}; older ones are dropped. */
const HISTORY_LIMIT = 10_000;
/** Characters typed before the event loop gets its turn. */
const TYPING_BATCH = 64;

/** See the module's comment. */
export class VirtualDesktop implements Desktop {
  readonly kind = "virtual";
  readonly #canvas = new Canvas(SIZE.width, SIZE.height);
  readonly #history: LoggedAction[] = [];
  readonly #watchers = new Set<WatchListener>();
  readonly #keysDown = new Set<string>();
  #pointer: Point = { x: SIZE.width / 2, y: SIZE.height / 2 };
  #column = 0;

  constructor() {
    this.#canvas.fill(0, 0, SIZE.width, SIZE.height, COLORS.background);
    for (let x = GRID; x < SIZE.width; x += GRID) this.#canvas.fill(x, 0, 1, SIZE.height, COLORS.grid);
    for (let y = GRID; y < SIZE.height; y += GRID) this.#canvas.fill(0, y, SIZE.width, 1, COLORS.grid);
    this.#canvas.fill(0, STRIP_TOP, SIZE.width, SIZE.height - STRIP_TOP, COLORS.strip);
  }

  /** What was done, oldest first, at most the last 10,000 actions. */
  history(): readonly LoggedAction[] {
    return this.#history;
  }

  screen(): Screen {
    const region = { x: 0, y: 0, ...SIZE };
    return { ...region, displays: [{ name: "virtual", primary: true, ...region }] };
  }

  position(): Point {
    return { ...this.#pointer };
  }

  move({ x, y }: Point) {
    this.#pointer = { x, y };
    this.#happened({ type: "move", x, y });
  }

  button(button: Button, down: boolean) {
    const { x, y } = this.#pointer;
    this.#canvas.ring(x, y, down ? 9 : 5, BUTTON_COLORS[button]);
    this.#happened({ type: "button", button, down, x, y });
  }

  scroll(direction: Direction, amount: number) {
    this.#write(`[${direction} ${amount}]`);
    this.#happened({ type: "scroll", direction, amount, ...this.#pointer });
  }

  key(key: string, down: boolean) {
    if (down) {
      this.#keysDown.add(key);
      if (this.#keysDown.size === 1 && (key === "space" || !namedKey(key))) {
        this.#write(key === "space" ? " " : key);
      } else if (!namedKey(key)?.modifier) this.#write(`[${[...this.#keysDown].join("+")}]`);
    } else this.#keysDown.delete(key);
    this.#happened({ type: "key", key, down });
  }

  async type(text: string, signal?: AbortSignal) {
    const characters = charactersOf(text);
    let typed = "";
    try {
      for (const code of characters) {
        signal?.throwIfAborted();
        const character = String.fromCodePoint(code), key = keyOf(code);
        this.#write(key === "enter" ? "\n" : character);
        typed += character;
        for (const down of [true, false]) this.#tell({ type: "key", key, down });
        if (typed.length % TYPING_BATCH === 0) await new Promise((resolve) => setTimeout(resolve));
      }
    } finally {
      this.#remember({ type: "text", text: typed });
    }
  }

  capture(region: Region, cursor: boolean): Frame {
    const frame = new Canvas(region.width, region.height);
    for (let row = 0; row < region.height; row++) {
      const start = (region.y + row) * SIZE.width + region.x;
      frame.pixels.set(this.#canvas.pixels.subarray(start, start + region.width), row * region.width);
    }
    if (cursor) frame.pointer(this.#pointer.x - region.x, this.#pointer.y - region.y);
    const { width, height } = region;
    return { width, height, stride: width * 4, pixels: new Uint8Array(frame.pixels.buffer) };
  }

  watch(listener: WatchListener): Promise<Watch> {
    this.#watchers.add(listener);
    return Promise.resolve({
      close: () => {
        this.#watchers.delete(listener);
        return Promise.resolve();
      },
    });
  }

  close() {
    this.#watchers.clear();
  }

  #happened(action: InputAction) {
    this.#remember(action);
    this.#tell(action);
  }

  #remember(action: LoggedAction) {
    this.#history.push(action);
    if (this.#history.length > HISTORY_LIMIT) this.#history.shift();
  }

  #tell(action: InputAction) {
    if (!this.#watchers.size) return;
    const seen: ObservedAction = { action, at: performance.timeOrigin + performance.now(), injected: true };
    for (const watcher of this.#watchers) watcher.actions([seen]);
  }

  /** Adds text to the strip, which scrolls like a terminal. Accents are left out, what the font lacks is shown by its number. */
  #write(text: string) {
    const step = (GLYPH_SIZE.width + 1) * STRIP.scale;
    const y = SIZE.height - STRIP.lineHeight + STRIP.scale;
    for (const character of text.normalize("NFD").replace(/\p{M}/gu, "")) {
      if (character === "\n" || (this.#column + 1) * step > SIZE.width) {
        this.#canvas.scrollUp(STRIP_TOP, SIZE.height, STRIP.lineHeight, COLORS.strip);
        this.#column = 0;
        if (character === "\n") continue;
      }
      if (this.#canvas.glyph(character, this.#column * step, y, STRIP.scale, COLORS.text)) this.#column++;
      else if (character.trim()) this.#write(`<${character.codePointAt(0)!.toString(16)}>`);
    }
  }
}

/** The key that a typed character stands for. */
function keyOf(codePoint: number): string {
  const character = String.fromCodePoint(codePoint);
  return KEYS_IN_TEXT.get(codePoint) ?? (character === " " ? "space" : character);
}
