/** A Wayland compositor's seat, as seen by programs. */

import { delay } from "@std/async/delay";
import { timeByLoad } from "../../../core/proc.ts";
import { Connection, Registry } from "../wire/connection.ts";
import { Seat } from "../wire/seat.ts";

/** A key that types nothing. */
const SHIFT = 42;
/** Minimum time for programs to learn that the seat has a new device, in milliseconds. */
const NEW_DEVICE_MS = 300;
/** Programs' time as a multiple of deskhand's time to learn of the device: a busy machine prolongs both. */
const SLOWER = 10;
/** Maximum time for a compositor to have a device after its first event, in milliseconds. */
const DEVICE_MS = 2000;

/**
 * Waits until programs know that there is a keyboard: a seat on a machine without devices gets a keyboard
 * with the first key, and programs miss keys until they know about the keyboard.
 * @param socket The path of the compositor's socket.
 * @param press Presses (`down`) or releases a key by its kernel code.
 * @throws DesktopUnavailableError if the compositor is gone.
 */
export async function awaitKeyboard(
  socket: string,
  press: (code: number, down: boolean) => Promise<void>,
): Promise<void> {
  await waitUntil(
    await deviceKnownAt(socket, "keyboard", (seat) => seat.hasKeyboard, async () => {
      for (const down of [true, false]) await press(SHIFT, down);
    }),
  );
}

/**
 * Waits until programs know that there is a pointer. A seat without devices gets a pointer with the first
 * motion, and programs miss buttons and the wheel until they know about it; they miss no motion, since they
 * receive the pointer's position when they request the pointer.
 * @param socket The path of the compositor's socket.
 * @param move Makes the seat have a pointer.
 * @throws DesktopUnavailableError if the compositor is gone.
 */
export async function awaitPointer(socket: string, move: () => Promise<void>): Promise<void> {
  await waitUntil(await pointerKnownAt(socket, move));
}

/**
 * Makes the seat have a pointer, as {@linkcode awaitPointer} does.
 * @returns The time from which programs know about the pointer, on the scale of `performance.now()`.
 */
export async function pointerKnownAt(socket: string, move: () => Promise<void>): Promise<number> {
  return await deviceKnownAt(socket, "pointer", (seat) => seat.hasPointer, move);
}

/** Waits until a time on the scale of `performance.now()`. */
export async function waitUntil(time: number): Promise<void> {
  const left = time - performance.now();
  if (left > 0) await delay(left);
}

/**
 * Time for programs to learn of a new device, in milliseconds.
 * @param own How long deskhand took to learn of it, in milliseconds.
 */
export function newDeviceMs(own: number): number {
  return Math.min(DEVICE_MS, Math.max(NEW_DEVICE_MS, SLOWER * own));
}

async function deviceKnownAt(
  socket: string,
  name: string,
  isThere: (seat: Seat) => boolean,
  wake: () => Promise<void>,
): Promise<number> {
  using connection = Connection.open(socket);
  if (!connection) return -Infinity; // the session's next call finds the compositor gone
  const seat = new Seat(connection, await Registry.open(connection));
  await connection.handled();
  if (isThere(seat)) return -Infinity;
  const from = performance.now();
  await wake();
  await connection.untilAsync(() => isThere(seat), `a ${name} of the seat`, DEVICE_MS);
  const now = performance.now();
  return now + timeByLoad(newDeviceMs(now - from), DEVICE_MS);
}
