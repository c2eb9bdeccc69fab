/** The list of entries; only the visible rows are in the page. */

// Times in readable form.

/** @param {number} ms @returns {string} Such as `1:02.5`. */
export function clock(ms) {
  const minutes = Math.floor(ms / 60_000), seconds = (ms % 60_000 / 1000).toFixed(1).padStart(4, "0");
  return minutes < 60
    ? `${minutes}:${seconds}`
    : `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${seconds}`;
}

/** @param {number} ms @returns {string} Such as `12 ms` or `1.5 s`. */
export function duration(ms) {
  if (ms < 10) return `${ms} ms`;
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

// Actions as control API calls.

/** @type {Record<string, [method: string, path: string]>} By the action's name; a test holds it against the endpoints. */
export const CALLS = {
  move: ["POST", "/api/move"],
  click: ["POST", "/api/click"],
  scroll: ["POST", "/api/scroll"],
  press: ["POST", "/api/press"],
  release: ["POST", "/api/release"],
  drag: ["POST", "/api/drag"],
  key: ["POST", "/api/key"],
  type: ["POST", "/api/type"],
  wait: ["POST", "/api/wait"],
  position: ["GET", "/api/position"],
  screen: ["GET", "/api/screen"],
  screenshot: ["GET", "/api/screenshot"],
  pixel: ["GET", "/api/pixel"],
  windows: ["GET", "/api/windows"],
  activateWindow: ["POST", "/api/window/activate"],
  minimizeWindow: ["POST", "/api/window/minimize"],
  maximizeWindow: ["POST", "/api/window/maximize"],
  restoreWindow: ["POST", "/api/window/restore"],
  fullscreenWindow: ["POST", "/api/window/fullscreen"],
  placeWindow: ["POST", "/api/window/place"],
  closeWindow: ["POST", "/api/window/close"],
  elements: ["GET", "/api/elements"],
  clickOnElement: ["POST", "/api/element/click"],
  setElement: ["POST", "/api/element/set"],
  focusElement: ["POST", "/api/element/focus"],
  scrollToElement: ["POST", "/api/element/scroll"],
  switchElements: ["POST", "/api/elements"],
  find: ["POST", "/api/find"],
  compare: ["POST", "/api/compare"],
  text: ["GET", "/api/text"],
  changes: ["GET", "/api/changes"],
  clipboard: ["GET", "/api/clipboard"],
  setClipboard: ["PUT", "/api/clipboard"],
  startRecording: ["POST", "/api/recording/start"],
  stopRecording: ["POST", "/api/recording/stop"],
  playRecording: ["POST", "/api/recording/play"],
};

/**
 * An action's name as in the API, the prompt and the docs, such as `window/activate`. @param {string} name
 */
export const callName = (name) => Object.hasOwn(CALLS, name) ? CALLS[name][1].slice("/api/".length) : name;

/** @typedef {import("./screen.js").Entry} Entry */

/** Height of a row in pixels, as in parts.css, and number of extra rows above and below the visible ones. */
const ROW = 44, MARGIN = 8;

/** @param {Entry} entry */
function placeOf({ at }) {
  return at ? ` at ${at.x},${at.y}` : "";
}

/** @type {Record<string, (entry: Entry) => [what: string, more: string]>} How each kind reads. */
const TEXTS = {
  action: (entry) => [callName(entry.name), entry.error ?? brief(entry)],
  person: (entry) => {
    const who = entry.by === "replay" ? "Replay" : "Person";
    if (entry.what === "keys") return [`${who}: ${entry.count} key${entry.count === 1 ? "" : "s"}`, ""];
    const what = entry.what === "scroll" ? `${entry.direction} ${entry.amount}` : entry.button;
    return [`${who}: ${entry.what}`, `${what}${placeOf(entry)}`];
  },
  window: ({ title }) => ["Window", title || "none is active"],
  mark: ({ text }) => [text, "mark"],
  pause: ({ why }) => ["Paused", why ?? ""],
  resume: () => ["Resumed", ""],
  problem: ({ message }) => ["Problem", message],
  end: ({ why, next }) => ["End", `${why}${next ? `; goes on in ${next}` : ""}`],
};

/** The values and the caller, in one line. @param {Entry} entry */
function brief(entry) {
  const values = Object.entries(entry.values ?? {}).map(([name, value]) =>
    `${name} ${typeof value === "object" ? JSON.stringify(value) : value}`
  );
  const moves = entry.moves ? [`${entry.moves} moves`] : [];
  return [callerOf(entry), ...moves, ...values].join(" · ");
}

/** @param {Entry} entry @returns {string} */
export function callerOf({ kind, by, client }) {
  if (kind === "action") return client ? `${by}, ${client}` : String(by);
  return kind === "person" ? by === "replay" ? "replay" : "person" : "";
}

/** An entry's text in the list and in the search. @param {Entry} entry */
export function textsOf(entry) {
  return TEXTS[entry.kind](entry);
}

export class List {
  /** @type {Entry[]} The entries that fit the filter. */ shown = [];
  /** @type {Entry | undefined} */ selected;
  filter = { text: "", caller: "", errors: false };
  #rows = document.createElement("div");

  /**
   * @param {HTMLElement} element
   * @param {import("./screen.js").Store} store
   * @param {(entry: Entry) => void} onSelect
   */
  constructor(element, store, onSelect) {
    this.element = element;
    this.store = store;
    this.onSelect = onSelect;
    this.#rows.className = "rows";
    this.#rows.setAttribute("role", "presentation");
    element.append(this.#rows);
    element.addEventListener("scroll", () => this.#paint());
    new ResizeObserver(() => this.#paint()).observe(element);
  }

  /** Shows the entries that match the filter. */
  update() {
    const { text, caller, errors } = this.filter, words = text.toLowerCase();
    this.shown = this.store.entries.filter((entry) => {
      if (errors && entry.error === undefined && entry.kind !== "problem") return false;
      if (caller && callerOf(entry) !== caller) return false;
      return !words || `${textsOf(entry).join(" ")} ${callerOf(entry)}`.toLowerCase().includes(words);
    });
    this.#paint();
  }

  /** Selects an entry. @param {Entry | undefined} entry */
  select(entry) {
    if (!entry) return;
    this.selected = entry;
    const top = this.shown.indexOf(entry) * ROW, { element } = this;
    if (top >= 0 && (top < element.scrollTop || top + ROW > element.scrollTop + element.clientHeight)) {
      element.scrollTop = top - element.clientHeight / 2;
    }
    this.#paint();
    this.onSelect(entry);
  }

  /** Moves the selection by a number of rows. @param {number} by */
  step(by) {
    const at = this.selected ? this.shown.indexOf(this.selected) : -1;
    this.select(this.shown[Math.max(0, Math.min(this.shown.length - 1, at + by))]);
  }

  #paint() {
    const { element, shown } = this, first = Math.max(0, Math.floor(element.scrollTop / ROW) - MARGIN);
    const last = Math.min(shown.length, Math.ceil((element.scrollTop + element.clientHeight) / ROW) + MARGIN);
    this.#rows.style.height = `${shown.length * ROW}px`;
    this.#rows.replaceChildren(...shown.slice(first, last).map((entry, i) => this.#row(entry, first + i)));
    const selected = this.#rows.querySelector("[aria-selected=true]");
    if (selected) element.setAttribute("aria-activedescendant", selected.id);
    else element.removeAttribute("aria-activedescendant");
  }

  /** @param {Entry} entry @param {number} index */
  #row(entry, index) {
    const row = document.createElement("div"), [what, more] = textsOf(entry);
    const isBad = entry.error !== undefined || entry.kind === "problem";
    row.id = `row-${index}`;
    row.className = `row${isBad ? " bad" : ""}${
      entry.kind === "mark" ? " mark" : entry.kind === "action" ? "" : " other"
    }`;
    row.setAttribute("role", "option");
    row.setAttribute("aria-selected", String(entry === this.selected));
    row.setAttribute("aria-setsize", String(this.shown.length));
    row.setAttribute("aria-posinset", String(index + 1));
    row.style.top = `${index * ROW}px`;
    const name = cell("what", "");
    name.append(Object.assign(document.createElement("b"), { textContent: what }));
    row.append(
      cell("time", clock(entry.t)),
      name,
      cell("took", entry.ms === undefined || entry.kind === "person" ? "" : duration(entry.ms)),
      cell("more", more),
    );
    row.addEventListener("click", () => this.select(entry));
    return row;
  }
}

/** @param {string} name @param {string} text */
function cell(name, text) {
  return Object.assign(document.createElement("span"), { className: name, textContent: text });
}

// Waits for the first paint of the page, after which long work is done.

/** Maximum wait for the browser to paint, in milliseconds: a hidden page is not painted. */
const LONGEST = 500;

/** Resolves when the browser has painted the page. */
export function painted() {
  return new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
    setTimeout(resolve, document.hidden ? 0 : LONGEST);
  });
}
