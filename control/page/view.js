/** How much of the picture is seen, and how large. */

/** The largest scale: pixels of the page for one of the desktop. */
const LARGEST = 8;
/** From this scale on, pixels are shown as squares. */
const SQUARES = 2;
/** How much more room there may be than whole pixels take: those are sharp, and cost the browser no scaling. */
const SPARE = 1.06;
/** How far from the edge of the window a place is kept that is to be seen, in pixels of the page. */
const MARGIN = 40;

/** @typedef {import("./touch.js").Point} Point */

export class View {
  /** 0 fits the picture to the window. */ #zoom = 0;

  /** @param {HTMLElement} stage The window that the picture is seen through. @param {HTMLCanvasElement} canvas */
  constructor(stage, canvas) {
    this.stage = stage;
    this.canvas = canvas;
    addEventListener("resize", () => this.layOut());
    new ResizeObserver(() => this.layOut()).observe(stage);
  }

  /** The scale at which all of the picture is seen, as large as that goes, or a little smaller and sharp. */
  get fitting() {
    const style = getComputedStyle(this.stage);
    const room = (/** @type {number} */ size, /** @type {string} */ a, /** @type {string} */ b) =>
      size - parseFloat(a) - parseFloat(b);
    const width = room(this.stage.clientWidth, style.paddingLeft, style.paddingRight);
    const height = room(this.stage.clientHeight, style.paddingTop, style.paddingBottom);
    const largest = Math.max(0, Math.min(width / this.canvas.width, height / this.canvas.height, LARGEST));
    const whole = Math.floor(largest * devicePixelRatio) / devicePixelRatio;
    return largest < whole * SPARE ? whole : largest;
  }

  /** The scale of the picture as it is shown. */
  get scale() {
    return this.#zoom || this.fitting;
  }

  /** Shows all of the picture. */
  fit() {
    this.#zoom = 0;
    this.layOut();
  }

  /** Gives the picture its size on the page. */
  layOut() {
    const { canvas, scale } = this;
    canvas.style.width = `${canvas.width * scale}px`;
    canvas.style.height = `${canvas.height * scale}px`;
    canvas.style.imageRendering = scale * devicePixelRatio >= SQUARES ? "pixelated" : "auto";
  }

  /**
   * @param {number} factor
   * @param {Point} at The place of the page whose pixel stays where it is.
   */
  zoomBy(factor, at = this.#middle()) {
    const { canvas, stage } = this, before = canvas.getBoundingClientRect();
    this.#zoom = Math.max(Math.min(0.1, this.fitting), Math.min(LARGEST, this.scale * factor));
    this.layOut();
    const after = canvas.getBoundingClientRect(), grown = after.width / before.width;
    stage.scrollLeft += after.left + (at.x - before.left) * grown - at.x;
    stage.scrollTop += after.top + (at.y - before.top) * grown - at.y;
  }

  /**
   * Moves the picture in its window, as far as there is more of it.
   * @param {Point} by
   * @returns {Point} What there was no room for.
   */
  pan({ x, y }) {
    /** @param {number} by @param {number} before @param {number} behind */
    const taken = (by, before, behind) => Math.max(-behind, Math.min(before, by));
    const { scrollLeft, scrollTop, scrollWidth, scrollHeight, clientWidth, clientHeight } = this.stage;
    const right = taken(x, scrollLeft, scrollWidth - clientWidth - scrollLeft);
    const down = taken(y, scrollTop, scrollHeight - clientHeight - scrollTop);
    this.stage.scrollBy(-right, -down);
    return { x: x - right, y: y - down };
  }

  /**
   * Moves the picture so that a place of the page is within the window.
   * @param {Point} place
   */
  reveal({ x, y }) {
    const { left, top, right, bottom } = this.stage.getBoundingClientRect();
    /** @param {number} at @param {number} from @param {number} to */
    const beyond = (at, from, to) => Math.max(0, from + MARGIN - at) - Math.max(0, at - to + MARGIN);
    this.pan({ x: beyond(x, left, right), y: beyond(y, top, bottom) });
  }

  /** The middle of the window. */
  #middle() {
    const { left, top, width, height } = this.stage.getBoundingClientRect();
    return { x: left + width / 2, y: top + height / 2 };
  }
}
