/** Full screen, in which the desktop also gets the keys that browsers and systems normally keep, if they allow it. */

/** @typedef {{ lock?: () => Promise<void>, unlock?: () => void }} KeyboardLock */

export class FullScreen {
  /**
   * @param {HTMLButtonElement} button
   * @param {HTMLElement} handle Shows and hides the bar in full screen.
   * @param {{ notice: (message: string) => void, acts: () => boolean, changed: () => void }} to `acts` says whether
   *   keys go to the desktop.
   */
  constructor(button, handle, to) {
    this.button = button;
    this.handle = handle;
    this.to = to;
    button.hidden = !document.fullscreenEnabled; // an iPhone has full screen for films alone
    button.addEventListener("click", () => this.#toggle());
    handle.addEventListener("click", () => this.#showBar(!document.body.classList.contains("bar-shown")));
    document.addEventListener("fullscreenchange", () => this.#changed());
  }

  async #toggle() {
    try {
      if (document.fullscreenElement) await document.exitFullscreen();
      else await document.documentElement.requestFullscreen({ navigationUI: "hide" });
    } catch (error) {
      this.to.notice(`Full screen: ${/** @type {Error} */ (error).message}`);
    }
  }

  #changed() {
    const isFull = document.fullscreenElement !== null;
    this.button.setAttribute("aria-pressed", String(isFull));
    this.#showBar(false);
    this.to.changed();
    const { keyboard } = /** @type {Navigator & { keyboard?: KeyboardLock }} */ (navigator);
    // With the keyboard lock the page gets Alt+Tab, Super and Escape too, and holding Escape leaves full screen. Only
    // Chromium has the lock, on pages of this machine or with TLS.
    if (isFull && this.to.acts()) keyboard?.lock?.().catch(() => {});
    else keyboard?.unlock?.();
  }

  /** @param {boolean} isShown */
  #showBar(isShown) {
    document.body.classList.toggle("bar-shown", isShown);
    this.handle.setAttribute("aria-expanded", String(isShown));
  }
}
