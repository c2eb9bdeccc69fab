/** Keys of this device for the desktop. */

/** Keys that are the same by name, but not by place: by `KeyboardEvent.code`. */
const BY_CODE = /** @type {Record<string, string>} */ ({
  ControlRight: "rightctrl",
  ShiftRight: "rightshift",
  AltRight: "rightalt",
  MetaRight: "rightsuper",
  NumpadEnter: "kpenter",
  NumpadAdd: "kpadd",
  NumpadSubtract: "kpsubtract",
  NumpadMultiply: "kpmultiply",
  NumpadDivide: "kpdivide",
  NumpadDecimal: "kpdecimal",
});

/** Keys whose names here are others than there. */
const BY_KEY = /** @type {Record<string, string>} */ ({
  " ": "space",
  Control: "ctrl",
  Meta: "super",
  AltGraph: "altgr",
  OS: "super",
  MediaTrackNext: "nexttrack",
});

/** Keys that a browser gives without meaning a key. */
const NONE = new Set(["Unidentified", "Dead", "Process", "Compose", "Fn", "FnLock"]);

/**
 * The name of a key as the API has it.
 * @param {{ key: string, code: string }} event
 * @returns {string | undefined} undefined for what is no key of its own (a dead key, an input method's).
 */
export function keyName({ key, code }) {
  if (key === "AltGraph") return BY_KEY.AltGraph;
  if (BY_CODE[code]) return BY_CODE[code];
  if (NONE.has(key)) return undefined;
  if (/^Numpad\d$/.test(code) && /^\d$/.test(key)) return `kp${key}`;
  return BY_KEY[key] ?? ([...key].length === 1 ? key : key.toLowerCase());
}

/** Sends keys of the canvas, text of phone keyboards, and pastes. */
export class Keyboard {
  /** @type {Map<string, string>} What is down, by code: letting go of Shift first changes a key's name. */
  #down = new Map();

  /**
   * @param {HTMLCanvasElement} canvas @param {HTMLTextAreaElement} typing
   * @param {{ send: (message: object) => boolean, log: { key: (names: string[]) => void, text: (text: string) => void } }} to
   */
  constructor(canvas, typing, to) {
    this.to = to;
    canvas.addEventListener("keydown", (event) => this.#pressed(event, canvas));
    canvas.addEventListener("keyup", (event) => this.#released(event));
    canvas.addEventListener(
      "paste",
      (event) => this.#text(event, event.clipboardData?.getData("text") ?? ""),
    );
    canvas.addEventListener("blur", () => this.releaseAll());
    typing.addEventListener("beforeinput", (event) => this.#phone(event, typing));
    typing.addEventListener("compositionend", (event) => {
      this.#text(event, event.data);
      typing.value = "";
    });
    typing.addEventListener("keydown", (event) => {
      if (["Tab", "Escape"].includes(event.key) || /^Arrow/.test(event.key)) {
        this.#tap(event, keyName(event) ?? "");
      }
    });
  }

  /** Lets go of everything. */
  releaseAll() {
    if (this.#down.size) this.to.send({ type: "release" });
    this.#down.clear();
  }

  /** @param {KeyboardEvent} event @param {HTMLElement} canvas */
  #pressed(event, canvas) {
    if (event.ctrlKey && event.altKey && event.key === "Escape") {
      this.releaseAll();
      canvas.blur();
      return;
    }
    // Ctrl+V is this device's paste, so that its clipboard reaches the desktop.
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "v") {
      this.releaseAll();
      return;
    }
    const name = keyName(event);
    if (event.isComposing || !name) return;
    event.preventDefault();
    if (event.repeat && this.#isModifier(name)) return;
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
    this.#down.delete(event.code);
    this.to.send({ type: "key", key: name, down: false });
  }

  /** @param {InputEvent} event @param {HTMLTextAreaElement} typing */
  #phone(event, typing) {
    if (event.isComposing || event.inputType === "insertCompositionText") return;
    if (event.inputType === "deleteContentBackward") return this.#tap(event, "backspace");
    if (event.inputType === "insertLineBreak") return this.#tap(event, "enter");
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
