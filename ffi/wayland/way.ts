/** The interface of a way of controlling a Wayland compositor. `ways.ts` is the table of them. */

import type {
  Clipboard,
  Keyboard,
  LivePicture,
  Player,
  Point,
  Pointer,
  Screen,
  WindowInfo,
  Windows,
} from "../../control/desktop/desktop.ts";
import type { JpegEncoder, LiveScreen } from "../../control/desktop/screen.ts";
import type { PlaybackTarget } from "../../control/recording/playback.ts";
import type { AtspiElements } from "../atspi/mod.ts";
import type { CapturedDesktop } from "../capture/worker.ts";
import type { Finding, Permission } from "../permission.ts";
import type { Link } from "./wire/link.ts";

/** A session that is inspected to find a way to control it. */
export interface Probe extends Pick<Link, "connection" | "registry"> {
  session: Session;
  /** Whether a program of the session has a name on its bus, such as `org.kde.KWin`; false without a bus. */
  hasService(name: string): Promise<boolean>;
  /** Gives the connection to the caller, who closes it: the inspection's end then leaves it open. */
  keep(): Link;
}

/** A part that ends with the desktop. */
export interface Closable {
  close(): void;
}

/** The windows of a compositor. */
export interface PlacedWindows extends Windows, Closable {
  /**
   * Pixels of the desktop a logical pixel, in which programs count; left out where no window has a place.
   * @throws DesktopUnavailableError if the compositor is gone.
   */
  readonly scale?: number;
  /**
   * The compositor's own id of a listed window, by which it captures the window; undefined if the window is closed. Left out
   * where the compositor captures no windows.
   * @throws DesktopUnavailableError if the compositor is gone.
   */
  serverId?(window: WindowInfo): string | undefined;
}

/** A way of controlling a compositor. It is loaded when a session is found to be of its kind. */
export interface Way {
  /** As `Desktop.waitsMs`. */
  readonly waitsMs?: number;

  /**
   * The reason why the compositor cannot be controlled this way. Asks no person and changes nothing.
   * @returns The reason, as the rest of a sentence about the compositor: `does not offer …`; undefined if
   *   nothing is missing.
   */
  missing(probe: Probe): Promise<string | undefined>;

  /**
   * Connects. A person may be asked first.
   * @param probe The inspection of the session, whose connection the desktop may keep; left out if there was none.
   * @returns undefined if there is no compositor, or the compositor refuses this user.
   * @throws NoDesktopError if something is missing; DesktopUnavailableError if the compositor ends before that.
   */
  connect(session: Session, probe?: Probe): Promise<ConnectedDesktop | undefined>;

  /**
   * Connects again, at once, with the results and errors of `connect`; left out where connecting would ask a person.
   */
  reconnect?(session: Session): ConnectedDesktop | undefined;

  /**
   * The permission that mends the {@linkcode missing}; left out where there is none.
   * @returns undefined if something else is missing.
   */
  permission?(probe: Probe): Permission | undefined;

  /**
   * Makes the player of replays that run on the thread that has the desktop; left out if replays run in a Worker that
   * connects for itself.
   */
  playOnThread?(target: PlaybackTarget): Player;

  /**
   * Connects for the live picture, in its Worker, which may block. Left out if only the thread that has the desktop
   * can capture. If the compositor does not report changes, the result is a `PolledScreen`.
   * @param alarm A descriptor that ends the screen's waits when it can be read.
   * @returns undefined if there is no compositor.
   */
  openScreen?(
    session: Session,
    alarm: number,
    jpeg: JpegEncoder | undefined,
  ): Promise<LiveScreen | undefined>;

  /**
   * Connects to capture the screen, in a Worker of its own. Left out if only the thread that has the desktop can
   * capture.
   * @returns undefined if there is no compositor.
   */
  openCaptures?(session: Session): Promise<CapturedDesktop | undefined>;

  /**
   * Makes the object that reaches windows, which connects when it is first used; left out where no windows can be
   * reached.
   * @param elements The elements, which list windows if the compositor does not.
   * @param link The connection of {@linkcode ConnectedDesktop.link}.
   */
  makeWindows?(session: Session, elements: AtspiElements, link?: Link): PlacedWindows;

  /** Makes the clipboard, which connects when it is first used; left out if this way has none. */
  makeClipboard?(session: Session): Clipboard & Closable;

  /**
   * Reports the working and missing features of this way, for `deskhand doctor`. Moves and presses nothing.
   * @param missing The result of {@linkcode missing}.
   */
  inspect(probe: Probe, missing: string | undefined): Promise<Finding[]>;
}

