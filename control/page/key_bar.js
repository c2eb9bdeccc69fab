/**
 * Keys missing from a phone's keyboard. Modifiers stay down for the next key or click, or until they are
 * tapped again.
 */

import { isModifier } from "./key_names.js";

/**
 * Key repeat, as on a keyboard: delay until the first repetition, and between further ones, in milliseconds.
 */
const REPEAT = { first: 450, next: 60 };

/** @typedef {[label: string, name: string, spoken?: string]} Key */

const MODIFIERS =
  /** @type {Key[]} */ ([["Ctrl", "ctrl"], ["Alt", "alt"], ["Shift", "shift"], ["Super", "super"]]);
const FIRST = /** @type {Key[]} */ ([["Esc", "escape"], ["Tab", "tab"]]);
const LAST = /** @type {Key[]} */ ([
  ["←", "arrowleft", "Left"],
  ["↓", "arrowdown", "Down"],
  ["↑", "arrowup", "Up"],
  ["→", "arrowright", "Right"],
  ["Del", "delete", "Delete"],
]);
const FUNCTION = Array.from({ length: 12 }, (_, i) => /** @type {Key} */ ([`F${i + 1}`, `f${i + 1}`]));
const MOVING = /** @type {Key[]} */ ([
  ["Home", "home"],
  ["End", "end"],
  ["PgUp", "pageup", "Page up"],
  ["PgDn", "pagedown", "Page down"],
  ["Ins", "insert", "Insert"],
  ["Print", "printscreen", "Print screen"],
]);
const COMBINATIONS = ["ctrl+alt+delete", "alt+tab", "alt+f4", "ctrl+c", "ctrl+v", "ctrl+z"];

/** @param {string} label @param {string} [spoken] The meaning of an abbreviated label or a symbol. */
function makeButton(label, spoken) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = label;
  if (spoken) button.title = spoken;
  if (spoken && !/\w/.test(label)) button.setAttribute("aria-label", spoken);
  return button;
}

export class KeyBar {
  /** @type {Map<string, "once" | "locked">} Modifiers that are down. */ #held = new Map();
  /** @type {Map<string, HTMLButtonElement>} */ #modifiers = new Map();
  #isHolding = false;

  /**
   * @param {HTMLElement} bar
   * @param {{ send: (message: object) => boolean, combine: (names: string[]) => void }} to
   */
  constructor(bar, to) {
    this.bar = bar;
    this.to = to;
    const more = [
      this.#row(COMBINATIONS.map((keys) => this.#combination(keys)), "wide"),
      this.#row(FUNCTION.map((key) => this.#key(key))),
      this.#row(MOVING.map((key) => this.#key(key)), "six"),
    ];
    const modifiers = MODIFIERS.map((key) => this.#modifier(key));
    const first = FIRST.map((key) => this.#key(key)), last = LAST.map((key) => this.#key(key));
    bar.append(...more, this.#row([...first, ...modifiers, this.#moreButton(more), ...last]));
    // A button that takes the focus would close the phone's keyboard.
    bar.addEventListener("mousedown", (event) => event.preventDefault());
  }

  /** The modifiers that are down. */
  get held() {
    return [...this.#held.keys()];
  }

  /** Releases the keys that are down. */
  releaseAll() {
    for (const name of this.held) this.#set(name, undefined);
  }

  /**
   * Processes a sent message: a key or click that uses a one-time modifier releases it.
   * @param {{ type: string, key?: string, down?: boolean }} message
   */
  sent({ type, key = "", down }) {
    if (type === "release") return this.#forget();
    const isUse = type === "text" || type === "scroll" || down === false && !isModifier(key);
    if (!isUse || this.#isHolding) return;
    for (const [name, how] of [...this.#held]) if (how === "once") this.#set(name, undefined);
  }

  /** The desktop has released everything, or is unavailable. */
  #forget() {
    this.#held.clear();
    for (const name of this.#modifiers.keys()) this.#show(name);
  }

  /** @param {string} name @param {"once" | "locked" | undefined} how */
  #set(name, how) {
    const wasDown = this.#held.has(name);
    if (how) this.#held.set(name, how);
    else this.#held.delete(name);
    if (wasDown !== (how !== undefined)) this.to.send({ type: "key", key: name, down: !wasDown });
    this.#show(name);
  }

  /** @param {string} name */
  #show(name) {
    const button = this.#modifiers.get(name), how = this.#held.get(name);
    button?.setAttribute("aria-pressed", String(how !== undefined));
    button?.classList.toggle("locked", how === "locked");
  }

  /**
   * @param {HTMLElement[]} buttons
   * @param {"wide" | "six" | ""} [columns] Number of columns, for the style; 12 or 6 if left out.
   */
  #row(buttons, columns = "") {
    const row = document.createElement("div");
    row.className = `keys ${columns}`;
    row.append(...buttons);
    return row;
  }

  /** @param {Key} key */
  #modifier([label, name]) {
    const button = makeButton(label);
    button.title = "Tap for the next key, twice to keep it down";
    this.#modifiers.set(name, button);
    this.#show(name);
    const next = { none: "once", once: "locked", locked: undefined };
    button.addEventListener(
      "click",
      () => this.#set(name, /** @type {"once"} */ (next[this.#held.get(name) ?? "none"])),
    );
    return button;
  }

  /** @param {Key} key */
  #key([label, name, spoken]) {
    const button = makeButton(label, spoken);
    const tap = () => this.to.combine([...this.held, name]);
    /** @type {ReturnType<typeof setTimeout> | undefined} */ let timer;
    const again = () => {
      tap();
      timer = setTimeout(again, REPEAT.next);
    };
    const end = () => {
      clearTimeout(timer);
      if (!this.#isHolding) return;
      this.#isHolding = false;
      this.sent({ type: "key", key: name, down: false }); // modifiers stayed down for all of them
    };
    button.addEventListener("pointerdown", () => {
      timer = setTimeout(() => {
        this.#isHolding = true;
        again();
      }, REPEAT.first);
    });
    for (const type of ["pointerup", "pointercancel", "pointerleave"]) {
      button.addEventListener(type, () => this.#isHolding ? setTimeout(end) : end()); // after the click
    }
    button.addEventListener("click", () => {
      if (!this.#isHolding) tap();
    });
    return button;
  }

  /** @param {string} keys */
  #combination(keys) {
    const names = keys.split("+");
    const button = makeButton(
      names.map((name) => name[0].toUpperCase() + name.slice(1)).join("+").replace("Delete", "Del"),
    );
    button.addEventListener("click", () => this.to.combine(names));
    return button;
  }

  /** @param {HTMLElement[]} rows The rows that the button shows and hides. */
  #moreButton(rows) {
    const button = makeButton("F1…", "More keys");
    const show = (/** @type {boolean} */ isShown) => {
      for (const row of rows) row.hidden = !isShown;
      button.setAttribute("aria-expanded", String(isShown));
    };
    show(false);
    button.addEventListener("click", () => {
      const isShown = rows[0].hidden;
      show(isShown);
      // Above a phone's keyboard the bar is a single line, in which the keys would appear out of view.
      (isShown ? rows[1].firstElementChild : button)?.scrollIntoView({ block: "nearest", inline: "start" });
    });
    return button;
  }
}
