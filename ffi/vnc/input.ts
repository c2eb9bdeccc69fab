/**
 * A VNC desktop's keyboard. VNC servers silently drop characters missing from their keyboard; all keyboards
 * have ASCII, with Shift where a US keyboard has it. Other characters are pasted, or refused.
 */

import { delay } from "@std/async/delay";
import { namedKey } from "../../control/desktop/keys.ts";
import type { Button, Direction, Keyboard, Point, Pointer } from "../../control/desktop/desktop.ts";
import { InputError, StateError, UnsupportedError } from "../../core/errors.ts";
import { keysymOfCharacter } from "../../rfb/keysyms.ts";
import { BUTTON_BITS, CLIENT_MESSAGE, longs, message, WHEEL_BITS, words } from "../../rfb/protocol.ts";
import type { OwnActions } from "../watch.ts";
import { QUIRKS } from "../quirks.ts";
import { charactersOf, KEYS_IN_TEXT, PressedKeys, untypable } from "../text.ts";
import type { VncClipboard } from "./clipboard.ts";
import type { Link } from "./link.ts";

const SHIFT = 0xffe1, { krfbShift: KRFB } = QUIRKS;
/** The characters of a US keyboard without and with Shift. */
const PLAIN = "`1234567890-=[]\\;',./", SHIFTED = '~!@#$%^&*()_+{}|:"<>?';
/** A key by its code, as in recordings. */
const KEY_CODE = /^keysym:0x([0-9a-f]+)$/;
/** Number of characters sent at a time to a server that reports when it has handled them. */
const BATCH = 16;
/**
 * Delay between two characters for other servers, in milliseconds: a virtual machine's keyboard buffers 16
 * codes and drops any further ones.
 */
const PACE_MS = 10;
const WHY = "a VNC server does not say whether its keyboard has it; --desktop-paste KEYS pastes such texts";

/** Presses keys and types text. */
export class VncKeyboard implements Keyboard {
  #pressed = new PressedKeys();
  /** Keysyms that were down when an earlier connection was lost. */
  #left: readonly number[] = [];

  constructor(
    readonly link: Link,
    readonly own: OwnActions,
    readonly clipboard: VncClipboard,
    readonly paste: readonly string[] | undefined,
  ) {}

