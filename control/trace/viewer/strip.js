/** The timeline: thumbnails, actions, and the size of pictures. */

import { clock } from "./list.js";
import { Screen } from "./screen.js";

/** Margin on the left and right, in pixels. */
const EDGE = 8;

export class Strip {
  #t = 0;
  /** @type {import("./screen.js").Entry | undefined} */ selected;

  /**
   * @param {HTMLCanvasElement} canvas
   * @param {import("./screen.js").Store} store
   * @param {(t: number) => void} onSeek
   */
  constructor(canvas, store, onSeek) {
    this.canvas = canvas;
    this.store = store;
    const seek = (/** @type {PointerEvent} */ event) => {
      const along = (event.offsetX - EDGE) / Math.max(1, canvas.clientWidth - 2 * EDGE);
      onSeek(store.start + Math.max(0, Math.min(1, along)) * (store.end - store.start));
    };
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      seek(event);
    });
    canvas.addEventListener("pointermove", (event) => event.buttons && seek(event));
    canvas.addEventListener("keydown", (event) => {
      const steps = /** @type {Record<string, number>} */ ({
        ArrowLeft: -1000,
        ArrowRight: 1000,
        PageUp: -10_000,
        PageDown: 10_000,
        Home: -Infinity,
        End: Infinity,
      });
      const by = steps[event.key];
      if (by === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      onSeek(Math.max(store.start, Math.min(store.end, this.#t + by)));
    });
    new ResizeObserver(() => this.paint()).observe(canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.paint());
  }

  /** Shows a moment. @param {number} t */
  show(t) {
    this.#t = t;
    const { canvas, store } = this;
    canvas.setAttribute("aria-valuemin", String(Math.round(store.start)));
    canvas.setAttribute("aria-valuemax", String(Math.round(store.end)));
    canvas.setAttribute("aria-valuenow", String(Math.round(t)));
    canvas.setAttribute("aria-valuetext", `${clock(t)} of ${clock(store.end)}`);
    this.paint();
  }

  paint() {
    const { canvas, store } = this, ratio = devicePixelRatio;
    const width = canvas.width = canvas.clientWidth * ratio,
      height = canvas.height = canvas.clientHeight * ratio;
    const context = canvas.getContext("2d");
    if (!context || !width) return;
    /** @type {Map<string, string>} Colours by name, cached since to read one makes the browser compute styles again. */ const colors =
      new Map();
    const color = (/** @type {string} */ name) => {
      const value = colors.get(name) ?? this.#color(name);
      colors.set(name, value);
      return value;
    };
    const span = Math.max(1, store.end - store.start), edge = EDGE * ratio;
    const x = (/** @type {number} */ t) => edge + (t - store.start) / span * (width - 2 * edge);
    this.#paintPictures(context, x, color("--soft"), width, height);
    for (const entry of store.entries) {
      const isSelected = entry === this.selected,
        isBad = entry.error !== undefined || entry.kind === "problem";
      if (entry.kind === "window") continue;
      context.fillStyle = isBad
        ? color("--bad")
        : entry.kind === "mark"
        ? color("--good")
        : color(entry.effect === "act" ? "--accent" : "--soft");
      const left = x(entry.t), right = x(entry.t + (entry.ms ?? 0));
      context.fillRect(left, 6 * ratio, Math.max(3 * ratio, right - left), (isSelected ? 26 : 18) * ratio);
    }
    context.fillStyle = color("--mark");
    context.fillRect(x(this.#t) - ratio, 0, 2 * ratio, height);
  }

  /** A style colour, as a canvas accepts it. @param {string} name */
  #color(name) {
    this.canvas.style.color = `var(${name})`;
    return getComputedStyle(this.canvas).color;
  }

  /**
   * Draws the size of pictures, summed by column, so that thousands of pictures take only one stroke per
   * column.
   * @param {CanvasRenderingContext2D} context
   * @param {(t: number) => number} x
   * @param {string} color
   * @param {number} width
   * @param {number} height
   */
  #paintPictures(context, x, color, width, height) {
    const sums = new Float64Array(Math.ceil(width / 2) + 1);
    for (const { t, text } of this.store.frames) if (text) sums[Math.floor(x(t) / 2)] += text.length;
    const most = sums.reduce((most, sum) => Math.max(most, sum), 1);
    context.fillStyle = color;
    context.globalAlpha = 0.5;
    sums.forEach((sum, i) => {
      if (!sum) return;
      const bar = Math.max(2, Math.sqrt(sum / most) * height * 0.45);
      context.fillRect(i * 2, height - bar, 2, bar);
    });
    context.globalAlpha = 1;
  }
}

// The film: thumbnails of the screen, one per time span, drawn once the file is read.

/** Minimum width of a thumbnail, in page pixels. */
const SMALL = 110;
/**
 * Maximum time for pictures before the browser gets its turn, and for the whole film, in milliseconds: for a
 * trace of hours, the rest stays empty.
 */
const SLICE = 12, ALL = 20_000;

export class Film {
  /** The film that is being drawn. */ #turn = 0;
  #count = 0;

  /**
   * @param {HTMLElement} element
   * @param {import("./screen.js").Store} store
   * @param {(t: number) => void} onSeek
   */
  constructor(element, store, onSeek) {
    this.element = element;
    this.store = store;
    element.addEventListener("click", ({ clientX }) => {
      const { left, width } = element.getBoundingClientRect();
      const along = (clientX - left - EDGE) / Math.max(1, width - 2 * EDGE);
      onSeek(store.start + Math.max(0, Math.min(1, along)) * (store.end - store.start));
    });
    new ResizeObserver(() => this.#count && this.#fitting !== this.#count && this.paint()).observe(element);
  }

  /** Number of thumbnails that fit. */
  get #fitting() {
    return Math.max(1, Math.floor((this.element.clientWidth - 2 * EDGE) / SMALL));
  }

  /** Draws the film; a later call replaces this one. */
  async paint() {
    const mine = ++this.#turn, { element, store } = this, count = this.#count = this.#fitting;
    element.hidden = !store.frames.some(({ key }) => key);
    element.replaceChildren(...Array.from({ length: count }, () => document.createElement("canvas")));
    const screen = new Screen(document.createElement("canvas"), store), start = performance.now();
    let turn = start;
    for (const [i, small] of element.querySelectorAll("canvas").entries()) {
      // Each shows the screen in the middle of its time span.
      await screen.show(store.start + (i + 0.5) / count * (store.end - store.start));
      if (mine !== this.#turn) return;
      if (screen.shown >= 0) shrink(screen.canvas, small);
      if (performance.now() - start > ALL) return;
      if (performance.now() - turn > SLICE) {
        await new Promise((resolve) => setTimeout(resolve));
        turn = performance.now();
      }
    }
  }
}

/** Draws a canvas at a smaller size. @param {HTMLCanvasElement} from @param {HTMLCanvasElement} to */
function shrink(from, to) {
  const width = Math.round(to.clientWidth * devicePixelRatio);
  to.width = width;
  to.height = Math.max(1, Math.round(width * from.height / from.width));
  const context = to.getContext("2d");
  if (!context) return;
  context.imageSmoothingQuality = "high";
  context.drawImage(from, 0, 0, to.width, to.height);
}
