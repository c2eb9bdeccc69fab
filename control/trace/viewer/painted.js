/** The first paint of the page: what takes long is done behind it. */

/** The longest wait for the browser to paint, in milliseconds: a page that is hidden is not painted. */
const LONGEST = 500;

/** Resolves when the page was painted once. */
export const painted = new Promise((resolve) => {
  requestAnimationFrame(() => setTimeout(resolve));
  setTimeout(resolve, document.hidden ? 0 : LONGEST);
});
