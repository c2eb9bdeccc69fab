/**
 * A field that receives text for the desktop from phone keyboards and input methods; the field stays empty.
 */

import { givesBack, isPaste } from "./keyboard.js";
import { isModifier, keyName } from "./key_names.js";

/** Input types of a text field that stand for keys. */
const INPUT_KEYS = /** @type {Record<string, string>} */ ({
  deleteContentBackward: "backspace",
  deleteContentForward: "delete",
  insertLineBreak: "enter",
  insertParagraph: "enter",
});
/** Keys without a function in the field, since it is empty. */
const FIELD_KEYS = /^(Tab|Escape|Arrow.*|Delete|Home|End|Page.*|F\d+)$/;
/** Text that a phone's keyboard composes letter by letter and does not convert to other characters. */
const PLAIN = /^[\p{Script=Latin}\p{M}\d'’ -]*$/u;
/** Characters that GTK shows for a dead key until the next key completes it. */
const ACCENT = /^[\^~`´¨¯¸\u02b0-\u036f\u037a]$/;
/** `KeyboardEvent.code` of keys that type no character. */
const NAMED = /^((Numpad)?Enter|Tab|Escape|Delete|Insert|Home|End|(Page|Arrow).*|F\d+)$/;

/** Sends the text that a field receives. */
export class TextField {
  /** The part of the current composition that was sent. */ #sent = "";
  /** Whether a composition is sent letter by letter: phones compose every word. */ #letters;
  /** The composition at the last key press, and that key if it types no character. */
  #last = { text: "", keys: /** @type {string[]} */ ([]) };

  /**
   * @param {HTMLTextAreaElement} field
   * @param {{ send: (message: object) => boolean, log: import("./log.js").Log,
   *   combine: (names: string[]) => void, held: () => string[] }} to `held` returns the modifiers that stay
   *   down for the next key.
   * @param {{ letters: boolean }} options
   */
  constructor(field, to, { letters }) {
    this.field = field;
    this.to = to;
    this.#letters = letters;
    field.addEventListener("beforeinput", (event) => this.#input(event));
    let composed = "";
    field.addEventListener("compositionstart", () => {
      this.#sent = composed = "";
      this.#last = { text: "", keys: [] };
    });
    field.addEventListener("keydown", (event) => {
      if (event.isComposing) this.#last = { text: composed, keys: namedKey(event) };
    });
    field.addEventListener("compositionupdate", ({ data }) => {
      composed = data;
      if (this.#letters && PLAIN.test(data)) this.#replace(data);
    });
    field.addEventListener("compositionend", ({ data }) => {
      // An input method that converts letters needs the whole word.
      if (this.#sent && !PLAIN.test(data)) this.#letters = false;
      this.#replace(data);
      this.#sent = "";
      field.value = "";
      this.#afterDeadKey(data);
    });
  }

  /** Also takes keys that are not text, since the picture receives no keys while the field has the focus. */
  takeKeys() {
    this.field.addEventListener("keydown", (event) => {
      if (givesBack(event)) return this.field.blur();
      // Shift+Tab leaves the field by keyboard.
      if (event.isComposing || isPaste(event) || event.key === "Tab" && event.shiftKey) return;
      const isCommand = (event.ctrlKey || event.altKey || event.metaKey) &&
        !event.getModifierState("AltGraph");
      const name = keyName(event);
      if (!name || isModifier(name) || !isCommand && !FIELD_KEYS.test(event.key)) return;
      event.preventDefault();
      this.to.combine([...modifiersOf(event), name]);
    });
  }

  /** @param {InputEvent} event */
  #input(event) {
    if (event.isComposing || /Composition/.test(event.inputType)) return;
    event.preventDefault();
    const key = INPUT_KEYS[event.inputType];
    const text = event.data ?? event.dataTransfer?.getData("text") ?? "";
    if (key) this.to.combine([...this.to.held(), key]);
    else if (text) this.#text(text);
    this.field.value = "";
  }

  /**
   * Replaces a composition's sent text with its current text.
   * @param {string} now
   */
  #replace(now) {
    const before = [...this.#sent], after = [...now];
    let same = 0;
    while (same < before.length && before[same] === after[same]) same++;
    for (let i = same; i < before.length; i++) this.to.combine(["backspace"]);
    const text = after.slice(same).join("");
    if (text) this.#text(text);
    this.#sent = now;
  }

  /**
   * Sends the key that ended a dead key: GTK converts it to the accent, and the browser does not report it.
   * An input method's own keys, such as Enter to accept a composition, are not sent.
   * @param {string} text The composed text.
   */
  #afterDeadKey(text) {
    const { text: before, keys } = this.#last;
    if (keys.length && text === before && ACCENT.test(text)) this.to.combine(keys);
  }

  /** @param {string} text With a held modifier, it is sent as a key. */
  #text(text) {
    const held = this.to.held();
    if (held.length && [...text].length === 1) {
      return this.to.combine([...held, text === " " ? "space" : text]);
    }
    this.to.send({ type: "text", text });
    this.to.log.text(text);
  }
}

/**
 * A key that types no character, found by its position, since an input method hides its name.
 * @param {KeyboardEvent} event
 * @returns {string[]} The API names of the key and its modifiers; empty for all other keys.
 */
function namedKey(event) {
  if (!NAMED.test(event.code)) return [];
  const name = keyName({ key: event.code.replace("Numpad", ""), code: event.code });
  return name ? [...modifiersOf(event), name] : [];
}

/** @param {KeyboardEvent} event */
function modifiersOf({ ctrlKey, altKey, shiftKey, metaKey }) {
  return [
    ...ctrlKey ? ["ctrl"] : [],
    ...altKey ? ["alt"] : [],
    ...shiftKey ? ["shift"] : [],
    ...metaKey ? ["super"] : [],
  ];
}
