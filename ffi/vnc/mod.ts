/** Opens a VNC server's desktop. */

import type {
  Desktop,
  DesktopIdentity,
  Display,
  Frame,
  LivePicture,
  Observer,
  Picture,
  Player,
  Region,
  Screen,
  ScreenLayout,
} from "../../control/desktop/desktop.ts";
import { parseCombination } from "../../control/desktop/keys.ts";
import { ExpectedError, NoDesktopError, UsageError } from "../../core/errors.ts";
import type { Finding } from "../permission.ts";
import { addressOf, readTarget, type VncOptions } from "./address.ts";
import { Link } from "./link.ts";
import { Viewers } from "../../control/desktop/viewers.ts";
import { liveInWorker } from "../in_worker.ts";
import { OwnActions } from "../watch.ts";
import { playOnThread } from "../on_thread.ts";
import type { VncClipboard } from "./clipboard.ts";
import { VncKeyboard, VncPointer } from "./input.ts";
import { drawPointer } from "../../control/desktop/screen.ts";
import { copiedPicture } from "../copied_picture.ts";

/** Host names of this machine. */
const LOCAL = /^(?:localhost|127\.[0-9.]+|::1)$/i;

/**
 * Opens a desktop.
 * @param address Such as `vnc://host:5901`.
 * @param notice Receives a warning if others can read the connection.
 * @throws UsageError if an option is wrong; NoDesktopError if there is no server, or it refuses deskhand.
 */
export async function openVnc(
  address: string,
  options: VncOptions,
  notice: (text: string) => void,
): Promise<Desktop> {
  const target = readTarget(address, options), paste = pasteKeys(options);
  const link = await Link.open(RECEIVER, target);
  if (isReadable(link)) {
    notice(`the connection to ${addressOf(target)} ${READABLE}`);
  }
  return new VncDesktop(link, paste);
}

const READABLE = "is not encrypted: others on the network can see the desktop and what is typed";

/** Whether others on the network can read a connection. */
function isReadable({ isSecure, target: { host } }: Link): boolean {
  return !isSecure && !LOCAL.test(host);
}

/**
 * Connects to a server and reports what it supports, for `deskhand doctor`. Moves and presses nothing.
 * @param address As for {@linkcode openVnc}, like the options.
 * @throws UsageError if an option is wrong.
 */
export async function inspectVnc(address: string, options: VncOptions): Promise<Finding[]> {
  const target = readTarget(address, options), paste = pasteKeys(options);
  try {
    const link = await Link.open(RECEIVER, target), desktop = new VncDesktop(link, paste);
    try {
      return findingsOf(desktop, paste);
    } finally {
      desktop.close();
    }
  } catch (error) {
    if (!(error instanceof NoDesktopError)) throw error;
    return [{ name: "VNC server", ok: false, detail: error.message }];
  }
}

function findingsOf({ screen, clipboard, link }: VncDesktop, paste: string[] | undefined): Finding[] {
  const { width, height } = screen.layout(), { isSecure } = link, { isExtended } = clipboard;
  const details: Record<string, string> = {
    "VNC server": `${addressOf(link.target)}, ${JSON.stringify(link.name)}`,
    screen: `${width}x${height}`,
    encryption: isSecure ? "TLS" : isReadable(link) ? `the connection ${READABLE}` : "none, on this machine",
    input: link.facts.hasFences
      ? "the server reports when it has handled input"
      : "the server does not report when it has handled input",
    clipboard: isExtended ? "text in any script" : "Latin-1 text",
    text: isExtended
      ? `ASCII; other characters ${paste ? "are pasted" : "with --desktop-paste KEYS"}`
      : "ASCII; other characters are refused, since the server does not report what programs paste",
  };
  return Object.entries(details).map(([name, detail]) => ({ name, ok: true, detail }));
}

function pasteKeys({ paste }: VncOptions): string[] | undefined {
  try {
    return paste === undefined ? undefined : parseCombination(paste);
  } catch (error) {
    if (!(error instanceof ExpectedError)) throw error;
    throw new UsageError(`--desktop-paste: ${error.message}`);
  }
}

// A VNC server's desktop.

const WORKERS = new URL("./workers.ts", import.meta.url);
/** The role of the Worker that owns the connection. */
const RECEIVER = { url: WORKERS, role: "receiver" };

/** A desktop that comes back with its server. */
export class VncDesktop implements Desktop {
  readonly kind = "vnc";
  readonly own = new OwnActions();
  readonly screen: VncScreen;
  readonly pointer: VncPointer;
  readonly clipboard: VncClipboard;
  readonly keyboard: VncKeyboard;
  readonly playback: Player = playOnThread(this);
  /** Ends the current live picture. */
  #endLive: ((reason: Error | undefined) => void) | undefined;

  /** @param paste The paste keys. */
  constructor(readonly link: Link, paste?: readonly string[]) {
    this.screen = new VncScreen(link);
    this.pointer = new VncPointer(link, this.own);
    this.clipboard = link.clipboard;
    this.keyboard = new VncKeyboard(link, this.own, this.clipboard, paste);
    link.replaced = (error) => {
      for (const part of [this.pointer, this.keyboard]) {
        if (error) part.reset();
        else part.releaseLeft().catch(() => {}); // the next connection tries again
      }
      this.#endLive?.(error);
    };
  }

  readonly observer: Observer = {
    watch: (listener) => {
      listener.problem(
        "gap",
        "deskhand's own input is recorded, other people's is not: VNC servers do not report it",
      );
      return this.own.watch(listener);
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
          viewers.stop(); // the maker is then restarted
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

  /** Servers may leave keys pressed when a connection ends. */
  identity(): DesktopIdentity {
    return { address: `vnc ${addressOf(this.link.target)}`, connection: this.link.connections };
  }

  close(): void {
    this.link.close();
  }
}

// A VNC desktop's screen.

/** Copies what the receiver has published. */
class VncScreen implements Screen {
  /** The memory of the last capture: allocating a screen takes longer than copying it. */
  #kept = new Int32Array();

  constructor(readonly link: Link) {}

  layout(): ScreenLayout {
    const { picture: { region }, facts: { displays } } = this.link, isOne = displays.length < 2;
    const parts: Display[] = (isOne ? [region] : displays).map((part, i) => ({
      ...part,
      name: isOne ? "vnc" : `vnc-${i + 1}`,
      primary: i === 0,
    }));
    return { ...region, displays: parts };
  }

  capture<T>(region: Region, cursor: boolean, read: (frame: Frame) => T): Promise<T> {
    return Promise.try(() => read(this.#take(region, cursor)));
  }

  picture(region: Region, cursor: boolean): Promise<Picture> {
    return Promise.try(() => copiedPicture(this.#take(region, cursor)));
  }

  #take(region: Region, cursor: boolean): Frame {
    const { picture } = this.link, { width, height } = region, count = width * height;
    if (this.#kept.length !== count) this.#kept = new Int32Array(count);
    const words = this.#kept, { image, place } = picture;
    picture.copy(region, words);
    if (cursor && image && place) drawPointer(words, region, { image, at: place });
    return { width, height, stride: width * 4, pixels: new Uint8Array(words.buffer) };
  }
}
