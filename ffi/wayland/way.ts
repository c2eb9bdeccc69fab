/** The interface of ways to control a Wayland compositor. `ways.ts` is the table of them. */

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

/** A session inspected to find a way to control it. */
export interface Probe extends Pick<Link, "connection" | "registry"> {
  session: Session;
  /** Whether a program of the session owns a name on its bus, such as `org.kde.KWin`; false without a bus. */
  hasService(name: string): Promise<boolean>;
  /** Hands the connection to the caller, who closes it: the end of the inspection then leaves it open. */
  keep(): Link;
}

/** A part that is closed with the desktop. */
export interface Closable {
  close(): void;
}

/** A compositor's windows. */
export interface PlacedWindows extends Windows, Closable {
  /**
   * Pixels of the desktop per logical pixel, in which programs count; omitted if no window has a position.
   * @throws DesktopUnavailableError if the compositor is gone.
   */
  scale?(): Promise<number>;
  /**
   * The compositor's own id for a listed window, with which it captures the window; undefined if the window
   * is closed. Omitted if the compositor does not capture windows.
   * @throws DesktopUnavailableError if the compositor is gone.
   */
  serverId?(window: WindowInfo): Promise<string | undefined>;
}

/** A way to control a compositor. It is loaded when a session is found to be of its kind. */
export interface Way {
  /** As `Desktop.waitsMs`. */
  readonly waitsMs?: number;

  /**
   * Why the compositor cannot be controlled this way. Asks nobody and changes nothing.
   * @returns The reason, as the rest of a sentence about the compositor: `does not offer …`; undefined if
   * nothing is missing.
   */
  missing(probe: Probe): Promise<string | undefined>;

  /**
   * Connects. A person may first be asked for consent.
   * @param probe The session's inspection, whose connection the desktop may keep; omitted if there was none.
   * @returns undefined if there is no compositor, or it refuses this user.
   * @throws NoDesktopError if something is missing; DesktopUnavailableError if the compositor ends before that.
   */
  connect(session: Session, probe?: Probe): Promise<ConnectedDesktop | undefined>;

  /**
   * The permission that resolves {@linkcode missing}; omitted if there is none.
   * @returns undefined if something else is missing.
   */
  permission?(probe: Probe): Promise<Permission | undefined>;

  /**
   * Makes the player for replays that run on the desktop's thread; omitted if replays run in a Worker with
   * its own connection.
   */
  playOnThread?(target: PlaybackTarget): Player;

  /**
   * Connects for the live picture, in its Worker, which may block. Omitted if only the desktop's thread can
   * capture. If the compositor does not report changes, the result is a `PolledScreen`.
   * @param alarm A file descriptor that ends the screen's waits when it becomes readable.
   * @returns undefined if there is no compositor.
   */
  openScreen?(
    session: Session,
    alarm: number,
    jpeg: JpegEncoder | undefined,
  ): Promise<LiveScreen | undefined>;

  /**
   * Connects to capture the screen, in a Worker of its own. Omitted if only the desktop's thread can capture.
   * @returns undefined if there is no compositor.
   */
  openCaptures?(session: Session): Promise<CapturedDesktop | undefined>;

  /**
   * Creates the access to windows, which connects on first use; omitted if windows cannot be accessed.
   * @param elements The elements, which list windows if the compositor does not.
   * @param link The connection of {@linkcode ConnectedDesktop.link}.
   */
  makeWindows?(session: Session, elements: AtspiElements, link?: Link): PlacedWindows;

  /** Creates the clipboard, which connects on first use; omitted if this way has none. */
  makeClipboard?(session: Session): Clipboard & Closable;

  /**
   * Reports this way's working and missing features, for `deskhand doctor`. Moves and presses nothing.
   * @param missing The result of {@linkcode missing}.
   */
  inspect(probe: Probe, missing: string | undefined): Promise<Finding[]>;
}

// Each way's Wayland desktop: parts that share one connection and end with it.

