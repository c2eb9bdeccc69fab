/** Parts that fold away: the log, which stays as the person left it, and menus behind a button. */

import { element, recall, remember } from "./status.js";

/**
 * Lets the log be hidden and shown. It is hidden at first; a dot on its button tells that lines were added.
 * @returns {() => void} Call it when a line was added.
 */
export function foldLog() {
  const done = element("done"), button = element("show-log"), { title } = button;
  const show = (/** @type {boolean} */ isShown) => {
    done.hidden = !isShown;
    button.setAttribute("aria-expanded", String(isShown));
    news(false);
  };
  const news = (/** @type {boolean} */ areThere) => {
    button.classList.toggle("news", areThere);
    button.title = areThere ? `${title}: new lines` : title;
  };
  const choose = (/** @type {boolean} */ isShown) => {
    show(isShown);
    remember("log", isShown ? "shown" : "hidden");
  };
  show(recall("log") === "shown");
  button.addEventListener("click", () => choose(done.hidden));
  element("hide-log").addEventListener("click", () => {
    choose(false);
    if (button.checkVisibility()) button.focus();
  });
  return () => news(done.hidden);
}

/**
 * Lets a panel come and go by its button.
 * @param {HTMLElement} button
 * @param {HTMLElement} panel
 * @param {() => void} shown Called when it is shown.
 */
export function foldPanel(button, panel, shown) {
  button.addEventListener("click", () => {
    panel.hidden = !panel.hidden;
    button.setAttribute("aria-expanded", String(!panel.hidden));
    if (!panel.hidden) shown();
  });
}

/**
 * Lets a button open and close a menu. A choice, Escape and a press elsewhere close the menu.
 * @param {HTMLElement} button
 * @param {HTMLElement} menu Gets the class `open` while it is shown.
 * @param {(chosen: HTMLElement) => boolean} [staysFor] Tells a choice that leaves it open; none if left out.
 */
export function foldMenu(button, menu, staysFor = () => false) {
  const isOpen = () => menu.classList.contains("open");
  const show = (/** @type {boolean} */ isShown) => {
    menu.classList.toggle("open", isShown);
    button.setAttribute("aria-expanded", String(isShown));
  };
  button.addEventListener("click", () => {
    show(!isOpen());
    if (isOpen()) menu.querySelector("button")?.focus();
  });
  menu.addEventListener("click", (event) => {
    const chosen = /** @type {Element} */ (event.target).closest("button");
    if (chosen && !staysFor(chosen)) show(false);
  });
  document.addEventListener("pointerdown", (event) => {
    const at = /** @type {Node} */ (event.target);
    if (!menu.contains(at) && !button.contains(at)) show(false);
  });
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !isOpen()) return;
    show(false);
    button.focus();
  });
}
