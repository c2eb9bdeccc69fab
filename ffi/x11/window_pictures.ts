/**
 * Pictures of windows that other windows cover, by the Composite extension: the server draws a redirected window into memory
 * of its own, covered parts too. The person sees no change, and a redirect ends with its connection at the latest.
 */

import type { Region, WindowInfo } from "../../control/desktop/desktop.ts";
import { DesktopUnavailableError, NotFoundError, UnsupportedError } from "../../core/errors.ts";
import { openXcbComposite, type XcbComposite } from "./libraries.ts";
import { XcbConnection } from "./xcb_connection.ts";

/** XCB_COMPOSITE_REDIRECT_AUTOMATIC: the server goes on to show the window. */
const AUTOMATIC = 0;
/** The version of the extension that has NameWindowPixmap. */
const VERSION = { major: 0, minor: 2 } as const;
/** The most windows that are redirected at once: each takes the memory of its picture. */
const MOST = 8;
/** The time that a window stays redirected without a picture, in milliseconds. */
const KEPT_MS = 15_000;
/** The most levels of windows between a program's window and its frame. */
const LEVELS = 32;

/** A window that is redirected. */
interface Redirected {
  /** The timer that ends it. */
  timer: ReturnType<typeof setTimeout>;
  /** Whether its covered parts have been painted since. */
  isPainted: boolean;
}

/** The content of a window, as a drawable of the server until it is freed. */
export interface WindowContent {
  pixmap: number;
  /** The place of the pixmap on the screen. */
  place: Region;
  free(): void;
}

/** The redirected windows of one display, over a connection of their own. */
export class WindowPictures {
  #xcb: XcbConnection | undefined;
  #composite: XcbComposite | undefined;
  /** By the child of the root window; the last used is the last. */
  readonly #redirected = new Map<number, Redirected>();

  /** @param display The name of the display, such as `:0`. */
  constructor(readonly display: string) {}

  /**
   * The window with its frame: a child of the root window.
   * @throws NotFoundError if the window is gone; DesktopUnavailableError if the server is.
   */
  frameOf({ id, title }: WindowInfo): number {
    const frame = frameOf(this.#connected(), Number(id));
    if (frame !== undefined) return frame;
    throw new NotFoundError(`the window ${JSON.stringify(title)} is closed`);
  }

  /** Whether the covered parts of a redirected window may not be painted yet. */
  isFresh(frame: number): boolean {
    return !this.#redirected.get(frame)?.isPainted;
  }

  painted(frame: number): void {
    const redirected = this.#redirected.get(frame);
    if (redirected) redirected.isPainted = true;
  }

  /**
   * Gives the content of a window, which is redirected from now on until it is not used for a while.
   * @param frame As {@linkcode frameOf} returns it.
   * @returns undefined if the window is not shown by the server, or gone.
   * @throws UnsupportedError if the server or the library is missing the extension.
   */
  content(frame: number): WindowContent | undefined {
    const xcb = this.#connected(), composite = this.#extension(xcb), { connection } = xcb;
    if (!this.#redirect(xcb, composite, frame)) return undefined;
    const pixmap = xcb.xcb.xcb_generate_id(connection);
    const named = composite.xcb_composite_name_window_pixmap_checked(connection, frame, pixmap);
    const size = xcb.askGeometry(pixmap), inner = xcb.askGeometry(frame), asked = xcb.askOrigin(frame);
    const [{ width, height }, geometry, origin] = [
      xcb.geometry(size) ?? { width: 0, height: 0 },
      xcb.geometry(inner),
      xcb.origin(asked),
    ];
    if (!xcb.isDone(named) || !geometry || !origin) return undefined;
    const free = () => {
      xcb.xcb.xcb_free_pixmap(connection, pixmap);
      xcb.flush();
    };
    const place = { x: origin.x - geometry.border, y: origin.y - geometry.border, width, height };
    return { pixmap, place, free };
  }

  /** Ends all redirects. */
  close(): void {
    for (const { timer } of this.#redirected.values()) clearTimeout(timer);
    this.#redirected.clear();
    this.#xcb?.close();
    this.#xcb = this.#composite = undefined;
  }

  /** @throws DesktopUnavailableError if the server is gone. */
  #connected(): XcbConnection {
    if (this.#xcb?.isBroken) this.close();
    return this.#xcb ??= new XcbConnection(this.display);
  }

  #extension(xcb: XcbConnection): XcbComposite {
    if (this.#composite) return this.#composite;
    const composite = openXcbComposite();
    if (composite) {
      const { connection } = xcb;
      const asked = composite.xcb_composite_query_version(connection, VERSION.major, VERSION.minor);
      const isThere = xcb.isAnswered(
        composite.xcb_composite_query_version_reply(connection, asked, new BigUint64Array(1)),
      );
      if (isThere) return this.#composite = composite;
    }
    throw new UnsupportedError(
      composite
        ? "the X server cannot capture covered windows because it lacks the Composite extension; activate the window first"
        : "capturing covered windows needs libxcb-composite.so.0 (Debian and Ubuntu: libxcb-composite0); activate the window " +
          "first",
    );
  }

  /** Redirects a window for the next while. @returns false if it is gone. */
  #redirect(xcb: XcbConnection, composite: XcbComposite, frame: number): boolean {
    const before = this.#redirected.get(frame);
    clearTimeout(before?.timer);
    this.#redirected.delete(frame);
    if (
      !before &&
      !xcb.isDone(composite.xcb_composite_redirect_window_checked(xcb.connection, frame, AUTOMATIC))
    ) {
      if (xcb.isBroken) throw new DesktopUnavailableError(`the X server of display ${this.display} is gone`);
      return false;
    }
    if (this.#redirected.size >= MOST) this.#end(this.#redirected.keys().next().value!);
    const timer = setTimeout(() => this.#end(frame), KEPT_MS);
    Deno.unrefTimer(timer as unknown as number);
    this.#redirected.set(frame, { timer, isPainted: before?.isPainted ?? false });
    return true;
  }

  #end(frame: number): void {
    const xcb = this.#xcb, redirected = this.#redirected.get(frame);
    clearTimeout(redirected?.timer);
    this.#redirected.delete(frame);
    if (!xcb || xcb.isBroken || !this.#composite) return;
    xcb.isDone(this.#composite.xcb_composite_unredirect_window_checked(xcb.connection, frame, AUTOMATIC));
  }
}

/** The child of the root window that a window is, or is in; undefined if it is gone. */
function frameOf(xcb: XcbConnection, id: number): number | undefined {
  let window = id;
  for (let level = 0; level < LEVELS; level++) {
    const tree = xcb.tree(xcb.askTree(window));
    if (!tree || !tree.parent) return undefined;
    if (tree.parent === xcb.root) return window;
    window = tree.parent;
  }
}
