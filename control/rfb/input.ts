/**
 * Converts a viewer's pointer and keys to actions. A character's keysym says which character the person
 * wants, whatever the desktop's layout: outside combinations, it is typed as text. Other keys are pressed and
 * released by name.
 */

import { characterOfKeysym } from "../../rfb/keysyms.ts";
import { BUTTON_BITS, SERVER_MESSAGE, WHEEL_BITS } from "../../rfb/protocol.ts";
import { ACTIONS } from "../actions/mod.ts";
import type { ViewerActions } from "../actions/viewer_actions.ts";
import type { Button, Direction, Point } from "../desktop/desktop.ts";
import { canonicalKey, KEYS } from "../desktop/keys.ts";
import { type ClipboardMessage, ClipboardWriter, TEXT_LIMIT } from "../../rfb/clipboard.ts";

/** Modifiers with which a character is part of a combination. */
const COMMANDS = new Set(["ctrl", "rightctrl", "alt", "rightalt", "super", "rightsuper"]);

/** Key names by keysym, including keysyms that viewers send instead of those in the table of keys. */
const NAMES = new Map<number, string>([
  ...KEYS.map(({ keysym, name }) => [keysym, name] as const),
  [0xffe7, "super"], // Meta_L, as sent by macOS viewers
  [0xffe8, "rightsuper"],
  [0xffed, "super"], // Hyper_L
  [0xffee, "rightsuper"],
  [0xff7e, "altgr"], // Mode_switch
]);
/** The first keysym that is neither Latin-1 nor a control character: it may be a key without a name here. */
const FUNCTION_KEYS = 0xfd00;

/** Buttons and wheel directions by their bit in a mask. */
const BUTTONS = byBit<Button>(BUTTON_BITS), WHEEL = byBit<Direction>(WHEEL_BITS);
/** Number of bits in a mask. */
const BITS = 9;
/** Keys that copy or cut with Ctrl in most programs. */
const COPIES = ["c", "x", "insert"];
/** Maximum number of queued characters joined into one text. */
const JOINED = 10_000;
/** Maximum number of keysyms that a viewer may hold at the same time; it could name any number. */
const MOST_HELD = 32;

/**
 * The key of a keysym: a name, an X11 code, or a character.
 * @returns undefined for an invalid keysym.
 * @example
 * keyOfKeysym(0xff0d); // "enter"
 */
export function keyOfKeysym(keysym: number): string | undefined {
  const name = keysym === 0x20 ? undefined : NAMES.get(keysym);
  if (name !== undefined) return name;
  const character = characterOfKeysym(keysym);
  if (character !== undefined) return character;
  return keysym >= FUNCTION_KEYS ? canonicalKey(`keysym:0x${keysym.toString(16)}`) : undefined;
}

/** The parts of a viewer that input needs. */
interface InputOptions {
  actions: ViewerActions;
  /** Converts a pixel of the viewer's picture to a desktop pixel. */
  pointAt(x: number, y: number): Point;
  /** Called after a combination that copies in most programs. */
  copied(): void;
  refused(error: Error): void;
}

/** One viewer's pointer and keys. */
export class ViewerInput {
  #mask = 0;
  /** A move waiting behind a long action; the next move replaces it. */
  #waitingMove: Point | undefined;
  /** Queued text; the next character is appended to it. */
  #waitingText: { text: string } | undefined;
  /** Keys that are down, by keysym, as they were pressed: a letter may be released after its Ctrl. */
  readonly #down = new Map<number, { name: string; copies: boolean }>();

  constructor(readonly options: InputOptions) {}

  /**
   * Moves the pointer, and presses and releases the buttons that differ from the last mask.
   * @param mask One bit per button that is down.
   */
  pointer(mask: number, x: number, y: number): void {
    const { actions, pointAt } = this.options, point = pointAt(x, y), changed = mask ^ this.#mask;
    this.#mask = mask;
    if (!changed) return this.#move(point);
    for (let bit = 0; bit < BITS; bit++) {
      if (!(changed >> bit & 1)) continue;
      const down = (mask >> bit & 1) === 1, button = BUTTONS[bit], direction = WHEEL[bit];
      if (button) this.#queue(() => actions.press(["button", button], down, point));
      else if (down) {
        this.#queue(async () => void await actions.run(ACTIONS.scroll, { direction, amount: 1, ...point }));
      }
    }
  }

  /** Presses or releases a key. A release matches its press, whatever is held by then. */
  key(keysym: number, down: boolean): void {
    if (!down) return this.#release(keysym);
    const key = keyOfKeysym(keysym);
    if (key === undefined) return;
    const held = [...this.#down.values()].map(({ name }) => name), isCharacter = [...key].length === 1;
    const isCommand = held.some((one) => COMMANDS.has(one));
    if (isCharacter && !isCommand) return this.#type(key);
    const name = isCharacter ? canonicalKey(key.toLowerCase()) : key, before = this.#down.get(keysym);
    if (name === undefined || (before ? before.name !== name : this.#down.size >= MOST_HELD)) return;
    const copies = COPIES.includes(name) && held.some((one) => one.endsWith("ctrl"));
    this.#down.set(keysym, { name, copies });
    this.#queue(() => this.options.actions.press(["key", name], true));
  }

  #release(keysym: number): void {
    const pressed = this.#down.get(keysym);
    if (!pressed) return;
    this.#down.delete(keysym);
    this.#queue(async () => {
      await this.options.actions.press(["key", pressed.name], false);
      if (pressed.copies) this.options.copied();
    });
  }

