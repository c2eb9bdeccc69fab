/**
 * Any desktop with a remote control portal: the portal asks the person for consent, and `deskhand doctor`
 * checks it without asking.
 */

import { DesktopUnavailableError, ExpectedError, NoDesktopError } from "../../../core/errors.ts";
import { CONSOLE } from "../../../core/output.ts";
import { IdleTimer } from "../../../core/until.ts";
import { Bus } from "../../linux/dbus/bus.ts";
import { hasPipeWire, PIPEWIRE_MISSING } from "../../linux/pipewire/symbols.ts";
import type { Finding } from "../../permission.ts";
import { closedOnFailure } from "../../reconnecting.ts";
import { playOnThread } from "../../on_thread.ts";
import { recordingFinding, screenFinding } from "../findings.ts";
import type { ConnectedDesktop, ConnectedPointer, PointerTracker, Probe, Session, Way } from "../way.ts";
import { WaylandClipboard } from "../wire/clipboard.ts";
import { WaylandWindows } from "../wire/windows.ts";
import {
  canRestore,
  CURSOR_MODE,
  type Features,
  featuresOf,
  hasToken,
  missingOf,
  MUTTER,
} from "./features.ts";
import { askConsent, type PortalSession, type SharedOutput, sharedOutputs } from "./session.ts";
import type { LivePicture, Point, Screen } from "../../../control/desktop/desktop.ts";
import type { FrameReader } from "../../linux/pipewire/frame_memory.ts";
import { VideoStream } from "../../linux/pipewire/stream.ts";
import { type LayoutKeyboard, openLayoutKeyboard } from "../layout/layout_keyboard.ts";
import { ClipboardPaster } from "../layout/text_paster.ts";
import { GnomeInputMethod } from "../streamed/input_method.ts";
import { pixelsFrom, type RemoteInput, RemoteKeys } from "../streamed/remote_input.ts";
import { awaitKeyboard, awaitPointer } from "../streamed/seat.ts";
import { streamedParts } from "../streamed/streamed_parts.ts";
import { compositorGone, Connection, type Registry } from "../wire/connection.ts";
import { arrange, type Arrangement, Outputs, type PlacedOutput } from "../wire/outputs.ts";

/** The way that uses org.freedesktop.portal.RemoteDesktop and ScreenCast, and PipeWire. */
export const PORTAL: Way = {
  /** The portal starts its services on first use, and sends the first picture late. */
  waitsMs: 20_000,

  missing: ({ session }) => Promise.try(missingPortal, session),
  connect,
  playOnThread,
  makeWindows: ({ socket }) => new WaylandWindows(socket),
  makeClipboard: ({ socket }) => new WaylandClipboard(socket),
  inspect: inspectPortal,
};

/**
 * Why a session's portal cannot be used.
 * @returns As {@linkcode Way.missing}.
 */
export function missingPortal({ buses }: Session): string | undefined {
  try {
    using bus = Bus.open(buses);
    return missingOf(featuresOf(bus)) ??
      (hasPipeWire() ? undefined : `gives pictures by PipeWire, and ${PIPEWIRE_MISSING}`);
  } catch (error) {
    if (error instanceof ExpectedError) return `has no desktop portal: ${error.message}`;
    throw error;
  }
}

/** Asks for consent. */
async function connect(session: Session): Promise<PortalDesktop> {
  return await closedOnFailure(Bus.open(session.buses), async (bus) => {
    const features = featuresOf(bus), missing = missingOf(features);
    if (missing !== undefined) throw new NoDesktopError(`this desktop ${missing}`);
    const consent = await askConsent(bus, features, CONSOLE.notice);
    const open = async (wayland: Connection, registry: Registry) =>
      new PortalDesktop(bus, consent, session, wayland, await Outputs.open(wayland, registry));
    return await Connection.openFor(session.socket, open) ?? compositorGone(session.socket);
  });
}

