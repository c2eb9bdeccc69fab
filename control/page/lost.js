/** View of a lost connection: the last picture, dimmed, and its age. */

/** @param {number} seconds */
function spoken(seconds) {
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export class Lost {
  /** The time of the loss, by `Date.now()`; undefined while the connection is there. @type {number | undefined} */ #since;
  /** @type {ReturnType<typeof setInterval> | undefined} */ #timer;

  /**
   * @param {HTMLElement} veil Lies over the picture.
   * @param {HTMLElement} words Gets the time.
   * @param {HTMLElement} button
   * @param {() => void} tryNow
   */
  constructor(veil, words, button, tryNow) {
    this.veil = veil;
    this.words = words;
    button.addEventListener("click", tryNow);
    addEventListener("online", tryNow);
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden && this.#since !== undefined) tryNow();
    });
  }

  /** @param {boolean} isLost */
  show(isLost) {
    if (isLost === (this.#since !== undefined)) return;
    this.veil.hidden = !isLost;
    document.body.classList.toggle("lost", isLost);
    this.#since = isLost ? Date.now() : undefined;
    clearInterval(this.#timer);
    if (!isLost) return;
    this.#tell();
    this.#timer = setInterval(() => this.#tell(), 1000);
  }

  #tell() {
    const since = this.#since ?? Date.now(), time = new Date(since).toLocaleTimeString();
    const ago = spoken(Math.round((Date.now() - since) / 1000));
    this.words.textContent = `The picture is from ${time}, ${ago} ago. Trying again.`;
  }
}
