/** Keys of this device for the desktop. */

/** Modifiers, of which there are two each; the code says which. */
const MODIFIERS = /** @type {Record<string, string>} */ ({
  Control: "ctrl",
  Shift: "shift",
  Alt: "alt",
  Meta: "super",
  OS: "super",
});

/** Keys of the number pad that have others' names, by code and name: without Num Lock they are what their names say. */
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

/** Keys that a browser gives without meaning a key. */
const NONE = new Set(["Unidentified", "Dead", "Process", "Compose", "Fn", "FnLock"]);
/** Keys that make a character together with the ones that follow. */
const COMPOSING = new Set(["Dead", "Compose"]);
/** What the field for text asks for that is a key. */
const INPUT_KEYS = /** @type {Record<string, string>} */ ({
  deleteContentBackward: "backspace",
  deleteContentForward: "delete",
  insertLineBreak: "enter",
  insertParagraph: "enter",
});
/** Keys that mean nothing in that field, which is empty. */
const FIELD_KEYS = /^(Tab|Escape|Arrow.*|Delete|Home|End|Page.*|F\d+)$/;
/** Windows presses Control with AltGr, at the same moment; a hand is slower, in milliseconds. */
const TOGETHER = 20;

/**
 * The name of a key as the API has it.
 * @param {{ key: string, code: string }} event
 * @returns {string | undefined} undefined for what is not a key by itself (a dead key, a key of an input method).
 */
export function keyName({ key, code }) {
  if (NONE.has(key)) return undefined;
  if (MODIFIERS[key]) return (code.endsWith("Right") ? "right" : "") + MODIFIERS[key];
  if (/^Numpad\d$/.test(code) && /^\d$/.test(key)) return `kp${key}`;
  return PAD[`${code} ${key}`] ?? BY_KEY[key] ?? ([...key].length === 1 ? key : key.toLowerCase());
}

/** @param {KeyboardEvent} event Whether it gives the keys back to the page. */
const givesBack = ({ ctrlKey, altKey, key }) => ctrlKey && altKey && key === "Escape";

/** Sends keys of the canvas, text of phone keyboards, and pastes. */
export class Keyboard {
  /** @type {Map<string, string>} What is down, by code: letting go of Shift first changes a key's name. */
  #down = new Map();
  /** Whether a dead key waits for what it goes with. */
  #composing = false;
  /** When Control went down, by `Event.timeStamp`. */
  #controlAt = -Infinity;

  /**
   * @param {HTMLCanvasElement} canvas @param {HTMLTextAreaElement} typing
   * @param {{ send: (message: object) => boolean, log: { key: (names: string[]) => void, text: (text: string) => void } }} to
   */
  constructor(canvas, typing, to) {
    this.to = to;
    canvas.addEventListener("keydown", (event) => this.#pressed(event, canvas));
    canvas.addEventListener("keyup", (event) => this.#released(event));
    canvas.addEventListener("keypress", (event) => this.#composed(event));
    // It goes to what is selected, which may be elsewhere on the page.
    document.addEventListener("paste", (event) => {
      if (document.activeElement !== canvas) return;
      this.#text(event, event.clipboardData?.getData("text") ?? "");
    });
    canvas.addEventListener("blur", () => this.releaseAll());
    typing.addEventListener("beforeinput", (event) => this.#phone(event, typing));
    typing.addEventListener("compositionend", (event) => {
      this.#text(event, event.data);
      typing.value = "";
    });
    typing.addEventListener("keydown", (event) => this.#field(event, typing));
  }

  /** Releases everything. */
  releaseAll() {
    if (this.#down.size) this.to.send({ type: "release" });
    this.#down.clear();
    this.#composing = false;
  }

  /** @param {KeyboardEvent} event @param {HTMLElement} canvas */
  #pressed(event, canvas) {
    if (givesBack(event)) {
      this.releaseAll();
      canvas.blur();
      return;
    }
    // Ctrl+V is this device's paste, so that its clipboard reaches the desktop. Control stays down: what is typed is
    // right all the same, and more may follow.
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "v") return;
    if (COMPOSING.has(event.key)) {
      this.releaseAll(); // browsers may report no release until the character is made
      this.#composing = true;
      return;
    }
    if (this.#composing) {
      // A character comes as a key press, or none does.
      this.#composing = [...event.key].length === 1 && !event.ctrlKey || event.key in MODIFIERS;
      return;
    }
    const name = keyName(event);
    if (event.isComposing || !name) return;
    event.preventDefault();
    if (event.repeat && this.#isModifier(name)) return;
    if (event.code === "ControlLeft") this.#controlAt = event.timeStamp;
    if (name === "altgr" && event.timeStamp - this.#controlAt < TOGETHER) this.#letGo("ControlLeft");
    this.#down.set(event.code, name);
    this.to.send({ type: "key", key: name, down: true });
    if (this.#isModifier(name)) return;
    const held = [...this.#down.values()].filter((other) => this.#isModifier(other));
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
    this.#letGo(event.code);
    if (!/super$/.test(name)) return;
    // macOS reports no release while Command is down.
    for (const [code, other] of [...this.#down]) if (!this.#isModifier(other)) this.#letGo(code);
  }

  /** @param {string} code */
  #letGo(code) {
    const name = this.#down.get(code);
    if (name && this.#down.delete(code)) this.to.send({ type: "key", key: name, down: false });
  }

  /** @param {KeyboardEvent} event What was not prevented when the key went down: a character that was composed. */
  #composed(event) {
    this.#composing = false;
    if (!event.ctrlKey && event.charCode >= 0x20) this.#text(event, String.fromCodePoint(event.charCode));
  }

  /** @param {KeyboardEvent} event @param {HTMLTextAreaElement} typing */
  #field(event, typing) {
    if (givesBack(event)) return typing.blur();
    if (event.isComposing || event.key === "Tab" && event.shiftKey || !FIELD_KEYS.test(event.key)) return;
    this.#tap(event, keyName(event) ?? "");
  }

  /** @param {InputEvent} event @param {HTMLTextAreaElement} typing */
  #phone(event, typing) {
    if (event.isComposing || event.inputType === "insertCompositionText") return;
    const key = INPUT_KEYS[event.inputType];
    if (key) return this.#tap(event, key);
    const text = event.data ?? event.dataTransfer?.getData("text") ?? "";
    if (text) this.#text(event, text);
    typing.value = "";
  }

  /** @param {Event} event @param {string} name */
  #tap(event, name) {
    event.preventDefault();
    for (const down of [true, false]) this.to.send({ type: "key", key: name, down });
    this.to.log.key([name]);
  }

  /** @param {Event} event @param {string} text */
  #text(event, text) {
    event.preventDefault();
    if (!text) return;
    this.to.send({ type: "text", text });
    this.to.log.text(text);
  }

  /** @param {string} name */
  #isModifier(name) {
    return /^(right)?(ctrl|control|shift|alt|super|meta)$|^altgr$/.test(name);
  }
}
