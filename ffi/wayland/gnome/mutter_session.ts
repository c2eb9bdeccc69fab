/**
 * A Mutter RemoteDesktop and ScreenCast session: input, and a stream of each display. GNOME shows its
 * screen-sharing indicator while a session is open.
 */

import type { Point, Region } from "../../../control/desktop/desktop.ts";
import { DesktopUnavailableError } from "../../../core/errors.ts";
import { deadline } from "../../../core/until.ts";
import type { Bus } from "../../linux/dbus/bus.ts";
import { BusError, ERROR_NAMES } from "../../linux/dbus/channel.ts";
import type { RemoteObject } from "../../linux/dbus/message.ts";
import { type Sent, Variant } from "../../linux/dbus/values.ts";
import type { FrameReader } from "../../linux/pipewire/frame_memory.ts";
import { VideoStream } from "../../linux/pipewire/stream.ts";
import { closedOnFailure } from "../../reconnecting.ts";
import { pixelsFrom, type RemoteInput } from "../streamed/remote_input.ts";
import { awaitKeyboard, pointerKnownAt, waitUntil } from "../streamed/seat.ts";
import type { PlacedOutput } from "../wire/outputs.ts";

// Names of Mutter's interfaces for remote control and screen recording, which are private to GNOME
// (mutter/data/dbus-interfaces).

/** The services, with the objects that create sessions. */
export const REMOTE_DESKTOP = service("RemoteDesktop");
export const SCREEN_CAST = service("ScreenCast");

/**
 * A session.
 * @param service The service that created the session.
 * @param path The result of its `CreateSession`.
 */
export function sessionAt(service: RemoteObject, path: string): RemoteObject {
  return { ...service, path, interface: `${service.interface}.Session` };
}

/** ScreenCast's `cursor-mode`: the pointer is delivered separately from the picture, with its position. */
const CURSOR_METADATA = 2;

function service(name: string): RemoteObject {
  const own = `org.gnome.Mutter.${name}`;
  return { destination: own, path: `/org/gnome/Mutter/${name}`, interface: own };
}

/**
 * Rethrows an error of opening a session.
 * @throws DesktopUnavailableError if Mutter refuses because the screen is locked; other errors unchanged.
 */
export function refused(error: unknown): never {
  if (!(error instanceof BusError)) throw error;
  const isInhibited = error.errorName === ERROR_NAMES.accessDenied;
  throw new DesktopUnavailableError(
    isInhibited ? "GNOME allows no control while the screen is locked" : error.message,
  );
}

/** Maximum time for Mutter to start a session and report each stream's node, in milliseconds. */
const NODE_MS = 10_000;

/** A display's stream. */
interface DisplayStream {
  path: string;
  /** The stream's PipeWire node, once Mutter has reported it. */
  node: Promise<number>;
  video?: VideoStream;
}

/** An open session. The caller closes it. */
export class MutterSession {
  readonly #streams = new Map<string, DisplayStream>();
  readonly #endings: (() => void)[] = [];
  #isEnded = false;

  private constructor(
    readonly bus: Bus,
    readonly owner: string,
    readonly object: RemoteObject,
    readonly remote: string | undefined,
    readonly nodeMs: number,
  ) {}

