/** What the watching thread and the Worker with the hooks say to each other. */

/** To the Worker, once. */
export interface WatchStart {
  /** Memory of the ring that events go through. */
  memory: SharedArrayBuffer;
  /** Of the watching thread, whose times events are to have. */
  skew: number;
}

/** From the Worker. */
export type WatchReport =
  /** The hooks are in place; the thread takes messages. */
  | { type: "ready"; thread: number; hooks: bigint[] }
  /** Windows refused the hooks. */
  | { type: "failed"; message: string }
  /** Events are in the ring. */
  | { type: "events" }
  /** The thread was told to end, and the hooks are gone. */
  | { type: "ended" };

/** Thread message that ends the Worker. */
export const WM_QUIT = 0x12;
/** Thread message (WM_APP) that has the hooks installed anew. */
export const WM_REINSTALL = 0x8000;