// The Wayland desktop of each way of controlling compositors: parts that share one connection and end with
// it.

/** The pointer of one connection. */
export interface ConnectedPointer extends Pointer {
  /** The last known place of the pointer; the first display's corner if there is none. */
  readonly lastPlace: Point;
}

/** The keyboard of one connection. */
export interface ConnectedKeyboard extends Keyboard {
  /**
   * Types text as {@linkcode Keyboard.type} says.
   * @param typed Called with each character's code point when it has been typed.
   */
  type(text: string, signal?: AbortSignal, typed?: (codePoint: number) => void): Promise<void>;
}

/** Shows where the pointer is, also while a person moves it. */
export interface PointerTracker {
  /**
   * Yields the pointer's place now and whenever it may have changed, in pixels of the desktop; undefined while the
   * pointer is not visible. The streams stay open while it is hidden.
   * @param signal Ends the iteration.
   * @throws DesktopUnavailableError when the desktop no longer shows the pointer.
   */
  places(signal: AbortSignal): AsyncIterable<Point | undefined>;

  /**
   * Lists the places at which the pointer may be seen after a move of deskhand's own, in this order.
   * @param point Where it is moved to.
   */
  expectedPlaces(point: Point): Point[];
}

/** Pointer, keyboard and screen over one connection. */
export interface ConnectedDesktop {
  /**
   * A state that becomes lost when the compositor, or another service that this way needs, ends; the desktop is then
   * opened again.
   */
  readonly connection: {
    readonly isLost: boolean;
    /** Waits until the server answers, as `Desktop.answering` says. */
    answering?(): Promise<void> | undefined;
    /** Cuts the connection to a server that does not answer, as `Desktop.cutIfSilent` says. */
    cutIfSilent?(): void;
  };
  /**
   * The connection to the compositor, where other parts of the desktop use it too: in a brief process (`Session.brief`),
   * if the compositor takes long for each connection.
   */
  readonly link?: Link;
  /** The compositor (`DesktopIdentity.server`). */
  readonly server?: string;
  readonly pointer: ConnectedPointer;
  readonly keyboard: ConnectedKeyboard;
  readonly screen: Screen;
  /** The tracker of the pointer; left out if the desktop does not report the pointer by itself. */
  readonly pointerTracker?: PointerTracker;
  /**
   * The live picture; left out where a Worker opens the desktop for it (`Way.openScreen`).
   */
  readonly live?: LivePicture;
  /**
   * Lets {@linkcode screen} capture windows, whose ids `PlacedWindows.serverId` returns; left out where the compositor
   * captures no windows.
   */
  showWindows?(serverId: (window: WindowInfo) => string | undefined): void;
  /** Frees everything, whether the compositor is still there or not. */
  close(): void;
}

// A session of Wayland: where its compositor and its bus listen.

/** Plain data, so that a Worker can open the same session. */
export interface Session {
  /** The path of the compositor's socket. */
  socket: string;
  /** Paths of sockets of the session's bus, in the order in which they are tried; the environment's if left out. */
  buses?: readonly string[];
  /** The path of PipeWire's socket; the environment's if left out. */
  pipewire?: string;
  /** Whether this process does a few actions and ends, and if so, whether it presses keys; left out if it stays. */
  brief?: { hasKeys: boolean };
}

/**
 * The compositor's socket, by the environment (wl_display_connect(3)).
 * @returns undefined if the environment names none.
 */
export function socketPath(): string | undefined {
  const name = Deno.env.get("WAYLAND_DISPLAY"), folder = Deno.env.get("XDG_RUNTIME_DIR");
  if (!name) return undefined;
  if (name.startsWith("/")) return name;
  return folder ? `${folder}/${name}` : undefined;
}

/**
 * Sockets of compositors that the user may mean if the environment names none, as over SSH, from cron and in a unit
 * of systemd.
 * @returns The folder and names of the sockets; undefined if there are none.
 */
export function unnamedSockets(): { folder: string; names: string[] } | undefined {
  if (Deno.env.get("WAYLAND_DISPLAY")) return undefined;
  const folder = Deno.env.get("XDG_RUNTIME_DIR") ?? `/run/user/${Deno.uid()}`;
  try {
    const names = Array.from(Deno.readDirSync(folder), ({ name }) => name)
      .filter((name) => /^wayland-\d+$/.test(name) && Deno.lstatSync(`${folder}/${name}`).isSocket);
    return names.length ? { folder, names: names.sort() } : undefined;
  } catch {
    return undefined; // the folder is missing, or belongs to another user
  }
}
