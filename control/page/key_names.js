/** Key names, as used by browsers and by the API. */

/** Modifiers; a keyboard has two of each, distinguished by the event's code. */
const MODIFIERS = /** @type {Record<string, string>} */ ({
  Control: "ctrl",
  Shift: "shift",
  Alt: "alt",
  Meta: "super",
  OS: "super",
});

/** Number pad keys with their own names, by code and key: without Num Lock, `key` names another key. */
const PAD = /** @type {Record<string, string>} */ ({
  "NumpadEnter Enter": "kpenter",
  "NumpadAdd +": "kpadd",
  "NumpadSubtract -": "kpsubtract",
  "NumpadMultiply *": "kpmultiply",
  "NumpadDivide /": "kpdivide",
  "NumpadDecimal .": "kpdecimal",
});

/** Keys whose API names differ from those of browsers. */
const BY_KEY = /** @type {Record<string, string>} */ ({
  " ": "space",
  AltGraph: "altgr",
  Clear: "kpbegin",
  MediaTrackNext: "nexttrack",
});

/** Values of `KeyboardEvent.key` that do not name a key (UI Events KeyboardEvent key values). */
const NONE = new Set(["Unidentified", "Dead", "Process", "Compose", "Fn", "FnLock"]);

/**
 * A key's API name.
 * @param {{ key: string, code: string }} event
 * @returns {string | undefined} undefined for a dead key or an input method's key.
 */
export function keyName({ key, code }) {
  if (NONE.has(key)) return undefined;
  if (MODIFIERS[key]) return (code.endsWith("Right") ? "right" : "") + MODIFIERS[key];
  if (/^Numpad\d$/.test(code) && /^\d$/.test(key)) return `kp${key}`;
  return PAD[`${code} ${key}`] ?? BY_KEY[key] ?? ([...key].length === 1 ? key : key.toLowerCase());
}

/**
 * Whether a name is that of a modifier: a key that is held while others are pressed.
 * @param {string} name The API name.
 */
export function isModifier(name) {
  return /^(right)?(ctrl|control|shift|alt|super|meta)$|^altgr$/.test(name);
}
