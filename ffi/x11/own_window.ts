/** Windows of deskhand's own that are never shown: programs send their answers there. */

import type { XcbConnection } from "./xcb_connection.ts";

/** The classes of xcb_create_window (xproto.h). */
export const WINDOW_CLASS = { inputOutput: 1, inputOnly: 2 } as const;
/** xcb_cw_t: the event mask among the values of a window. */
export const EVENT_MASK = 1 << 11;

/**
 * Makes a window of one pixel outside of the screen, which goes with the connection.
 * @param events The mask of the events that the window reports.
 * @returns The window's number.
 */
export function createOwnWindow(
  { xcb: { xcb_generate_id, xcb_create_window }, connection, root }: XcbConnection,
  windowClass: typeof WINDOW_CLASS[keyof typeof WINDOW_CLASS],
  events = 0,
): number {
  const window = xcb_generate_id(connection), values = Uint32Array.of(events);
  xcb_create_window(
    connection,
    0,
    window,
    root,
    -1,
    -1,
    1,
    1,
    0,
    windowClass,
    0,
    events && EVENT_MASK,
    values,
  );
  return window;
}