  /**
   * Opens a session.
   * @param owner The unique name of Mutter's connection.
   * @param displays Names of the displays.
   * @param remote The path of PipeWire's socket; the environment's if omitted.
   * @param nodeMs Maximum time for a stream to begin, in milliseconds; the session ends if one takes longer.
   * @throws DesktopUnavailableError if Mutter refuses, as it does while the screen is locked.
   */
  static async open(
    bus: Bus,
    owner: string,
    displays: readonly string[],
    remote?: string,
    nodeMs = NODE_MS,
  ): Promise<MutterSession> {
    const [path] = await bus.callAsync(REMOTE_DESKTOP, "CreateSession", "", [], "o").catch(refused);
    const session = new MutterSession(bus, owner, sessionAt(REMOTE_DESKTOP, path), remote, nodeMs);
    await closedOnFailure(session, () => session.#start(displays));
    return session;
  }

  /** Whether the session has ended: by Mutter, or by a person with GNOME's screen-sharing indicator. */
  get isEnded(): boolean {
    return this.#isEnded || [...this.#streams.values()].some(({ video }) => video?.error);
  }

  /** Whether the session has exactly these displays. */
  has(displays: readonly string[]): boolean {
    return displays.length === this.#streams.size && displays.every((name) => this.#streams.has(name));
  }

  /**
   * Sends input. Resolves when Mutter has received it.
   * @param member A session method that begins with `Notify` (org.gnome.Mutter.RemoteDesktop.xml).
   * @param signature The signature of the arguments.
   * @throws BusError if Mutter refuses, which ends the session; DesktopUnavailableError if it does not answer in time.
   */
  async notify(member: string, signature: string, args: readonly Sent[]): Promise<void> {
    try {
      await this.bus.callAsync(this.object, member, signature, args, "");
    } catch (error) {
      if (error instanceof BusError) this.#isEnded = true;
      throw error;
    }
  }

  /**
   * The path of a display's stream, which identifies the display in moves.
   * @throws DesktopUnavailableError if the session does not have the display.
   */
  pathOf(display: string): string {
    return this.#streamOf(display).path;
  }

  /**
   * Returns a reader of a display's newest frame; opens the display's stream if it is not open yet.
   * @throws DesktopUnavailableError if the session does not have the display or has ended, or if no frame
   * comes.
   */
  async reader(display: string): Promise<FrameReader> {
    const stream = this.#streamOf(display), node = await stream.node;
    if (this.#isEnded) throw new DesktopUnavailableError("the session with GNOME has ended");
    stream.video ??= new VideoStream({ node, remote: this.remote });
    return await stream.video.ready();
  }

  /** Ends the session, which releases all keys and buttons. Safe to call twice. */
  close(): void {
    for (const end of this.#endings.splice(0)) end();
    for (const { video } of this.#streams.values()) video?.close();
    this.bus.tell(this.object, "Stop", "", []); // Mutter may already have ended it
    this.#isEnded = true;
  }

  #streamOf(display: string): DisplayStream {
    const stream = this.#streams.get(display);
    if (stream) return stream;
    throw new DesktopUnavailableError(`the display ${display} is gone`);
  }

  async #start(displays: readonly string[]): Promise<void> {
    const { bus, object, owner } = this;
    const closed = { sender: owner, path: object.path, interface: object.interface, member: "Closed" };
    this.#endings.push(bus.listen(closed, () => this.#isEnded = true));
    const id = String(await bus.propertyAsync(object, "SessionId"));
    const options = { "remote-desktop-session-id": new Variant("s", id) };
    const [path] = await bus.callAsync(SCREEN_CAST, "CreateSession", "a{sv}", [options], "o").catch(refused);
    for (const display of displays) await this.#record(sessionAt(SCREEN_CAST, path), display);
    await bus.callAsync(object, "Start", "", [], "").catch(refused);
  }

  /** Creates a display's stream, which sends no frames until a reader opens it in PipeWire. */
  async #record(cast: RemoteObject, display: string): Promise<void> {
    const options = { "cursor-mode": new Variant("u", CURSOR_METADATA) };
    const [path] = await this.bus.callAsync(cast, "RecordMonitor", "sa{sv}", [display, options], "o");
    const { promise: node, resolve, reject } = Promise.withResolvers<number>();
    node.catch(() => {}); // a caller may never wait for the node
    const late = () => {
      this.#isEnded = true; // the next use opens another one
      reject(new DesktopUnavailableError("GNOME did not provide a screen stream"));
    };
    const withdraw = deadline(this.nodeMs, late), rest = this.bus.stayAwake();
    const done = () => (withdraw(), rest());
    const rule = { sender: this.owner, path, member: "PipeWireStreamAdded" };
    const end = this.bus.listen(rule, ({ values }) => {
      done();
      resolve(Number(values[0]));
    });
    this.#endings.push(end, done);
    this.#streams.set(display, { path, node });
  }
}

// Input through Mutter's RemoteDesktop.

/** Sends input to a session, which the first input opens. */
export class MutterInput implements RemoteInput {
  /** The position of the last move, in pixels of the desktop. */
  #place: Point | undefined;
  /** Pressed buttons and keys. */
  readonly #down = new Set<string>();
  /** The session whose keyboard programs have learned of. */
  #known: MutterSession | undefined;
  /** The session with a pointer, and the time from which programs know about it. */
  #pointed: { session: MutterSession; knownAt: number } | undefined;

