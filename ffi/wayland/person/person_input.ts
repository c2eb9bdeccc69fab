/** Turns reports of a person's devices into actions. Pure: places come from the caller. */

import type { InputAction, Point } from "../../../control/desktop.ts";
import { textOfPress } from "../../text.ts";
import type { DeviceEvent } from "./evdev.ts";
import { type PersonLayout, US_LAYOUT } from "./person_layout.ts";

/** Levels of a key, in the order in which maps have them. */
const SHIFT_LEVEL = 1, ALTGR_LEVEL = 2;

/** Makes actions of device events. */
export class PersonInput {
  /** The layout of the person's keys. */
  layout: PersonLayout = US_LAYOUT;
  /** Tells whether a button is down, so that the compositor does not say where the pointer is. */
  get isDragging(): boolean {
    return this.#buttons.size > 0;
  }
  readonly #buttons = new Set<string>();
  /** Names of pressed keys by code: a release has the name of the press, also when the layout has changed. */
  readonly #keys = new Map<number, string | undefined>();

  /**
   * @param place Where the pointer is.
   * @returns undefined for a motion, a repeat, and a release without its press.
   */
  actionOf(event: DeviceEvent, place: Point): InputAction | undefined {
    switch (event.type) {
      case "button":
        if (event.down === this.#buttons.has(event.button)) return undefined;
        if (event.down) this.#buttons.add(event.button);
        else this.#buttons.delete(event.button);
        return { type: "button", button: event.button, down: event.down, ...place };
      case "scroll":
        return { ...event, ...place };
      case "key":
        return this.#key(event.code, event.down);
      default:
        return undefined;
    }
  }

  #key(code: number, down: boolean): InputAction | undefined {
    if (down === this.#keys.has(code)) return undefined;
    const levels = this.layout.get(code) ?? US_LAYOUT.get(code) ?? [];
    const key = down ? levels[0] : this.#keys.get(code);
    if (!down) {
      this.#keys.delete(code);
      return key === undefined ? undefined : { type: "key", key, down };
    }
    this.#keys.set(code, key);
    if (key === undefined) return undefined;
    const held = [...this.#keys.values()];
    const isShifted = held.includes("shift") || held.includes("rightshift");
    const level = (isShifted ? SHIFT_LEVEL : 0) + (held.includes("altgr") ? ALTGR_LEVEL : 0);
    const typed = levels[level] ?? "",
      character = typed === "space" ? " " : [...typed].length === 1 ? typed : "";
    const text = textOfPress(key, held, character);
    return { type: "key", key, down, ...(text ? { text } : {}) };
  }
}
