/** The finding of `deskhand doctor` about the input method of a display. */

import { printable } from "../../../core/printable.ts";
import type { Finding } from "../../permission.ts";
import { InputMethods, type MethodsDisplay } from "./input_methods.ts";

/**
 * Returns which engine is switched on, if one makes other text of keys.
 * @returns Empty if the input methods cannot be asked.
 */
export async function engineFinding(display: MethodsDisplay): Promise<Finding[]> {
  const methods = new InputMethods(display);
  try {
    const active = await methods.active();
    const detail = active
      ? `${active.name} is switched on: it gets shortcuts and a person's keys, and is off for the time of a text`
      : "none is switched on that would change text";
    return [{ name: "input method", ok: true, detail: printable(detail) }];
  } catch {
    return [];
  } finally {
    methods.close();
  }
}
