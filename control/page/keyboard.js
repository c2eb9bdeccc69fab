/** Sends this device's keys to the desktop. */

import { isModifier, keyName } from "./key_names.js";

/** Keys that form a character together with the following ones. */
const COMPOSING = new Set(["Dead", "Compose"]);
/** `KeyboardEvent.keyCode` of a key that an input method handles (UI Events, section 8.3.1). */
const INPUT_METHOD = 229;
/**
 * Windows presses Control together with AltGr; maximum time between the two, in milliseconds: a hand is
 * slower.
 */
const TOGETHER = 20;
/**
 * Maximum time for a browser to report a paste, in milliseconds; some browsers report none if the clipboard
 * is empty.
 */
const PASTE = 150;

/** @param {KeyboardEvent} event Whether it returns the keyboard to the page. */
export const givesBack = ({ ctrlKey, altKey, key }) => ctrlKey && altKey && key === "Escape";

/** @param {KeyboardEvent} event Whether the browser pastes, and so delivers this device's clipboard. */
export const isPaste = ({ ctrlKey, metaKey, altKey, key }) =>
  (ctrlKey || metaKey) && !altKey && key.toLowerCase() === "v";

/**
 * @typedef {{ send: (message: object) => boolean, log: import("./log.js").Log,
 *   held: () => string[], paste: (data: DataTransfer | null, press: () => void) => void }} Receiver `held`
 *   returns the modifiers held by the key bar; `paste` sends this device's content to the desktop's clipboard
 *   and then calls `press`.
 */

/** Sends keys as they go down and up, while the picture has the focus. */
export class Keyboard {
  /** @type {Map<string, string>} Keys that are down, by code: releasing Shift first changes a key's name. */
  #down = new Map();
  /** Whether a dead key waits for the character that it modifies. */
  #composing = false;
  /** When Control was pressed, by `Event.timeStamp`. */
  #controlAt = -Infinity;
  /**
   * @type {{ names: string[], timer: ReturnType<typeof setTimeout> } | undefined} A paste that the browser is
   * preparing.
   */
  #pasting;

  /**
   * @param {HTMLElement[]} targets Elements that receive keys. An input method needs a text field among them.
   * @param {Receiver} to
   */
  constructor(targets, to) {
    this.to = to;
    for (const target of targets) {
      target.addEventListener("keydown", (event) => this.#pressed(event, target));
      target.addEventListener("keyup", (event) => this.#released(event));
      target.addEventListener("keypress", (event) => this.#composed(event));
      target.addEventListener("blur", () => this.releaseAll());
    }
    // The paste event goes to the selected element, which may be anywhere on the page.
    document.addEventListener("paste", (event) => {
      if (targets.some((target) => target === document.activeElement)) this.#paste(event);
    });
  }

  /** Releases everything. */
  releaseAll() {
    if (this.#down.size) this.to.send({ type: "release" });
    this.#down.clear();
    this.#composing = false;
  }

  /**
   * Presses keys together and releases them; keys that are already down stay down.
   * @param {string[]} names API names, in the order in which the keys go down.
   */
  combine(names) {
    const down = [...this.#down.values(), ...this.to.held()];
    const pressed = names.filter((name) => !down.includes(name));
    for (const key of pressed) this.to.send({ type: "key", key, down: true });
    for (const key of pressed.toReversed()) this.to.send({ type: "key", key, down: false });
    this.to.log.key(names);
  }

  /** @param {KeyboardEvent} event @param {HTMLElement} target */
  #pressed(event, target) {
    if (givesBack(event)) {
      this.releaseAll();
      target.blur();
      return;
    }
    if (event.isComposing) return;
    // During a composition, browsers do not report the release of keys pressed before it.
    if (event.keyCode === INPUT_METHOD) return this.releaseAll();
    if (isPaste(event)) return this.#preparePaste(event);
    if (COMPOSING.has(event.key)) {
      this.releaseAll(); // browsers may report no release until the character is complete
      this.#composing = true;
      return;
    }
    if (this.#composing) {
      if (/^(Shift|AltGraph)$/.test(event.key)) return;
      // After a dead key, a character arrives as a key press, or none does; any other key ends the
      // composition and is sent.
      this.#composing = [...event.key].length === 1 && !event.ctrlKey;
      if (this.#composing) return;
    }
    const name = keyName(event);
    if (!name) return;
    event.preventDefault();
    if (event.repeat && isModifier(name)) return;
    if (event.code === "ControlLeft") this.#controlAt = event.timeStamp;
    if (name === "altgr" && event.timeStamp - this.#controlAt < TOGETHER) this.#release("ControlLeft");
    this.#down.set(event.code, name);
    this.to.send({ type: "key", key: name, down: true });
    if (!isModifier(name)) this.#note(name);
  }

  /** @param {string} name The last key pressed. */
  #note(name) {
    const held = [...this.#down.values()].filter(isModifier);
    const character = name === "space" ? " " : name;
    const plain = held.every((other) => /shift|altgr/.test(other)) && [...character].length === 1;
    if (plain) this.to.log.text(character);
    else this.to.log.key([...held, name]);
  }

  /** @param {KeyboardEvent} event */
  #released(event) {
    const name = this.#down.get(event.code);
    if (!name) return;
    event.preventDefault();
    this.#release(event.code);
    if (!/super$/.test(name)) return;
    // macOS reports no release while Command is down.
    for (const [code, other] of [...this.#down]) if (!isModifier(other)) this.#release(code);
  }

  /** @param {string} code */
  #release(code) {
    const name = this.#down.get(code);
    if (name && this.#down.delete(code)) this.to.send({ type: "key", key: name, down: false });
  }

  /** @param {KeyboardEvent} event The event of a composed character whose key press was not prevented. */
  #composed(event) {
    this.#composing = false;
    if (event.ctrlKey || event.charCode < 0x20) return;
    event.preventDefault();
    const text = String.fromCodePoint(event.charCode);
    this.to.send({ type: "text", text });
    this.to.log.text(text);
  }

  /** @param {KeyboardEvent} event */
  #preparePaste(event) {
    if (event.repeat) return event.preventDefault();
    // Command, which pastes on a Mac, is Control elsewhere.
    for (const [code, name] of [...this.#down]) if (/super$/.test(name)) this.#release(code);
    const names = ["ctrl", ...event.shiftKey ? ["shift"] : [], "v"];
    clearTimeout(this.#pasting?.timer);
    this.#pasting = { names, timer: setTimeout(() => this.#pasteNow(null), PASTE) };
  }

  /** @param {ClipboardEvent} event */
  #paste(event) {
    event.preventDefault();
    this.#pasteNow(event.clipboardData);
  }

  /** @param {DataTransfer | null} data */
  #pasteNow(data) {
    const names = this.#pasting?.names ?? ["ctrl", "v"];
    clearTimeout(this.#pasting?.timer);
    this.#pasting = undefined;
    this.to.paste(data, () => this.combine(names));
  }
}
