/** The viewer: takes entries as the file arrives, and connects its parts. */

import { changedBoxes, Screen, Store } from "./screen.js";
import { showDetail, showMarks } from "./detail.js";
import { callerOf, clock, List, painted } from "./list.js";
import { Film, Strip } from "./strip.js";

/** Resolves when the browser has painted the page: long work waits for it. */
const firstPaint = painted();

const element = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
const canvas = /** @type {HTMLCanvasElement} */ (element("screen"));

const store = new Store();
const screen = new Screen(canvas, store);
const list = new List(element("list"), store, select);
const strip = new Strip(/** @type {HTMLCanvasElement} */ (element("line")), store, (t) => {
  stop();
  show(t);
});
const film = new Film(element("film"), store, (t) => {
  stop();
  show(t);
});
/** The moment shown, and whether it is before or after the selected entry. */
let now = 0, side = "after", playing = 0, turn = 0;
/** @type {import("./screen.js").Box[]} The differences between before and after the selected entry. */
let changed = [];
/** @type {Set<string>} */ const callers = new Set();

/** Lays out the picture as large as possible. */
function layOut() {
  const stage = element("stage"), { width, height } = canvas;
  const scale = Math.min(1, stage.clientWidth / width, stage.clientHeight / height);
  const size = { width: Math.floor(width * scale), height: Math.floor(height * scale) };
  Object.assign(canvas.style, {
    width: `${size.width}px`,
    height: `${size.height}px`,
    left: `${Math.floor((stage.clientWidth - size.width) / 2)}px`,
    top: `${Math.floor((stage.clientHeight - size.height) / 2)}px`,
  });
}

/** Lays out the picture with its outlines. */
function mark() {
  layOut();
  showMarks(canvas, store.screenAt(screen.shown), list.selected, changed);
}

/** Shows a moment. @param {number} t @param {import("./screen.js").Box[]} [boxes] Boxes to outline. */
async function show(t, boxes = []) {
  now = t;
  changed = boxes;
  strip.show(t);
  await screen.show(t);
  if (t !== now) return;
  element("empty").hidden = screen.shown >= 0;
  canvas.hidden = screen.shown < 0;
  mark();
  canvas.setAttribute("aria-label", `The screen at ${clock(t)}`);
}

/** @param {import("./screen.js").Entry} entry */
async function select(entry) {
  stop();
  strip.selected = entry;
  showDetail(entry, store.head?.url);
  try {
    history.replaceState(null, "", `#t=${entry.t / 1000}`);
  } catch {
    // A page served in a sandbox may not use the history.
  }
  const { before, after } = store.momentsOf(entry), mine = ++turn;
  await screen.show(before);
  const earlier = screen.shown >= 0 && mine === turn ? pixels() : undefined;
  if (mine !== turn) return;
  await screen.show(after);
  const later = mine === turn && earlier ? pixels() : undefined;
  if (mine !== turn) return;
  const isSame = later?.width === earlier?.width && later?.height === earlier?.height;
  await show(
    side === "before" ? before : after,
    earlier && later && isSame ? changedBoxes(earlier, later) : [],
  );
}

function pixels() {
  return screen.picture.context.getImageData(0, 0, canvas.width, canvas.height);
}

/** @param {string} chosen */
function choose(chosen) {
  side = chosen;
  for (const name of ["before", "after"]) element(name).setAttribute("aria-pressed", String(name === side));
  if (list.selected) select(list.selected);
}

function stop() {
  cancelAnimationFrame(playing);
  playing = 0;
  element("play").textContent = "Play";
}

function play() {
  if (playing) return stop();
  turn++;
  const from = now >= store.end - 50 ? store.start : now, start = performance.now();
  element("play").textContent = "Stop";
  const step = () => {
    const t = from + performance.now() - start;
    show(Math.min(t, store.end));
    playing = requestAnimationFrame(step);
    if (t >= store.end) stop();
  };
  playing = requestAnimationFrame(step);
}

/** Shows a message for a while. @param {string} text */
function notice(text) {
  element("notice").textContent = text;
  element("notice").hidden = false;
  setTimeout(() => element("notice").hidden = true, 4000);
}

/** @param {string} text @param {string} what */
async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const field = Object.assign(document.createElement("textarea"), { value: text });
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  }
  notice(`${what} copied`);
}

/** @type {Record<string, () => void>} */
const KEYS = {
  ArrowDown: () => list.step(1),
  j: () => list.step(1),
  ArrowUp: () => list.step(-1),
  k: () => list.step(-1),
  PageDown: () => list.step(10),
  PageUp: () => list.step(-10),
  Home: () => list.select(list.shown[0]),
  End: () => list.select(list.shown.at(-1)),
  b: () => choose("before"),
  a: () => choose("after"),
  e: () => element("errors").click(),
  "/": () => element("search").focus(),
  " ": play,
};

