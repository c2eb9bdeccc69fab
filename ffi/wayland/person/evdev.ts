/** Events of the kernel's input devices (linux/input.h): a person's input by mouse and keyboard. Pure. */

import { concat } from "../../../core/bytes.ts";
import type { Button, Direction } from "../../../control/desktop.ts";
import { BUTTONS_BY_CODE } from "../wire/input_codes.ts";

/** sizeof(struct input_event) with 64-bit times, and where its fields are. */
export const INPUT_EVENT = { size: 24, type: 16, code: 18, value: 20 } as const;
/** Types of events. */
const EV = { syn: 0, key: 1, rel: 2, abs: 3 } as const;
const SYN_DROPPED = 3;
/** Codes of relative axes. */
const REL = { x: 0, y: 1, horizontalWheel: 6, wheel: 8 } as const;
/** The range of codes of buttons, only some of which are on a mouse (BTN_MISC to BTN_GEAR_UP). */
const BUTTON_CODES = { first: 0x100, last: 0x15f } as const;
/** A key's value: 0 is released, 1 pressed, 2 repeats. */
const RELEASED = 0, REPEATED = 2;

/** Something that a device reported. */
export type DeviceEvent =
  | { type: "motion" }
  | { type: "button"; button: Button; down: boolean }
  | { type: "scroll"; direction: Direction; amount: number }
  | { type: "key"; code: number; down: boolean }
  /** The kernel dropped events, since they were not read in time. */
  | { type: "dropped" };

/** Reads the events of one device. */
export class EvdevDecoder {
  /** The start of an event whose rest has not come yet. */
  #rest = new Uint8Array();

  /** @param bytes The read bytes, in pieces of any size. */
  decode(bytes: Uint8Array): DeviceEvent[] {
    const all = concat(this.#rest, bytes);
    const view = new DataView(all.buffer), events: DeviceEvent[] = [];
    let at = 0;
    for (; at + INPUT_EVENT.size <= all.length; at += INPUT_EVENT.size) {
      const event = eventOf(
        view.getUint16(at + INPUT_EVENT.type, true),
        view.getUint16(at + INPUT_EVENT.code, true),
        view.getInt32(at + INPUT_EVENT.value, true),
      );
      // The kernel reports a motion as one event for each axis; both become one motion.
      if (event && !(event.type === "motion" && events.at(-1)?.type === "motion")) events.push(event);
    }
    this.#rest = all.slice(at);
    return events;
  }
}

function eventOf(type: number, code: number, value: number): DeviceEvent | undefined {
  if (type === EV.syn) return code === SYN_DROPPED ? { type: "dropped" } : undefined;
  if (type === EV.abs) return { type: "motion" };
  if (type === EV.rel) return relative(code, value);
  if (type !== EV.key || value === REPEATED) return undefined;
  const down = value !== RELEASED, button = BUTTONS_BY_CODE.get(code);
  if (button) return { type: "button", button, down };
  // A finger on a touchpad or the key of a gamepad is no key of a keyboard.
  if (code >= BUTTON_CODES.first && code <= BUTTON_CODES.last) return undefined;
  return { type: "key", code, down };
}

function relative(code: number, value: number): DeviceEvent | undefined {
  if (code === REL.x || code === REL.y) return { type: "motion" };
  if (value === 0) return undefined;
  const amount = Math.abs(value);
  if (code === REL.wheel) return { type: "scroll", direction: value > 0 ? "up" : "down", amount };
  if (code === REL.horizontalWheel) {
    return { type: "scroll", direction: value > 0 ? "right" : "left", amount };
  }
  return undefined;
}
