/** The input of a virtual desktop, in short. */

import type { LoggedAction } from "../../control/desktop/desktop.ts";

/** Writes actions in short, such as `+ctrl`, `-ctrl`, `+left`, `(3,4)`, `up 2`, or a text. */
export function short(log: readonly LoggedAction[]): string[] {
  return log.map((action) => {
    if (action.type === "move") return `(${action.x},${action.y})`;
    if (action.type === "button") return `${action.down ? "+" : "-"}${action.button}`;
    if (action.type === "key") return `${action.down ? "+" : "-"}${action.key}`;
    return action.type === "scroll" ? `${action.direction} ${action.amount}` : action.text;
  });
}