/** The pointer of one connection. */
export interface ConnectedPointer extends Pointer {
  /** The pointer's last known position; the first display's corner if there is none. */
  readonly lastPlace: Point;
}

/** The keyboard of one connection. */
export interface ConnectedKeyboard extends Keyboard {
  /**
   * Types text as defined by {@linkcode Keyboard.type}.
   * @param typed Called with each character's code point after it has been typed.
   */
  type(text: string, signal?: AbortSignal, typed?: (codePoint: number) => void): Promise<void>;
}

/** Shows where the pointer is, even while a person moves it. */
export interface PointerTracker {
  /**
   * Yields the pointer's position now and whenever it may have changed, in pixels of the desktop; undefined
   * while the pointer is not visible. The streams stay open while it is hidden.
   * @param signal Ends the iteration.
   * @throws DesktopUnavailableError when the desktop no longer shows the pointer.
   */
  places(signal: AbortSignal): AsyncIterable<Point | undefined>;

  /**
   * Lists the positions at which the pointer may be seen after one of deskhand's own moves, in order.
   * @param point The move's destination.
   */
  expectedPlaces(point: Point): Point[];
}

/** Pointer, keyboard and screen over one connection. */
export interface ConnectedDesktop {
  /**
   * Becomes lost when the compositor, or another required service, ends; the desktop is then reopened. Never
   * lost if connecting asks a person.
   */
  readonly connection: {
    readonly isLost: boolean;
    /** Waits until the server answers, as defined by `Desktop.answering`. */
    answering?(): Promise<void> | undefined;
    /** Cuts the connection to a server that does not answer, as defined by `Desktop.cutIfSilent`. */
    cutIfSilent?(): void;
  };
  /**
   * The connection to the compositor, if other parts of the desktop share it: in a brief process
   * (`Session.brief`), if the compositor is slow to accept connections.
   */
  readonly link?: Link;
  /** The compositor (`DesktopIdentity.server`). */
  readonly server?: string;
  /** How many sessions have been opened that each end with what they have pressed; omitted if there are none. */
  readonly sessions?: number;
  readonly pointer: ConnectedPointer;
  readonly keyboard: ConnectedKeyboard;
  readonly screen: Screen;
  /** The pointer's tracker; omitted if the desktop does not report the pointer on its own. */
  readonly pointerTracker?: PointerTracker;
  /** The live picture; omitted if a Worker opens the desktop for it (`Way.openScreen`). */
  readonly live?: LivePicture;
  /**
   * Lets {@linkcode screen} capture windows, whose ids `PlacedWindows.serverId` returns; omitted if the
   * compositor does not capture windows.
   */
  showWindows?(serverId: (window: WindowInfo) => Promise<string | undefined>): void;
  /** Frees everything, whether or not the compositor is still there. */
  close(): void;
}

// A Wayland session: where its compositor and its bus listen.

/** Plain data, so that a Worker can open the same session. */
export interface Session {
  /** The path of the compositor's socket. */
  socket: string;
  /**
   * Paths of the session bus's sockets, in the order in which they are tried; the environment's if omitted.
   */
  buses?: readonly string[];
  /** The path of PipeWire's socket; the environment's if omitted. */
  pipewire?: string;
  /**
   * For a process that does a few actions and exits: whether it presses keys; omitted if the process stays.
   */
  brief?: { hasKeys: boolean };
}

/**
 * The compositor's socket according to the environment (wl_display_connect(3)).
 * @returns undefined if the environment names none.
 */
export function socketPath(): string | undefined {
  const name = Deno.env.get("WAYLAND_DISPLAY"), folder = Deno.env.get("XDG_RUNTIME_DIR");
  if (!name) return undefined;
  if (name.startsWith("/")) return name;
  return folder ? `${folder}/${name}` : undefined;
}

/**
 * Sockets of compositors that the user may mean if the environment names none, for example over SSH, from
 * cron or in a systemd unit.
 * @returns The sockets' folder and names; undefined if there are none.
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