  #move(point: Point): void {
    if (this.#waitingMove) return void Object.assign(this.#waitingMove, point);
    const move = this.#waitingMove = point;
    this.#queue(async () => {
      if (this.#waitingMove === move) this.#waitingMove = undefined;
      await this.options.actions.run(ACTIONS.move, move);
    }, true);
  }

  #type(character: string): void {
    if (this.#waitingText && this.#waitingText.text.length < JOINED) {
      return void (this.#waitingText.text += character);
    }
    const waiting = this.#waitingText = { text: character };
    this.#queue(
      async () => {
        if (this.#waitingText === waiting) this.#waitingText = undefined;
        await this.options.actions.run(ACTIONS.type, { text: waiting.text });
      },
      false,
      true,
    );
  }

  /** Queues an action; a pending move or text is closed by actions of other kinds. */
  #queue(run: () => Promise<void>, isMove = false, isText = false): void {
    if (!isMove) this.#waitingMove = undefined;
    if (!isText) this.#waitingText = undefined;
    this.options.actions.queue(run, this.options.refused);
  }
}

function byBit<Name extends string>(bits: Readonly<Record<Name, number>>): Readonly<Record<number, Name>> {
  const rows = Object.entries(bits) as [Name, number][];
  return Object.fromEntries(rows.map(([name, bit]) => [bit, name]));
}

/** Converts a picture position to the desktop; one outside is moved to the edge. */
export function pointIn(
  { x: left, y: top, width, height }: { x: number; y: number; width: number; height: number },
  x: number,
  y: number,
): Point {
  return { x: left + Math.min(x, width - 1), y: top + Math.min(y, height - 1) };
}

// Clipboard texts between one viewer and the desktop.

/** Delays between looks for a program's copy, in milliseconds: most programs take less than the first. */
const COPY_MS = [100, 150, 300, 500, 1000] as const;

const writer = new ClipboardWriter(SERVER_MESSAGE.cutText);

/**
 * Transfers texts in both directions. A viewer without the extended clipboard receives `?` for characters
 * outside Latin-1.
 */
export class ViewerClipboard {
  /** The text that both sides have, and the message with it, which is compressed once. */
  #text: string | undefined;
  #provided: Uint8Array | undefined;
  #isExtended = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    readonly actions: ViewerActions,
    readonly send: (bytes: Uint8Array) => void,
    readonly refused: (error: Error) => void,
  ) {}

  /** The viewer supports the extended clipboard. */
  extend(): void {
    if (this.#isExtended) return;
    this.#isExtended = true;
    this.send(writer.caps());
  }

  /** Soon offers the desktop's text to the viewer, which has joined. */
  offerFirst(): void {
    this.offerLater([COPY_MS[0]]);
  }

  /** Offers the desktop's text to the viewer once it changes: the viewer has copied. */
  offerLater([ms, ...later]: readonly number[] = COPY_MS): void {
    clearTimeout(this.#timer);
    const own = this.#timer = setTimeout(async () => {
      const isNews = await this.#offer().catch(() => false); // none, or none that may be read
      if (!isNews && later.length && this.#timer === own) this.offerLater(later);
    }, ms);
  }

  /** Handles a message from the viewer. */
  receive(message: ClipboardMessage): void {
    if (message.type === "latin1" || message.type === "provide") this.#take(message.text);
    else if (message.type === "notify") message.hasText && this.send(writer.request());
    else if (message.type === "peek") this.send(writer.notify(this.#text !== undefined));
    else if (message.type === "request") this.send(this.#provided ??= writer.provide(this.#text ?? ""));
  }

  /** The viewer has left. */
  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Puts a viewer's text on the desktop's clipboard. */
  #take(text: string): void {
    this.#have(text);
    this.actions.queue(async () => void await this.actions.run(ACTIONS.setClipboard, { text }), this.refused);
  }

  #have(text: string): void {
    this.#text = text;
    this.#provided = undefined;
  }

  /** @returns Whether there was a new text. */
  async #offer(): Promise<boolean> {
    const { text } = await this.actions.run(ACTIONS.clipboard, {});
    const isNews = text !== undefined && text !== this.#text && text.length <= TEXT_LIMIT &&
      !this.actions.isClosed;
    if (!isNews) return false;
    this.#have(text);
    this.send(this.#isExtended ? writer.notify(true) : writer.latin1(text));
    return true;
  }
}
