/** Raw events of XInput 2 (XI2 protocol, section "RawEvent"), and the actions they stand for. */

import type { Button, Direction, InputAction, ObservedAction, Point } from "../../control/desktop.ts";
import { KEYS } from "../../control/keys.ts";

/** Event types (X11/extensions/XI2.h). */
export const RAW = { keyPress: 13, keyRelease: 14, buttonPress: 15, buttonRelease: 16, motion: 17 } as const;

/** What is read of a raw event. */
export interface RawEvent {
  /** One of {@linkcode RAW}. */
  type: number;
  /** Device that it came from. */
  source: number;
  /** Keycode or button number. */
  detail: number;
}

const BUTTONS = new Map<number, Button>([[1, "left"], [2, "middle"], [3, "right"], [8, "back"], [
  9,
  "forward",
]]);
const WHEEL = new Map<number, Direction>([[4, "up"], [5, "down"], [6, "left"], [7, "right"]]);
const KEY_NAMES = new Map(KEYS.map(({ keysym, name }) => [keysym, name]));

/** What the decoder asks of the connection. */
export interface Surroundings {
  /** Where the pointer is. */
  position(): Point;
  /** Symbol of a key by itself, with Num Lock as it is; 0 if it has none. */
  symbol(keycode: number): number;
  /** Code point of a symbol; 0 if it stands for none. */
  codePoint(keysym: number): number;
  /** Devices through which programs send input. */
  injectors: ReadonlySet<number>;
  /** Milliseconds, never less than before. */
  now(): number;
}

/**
 * Turns raw events into actions. They carry no position, and a program that warps the pointer (XWarpPointer) causes
 * none: the pointer is queried at each event, and from time to time by {@linkcode sample}.
 */
export class RawDecoder {
  /** The last position that was reported, or the first that was known. */
  #last: Point | undefined;
  /** Names of keys by keycode: one is let go of by the name it was pressed by, whatever was switched meanwhile. */
  readonly #keysDown = new Map<number, string | undefined>();

  constructor(readonly surroundings: Surroundings) {}

  /**
   * Decodes an event.
   * @returns Nothing for a repeat of a held key, the end of one that was down before the first event, or a motion
   * that ended where it began; a move before a button or key if a program warped the pointer.
   */
  decode({ type, source, detail }: RawEvent): ObservedAction[] {
    const { now, injectors } = this.surroundings;
    const injected = injectors.has(source);
    const seen = (action: InputAction): ObservedAction => ({ action, at: now(), injected });
    const actions = this.#moved(type !== RAW.motion || injected);
    if (type === RAW.keyPress || type === RAW.keyRelease) {
      const action = this.#key(detail, type === RAW.keyPress);
      return action ? [...actions, seen(action)] : actions;
    }
    const at = this.#last!;
    const button = BUTTONS.get(detail), direction = WHEEL.get(detail);
    if (type !== RAW.motion && button) {
      actions.push(seen({ type: "button", button, down: type === RAW.buttonPress, ...at }));
    } else if (type === RAW.buttonPress && direction) {
      actions.push(seen({ type: "scroll", direction, amount: 1, ...at }));
    }
    return actions;
  }

  /**
   * Looks where the pointer is, between events. The first look only takes note of it.
   * @param position Where the pointer is; every event up to then has been decoded.
   * @returns A move if a program warped the pointer.
   */
  sample(position: Point): ObservedAction[] {
    this.#last ??= position;
    return this.#movedTo(position, true);
  }

  #moved(injected: boolean): ObservedAction[] {
    return this.#movedTo(this.surroundings.position(), injected);
  }

  #movedTo({ x, y }: Point, injected: boolean): ObservedAction[] {
    if (this.#last?.x === x && this.#last.y === y) return [];
    this.#last = { x, y };
    return [{ action: { type: "move", x, y }, at: this.surroundings.now(), injected }];
  }

  #key(keycode: number, down: boolean): InputAction | undefined {
    if (down === this.#keysDown.has(keycode)) return undefined;
    const key = down ? this.#nameOf(keycode) : this.#keysDown.get(keycode);
    if (down) this.#keysDown.set(keycode, key);
    else this.#keysDown.delete(keycode);
    return key === undefined ? undefined : { type: "key", key, down };
  }

  #nameOf(keycode: number): string | undefined {
    const keysym = this.surroundings.symbol(keycode);
    return keysym ? keyName(keysym, this.surroundings.codePoint(keysym)) : undefined;
  }
}

/**
 * The name of a key.
 * @param codePoint What the symbol stands for as a character, 0 for none.
 */
export function keyName(keysym: number, codePoint: number): string {
  const named = KEY_NAMES.get(keysym);
  if (named) return named;
  const character = codePoint ? String.fromCodePoint(codePoint) : "";
  return character && !/[\p{C}\p{Z}]/u.test(character) ? character : `keysym:0x${keysym.toString(16)}`;
}
