/** Raw events of XInput 2 (XI2 protocol, section "RawEvent") and the actions that they stand for. Pure. */

import type { InputAction, ObservedAction, Point } from "../../control/desktop.ts";
import { textOfPress } from "../text.ts";
import { KEYS } from "../../control/keys.ts";
import { BUTTONS_BY_NUMBER, DIRECTIONS_BY_NUMBER } from "./buttons.ts";

const NAMES = new Map(KEYS.map(({ keysym, name }) => [keysym, name]));

/**
 * The name of a key.
 * @param codePoint The symbol's character; 0 if it has none.
 */
export function keyName(keysym: number, codePoint: number): string {
  const named = NAMES.get(keysym);
  if (named) return named;
  const character = codePoint ? String.fromCodePoint(codePoint) : "";
  return character && !/[\p{C}\p{Z}]/u.test(character) ? character : `keysym:0x${keysym.toString(16)}`;
}

/** Event types (X11/extensions/XI2.h). */
export const RAW = { keyPress: 13, keyRelease: 14, buttonPress: 15, buttonRelease: 16, motion: 17 } as const;

/** Offsets in XGenericEventCookie (X11/Xlib.h) and XIRawEvent (X11/extensions/XInput2.h). */
export const COOKIE = { extension: 32, evtype: 36, data: 48 } as const;
export const RAW_EVENT = { time: 40, source: 52, detail: 56 } as const;

/** The fields of a raw event that decoding needs. */
export interface RawEvent {
  /** One of {@linkcode RAW}. */
  type: number;
  /** The device that the event came from. */
  source: number;
  /** Keycode or button number. */
  detail: number;
  /** The pointer's place at the event, where it is known. */
  at?: Point;
}

/** Facts of the server that decoding needs. */
export interface DecoderContext {
  /** The place of the pointer. */
  position(): Point;
  /** The symbol that a key gives alone, with the present Num Lock; 0 if the key has no symbol. */
  symbol(keycode: number): number;
  /** Symbol of a key while others are down, with the present locks; 0 if the key has no symbol. */
  typedSymbol(keycode: number, down: Iterable<number>): number;
  /** Code point of a symbol; 0 if the symbol stands for no character. */
  codePoint(keysym: number): number;
  /** Devices through which programs send input. */
  injectors: ReadonlySet<number>;
  /** Milliseconds, never less than before. */
  now(): number;
}

/**
 * Turns raw events into actions. Raw events carry no position, and a program that warps the pointer (XWarpPointer)
 * causes no events. Therefore the pointer is queried at each event whose place is not known otherwise, and from time
 * to time by {@linkcode sample}.
 */
export class RawDecoder {
  /** The last position that was reported, or the first that was known. */
  #last: Point | undefined;
  /** Names of pressed keys by keycode: a release has the name of the press, also when the layout has changed. */
  readonly #keysDown = new Map<number, string | undefined>();

  constructor(readonly context: DecoderContext) {}

  /**
   * Decodes an event.
   * @returns Nothing for a repeat of a held key, the release of one that was down before the first event, or a motion
   * that ended where it began; a move before a button or key if a program warped the pointer.
   */
  decode({ type, source, detail, at: place }: RawEvent): ObservedAction[] {
    const { now, injectors } = this.context;
    const injected = injectors.has(source);
    const seen = (action: InputAction): ObservedAction => ({ action, at: now(), injected });
    const actions = this.#movedTo(place ?? this.context.position(), type !== RAW.motion || injected);
    if (type === RAW.keyPress || type === RAW.keyRelease) {
      const action = this.#key(detail, type === RAW.keyPress);
      return action ? [...actions, seen(action)] : actions;
    }
    const at = this.#last!;
    const button = BUTTONS_BY_NUMBER.get(detail), direction = DIRECTIONS_BY_NUMBER.get(detail);
    if (type !== RAW.motion && button) {
      actions.push(seen({ type: "button", button, down: type === RAW.buttonPress, ...at }));
    } else if (type === RAW.buttonPress && direction) {
      actions.push(seen({ type: "scroll", direction, amount: 1, ...at }));
    }
    return actions;
  }

  /**
   * Compares the pointer's position with the last one, between events. The first call only stores it.
   * @param position The pointer's position; all earlier events must have been decoded.
   * @returns A move if a program warped the pointer.
   */
  sample(position: Point): ObservedAction[] {
    this.#last ??= position;
    return this.#movedTo(position, true);
  }

  #movedTo({ x, y }: Point, injected: boolean): ObservedAction[] {
    if (this.#last?.x === x && this.#last.y === y) return [];
    this.#last = { x, y };
    return [{ action: { type: "move", x, y }, at: this.context.now(), injected }];
  }

  #key(keycode: number, down: boolean): InputAction | undefined {
    if (down === this.#keysDown.has(keycode)) return undefined;
    const key = down ? this.#nameOf(keycode) : this.#keysDown.get(keycode);
    const text = down && key !== undefined ? this.#textOf(keycode, key) : undefined;
    if (down) this.#keysDown.set(keycode, key);
    else this.#keysDown.delete(keycode);
    return key === undefined ? undefined : { type: "key", key, down, ...(text ? { text } : {}) };
  }

  #textOf(keycode: number, key: string): string | undefined {
    const codePoint = this.context.codePoint(this.context.typedSymbol(keycode, this.#keysDown.keys()));
    return textOfPress(key, this.#keysDown.values(), codePoint ? String.fromCodePoint(codePoint) : "");
  }

  #nameOf(keycode: number): string | undefined {
    const keysym = this.context.symbol(keycode);
    return keysym ? keyName(keysym, this.context.codePoint(keysym)) : undefined;
  }
}
