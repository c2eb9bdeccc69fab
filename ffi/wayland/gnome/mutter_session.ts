/**
 * A session of Mutter's RemoteDesktop and ScreenCast: input, and a stream of each display. GNOME shows its sign of a
 * shared screen as long as a session is open.
 */

import { DesktopUnavailableError } from "../../../core/errors.ts";
import type { Bus } from "../../linux/dbus/bus.ts";
import type { RemoteObject } from "../../linux/dbus/objects.ts";
import { BusError } from "../../linux/dbus/errors.ts";
import { type Sent, Variant } from "../../linux/dbus/values.ts";
import { CURSOR_METADATA, refused, REMOTE_DESKTOP, SCREEN_CAST, sessionAt } from "./mutter.ts";
import type { FrameReader } from "../../linux/pipewire/frame_memory.ts";
import { VideoStream } from "../../linux/pipewire/stream.ts";

/** The time that Mutter may take to start a session and to say which node each stream has, in milliseconds. */
const NODE_MS = 10_000;

/** A display's stream. */
interface DisplayStream {
  path: string;
  /** The stream's node in PipeWire, when Mutter has said so. */
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
   * @param remote The path of PipeWire's socket; the environment's if left out.
   * @param nodeMs How long the streams may take to begin, in milliseconds; the session ends if one takes longer.
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
    try {
      await session.#start(displays);
      return session;
    } catch (error) {
      session.close();
      throw error;
    }
  }

  /** Tells whether the session has ended: Mutter ended it, or a person did by GNOME's sign of a shared screen. */
  get isEnded(): boolean {
    return this.#isEnded || [...this.#streams.values()].some(({ video }) => video?.error);
  }

  /** Tells whether the session has exactly these displays. */
  has(displays: readonly string[]): boolean {
    return displays.length === this.#streams.size && displays.every((name) => this.#streams.has(name));
  }

  /**
   * Sends input. Resolves when Mutter has taken it.
   * @param member A method of the session that begins with `Notify` (org.gnome.Mutter.RemoteDesktop.xml).
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
   * The path of a display's stream, by which moves name the display.
   * @throws DesktopUnavailableError if the session does not have the display.
   */
  pathOf(display: string): string {
    return this.#streamOf(display).path;
  }

  /**
   * Gives a reader of a display's newest frame; opens the display's stream where it is not open yet.
   * @throws DesktopUnavailableError if the session does not have the display, has ended, or no frame comes.
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
    this.bus.tell(this.object, "Stop", "", []); // Mutter may have ended it already
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

  /** Makes the stream of a display, which sends no frames until a reader opens it in PipeWire. */
  async #record(cast: RemoteObject, display: string): Promise<void> {
    const options = { "cursor-mode": new Variant("u", CURSOR_METADATA) };
    const [path] = await this.bus.callAsync(cast, "RecordMonitor", "sa{sv}", [display, options], "o");
    const { promise: node, resolve, reject } = Promise.withResolvers<number>();
    node.catch(() => {}); // no caller may ever wait for the node
    const late = () => {
      this.#isEnded = true; // the next use opens another one
      reject(new DesktopUnavailableError("GNOME gives no stream of its screen"));
    };
    const timer = setTimeout(late, this.nodeMs), rest = this.bus.stayAwake();
    const done = () => (clearTimeout(timer), rest());
    const rule = { sender: this.owner, path, member: "PipeWireStreamAdded" };
    const end = this.bus.listen(rule, ({ values }) => {
      done();
      resolve(Number(values[0]));
    });
    this.#endings.push(end, done);
    this.#streams.set(display, { path, node });
  }
}
