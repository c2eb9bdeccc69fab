/** Asks an X server for any answer before Xlib connects to it, which would wait without a bound. */

import { DesktopUnavailableError } from "../../core/errors.ts";

/** The time that a server may take, in milliseconds. */
const ANSWER_MS = 5000;
/** A setup request of X11 without authorization, least significant byte first: the server accepts or refuses it. */
const SETUP = Uint8Array.of(0x6c, 0, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0);

/**
 * Waits for the first byte of a local server's answer. Servers on other machines are not asked.
 * @param display The name of the display, such as `:0`.
 * @throws DesktopUnavailableError if the server takes the connection and does not answer in time. A server that is gone
 * is no error: Xlib reports it at once.
 */
export async function greetServer(display: string): Promise<void> {
  const number = /^(?:unix)?:(\d+)/.exec(display)?.[1];
  if (number === undefined) return;
  const connection = await Deno.connect({ transport: "unix", path: `/tmp/.X11-unix/X${number}` }).catch(() =>
    undefined
  );
  if (!connection) return;
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    connection.close();
  }, ANSWER_MS);
  try {
    await connection.write(SETUP);
    await connection.read(new Uint8Array(1));
  } catch {
    if (isLate) throw new DesktopUnavailableError(`the X server of display ${display} does not answer`);
  } finally {
    clearTimeout(timer);
    if (!isLate) connection.close();
  }
}
