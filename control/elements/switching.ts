/** The switch of the session's accessibility. */

import { UnsupportedError } from "../../core/errors.ts";
import type { Operator } from "../operator.ts";
import { elementsOf } from "./reading.ts";

/**
 * Switches accessibility on or off. The switch is stored in the person's settings.
 * @returns Whether the setting was changed.
 * @throws UnsupportedError if this desktop has no such switch, or its session has no accessibility.
 */
export async function switchAccessibility(operator: Operator, enabled: boolean): Promise<boolean> {
  const part = elementsOf(operator);
  if (part.setEnabled) return await part.setEnabled(enabled);
  throw new UnsupportedError("this desktop needs no switch for its elements");
}