  /**
   * @param session Returns the open session.
   * @param socket The path of the compositor's Wayland socket.
   * @param outputCount Returns the number of displays.
   */
  constructor(
    readonly session: () => Promise<MutterSession>,
    readonly socket: string,
    readonly outputCount: () => number,
  ) {}

  /** Whether a key or button is pressed. */
  get isHolding(): boolean {
    return this.#down.size > 0;
  }

  async move(to: PlacedOutput, place: Point): Promise<void> {
    const { session } = await this.#withPointer(), { region } = to;
    const point: Point = {
      x: region.x + Math.round(place.x * region.width),
      y: region.y + Math.round(place.y * region.height),
    };
    if (this.outputCount() > 1 && !this.#isSafeWay(region)) {
      for (let i = 0; i < 2; i++) await this.#motion(session, to, { x: 0.5, y: 0.5 });
    }
    this.#place = point;
    await this.#motion(session, to, place);
  }

  async button(code: number, down: boolean): Promise<void> {
    const session = await this.#withKnownPointer();
    this.#note(`button ${code}`, down);
    await session.notify("NotifyPointerButton", "ib", [code, down]);
  }

  async scroll(axis: number, notches: number): Promise<void> {
    const session = await this.#withKnownPointer();
    await session.notify("NotifyPointerAxisDiscrete", "ui", [axis, notches]);
  }

  async key(code: number, down: boolean): Promise<void> {
    const session = await this.#withKeyboard();
    this.#note(`key ${code}`, down);
    await pressKey(session, code, down);
  }

  /** Forgets the pressed keys and buttons, since Mutter releases them with the session. */
  forget(): void {
    this.#down.clear();
  }

  async #withKeyboard(): Promise<MutterSession> {
    const session = await this.session();
    if (session === this.#known) return session;
    await awaitKeyboard(this.socket, (code, down) => pressKey(session, code, down));
    this.#known = session;
    return session;
  }

  async #withPointer(): Promise<{ session: MutterSession; knownAt: number }> {
    const session = await this.session();
    if (session === this.#pointed?.session) return this.#pointed;
    const move = () => session.notify("NotifyPointerMotionRelative", "dd", [0, 0]);
    return this.#pointed = { session, knownAt: await pointerKnownAt(this.socket, move) };
  }

  async #withKnownPointer(): Promise<MutterSession> {
    const { session, knownAt } = await this.#withPointer();
    await waitUntil(knownAt);
    return session;
  }

  async #motion(session: MutterSession, { output, scale }: PlacedOutput, place: Point): Promise<void> {
    const { x, y } = pixelsFrom(place, output.mode, scale);
    await session.notify("NotifyPointerMotionAbsolute", "sdd", [session.pathOf(output.name), x, y]);
  }

  /**
   * Whether nothing stops the pointer on its way to an output. GNOME stops the pointer at the end of the top
   * panel on its way to another display, and on the line between two displays, so that a person hits the menu
   * there. The pointer gets past through the middle of the other display: the first attempt moves it down
   * along the line, the second starts from there.
   */
  #isSafeWay({ x, y, width, height }: Region): boolean {
    const from = this.#place;
    return from !== undefined && from.x > x && from.y > y && from.x < x + width - 1 &&
      from.y < y + height - 1;
  }

  #note(what: string, down: boolean): void {
    if (down) this.#down.add(what);
    else this.#down.delete(what);
  }
}

async function pressKey(session: MutterSession, code: number, down: boolean): Promise<void> {
  await session.notify("NotifyKeyboardKeycode", "ub", [code, down]);
}
