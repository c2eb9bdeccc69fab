/** The seat of a Wayland compositor, as programs see it. */

import { delay } from "@std/async/delay";
import { Connection } from "../wire/connection.ts";
import { Registry } from "../wire/registry.ts";
import { Seat } from "../wire/seat.ts";

/** A key that types nothing. */
const SHIFT = 42;
/** How long programs take to learn that the seat has a keyboard now, in milliseconds. */
const NEW_KEYBOARD_MS = 300;
/** How long a compositor takes to have a keyboard after its first key, in milliseconds. */
const KEYBOARD_MS = 2000;

/**
 * Waits until programs know that there is a keyboard: a seat without one, as on a machine without devices, gets it with
 * the first key, and programs miss the keys that come before they know.
 * @param socket The path of the compositor's socket.
 * @param press Presses (`down`) or releases a key by its code, as the kernel counts keys.
 * @throws DesktopUnavailableError if the compositor is gone.
 */
export async function awaitKeyboard(
  socket: string,
  press: (code: number, down: boolean) => Promise<void>,
): Promise<void> {
  const connection = Connection.open(socket);
  if (!connection) return; // the session's next call finds the compositor gone
  try {
    const seat = new Seat(connection, new Registry(connection));
    connection.roundtrip();
    if (seat.hasKeyboard) return;
    for (const down of [true, false]) await press(SHIFT, down);
    await connection.untilAsync(() => seat.hasKeyboard, "a keyboard of the seat", KEYBOARD_MS);
    await delay(NEW_KEYBOARD_MS);
  } finally {
    connection.close();
  }
}
