/** The start of a connection to a bus (D-Bus Specification, "Authentication Protocol"): lines of text. */

import { DesktopUnavailableError } from "../../../core/errors.ts";
import { POLLIN } from "../libc.ts";
import type { Socket } from "../socket.ts";

/** The longest line that a bus may answer with. */
const LINE_LIMIT = 1024;
const TEXT = new TextEncoder();

/**
 * Proves to the bus which user this is, which it sees by the socket itself, and asks it to pass file descriptors on.
 * @param ms How long all of it may take.
 * @throws DesktopUnavailableError if the bus refuses, or does not answer in time.
 */
export function authenticate(socket: Socket, uid: number, ms: number): void {
  const end = performance.now() + ms;
  const exchange = (line: string, expected: string) => {
    socket.send(TEXT.encode(`${line}\r\n`), [], ms);
    const answer = readLine(socket, end);
    if (answer.split(" ")[0] === expected) return;
    throw new DesktopUnavailableError(
      `${socket.peer} does not let the user ${uid} in. A bus serves the user whose session it is`,
    );
  };
  exchange(`\0AUTH EXTERNAL ${hexOfDigits(uid)}`, "OK");
  exchange("NEGOTIATE_UNIX_FD", "AGREE_UNIX_FD");
  socket.send(TEXT.encode("BEGIN\r\n"), [], ms);
}

function readLine(socket: Socket, end: number): string {
  for (;;) {
    const text = new TextDecoder().decode(socket.received), at = text.indexOf("\r\n");
    if (at >= 0) {
      socket.consume(at + 2); // a bus writes ASCII, so that characters are bytes
      return text.slice(0, at);
    }
    if (text.length > LINE_LIMIT) throw new DesktopUnavailableError(`${socket.peer} is no D-Bus`);
    const left = end - performance.now();
    if (left <= 0 || !socket.wait(POLLIN, left)) {
      throw new DesktopUnavailableError(`${socket.peer} does not answer`);
    }
    socket.receive();
  }
}

/** The hexadecimal codes of a number's decimal digits, as the protocol wants a user's number. */
function hexOfDigits(uid: number): string {
  return Array.from(String(uid), (digit) => digit.charCodeAt(0).toString(16)).join("");
}
