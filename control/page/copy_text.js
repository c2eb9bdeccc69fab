/** Copying text on this device. */

/**
 * Copies text. A page without TLS may not use the clipboard, and copies by a selection instead, in the focused field
 * if there is one, so that held keys stay held.
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
  if (!done) throw new Error("this browser does not let the page copy");
}