/** Reports the portal's versions, its prompt to the person, and the features that it enables. */
async function inspectPortal(probe: Probe, missing: string | undefined): Promise<Finding[]> {
  const { session, connection } = probe, portal = portalFinding(session.buses, missing);
  if (missing !== undefined) return [portal];
  return [portal, await screenFinding(connection, await probe.registry()), recordingFinding()];
}

/**
 * Reports only the portal.
 * @param buses Paths of the session bus's sockets; the environment's if omitted.
 * @param missing Why the portal cannot be used; undefined if it can.
 */
export function portalFinding(buses: readonly string[] | undefined, missing: string | undefined): Finding {
  const name = "desktop portal";
  try {
    using bus = Bus.open(buses);
    return { name, ok: missing === undefined, detail: describe(featuresOf(bus), missing) };
  } catch (error) {
    if (error instanceof ExpectedError) return { name, ok: false, detail: error.message };
    throw error;
  }
}

function describe(features: Features, missing: string | undefined): string {
  if (missing !== undefined) return `this desktop ${missing}`;
  const { remoteDesktop, screenCast, cursorModes } = features;
  const asks = !canRestore(features)
    ? "a dialog on the desktop asks for consent at each start (a portal of version 2 or later remembers it)"
    : hasToken()
    ? "a consent is kept, so that the next start does not ask"
    : "a dialog on the desktop asks for consent at the first start";
  const place = cursorModes & CURSOR_MODE.metadata ? "" : "; it does not show where the pointer is";
  return `RemoteDesktop ${remoteDesktop}, ScreenCast ${screenCast}: ${asks}${place}`;
}

// A desktop over a portal session. It ends with the session, and only a new start asks for consent again.

// Input through the portal's RemoteDesktop.

/** Sends input to a session. */
export class PortalInput implements RemoteInput {
  #keyboard: Promise<void> | undefined;
  #pointer: Promise<void> | undefined;

  /**
   * @param socket The path of the compositor's Wayland socket.
   * @param countsPixels Whether positions are in pixels of the picture, as GNOME expects them, or in logical
   * pixels, as the portal is documented. They differ on scaled displays.
   */
  constructor(
    readonly session: Pick<PortalSession, "notify">,
    readonly socket: string,
    readonly countsPixels: boolean,
  ) {}

  async move({ output, scale }: PlacedOutput<SharedOutput>, place: Point): Promise<void> {
    await this.#withPointer();
    const { x, y } = this.countsPixels
      ? pixelsFrom(place, output.mode, scale)
      : pixelsFrom(place, output.logical, 1);
    await this.session.notify("NotifyPointerMotionAbsolute", "udd", [output.node, x, y]);
  }

  async button(code: number, down: boolean): Promise<void> {
    await this.#withPointer();
    await this.session.notify("NotifyPointerButton", "iu", [code, Number(down)]);
  }

  async scroll(axis: number, notches: number): Promise<void> {
    await this.#withPointer();
    await this.session.notify("NotifyPointerAxisDiscrete", "ui", [axis, notches]);
  }

  async key(code: number, down: boolean): Promise<void> {
    const keyboard = this.#keyboard ??= awaitKeyboard(this.socket, (...key) => this.#sendKey(...key));
    await keyboard.catch((error) => {
      this.#keyboard = undefined; // the next key checks again
      throw error;
    });
    await this.#sendKey(code, down);
  }

  async #withPointer(): Promise<void> {
    const move = () => this.session.notify("NotifyPointerMotion", "dd", [0, 0]);
    this.#pointer ??= awaitPointer(this.socket, move);
    await this.#pointer.catch((error) => {
      this.#pointer = undefined; // the next use checks again
      throw error;
    });
  }

  async #sendKey(code: number, down: boolean): Promise<void> {
    await this.session.notify("NotifyKeyboardKeycode", "iu", [code, Number(down)]);
  }
}

// The pictures of a session's streams, which run while they have readers.

/** Time without a reader after which streams are closed, in milliseconds, since each frame is copied. */
const IDLE_MS = 30_000;

