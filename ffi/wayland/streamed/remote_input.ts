/**
 * Input that a desktop receives over its bus, and the order of its keys. Mutter's RemoteDesktop and the
 * portal's have the same methods.
 */

import type { Point, Region } from "../../../control/desktop/desktop.ts";
import { BusError } from "../../linux/dbus/channel.ts";
import type { KeyPresser } from "../layout/text_typer.ts";
import { inMessage, type PlacedOutput } from "../wire/outputs.ts";

/** Sends input. Each promise resolves when the desktop has it, and rejects with DesktopUnavailableError. */
export interface RemoteInput {
  /**
   * Moves the pointer.
   * @param output The destination's output.
   * @param place From the output's corner, as fractions of its width and height: 0 to 1.
   */
  move(output: PlacedOutput, place: Point): Promise<void>;

  /** @param code The button's kernel code (linux/input-event-codes.h). */
  button(code: number, down: boolean): Promise<void>;

  /**
   * Turns the wheel.
   * @param axis As in wl_pointer: 0 is vertical, 1 horizontal.
   * @param notches Not 0; down and right are positive.
   */
  scroll(axis: number, notches: number): Promise<void>;

  /** @param code The key's kernel code. */
  key(code: number, down: boolean): Promise<void>;
}

/**
 * A place on an output in pixels from its corner.
 * @param place As fractions of the size.
 * @param size The output's size in the pixels in which the desktop counts.
 * @param scale These pixels per logical pixel.
 */
export function pixelsFrom(
  { x, y }: Point,
  { width, height }: Pick<Region, "width" | "height">,
  scale: number,
): Point {
  return { x: inMessage(x * width / scale) * scale, y: inMessage(y * height / scale) * scale };
}

/** Keeps modifiers from overtaking keys on a desktop where an input method receives keys first. */
export interface KeyOrder {
  /** Counts a press or release that is being sent. @param code The key's kernel code. */
  count(code: number, down: boolean): void;

  /**
   * Resolves when a modifier may be sent, because programs have the earlier keys or will receive them first.
   * @throws StateError if the input method holds earlier keys for too long.
   */
  beforeModifier(): Promise<void>;
}

/** Features of a desktop's keyboard. */
interface RemoteKeysOptions {
  /** The order of keys and modifiers; omitted if they arrive in order. */
  order?: KeyOrder;
  /** Whether Caps Lock is on; omitted if the desktop does not report it. */
  isCapsLocked?: KeyPresser["isCapsLocked"];
}

/** Sends keys one at a time, so that they arrive in the order in which they were pressed. */
export class RemoteKeys implements KeyPresser {
  sent = 0;
  /** Resolves when the desktop has received the keys so far. */
  #taken: Promise<void> = Promise.resolve();
  /** Codes whose press was sent, and whose release was not. */
  readonly #down = new Set<number>();

  readonly isCapsLocked: KeyPresser["isCapsLocked"];
  readonly #order: KeyOrder | undefined;

  constructor(readonly input: Pick<RemoteInput, "key">, { order, isCapsLocked }: RemoteKeysOptions = {}) {
    this.#order = order;
    this.isCapsLocked = isCapsLocked;
  }

  /**
   * Presses (`down`) or releases a key, after all earlier keys. After a failure, only releases of keys that
   * may be down are sent.
   * @param code The key's kernel code (linux/input-event-codes.h).
   * @param isModifier Whether the key changes what other keys type; such a key is sent after programs have
   * the earlier keys.
   */
  press(code: number, down: boolean, isModifier = false): void {
    this.sent++;
    this.#taken = this.#taken.then(() => this.#send(code, down, isModifier), async (error) => {
      // A refusal means that the session has ended, which releases all keys; any other failure is a late
      // answer.
      const isStuck = !down && this.#down.has(code) && !(error instanceof BusError);
      if (isStuck) await this.#send(code, false, isModifier).catch(() => {});
      throw error;
    });
    this.#taken.catch(() => {}); // `flush` rejects
  }

  /** Resolves when the desktop has received all keys; rejects with the first failure since the last call. */
  async flush(): Promise<void> {
    const taken = this.#taken;
    this.#taken = taken.catch(() => {}); // keys pressed before the answer wait their turn
    await taken;
  }

  async #send(code: number, down: boolean, isModifier: boolean): Promise<void> {
    try {
      if (isModifier) await this.#order?.beforeModifier();
    } catch (error) {
      if (!down) await this.#sendNow(code, false); // nothing stays pressed
      throw error;
    }
    await this.#sendNow(code, down);
  }

  async #sendNow(code: number, down: boolean): Promise<void> {
    this.#order?.count(code, down);
    if (down) this.#down.add(code);
    else this.#down.delete(code);
    await this.input.key(code, down);
  }
}