  async key(key: string, down: boolean): Promise<void> {
    await this.link.send(message(...this.#key(key, down)));
  }

  async tap(key: string): Promise<void> {
    await this.link.send(message(...this.#key(key, true), ...this.#key(key, false)));
  }

  /** The messages that press or release a key. */
  #key(key: string, down: boolean): Uint8Array[] {
    const codes = this.#keysyms(key);
    const changed = down ? this.#pressed.press(key, codes) : this.#pressed.release(key, codes);
    this.own.report({ type: "key", key, down });
    return changed.map((keysym) => keyEvent(keysym, down));
  }

  /** Forgets the keys of an earlier connection. */
  reset(): void {
    this.#left = [...this.#left, ...this.#pressed.held];
    this.#pressed = new PressedKeys();
  }

  /** Releases the keys of an earlier connection: some servers, such as x11vnc, keep them pressed. */
  async releaseLeft(): Promise<void> {
    await this.#send(this.#left.toReversed(), false);
    this.#left = [];
  }

  async type(text: string, signal?: AbortSignal): Promise<void> {
    const characters = charactersOf(text), foreign = characters.find((code) => !isSure(code));
    if (foreign !== undefined && !this.paste) throw untypable(foreign, WHY);
    const held = [...this.#pressed.held];
    await this.#send(held.toReversed(), false);
    try {
      if (foreign === undefined) await this.#typeKeys(characters, signal);
      else await this.clipboard.paste(text, () => this.#pressPaste());
    } finally {
      const stillHeld = this.#pressed.held; // the end of the program releases keys during a text
      await this.#send(held.filter((keysym) => stillHeld.has(keysym)), true);
    }
    if (foreign !== undefined) { for (const code of characters) this.own.reportCharacter(code); }
  }

  restore(): Promise<void> {
    return Promise.resolve();
  }

  async #typeKeys(characters: readonly number[], signal?: AbortSignal): Promise<void> {
    const { hasFences } = this.link.facts, batch = hasFences ? BATCH : 1;
    for (let i = 0; i < characters.length; i += batch) {
      signal?.throwIfAborted();
      const part = characters.slice(i, i + batch);
      for (const code of part) this.own.reportCharacter(code);
      await this.link.send(message(...part.map((code) => this.#characterEvents(code))));
      if (!hasFences) await delay(PACE_MS);
    }
  }

  async #pressPaste(): Promise<void> {
    const codes = this.paste!.flatMap((key) => this.#keysyms(key));
    await this.#send(codes, true);
    await this.#send(codes.toReversed(), false);
  }

  async #send(keysyms: readonly number[], down: boolean): Promise<void> {
    if (keysyms.length) await this.link.send(message(...keysyms.map((keysym) => keyEvent(keysym, down))));
  }

  /** A key's keysyms, its own last. @throws InputError if the server may not have the key. */
  #keysyms(key: string): number[] {
    const named = namedKey(key), code = KEY_CODE.exec(key);
    if (named) return [named.keysym];
    if (code) return [parseInt(code[1], 16)];
    if (!isSure(key.codePointAt(0)!)) throw new InputError(`key ${key} may not exist: ${WHY}`);
    const isShifted = this.#pressed.held.has(SHIFT), shown = isShifted ? withShift(key) : key;
    return this.#shifted(isShifted && this.#losesShift(shown) ? KRFB.key : shown);
  }

  /** A character's keysym, preceded by Shift where a US keyboard needs it. */
  #shifted(character: string): number[] {
    const isPlain = !needsShift(character) || this.#losesShift(character);
    return [...isPlain ? [] : [SHIFT], keysymOfCharacter(character)];
  }

  #losesShift(character: string): boolean {
    return character === KRFB.character && KRFB.names.test(this.link.name);
  }

  /** Presses and releases a character. */
  #characterEvents(code: number): Uint8Array {
    const name = KEYS_IN_TEXT.get(code);
    const keysyms = name === undefined ? this.#shifted(String.fromCodePoint(code)) : [namedKey(name)!.keysym];
    return message(
      ...keysyms.map((one) => keyEvent(one, true)),
      ...keysyms.toReversed().map((one) => keyEvent(one, false)),
    );
  }
}

/** Whether every server can type a character. */
function isSure(code: number): boolean {
  return KEYS_IN_TEXT.has(code) || code >= 0x20 && code <= 0x7e;
}

function needsShift(character: string): boolean {
  return SHIFTED.includes(character) || character >= "A" && character <= "Z";
}

/** The character that a key types with Shift. */
function withShift(character: string): string {
  return SHIFTED[PLAIN.indexOf(character)] ?? character.toUpperCase();
}

function keyEvent(keysym: number, down: boolean): Uint8Array {
  return message([CLIENT_MESSAGE.key, down ? 1 : 0, 0, 0], longs(keysym));
}

// A VNC desktop's pointer.

/** Number of buttons in the first byte, and its flag for a second byte, which some servers support. */
const FIRST_BYTE = 7, HAS_SECOND = 0x80;

/** Moves the pointer, presses buttons and turns the wheel. */
export class VncPointer implements Pointer {
  /** Bits of the buttons that are down. */
  #down = 0;
  /** Where the last event was sent, and whether a button was down when an earlier connection was lost. */
  #last: Point | undefined;
  #isLeft = false;

  constructor(readonly link: Link, readonly own: OwnActions) {}

  /** Forgets the buttons of an earlier connection, which the next move would press again. */
  reset(): void {
    this.#isLeft ||= this.#down !== 0;
    this.#down = 0;
  }

  /** Releases the buttons of an earlier connection: some servers, such as Xvnc, keep them pressed. */
  async releaseLeft(): Promise<void> {
    if (this.#isLeft) await this.link.send(this.#event(this.#last!, 0));
    this.#isLeft = false;
  }

  async position(): Promise<Point> {
    return await Promise.resolve(this.#place);
  }

  async move({ x, y }: Point): Promise<void> {
    const { picture } = this.link;
    picture.place = { x, y };
    this.own.report({ type: "move", x, y });
    await this.link.send(this.#event({ x, y }, this.#down));
  }

  async moveThrough(points: readonly Point[]): Promise<void> {
    this.link.picture.place = points.at(-1)!;
    this.own.report(...points.map(({ x, y }) => ({ type: "move" as const, x, y })));
    await this.link.send(message(...points.map((point) => this.#event(point, this.#down))));
  }

  async button(button: Button, down: boolean): Promise<void> {
    const place = this.#place, bit = 1 << BUTTON_BITS[button];
    if (bit >> FIRST_BYTE > 1 && !this.link.facts.hasManyButtons) {
      throw new UnsupportedError(`this VNC server has no button ${button}`);
    }
    this.#down = down ? this.#down | bit : this.#down & ~bit;
    this.own.report({ type: "button", button, down, ...place });
    await this.link.send(this.#event(place, this.#down));
  }

  async scroll(direction: Direction, amount: number): Promise<void> {
    const place = this.#place, turned = this.#down | 1 << WHEEL_BITS[direction];
    const notch = message(this.#event(place, turned), this.#event(place, this.#down));
    this.own.report({ type: "scroll", direction, amount, ...place });
    await this.link.send(message(...Array.from({ length: amount }, () => notch)));
  }

  get #place(): Point {
    const { place } = this.link.picture;
    if (place) return place;
    throw new StateError("the VNC server does not report where the pointer is; move it once");
  }

  #event({ x, y }: Point, buttons: number): Uint8Array {
    this.#last = { x, y };
    if (!this.link.facts.hasManyButtons || buttons < HAS_SECOND) {
      return message([CLIENT_MESSAGE.pointer, buttons & 0xff], words(x, y));
    }
    const first = buttons & HAS_SECOND - 1 | HAS_SECOND;
    return message([CLIENT_MESSAGE.pointer, first], words(x, y), [buttons >> FIRST_BYTE]);
  }
}
