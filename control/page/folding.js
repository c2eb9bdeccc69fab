/** What is folded away: the log, which stays as the person left it, and the tools in a small window. */

import { element } from "./element.js";
import { recall, remember } from "./remembered.js";

/** Windows below one of these sizes start without the log, in pixels. */
const ROOMY = { width: 700, height: 640 };

/** Lets the log be hidden and shown. */
export function foldLog() {
  const done = element("done"), button = element("show-log");
  const show = (/** @type {boolean} */ isShown) => {
    done.hidden = !isShown;
    button.setAttribute("aria-expanded", String(isShown));
  };
  const choose = (/** @type {boolean} */ isShown) => {
    show(isShown);
    remember("log", isShown ? "shown" : "hidden");
  };
  const kept = recall("log");
  show(kept ? kept === "shown" : innerWidth >= ROOMY.width && innerHeight >= ROOMY.height);
  button.addEventListener("click", () => choose(done.hidden));
  element("hide-log").addEventListener("click", () => {
    choose(false);
    if (button.checkVisibility()) button.focus();
  });
}

/** Lets the tools of a small window come and go. */
export function foldTools() {
  const tools = element("tools"), more = element("more");
  const show = (/** @type {boolean} */ isShown) => {
    tools.classList.toggle("open", isShown);
    more.setAttribute("aria-expanded", String(isShown));
  };
  more.addEventListener("click", () => {
    show(!tools.classList.contains("open"));
    if (tools.classList.contains("open")) tools.querySelector("button")?.focus();
  });
  // A choice closes the menu; what changes the size of the picture is chosen several times.
  tools.addEventListener("click", (event) => {
    const chosen = /** @type {Element} */ (event.target).closest("button");
    if (chosen && !chosen.id.startsWith("zoom-")) show(false);
  });
  document.addEventListener("pointerdown", (event) => {
    const at = /** @type {Element} */ (event.target);
    if (!at.closest("#tools, #more")) show(false);
  });
  tools.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !tools.classList.contains("open")) return;
    show(false);
    more.focus();
  });
}
