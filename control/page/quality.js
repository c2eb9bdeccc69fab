/** The quality of the picture: a choice that is kept for the next time. */

import { recall, remember } from "./remembered.js";

/**
 * Lets the person choose.
 * @param {HTMLSelectElement} choice
 * @param {(quality: string) => void} chosen Called at once, and with each choice.
 */
export function chooseQuality(choice, chosen) {
  const kept = recall("quality") ?? "";
  if ([...choice.options].some(({ value }) => value === kept)) choice.value = kept;
  choice.addEventListener("change", () => {
    remember("quality", choice.value);
    chosen(choice.value);
  });
  chosen(choice.value);
}
