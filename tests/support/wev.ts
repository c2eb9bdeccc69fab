/** The output of wev about the input that its window receives. */

import type { Client } from "./xvfb.ts";
import type { Sway } from "./sway.ts";

/** Starts wev in a window on the whole first output, and waits until it has the keyboard. */
export async function startWev(sway: Sway): Promise<Client> {
  const wev = sway.spawn("stdbuf", "-oL", "wev");
  await wev.printing((text) => /wl_keyboard\] enter/.test(text) && /configure: width: [1-9]/.test(text));
  return wev;
}

/** wev's events of buttons, wheel and keys, in order; the place where the pointer was before a button. */
export function wevEvents(printed: string): string[] {
  const events: string[] = [];
  let place = "";
  for (const block of printed.split(/\n(?=\[)/)) {
    const at = /wl_pointer\] (?:motion|enter): .*x, y: (-?[\d.]+), (-?[\d.]+)/.exec(block);
    if (at) place = `${Number(at[1])},${Number(at[2])}`;
    const button = /wl_pointer\] button: .* \((\w+)\), state: \d \((\w+)\)/.exec(block);
    if (button) events.push(`${button[1]} ${button[2]} ${place}`);
    const axis = /wl_pointer\] axis: .*\((\w+)\), value: (-?[\d.]+)/.exec(block);
    if (axis) events.push(`${axis[1]} ${Number(axis[2])}`);
    const key = /wl_keyboard\] key: .*\((\w+)\)\n +sym: (\w+)/.exec(block);
    if (key) events.push(`${key[1]} ${key[2]}`);
  }
  return events;
}

/** Codes of keys that are down for wev's window, in the order of pressing. */
export function codesDown(printed: string): number[] {
  const down = new Set<number>();
  for (const [, code, state] of printed.matchAll(/wl_keyboard\] key: .* key: (\d+); state: \d \((\w+)\)/g)) {
    if (state === "pressed") down.add(Number(code));
    else down.delete(Number(code));
  }
  return [...down];
}
