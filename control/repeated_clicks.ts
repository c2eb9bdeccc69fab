/** A double or triple click. */

import { delay } from "@std/async/delay";
import type { Button } from "./desktop.ts";
import type { Hands } from "./held.ts";

/**
 * The time from a release to the next press, in milliseconds: Chromium takes two presses of one millisecond for the
 * same press (ui/events/event.cc, MouseEvent::GetRepeatCount), and a bare X server handles a whole double click
 * within one millisecond.
 */
const APART_MS = 2;

/**
 * Presses and releases a button several times where the pointer is.
 * @param hands The hands of a gesture that has its turn.
 * @param count The number of presses, 1 or more.
 */
export async function clickTimes(
  hands: Pick<Hands, "whileDown">,
  button: Button,
  count: number,
): Promise<void> {
  for (let i = 0; i < count; i++) {
    if (i) await delay(APART_MS);
    await hands.whileDown([["button", button]]);
  }
}
