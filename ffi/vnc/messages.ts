/** Messages between this thread and the Worker that has the connection. */

import type { Region } from "../../control/desktop/desktop.ts";
import type { ClipboardMessage } from "../../rfb/clipboard.ts";
import type { PlainError } from "../../core/errors.ts";
import type { VncTarget } from "./address.ts";
import type { PictureMemory } from "./picture.ts";

/** Messages to the Worker. */
export type ToReceiver =
  /** Connects, and connects again whenever the connection is lost. */
  | { type: "open"; target: VncTarget }
  /** Sends bytes, and reports `sent` when the server has taken them. */
  | { type: "send"; bytes: Uint8Array; number: number }
  /** Ends the connection once the last input is sent; then 1 is stored in the memory. */
  | { type: "close"; ended: Int32Array<SharedArrayBuffer> };

/** Messages of the Worker. */
export type FromReceiver =
  /** The server is connected and has sent its picture. */
  | { type: "opened"; picture: PictureMemory; name: string; isSecure: boolean }
  /** The first attempt failed; the Worker makes no other. */
  | { type: "failed"; error: PlainError }
  /** The connection was lost; the Worker connects again. */
  | { type: "lost"; reason: string }
  /** The screen has another size. */
  | { type: "resized"; picture: PictureMemory }
  /** The parts of the screen. */
  | { type: "displays"; displays: Region[] }
  /** The server takes a second byte of buttons. */
  | { type: "buttons" }
  /** The server has fences: it reports when it has handled input. */
  | { type: "fences" }
  | { type: "clipboard"; message: ClipboardMessage }
  | { type: "sent"; number: number };
