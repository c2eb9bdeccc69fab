/** The status line at the top, and notices. */

const WORDS = /** @type {Record<string, string>} */ ({
  connecting: "Connecting",
  connected: "Connected",
  looking: "Connected, view only",
  reconnecting: "Connection lost, trying again",
  refused: "Needs its token",
  recording: "Recording",
  playing: "Playing",
});
/** How long a notice stays, in milliseconds. */
const NOTICE = 6000;

/** The displayed state of the page. */
export class Status {
  /** One of the keys of WORDS except "looking". */ connection = "connecting";
  /** Number of the desktop's viewers, including this page. */ viewers = 1;
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #timer;

  /** @param {HTMLElement} line @param {HTMLElement} notice */
  constructor(line, notice) {
    this.line = line;
    this.noticed = notice;
  }

  get isConnected() {
    return this.connection === "connected";
  }

  /**
   * @param {string} recorder The recorder's state.
   * @param {boolean} isLooking Whether the page only shows the desktop.
   */
  show(recorder, isLooking) {
    const state = this.isConnected && recorder !== "idle" ? recorder : this.connection;
    const words = WORDS[state === "connected" && isLooking ? "looking" : state];
    const text = this.isConnected && this.viewers > 1 ? `${words}, ${this.viewers} viewers` : words;
    this.line.dataset.state = state;
    this.line.title = text;
    // Screen readers would read an unchanged text again.
    if (this.line.textContent !== text) this.line.textContent = text;
  }

  /** @param {string} message */
  notice(message) {
    const { noticed } = this;
    if (noticed.hidden || noticed.textContent !== message) noticed.textContent = message;
    noticed.hidden = false;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => noticed.hidden = true, NOTICE);
  }
}

/** @template {HTMLElement} T @param {string} id Of an element of page.html. @returns {T} */
export const element = (id) => /** @type {T} */ (document.getElementById(id));

// Copies text on this device.

/**
 * Copies text. A page without TLS may not use the clipboard, and copies through a selection instead, in the
 * focused field if there is one, so that held keys stay held.
 * @param {string} text
 * @throws Error if the browser does not allow it.
 */
export async function copyText(text) {
  if (navigator.clipboard) return await navigator.clipboard.writeText(text);
  const focused = /** @type {HTMLElement | null} */ (document.activeElement);
  const own = /** @type {HTMLTextAreaElement | null} */ (focused?.matches(".unseen") ? focused : null);
  const area = own ?? document.createElement("textarea");
  if (!own) document.body.append(area);
  area.value = text;
  area.select();
  const done = document.execCommand("copy");
  area.value = "";
  if (!own) {
    area.remove();
    focused?.focus();
  }
  if (!done) throw new Error("this browser does not allow the page to copy");
}

// Preferences stored on this device: they outlive the tab, and contain no desktop data.

/**
 * @param {string} name
 * @returns {string | undefined} undefined if nothing was chosen, or the browser stores nothing.
 */
export function recall(name) {
  try {
    return localStorage.getItem(`deskhand.${name}`) ?? undefined;
  } catch {
    return undefined;
  }
}

/** @param {string} name @param {string} value */
export function remember(name, value) {
  try {
    localStorage.setItem(`deskhand.${name}`, value);
  } catch {
    // The next visit starts like the first one.
  }
}
