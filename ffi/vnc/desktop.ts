/** The desktop of a VNC server. */

import type {
  Desktop,
  DesktopIdentity,
  LivePicture,
  Observer,
  Player,
} from "../../control/desktop/desktop.ts";
import { Viewers } from "../../control/desktop/viewers.ts";
import { liveInWorker } from "../live/in_worker.ts";
import { OwnActions } from "../own_actions.ts";
import { playOnThread } from "../playback/on_thread.ts";
import { addressOf } from "./address.ts";
import type { VncClipboard } from "./clipboard.ts";
import { VncKeyboard } from "./keyboard.ts";
import type { Link } from "./link.ts";
import { VncPointer } from "./pointer.ts";
import { VncScreen } from "./screen.ts";

const WORKERS = new URL("./workers.ts", import.meta.url);
/** The role of the Worker that has the connection. */
export const RECEIVER = { url: WORKERS, role: "receiver" };

/** A desktop that comes back with its server. */
export class VncDesktop implements Desktop {
  readonly kind = "vnc";
  readonly own = new OwnActions();
  readonly screen: VncScreen;
  readonly pointer: VncPointer;
  readonly clipboard: VncClipboard;
  readonly keyboard: VncKeyboard;
  readonly playback: Player = playOnThread(this);
  /** Ends the live picture that is being made. */
  #endLive: ((reason: Error | undefined) => void) | undefined;

  /** @param paste The keys that paste. */
  constructor(readonly link: Link, paste?: readonly string[]) {
    this.screen = new VncScreen(link);
    this.pointer = new VncPointer(link, this.own);
    this.clipboard = link.clipboard;
    this.keyboard = new VncKeyboard(link, this.own, this.clipboard, paste);
    link.replaced = (error) => this.#endLive?.(error);
  }

  readonly observer: Observer = {
    watch: (listener) => {
      this.own.add(listener);
      listener.problem(
        "gap",
        "deskhand's own input is recorded, other people's is not: VNC servers do not report it",
      );
      return Promise.resolve({
        close: () => {
          this.own.remove(listener);
          return Promise.resolve();
        },
      });
    },
  };

  readonly live: LivePicture = {
    start: (memory, report) => {
      const ended = Promise.withResolvers<void>();
      try {
        const { picture } = this.link, { memory: source } = picture;
        const { done } = liveInWorker({ url: WORKERS, role: "live" }, source).start(memory, report);
        const viewers = new Viewers(memory);
        const end = this.#endLive = (reason) => {
          viewers.stop(); // the maker is then started anew
          picture.ring();
          if (reason) ended.reject(reason);
        };
        done.then(ended.resolve, ended.reject);
        const over = () => {
          if (this.#endLive === end) this.#endLive = undefined;
        };
        return { done: ended.promise.finally(over), ring: () => picture.ring() };
      } catch (error) {
        ended.reject(error);
        return { done: ended.promise };
      }
    },
  };

  /** Servers may keep keys down when a connection ends. */
  identity(): DesktopIdentity {
    return { address: `vnc ${addressOf(this.link.target)}` };
  }

  close(): void {
    this.link.close();
  }
}
