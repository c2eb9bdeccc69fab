/** The screen at one moment: the pictures from the last key picture, drawn in sequence. */

import { Picture } from "../../page/picture.js";

/** @param {string} text Base64. @returns {Uint8Array<ArrayBuffer>} */
function decoded(text) {
  // @ts-ignore: newer than the types of some browsers
  return Uint8Array.fromBase64
    ? Uint8Array.fromBase64(text)
    : Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
}

export class Screen {
  /** @type {number} The picture that is shown; -1 at first. */ shown = -1;
  #wanted = 0;
  /** @type {Promise<void> | undefined} */ #drawing;

  /** @param {HTMLCanvasElement} canvas @param {Store} store */
  constructor(canvas, store) {
    this.canvas = canvas;
    this.store = store;
    this.picture = new Picture(canvas);
  }

  /**
   * Shows a moment; a later request replaces this one.
   * @param {number} t
   * @returns {Promise<void>}
   */
  async show(t) {
    this.#wanted = t;
    await (this.#drawing ??= this.#draw().finally(() => this.#drawing = undefined));
  }

  async #draw() {
    for (;;) {
      const t = this.#wanted;
      await this.#drawTo(this.store.frameAt(t));
      if (t === this.#wanted) return;
    }
  }

  /** @param {number} last */
  async #drawTo(last) {
    const { frames } = this.store;
    let key = last;
    while (key >= 0 && !frames[key].key) key--;
    if (key < 0 || last === this.shown) return;
    const goesOn = this.shown >= key && this.shown < last;
    if (!goesOn) {
      const screen = this.store.screenAt(key);
      if (screen) await this.picture.resize(screen);
    }
    for (let at = goesOn ? this.shown + 1 : key; at <= last; at++) {
      const { screen, text } = frames[at];
      if (screen) await this.picture.resize(screen);
      else if (text !== undefined) await this.#drawOne(text);
    }
    this.shown = last;
  }

  /** @param {string} text */
  async #drawOne(text) {
    try {
      await this.picture.draw(decoded(text).buffer);
    } catch {
      // The file ends within this picture.
    }
  }
}

// The file's entries and pictures, as they arrive.

/** @typedef {{ t: number, kind: string, [name: string]: any }} Entry */
/** @typedef {{ t: number, screen?: Entry, text?: string, key: boolean }} Frame A screen's size, or a picture in base64. */

/** How long after an action its effect may appear, in milliseconds. */
const EFFECT = 1000;
/** Kinds of entries shown in the list. */
const LISTED = ["action", "person", "window", "mark", "pause", "resume", "problem", "end"];

export class Store {
  /** @type {Entry | undefined} The first entry. */ head;
  /** @type {Entry[]} */ entries = [];
  /** @type {Frame[]} */ frames = [];
  /** The times at which the file begins and ends, in milliseconds. */ start = 0;
  end = 0;
  /** Whether more may come. */ isLive = true;

  /** @param {string} text A comment: `a` and an entry, or `p` or `k`, a time and a picture. */
  take(text) {
    if (text[0] === "a") return this.#takeEntry(JSON.parse(text.slice(1)));
    if (text[0] !== "p" && text[0] !== "k") return;
    const gap = text.indexOf(" ", 2), t = Number(text.slice(2, gap));
    if (!(t >= 0)) return;
    this.frames.push({ t, text: text.slice(gap + 1), key: text[0] === "k" });
    this.end = Math.max(this.end, t);
  }

