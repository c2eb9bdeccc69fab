/** Arrow keys and swipes lead to the previous and next file, Escape to the folder. */

/** Minimum length of a swipe, in CSS pixels; it must also be more horizontal than vertical. */
const SWIPE = 50;
const KEYS = { ArrowLeft: "prev", ArrowRight: "next", Escape: "up" };

/** Replaces this page, so that the browser's Back leads directly to the folder. */
function go(rel) {
  const link = document.querySelector(`a[rel="${rel}"]`);
  if (link) location.replace(link.href);
  return link !== null;
}

/** Whether an element handles horizontal movement itself: a player seeks, long lines scroll. */
function movesAside(element) {
  const own = element.closest("video, audio, input, pre");
  return own !== null && (own.localName !== "pre" || own.scrollWidth > own.clientWidth);
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
  const rel = KEYS[event.key];
  if (rel && (rel === "up" || !movesAside(event.target)) && go(rel)) event.preventDefault();
});

let start;
document.addEventListener("touchstart", ({ touches, target }) => {
  const isZoomed = visualViewport.scale > 1.01;
  start = touches.length === 1 && !isZoomed && !movesAside(target) ? touches[0] : undefined;
}, { passive: true });
document.addEventListener("touchend", ({ changedTouches: [end] }) => {
  if (!start) return;
  const aside = end.clientX - start.clientX, down = end.clientY - start.clientY;
  start = undefined;
  if (Math.abs(aside) > SWIPE && Math.abs(aside) > 2 * Math.abs(down)) go(aside > 0 ? "prev" : "next");
}, { passive: true });
document.addEventListener("touchcancel", () => start = undefined);

for (const link of document.querySelectorAll('a[rel="prev"], a[rel="next"]')) {
  link.addEventListener("click", (event) => {
    if (event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    go(link.rel);
  });
}
