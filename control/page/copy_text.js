/** Copying text on this device. */

/**
 * Copies text. Where a page without TLS may not use the clipboard it goes by way of a selection, in the field that has
 * the focus if there is one: keys that are held stay so.
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
