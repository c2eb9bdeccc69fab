/** Seats of WebSockets, which are taken before a socket is open and free again however its connection ends. */

import { BusyError } from "../../core/errors.ts";

/** Seats that guests leave free for callers with every right. */
const KEPT_FREE = 1;
/** The time in which a socket must open, in milliseconds. */
const OPEN_MS = 5000;
/**
 * The time in which a socket must open after the runtime has sent the handshake's response, in milliseconds; a socket
 * whose client is still there opens within 2 ms.
 */
const SENT_MS = 1000;

/**
 * Checks that a seat is free for a caller.
 * @param free The number of free seats.
 * @param isGuest Whether the caller has a link, and not every right.
 * @param message The message when no seat is free.
 * @throws BusyError if none is free.
 */
export function checkSeat(free: number, isGuest: boolean, message: string): void {
  if (free <= (isGuest ? KEPT_FREE : 0)) throw new BusyError(message);
}

/**
 * Calls a function once when a socket's connection has ended, or the socket does not open in time: where a client resets
 * its connection during the handshake, the runtime (Deno 2.9.6) sends the socket neither `open` nor `close` nor `error`.
 * @param socket The server's side, which is still opening.
 * @param sent A promise that settles when the runtime has sent the handshake's response, or could not send it.
 * @param onEnd Called at the end.
 * @returns A function that ends the seat at once; a second call does nothing.
 */
export function watchSeat(socket: WebSocket, sent: Promise<void> | undefined, onEnd: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  const end = () => {
    clearTimeout(timer);
    if (isOver) return;
    isOver = true;
    onEnd();
  };
  const expectOpen = (ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      end();
      socket.close();
    }, ms);
  };
  if (socket.readyState !== WebSocket.OPEN) {
    expectOpen(OPEN_MS);
    const onSent = () => {
      if (!isOver && socket.readyState === WebSocket.CONNECTING) expectOpen(SENT_MS);
    };
    sent?.then(onSent, onSent);
    socket.addEventListener("open", () => isOver ? socket.close() : clearTimeout(timer));
  }
  socket.addEventListener("close", end);
  socket.addEventListener("error", end);
  return end;
}
