/** Waits for the first paint of the page, after which long work is done. */

/** The longest wait for the browser to paint, in milliseconds: a page that is hidden is not painted. */
const LONGEST = 500;

/** Resolves when the page was painted once. */
export const painted = new Promise((resolve) => {
  requestAnimationFrame(() => setTimeout(resolve));
  setTimeout(resolve, document.hidden ? 0 : LONGEST);
});
