/** The visible part of the picture, and its scale. */

/** The largest scale: pixels of the page for one of the desktop. */
const LARGEST = 8;
/** The scale from which pixels are shown as squares. */
const SQUARES = 2;
/**
 * The room that may be left beside whole pixels, as a factor: whole pixels are sharp, and cost the browser no scaling.
 */
const SPARE = 1.06;
/** A window leaves most of its height empty if it is higher than the picture by more than this factor. */
const TALL = 1.6;
/** The distance from the window's edge at which a place is kept in view, in pixels of the page. */
const MARGIN = 40;

/** @typedef {import("./touch.js").Point} Point */
/** @typedef {import("./live.js").Region} Region */

export class View {
  /** The scale of the picture; 0 fits it to the window. */ #zoom = 0;
  #fills = false;

  /** Called when the picture got its size. */
  changed = () => {};
  /** The part of the picture that is shown, in its pixels; all of it where undefined. @type {Region | undefined} */
  #part;

  /**
   * @param {HTMLElement} stage The window that the picture is seen through.
   * @param {HTMLElement} frame In it; shows the part of the picture that is chosen.
   * @param {HTMLCanvasElement} canvas In the frame.
   */
  constructor(stage, frame, canvas) {
    this.stage = stage;
    this.frame = frame;
    this.canvas = canvas;
    addEventListener("resize", () => this.layOut());
    new ResizeObserver(() => this.layOut()).observe(stage);
  }

  /** The scales at which the picture is as wide and as high as the window. */
  get #scales() {
    const style = getComputedStyle(this.stage);
    const room = (/** @type {number} */ size, /** @type {string} */ a, /** @type {string} */ b) =>
      size - parseFloat(a) - parseFloat(b);
    const width = room(this.stage.clientWidth, style.paddingLeft, style.paddingRight);
    const height = room(this.stage.clientHeight, style.paddingTop, style.paddingBottom);
    return { across: width / this.part.width, down: height / this.part.height };
  }

  /** The part of the picture that is shown, in its pixels. @returns {Region} */
  get part() {
    return this.#part ?? { x: 0, y: 0, width: this.canvas.width, height: this.canvas.height };
  }

  /** Shows a part of the picture, as large as that goes. @param {Region | undefined} part All of it if undefined. */
  set part(part) {
    if (!part && !this.#part) return;
    this.#part = part;
    this.#zoom = 0;
    this.layOut();
  }

  /** The scale at which all of the picture is seen, as large as that goes, or a little smaller and sharp. */
  get fitting() {
    const { across, down } = this.#scales;
    const largest = Math.max(0, Math.min(across, down, LARGEST));
    const whole = Math.floor(largest * devicePixelRatio) / devicePixelRatio;
    return largest < whole * SPARE ? whole : largest;
  }

  /** The scale at which the picture is shown. */
  get scale() {
    if (this.#zoom) return this.#zoom;
    return this.fills && this.isTall ? Math.min(this.#scales.down, LARGEST) : this.fitting;
  }

  /** Whether the window is so much higher than the picture that it leaves most of the height empty. */
  get isTall() {
    const { across, down } = this.#scales;
    return down > across * TALL;
  }

  /** Whether all of the picture is seen. */
  get isFitted() {
    return !this.#zoom && !(this.fills && this.isTall);
  }

  /** Whether the picture fills the height of a window that is much higher, and is wider than the window then. */
  get fills() {
    return this.#fills;
  }

  /** Shows all of the picture. */
  fit() {
    this.#zoom = 0;
    this.#fills = false;
    this.layOut();
  }

  /**
   * Fills the height, where the window is much higher than the picture.
   * @param {Point} at The place of the page whose pixel stays where it is.
   */
  fill(at = this.#middle()) {
    this.#scaleAt(() => {
      this.#zoom = 0;
      this.#fills = true;
    }, at);
  }

  /** Gives the picture its size on the page. */
  layOut() {
    const { canvas, frame, part, scale } = this;
    canvas.style.width = `${canvas.width * scale}px`;
    canvas.style.height = `${canvas.height * scale}px`;
    frame.style.width = `${part.width * scale}px`;
    frame.style.height = `${part.height * scale}px`;
    canvas.style.translate = `${-part.x * scale}px ${-part.y * scale}px`;
    canvas.style.imageRendering = scale * devicePixelRatio >= SQUARES ? "pixelated" : "auto";
    this.changed();
  }

  /**
   * @param {number} factor
   * @param {Point} [at] The place of the page whose pixel stays where it is.
   */
  zoomBy(factor, at) {
    this.zoomTo(this.scale * factor, at);
  }

  /**
   * @param {number} scale
   * @param {Point} at The place of the page whose pixel stays where it is.
   */
  zoomTo(scale, at = this.#middle()) {
    this.#scaleAt(() => {
      this.#zoom = Math.max(Math.min(0.1, this.fitting), Math.min(LARGEST, scale));
    }, at);
  }

  /**
   * Changes the scale.
   * @param {() => void} change
   * @param {Point} at The place of the page whose pixel stays where it is.
   */
  #scaleAt(change, at) {
    const { canvas, stage } = this, before = canvas.getBoundingClientRect();
    change();
    this.layOut();
    const after = canvas.getBoundingClientRect(), grown = after.width / before.width;
    stage.scrollLeft += after.left + (at.x - before.left) * grown - at.x;
    stage.scrollTop += after.top + (at.y - before.top) * grown - at.y;
  }

  /**
   * Moves the picture in its window, up to the picture's edges.
   * @param {Point} by
   * @returns {Point} The distance that the picture could not move.
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