/** Streams by node number. */
class PortalVideo {
  readonly #streams = new Map<number, Promise<VideoStream>>();
  readonly #idle = new IdleTimer(IDLE_MS, () => this.close());

  constructor(readonly session: PortalSession) {}

  /**
   * Returns the reader of a stream's newest frame; opens the stream if it is not open.
   * @param node The number of the stream's PipeWire node.
   * @throws DesktopUnavailableError if the session has ended, or PipeWire sends no picture.
   */
  async reader(node: number): Promise<FrameReader> {
    this.session.check();
    this.#idle.touch();
    const opening = this.#stream(node), stream = await opening;
    try {
      return await stream.ready();
    } catch (error) {
      if (this.#streams.get(node) === opening) this.#streams.delete(node); // unless it has been replaced
      stream.close();
      this.session.check(); // throws if the session has ended, which ends its streams
      throw error;
    }
  }

  /** Closes all streams; the next read reopens them. */
  close(): void {
    this.#idle.cancel();
    for (const stream of this.#streams.values()) stream.then((one) => one.close(), () => {});
    this.#streams.clear();
  }

  #stream(node: number): Promise<VideoStream> {
    const present = this.#streams.get(node);
    if (present) return present;
    const opening = this.session.openPipeWire().then((fd) => new VideoStream({ node, fd }));
    this.#streams.set(node, opening);
    opening.catch(() => this.#streams.delete(node));
    return opening;
  }
}

/** Pointer, keyboard and screen of a session. */
class PortalDesktop implements ConnectedDesktop {
  /** The session is never reopened automatically, since that would ask the person. */
  readonly connection = { isLost: false };
  readonly pointer: ConnectedPointer;
  readonly keyboard: LayoutKeyboard;
  readonly screen: Screen;
  readonly pointerTracker: PointerTracker;
  readonly live: LivePicture;
  readonly #video: PortalVideo;
  /** The clipboard, for pasting characters without a key. */
  readonly #clipboard: WaylandClipboard | undefined;
  /** Output names by the nodes of their streams. */
  readonly #names = new Map<number, string>();

  /**
   * @param bus The session bus, which is closed with the desktop.
   * @param wayland The connection of the outputs, which is closed with the desktop.
   */
  constructor(
    readonly bus: Bus,
    readonly session: PortalSession,
    source: Session,
    readonly wayland: Connection,
    readonly outputs: Outputs,
  ) {
    this.#video = new PortalVideo(session);
    const isGnome = bus.owner(MUTTER) !== undefined;
    const input = new PortalInput(session, source.socket, isGnome);
    const parts = streamedParts({
      input,
      arrangement: () => this.#arrangement(),
      reader: ({ output }) => this.#video.reader(output.node),
    });
    this.pointer = parts.pointer;
    this.screen = parts.screen;
    this.live = parts.live;
    this.pointerTracker = parts.pointerTracker;
    const method = isGnome ? new GnomeInputMethod(source.socket, bus) : undefined;
    // GNOME gives no Wayland program without a window access to its clipboard.
    this.#clipboard = isGnome ? undefined : new WaylandClipboard(source.socket);
    const keys = new RemoteKeys(input, { order: method });
    const paster = this.#clipboard && new ClipboardPaster(this.#clipboard);
    this.keyboard = openLayoutKeyboard({ keys, session: source, method, paster });
  }

  close(): void {
    this.keyboard.close();
    this.#clipboard?.close();
    this.#video.close();
    this.session.close();
    this.wayland.close();
    this.bus.close();
  }

  /** The current positions of the shared outputs. */
  #arrangement(): Arrangement<SharedOutput> {
    this.bus.dispatch();
    this.session.check();
    const present = this.outputs.arrangement().outputs.map(({ output }) => output);
    const shared = sharedOutputs(this.session.streams, present, this.#names);
    if (shared.length) return arrange(shared);
    throw new DesktopUnavailableError(
      "the shared screens are gone; restart deskhand to share them again",
    );
  }
}