addEventListener("keydown", (event) => {
  const target = /** @type {Element} */ (event.target);
  if (event.ctrlKey || event.metaKey || event.altKey || target.matches("input, select")) {
    if (event.key === "Escape") /** @type {HTMLElement} */ (target).blur();
    return;
  }
  if (event.key === " " && target.matches("button") || !Object.hasOwn(KEYS, event.key)) return;
  event.preventDefault();
  KEYS[event.key]();
});
element("before").addEventListener("click", () => choose("before"));
element("after").addEventListener("click", () => choose("after"));
element("play").addEventListener("click", play);
element("copy").addEventListener("click", () => copy(element("curl").textContent ?? "", "The command is"));
element("link").addEventListener("click", () => copy(location.href, "The link is"));
element("search").addEventListener("input", (event) => {
  list.filter.text = /** @type {HTMLInputElement} */ (event.target).value;
  refresh();
});
element("caller").addEventListener("change", (event) => {
  list.filter.caller = /** @type {HTMLSelectElement} */ (event.target).value;
  refresh();
});
element("errors").addEventListener("click", () => {
  list.filter.errors = !list.filter.errors;
  element("errors").setAttribute("aria-pressed", String(list.filter.errors));
  refresh();
});
new ResizeObserver(mark).observe(element("stage"));
addEventListener("hashchange", () => goTo(linkedTime()));

/** The moment in the address, in milliseconds; NaN if there is none. @returns {number} */
function linkedTime() {
  return 1000 * Number(/[#&]t=(\d+(?:\.\d+)?)/.exec(location.hash)?.[1] ?? NaN);
}

/** The moment at which the page was opened; each selection updates the address. */
const linked = linkedTime();

/** Selects the last entry that had started by a moment. @param {number} time NaN for none. */
function goTo(time) {
  const entry = store.entries.findLast(({ t }) => t <= time + 0.05);
  if (entry && entry !== list.selected) list.select(entry);
  return entry;
}

/** Shows the current content of the file. */
function refresh() {
  list.update();
  element("none").hidden = list.shown.length > 0 || !store.entries.length;
  const actions = store.entries.filter(({ kind }) => kind === "action").length;
  const errors = store.entries.filter(({ error }) => error !== undefined).length;
  element("summary").textContent = [
    `${actions} action${actions === 1 ? "" : "s"}`,
    ...(errors ? [`${errors} failed`] : []),
    clock(store.end - store.start),
    ...(store.head ? [`${store.head.desktop}, ${new Date(store.head.started).toLocaleString()}`] : []),
  ].join(" · ");
  element("summary").classList.toggle("live", store.isLive);
  for (const caller of store.entries.map(callerOf)) {
    if (!caller || callers.has(caller)) continue;
    callers.add(caller);
    element("caller").append(new Option(caller, caller));
  }
  strip.show(now);
}

/** Whether the first entry has been shown. */
let isBegun = false;
/** @type {import("./screen.js").Entry | undefined} The entry that was selected while the file was read. */
let opening;
let isWaiting = false;
/** Interval between two refreshes of the list while more arrives, in milliseconds: long lists take longer. */
const REFRESH = 300;
let refreshedAt = -REFRESH;

/**
 * Takes the entries that have arrived. Comments are never partial, and are the cheapest for the browser's
 * parser.
 */
function takeAll() {
  const data = document.getElementById("data");
  if (!data?.childNodes.length) return;
  for (const node of [...data.childNodes]) {
    if (node.nodeType !== Node.COMMENT_NODE) continue;
    try {
      store.take(/** @type {Comment} */ (node).data);
    } catch {
      // The last line of a file whose writer was killed.
    }
  }
  data.replaceChildren();
  if (isWaiting) return;
  isWaiting = true;
  firstPaint.then(() => setTimeout(refreshMore, Math.max(0, refreshedAt + REFRESH - performance.now())));
}

/** Shows the entries that have arrived since the last call. */
function refreshMore() {
  isWaiting = false;
  refreshedAt = performance.now();
  const wasAtEnd = isBegun && store.isLive && list.selected === list.shown.at(-1) && !playing;
  refresh();
  if (!isBegun) begin();
  else if (wasAtEnd && list.shown.at(-1) !== list.selected) {
    if (opening === list.selected) opening = list.shown.at(-1);
    list.select(list.shown.at(-1));
  }
}

/** Shows the first entry or picture. */
function begin() {
  document.title = store.head?.name ? `${store.head.name} - trace` : document.title;
  element("title").textContent = store.head?.name ?? "Trace";
  const [first] = store.frames.filter(({ key }) => key);
  if (!first) return;
  isBegun = true;
  opening = goTo(linked);
  if (opening) return;
  opening = store.entries.find(({ kind }) => kind === "action");
  if (opening) list.select(opening);
  else show(first.t);
}

const watch = new MutationObserver(takeAll);
watch.observe(element("data"), { childList: true });
addEventListener("DOMContentLoaded", async () => {
  watch.disconnect();
  store.isLive = false;
  takeAll();
  await firstPaint;
  refresh();
  if (!isBegun) begin();
  // A selection made while the file was read stays. The entries of a linked moment may have come after the first
  // ones were shown; without a link, a visitor who looks for a failure finds it here.
  if (!list.selected || list.selected === opening) {
    const shown = goTo(linked) ?? store.failure ?? list.selected ?? list.shown[0];
    if (shown !== list.selected) list.select(shown);
  }
  performance.mark("read");
  film.paint();
});
