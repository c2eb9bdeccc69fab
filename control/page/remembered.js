/** Choices of the person on this device: they outlive the tab, and contain no data of the desktop. */

/**
 * @param {string} name
 * @returns {string | undefined} undefined if nothing was chosen, or the browser keeps nothing.
 */
export function recall(name) {
  try {
    return localStorage.getItem(`deskhand.${name}`) ?? undefined;
  } catch {
    return undefined;
  }
}

/** @param {string} name @param {string} value */
export function remember(name, value) {
  try {
    localStorage.setItem(`deskhand.${name}`, value);
  } catch {
    // The next visit starts as the first one did.
  }
}
