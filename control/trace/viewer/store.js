/** The entries and pictures of the file, as they arrive. */

/** @typedef {{ t: number, kind: string, [name: string]: any }} Entry */
/** @typedef {{ t: number, screen?: Entry, text?: string, key: boolean }} Frame A screen's size, or a picture in base64. */

/** Kinds of entries that the list shows. */
const LISTED = ["action", "person", "window", "mark", "pause", "resume", "problem", "end"];

export class Store {
  /** @type {Entry | undefined} The first entry. */ head;
  /** @type {Entry[]} */ entries = [];
  /** @type {Frame[]} */ frames = [];
  /** The times at which the file begins and ends, in milliseconds. */ start = 0;
  end = 0;
  /** Tells whether more may come. */ isLive = true;

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
   * Adds an entry. Entries arrive in the order of their ends, and are kept in the order of their starts.
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

  /** The screen that a picture is of. @param {number} index @returns {Entry | undefined} */
  screenAt(index) {
    for (let at = index; at >= 0; at--) if (this.frames[at]?.screen) return this.frames[at].screen;
    return undefined;
  }

  /** The moments before and after an entry. @param {Entry} entry */
  momentsOf(entry) {
    const end = entry.t + (entry.ms ?? 0);
    const next = this.entries.find(({ t, kind, effect }) =>
      t > end && (kind === "person" || effect === "act")
    );
    return { before: entry.t, after: Math.max(end, Math.min(next?.t ?? Infinity, end + 1000)) };
  }
}
