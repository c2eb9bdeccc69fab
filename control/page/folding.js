/** Collapsible parts: the log, which stays as the person left it, and popovers below the bar's buttons. */

import { element, recall, remember } from "./status.js";

/**
 * Shows and hides the log. It is hidden initially; a dot on its button indicates new lines.
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
    element("more").focus();
  });
  return () => news(done.hidden);
}

/**
 * Makes a panel a popover below a button in the bar. Only one is open at a time; Escape and a press elsewhere
 * close it.
 * @param {HTMLElement} button Opens the panel: a button in the bar, or a menu entry, whose menu then closes.
 * @param {HTMLElement} panel An element with the attribute `popover`.
 * @param {() => void} [shown] Called when the panel has opened.
 */
export function foldPanel(button, panel, shown = () => {}) {
  const isEntry = button.closest("[popover]") !== null, under = isEntry ? element("more") : button;
  if (isEntry) button.addEventListener("click", () => panel.showPopover());
  /** @type {HTMLButtonElement} */ else button.popoverTargetElement = panel;
  panel.tabIndex = -1;
  const place = () => placeUnder(under, panel);
  addEventListener("resize", () => panel.matches(":popover-open") && place());
  panel.addEventListener("beforetoggle", place);
  panel.addEventListener("toggle", (event) => {
    const isOpen = /** @type {ToggleEvent} */ (event).newState === "open";
    under.setAttribute("aria-expanded", String(isOpen));
    const focused = document.activeElement;
    if (isOpen) {
      panel.focus();
      shown();
    } else if (!focused || focused === document.body || panel.contains(focused)) {
      under.focus(); // the browser returns the focus neither to a hidden entry nor after a press elsewhere
    }
  });
}

/** @param {HTMLElement} button @param {HTMLElement} panel */
function placeUnder(button, panel) {
  const at = button.getBoundingClientRect();
  const bar = /** @type {HTMLElement} */ (button.closest("header")).getBoundingClientRect();
  const isBeside = bar.height > bar.width;
  panel.style.setProperty("--top", `${bar.bottom + 4}px`);
  panel.style.setProperty("--right", `${innerWidth - (isBeside ? bar.left : at.right)}px`);
}

/**
 * Sets up the menu, which closes after an entry was chosen.
 * @param {(chosen: HTMLElement) => boolean} staysFor Whether the menu stays open for an entry.
 */
export function foldMenu(staysFor) {
  const menu = element("tools");
  foldPanel(element("more"), menu);
  menu.addEventListener("click", (event) => {
    const chosen = /** @type {Element} */ (event.target).closest("button");
    if (!chosen || staysFor(chosen) || !menu.matches(":popover-open")) return;
    menu.hidePopover();
  });
  // The size selection is a menu entry if the bar has no room for it.
  const zoom = element("zoom"), isSmall = matchMedia("(max-width: 47.99rem), (max-height: 30rem)");
  const place = () => isSmall.matches ? menu.prepend(zoom) : element("stop").after(zoom);
  isSmall.addEventListener("change", place);
  place();
}
