/** The visible part of the picture, and its scale. */

/** Maximum scale: page pixels per desktop pixel. */
const LARGEST = 8;
/** Scale from which pixels are shown as squares. */
const SQUARES = 2;
/**
 * Maximum unused room for whole pixels, as a factor: whole pixels are sharp, and save the browser from
 * scaling.
 */
const SPARE = 1.06;
/** A window that is taller than the picture by more than this factor leaves most of its height empty. */
const TALL = 1.6;
/** Distance from the window's edge within which a place is kept in view, in page pixels. */
const MARGIN = 40;

/** @typedef {import("./touch.js").Point} Point */
/** @typedef {import("./live.js").Region} Region */

export class View {
  /** The picture's scale; 0 fits it to the window. */ #zoom = 0;
  #fills = false;

  /** Called after the picture was resized. */
  changed = () => {};
  /** The visible part of the picture, in its pixels; undefined for all of it. @type {Region | undefined} */
  #part;

  /**
   * @param {HTMLElement} stage The window onto the picture.
   * @param {HTMLElement} frame Inside the stage; shows the selected part of the picture.
   * @param {HTMLCanvasElement} canvas Inside the frame.
   */
  constructor(stage, frame, canvas) {
    this.stage = stage;
    this.frame = frame;
    this.canvas = canvas;
    addEventListener("resize", () => this.layOut());
    new ResizeObserver(() => this.layOut()).observe(stage);
  }

  /** The scales at which the picture is as wide, and as high, as the window. */
  get #scales() {
    const style = getComputedStyle(this.stage);
    const room = (/** @type {number} */ size, /** @type {string} */ a, /** @type {string} */ b) =>
      size - parseFloat(a) - parseFloat(b);
    const width = room(this.stage.clientWidth, style.paddingLeft, style.paddingRight);
    const height = room(this.stage.clientHeight, style.paddingTop, style.paddingBottom);
    return { across: width / this.part.width, down: height / this.part.height };
  }

  /** The visible part of the picture, in its pixels. @returns {Region} */
  get part() {
    return this.#part ?? { x: 0, y: 0, width: this.canvas.width, height: this.canvas.height };
  }

  /**
   * Shows a part of the picture as large as possible. @param {Region | undefined} part All of it if
   * undefined.
   */
  set part(part) {
    if (!part && !this.#part) return;
    this.#part = part;
    this.#zoom = 0;
    this.layOut();
  }

  /** The scale at which the whole picture is visible, as large as possible, or a little smaller and sharp. */
  get fitting() {
    const { across, down } = this.#scales;
    const largest = Math.max(0, Math.min(across, down, LARGEST));
    const whole = Math.floor(largest * devicePixelRatio) / devicePixelRatio;
    return largest < whole * SPARE ? whole : largest;
  }

  /** The current scale. */
  get scale() {
    if (this.#zoom) return this.#zoom;
    return this.fills && this.isTall ? Math.min(this.#scales.down, LARGEST) : this.fitting;
  }

  /** Whether the window is so much taller than the picture that most of its height stays empty. */
  get isTall() {
    const { across, down } = this.#scales;
    return down > across * TALL;
  }

  /** Whether the whole picture is visible. */
  get isFitted() {
    return !this.#zoom && !(this.fills && this.isTall);
  }

  /** Whether the picture fills the height of a much taller window, and is then wider than it. */
  get fills() {
    return this.#fills;
  }

  /** Shows the whole picture. */
  fit() {
    this.#zoom = 0;
    this.#fills = false;
    this.layOut();
  }

  /**
   * Fills the height if the window is much taller than the picture.
   * @param {Point} at The page position whose pixel stays in place.
   */
  fill(at = this.#middle()) {
    this.#scaleAt(() => {
      this.#zoom = 0;
      this.#fills = true;
    }, at);
  }

  /** Sets the picture's size on the page. */
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
   * @param {Point} [at] The page position whose pixel stays in place.
   */
  zoomBy(factor, at) {
    this.zoomTo(this.scale * factor, at);
  }

  /**
   * @param {number} scale
   * @param {Point} at The page position whose pixel stays in place.
   */
  zoomTo(scale, at = this.#middle()) {
    this.#scaleAt(() => {
      this.#zoom = Math.max(Math.min(0.1, this.fitting), Math.min(LARGEST, scale));
    }, at);
  }

  /**
   * Changes the scale.
   * @param {() => void} change
   * @param {Point} at The page position whose pixel stays in place.
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
   * Moves the picture so that a page position is inside the window.
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
