/** Names of keys: as browsers have them, and as the API does. */

/** Modifiers; a keyboard has two of each, which the event's code tells apart. */
const MODIFIERS = /** @type {Record<string, string>} */ ({
  Control: "ctrl",
  Shift: "shift",
  Alt: "alt",
  Meta: "super",
  OS: "super",
});

/** Keys of the number pad with names of their own, by code and key: without Num Lock `key` names another key. */
const PAD = /** @type {Record<string, string>} */ ({
  "NumpadEnter Enter": "kpenter",
  "NumpadAdd +": "kpadd",
  "NumpadSubtract -": "kpsubtract",
  "NumpadMultiply *": "kpmultiply",
  "NumpadDivide /": "kpdivide",
  "NumpadDecimal .": "kpdecimal",
});

/** Keys whose names in the API differ from those of browsers. */
const BY_KEY = /** @type {Record<string, string>} */ ({
  " ": "space",
  AltGraph: "altgr",
  Clear: "kpbegin",
  MediaTrackNext: "nexttrack",
});

/** Values of `KeyboardEvent.key` that name no key (UI Events KeyboardEvent key values). */
const NONE = new Set(["Unidentified", "Dead", "Process", "Compose", "Fn", "FnLock"]);

/**
 * The name of a key as the API has it.
 * @param {{ key: string, code: string }} event
 * @returns {string | undefined} undefined for a dead key and for a key of an input method.
 */
export function keyName({ key, code }) {
  if (NONE.has(key)) return undefined;
  if (MODIFIERS[key]) return (code.endsWith("Right") ? "right" : "") + MODIFIERS[key];
  if (/^Numpad\d$/.test(code) && /^\d$/.test(key)) return `kp${key}`;
  return PAD[`${code} ${key}`] ?? BY_KEY[key] ?? ([...key].length === 1 ? key : key.toLowerCase());
}

/**
 * Whether a name is that of a modifier: a key that is held while others are pressed.
 * @param {string} name As the API has it.
 */
export function isModifier(name) {
  return /^(right)?(ctrl|control|shift|alt|super|meta)$|^altgr$/.test(name);
}