  /** @param {Entry} entry */
  #takeEntry(entry) {
    if (typeof entry.t !== "number") return;
    this.end = Math.max(this.end, entry.t + (entry.ms ?? 0));
    if (entry.kind === "trace") {
      this.head = entry;
      this.start = entry.t;
    } else if (entry.kind === "screen") this.frames.push({ t: entry.t, screen: entry, key: false });
    else if (LISTED.includes(entry.kind)) this.#add(entry);
  }

  /**
   * Adds an entry. Entries arrive in the order of their ends, and are stored in the order of their starts.
   * @param {Entry} entry
   */
  #add(entry) {
    let at = this.entries.length;
    while (at > 0 && this.entries[at - 1].t > entry.t) at--;
    this.entries.splice(at, 0, entry);
  }

  /** The index of the last picture or size up to a time; -1 if there is none. @param {number} t */
  frameAt(t) {
    let low = 0, high = this.frames.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.frames[middle].t <= t) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  /** The screen that a picture shows. @param {number} index @returns {Entry | undefined} */
  screenAt(index) {
    for (let at = index; at >= 0; at--) if (this.frames[at]?.screen) return this.frames[at].screen;
    return undefined;
  }

  /**
   * The moments before and after an entry. An action's effect appears after its end, up to the next entry: a
   * window that opened or became active is part of it, and an action that only looks, such as a wait, or that
   * failed ends nothing. An entry that changes nothing, or that failed, is over at its end.
   * @param {Entry} entry
   */
  momentsOf(entry) {
    const end = entry.t + (entry.ms ?? 0), acts = entry.kind === "person" || entry.effect === "act";
    if (!acts || entry.error !== undefined) return { before: entry.t, after: end };
    const ends = (/** @type {Entry} */ { kind, title, effect, error }) =>
      kind === "action" ? effect === "act" && error === undefined : kind !== "window" || !title;
    const next = this.entries.find((other) => other.t > end && ends(other));
    return { before: entry.t, after: Math.max(end, Math.min(next?.t ?? Infinity, end + EFFECT)) };
  }

  /** The first failure. @returns {Entry | undefined} */
  get failure() {
    return this.entries.find(({ kind, error }) => error !== undefined || kind === "problem");
  }
}

// The part of the screen that differs between two moments.

/** Width and height of a cell, the unit of comparison, in pixels. */
const CELL = 8;
/** Maximum number of outlines. */
const MOST = 12;

/** @typedef {{ x: number, y: number, width: number, height: number }} Box */

/**
 * @param {ImageData} before
 * @param {ImageData} after The same size as `before`.
 * @returns {Box[]} Where they differ, with touching parts joined.
 */
export function changedBoxes(before, after) {
  const { width, height } = after, columns = Math.ceil(width / CELL), rows = Math.ceil(height / CELL);
  const a = new Uint32Array(before.data.buffer), b = new Uint32Array(after.data.buffer);
  const cells = new Uint8Array(columns * rows);
  for (let y = 0; y < height; y++) {
    const row = Math.floor(y / CELL) * columns;
    for (let x = 0, at = y * width; x < width; x++, at++) {
      if (a[at] !== b[at]) cells[row + Math.floor(x / CELL)] = 1;
    }
  }
  const boxes = [];
  for (let cell = cells.indexOf(1); cell >= 0; cell = cells.indexOf(1, cell + 1)) {
    boxes.push(flood(cells, cell, columns, rows));
  }
  return few(boxes).map(({ left, top, right, bottom }) => ({
    x: left * CELL,
    y: top * CELL,
    width: Math.min(width, right * CELL) - left * CELL,
    height: Math.min(height, bottom * CELL) - top * CELL,
  }));
}

/** @typedef {{ left: number, top: number, right: number, bottom: number }} Cells */

/**
 * Collects and unmarks the cells connected to a cell, directly or across a small gap.
 * @param {Uint8Array} cells
 * @param {number} first
 * @param {number} columns
 * @param {number} rows
 */
function flood(cells, first, columns, rows) {
  const box = { left: Infinity, top: Infinity, right: 0, bottom: 0 }, open = [first];
  cells[first] = 0;
  for (let cell = open.pop(); cell !== undefined; cell = open.pop()) {
    const x = cell % columns, y = Math.floor(cell / columns);
    box.left = Math.min(box.left, x);
    box.top = Math.min(box.top, y);
    box.right = Math.max(box.right, x + 1);
    box.bottom = Math.max(box.bottom, y + 1);
    for (let row = Math.max(0, y - 2); row <= Math.min(rows - 1, y + 2); row++) {
      for (let column = Math.max(0, x - 2); column <= Math.min(columns - 1, x + 2); column++) {
        const next = row * columns + column;
        if (!cells[next]) continue;
        cells[next] = 0;
        open.push(next);
      }
    }
  }
  return box;
}

/** Merges the boxes into one if there are too many to be useful. @param {Cells[]} boxes @returns {Cells[]} */
function few(boxes) {
  if (boxes.length <= MOST) return boxes;
  return [boxes.reduce((sum, box) => ({
    left: Math.min(sum.left, box.left),
    top: Math.min(sum.top, box.top),
    right: Math.max(sum.right, box.right),
    bottom: Math.max(sum.bottom, box.bottom),
  }))];
}
