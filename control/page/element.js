/** @template {HTMLElement} T @param {string} id Of an element of page.html. @returns {T} */
export const element = (id) => /** @type {T} */ (document.getElementById(id));
