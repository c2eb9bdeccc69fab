/** GNOME through Mutter's own interfaces, which need no consent, and what `deskhand doctor` finds there. */

import { basename } from "../../../core/path.ts";
import { Bus } from "../../linux/dbus/bus.ts";
import { NoAnswerError } from "../../linux/dbus/channel.ts";
import { changesText, Ibus } from "../../linux/input_method/ibus.ts";
import { hasPipeWire, PIPEWIRE_MISSING } from "../../linux/pipewire/symbols.ts";
import type { Finding } from "../../permission.ts";
import { closedOnFailure } from "../../reconnecting.ts";
import { recordingFinding, screenFinding } from "../findings.ts";
import type { ConnectedDesktop, ConnectedPointer, PointerTracker, Probe, Session, Way } from "../way.ts";
import { GnomeClipboard } from "./clipboard.ts";
import { MutterInput, MutterSession, REMOTE_DESKTOP, SCREEN_CAST } from "./mutter_session.ts";
import { DisplayConfig, GnomeWindows, KNOWN_WINDOWS } from "./windows.ts";
import type { LivePicture, Screen } from "../../../control/desktop/desktop.ts";
import { attempt, DesktopUnavailableError } from "../../../core/errors.ts";
import { IdleTimer } from "../../../core/until.ts";
import type { Answering } from "../../linux/message_socket.ts";
import type { FrameReader } from "../../linux/pipewire/frame_memory.ts";
import type { PlacedOutput } from "../wire/outputs.ts";
import { type LayoutKeyboard, openLayoutKeyboard } from "../layout/layout_keyboard.ts";
import { ClipboardPaster } from "../layout/text_paster.ts";
import { GnomeInputMethod } from "../streamed/input_method.ts";
import { RemoteKeys } from "../streamed/remote_input.ts";
import { streamedParts } from "../streamed/streamed_parts.ts";

/** The way that uses org.gnome.Mutter.RemoteDesktop and ScreenCast, and PipeWire. */
export const GNOME: Way = {
  /** GNOME starts its screen cast services on first use. */
  waitsMs: 20_000,

  missing: () =>
    Promise.try(() => hasPipeWire() ? undefined : `gives pictures by PipeWire, and ${PIPEWIRE_MISSING}`),
  connect: (session) => GnomeDesktop.open(session),
  makeWindows: ({ socket }, elements) => new GnomeWindows(socket, elements),
  makeClipboard: ({ buses }) => new GnomeClipboard(buses),
  inspect: inspectGnome,
};

/** Each interface's purpose. */
const SERVICES = [
  { service: REMOTE_DESKTOP, purpose: "pointer, keyboard and clipboard" },
  { service: SCREEN_CAST, purpose: "pictures, and where the pointer is" },
] as const;

/** Reports the interfaces, PipeWire, the input method and the screen. */
async function inspectGnome(probe: Probe, missing: string | undefined): Promise<Finding[]> {
  const { session, connection } = probe;
  using bus = Bus.open(session.buses);
  const services = SERVICES.map(({ service, purpose }): Finding => {
    const isThere = bus.owner(service.destination) !== undefined;
    const found = isThere ? `found ${bus.property(service, "Version")}` : "missing";
    return {
      name: service.interface,
      ok: isThere,
      detail: `${found}, for ${purpose}; GNOME asks no person for it`,
    };
  });
  const pipewire = {
    name: "pipewire",
    ok: missing === undefined,
    detail: missing ?? "libpipewire-0.3 is there",
  };
  const windows = { name: "windows", ok: true, detail: KNOWN_WINDOWS }; // deskhand works without windows
  const screen = await screenFinding(connection, await probe.registry());
  const method = await inputMethodFinding(session);
  return [...services, pipewire, method, screen, windows, recordingFinding()];
}

/** Reports which input method is active, and how text gets past it. */
async function inputMethodFinding({ socket }: Session): Promise<Finding> {
  const name = "input method";
  try {
    using ibus = await Ibus.open(basename(socket));
    if (!ibus) {
      const detail = "none (IBus does not run): a text with characters that no key types is pasted by Ctrl+V";
      return { name, ok: true, detail };
    }
    const engine = await ibus.engine();
    const detail = changesText(engine)
      ? `IBus with ${engine}, which converts keys to other text: text bypasses it, and single keys, ` +
        "shortcuts and keys typed on the live page go through it"
      : `IBus with ${
        engine ?? "no engine"
      }, which passes keys on: a text with characters that no key types is committed`;
    return { name, ok: true, detail };
  } catch (error) {
    if (!(error instanceof NoAnswerError)) throw error;
    return { name, ok: false, detail: `${error.message}: texts and keys may not arrive` };
  }
}

// GNOME's desktop through Mutter's own interfaces: a session is opened when it is first needed, and closed
// when idle.

/** Time after which an unused session without pressed keys or buttons is closed, in milliseconds. */
const IDLE_MS = 30_000;

/** Pointer, keyboard and screen of one run of GNOME Shell. */
export class GnomeDesktop implements ConnectedDesktop {
  readonly connection: ConnectedDesktop["connection"] = this;
  readonly pointer: ConnectedPointer;
  readonly keyboard: LayoutKeyboard;
  readonly screen: Screen;
  readonly pointerTracker: PointerTracker;
  readonly live: LivePicture;
  readonly #answering: Answering;
  readonly #input: MutterInput;
  /** Pastes characters without a key into fields that accept no text from the input method. */
  readonly #clipboard: GnomeClipboard;
  #isGone = false;
  #opening: Promise<MutterSession> | undefined;
  #session: MutterSession | undefined;
  sessions = 0;
  /** The number of pending waits for frames of streams. */
  #readings = 0;
  readonly #idle: IdleTimer;

  private constructor(
    readonly bus: Bus,
    readonly owner: string,
    readonly displays: DisplayConfig,
    readonly source: Session,
    idleMs: number,
  ) {
    bus.onOwnerChange(REMOTE_DESKTOP.destination, () => this.#isGone = true);
    this.#idle = new IdleTimer(idleMs, () => this.#rest());
    this.#answering = bus.answering(owner, "GNOME Shell");
    const arrangement = () => this.displays.arrangement();
    this.#input = new MutterInput(() => this.session(), source.socket, () => arrangement().outputs.length);
    const parts = streamedParts({
      input: this.#input,
      arrangement,
      reader: (output) => this.#reader(output),
      checkShared: () => this.#checkShared(),
    });
    this.pointer = parts.pointer;
    this.screen = parts.screen;
    this.live = parts.live;
    this.pointerTracker = parts.pointerTracker;
    this.#clipboard = new GnomeClipboard(source.buses);
    const method = new GnomeInputMethod(source.socket, bus);
    const keys = new RemoteKeys(this.#input, { order: method, isCapsLocked: () => this.#isCapsLocked() });
    const paster = new ClipboardPaster(this.#clipboard);
    this.keyboard = openLayoutKeyboard({ keys, session: source, settings: "gnome", method, paster });
  }

  /**
   * Connects to GNOME.
   * @param idleMs Idle time after which a session is closed.
   * @returns undefined if GNOME is not running.
   * @throws NoDesktopError if there is no bus; DesktopUnavailableError if the bus does not answer.
   */
  static async open(session: Session, idleMs = IDLE_MS): Promise<GnomeDesktop | undefined> {
    return await closedOnFailure(await Bus.openAside(session.buses), async (bus) => {
      const owner = await bus.ownerAsync(REMOTE_DESKTOP.destination);
      if (owner !== undefined) {
        return new GnomeDesktop(bus, owner, await DisplayConfig.open(bus, owner), session, idleMs);
      }
      bus.close();
    });
  }

  /** Waits until GNOME Shell answers and its displays are known, as defined by `Desktop.answering`. */
  answering(): Promise<void> | undefined {
    return this.#answering.wait()?.then(() => this.displays.update()) ?? this.displays.update();
  }

  /** Closes the connection to a GNOME Shell that does not answer, as defined by `Desktop.cutIfSilent`. */
  cutIfSilent(): void {
    if (this.#answering.isSilentAtEnd()) this.bus.close();
  }

  /** Whether GNOME Shell or the bus has ended. */
  get isLost(): boolean {
    attempt(() => this.bus.dispatch(), undefined, DesktopUnavailableError);
    return this.bus.isLost || this.#isGone;
  }

  /** Whether a session is open, so that GNOME shows its screen-sharing indicator. */
  get isShared(): boolean {
    return this.#session !== undefined;
  }

  /**
   * The session; opens one if there is none, or if the displays have changed.
   * @throws DesktopUnavailableError if GNOME refuses.
   */
  session(): Promise<MutterSession> {
    const names = this.#names();
    if (this.#session && (this.#session.isEnded || !this.#session.has(names))) this.#endSession();
    this.#idle.touch();
    return this.#opening ??= this.#open(names);
  }

  close(): void {
    this.keyboard.close();
    this.#clipboard.close();
    this.#endSession();
    this.bus.close();
  }

  async #open(names: readonly string[]): Promise<MutterSession> {
    try {
      const session = await MutterSession.open(this.bus, this.owner, names, this.source.pipewire);
      this.sessions++;
      if (this.bus.isLost) session.close(); // the desktop was closed meanwhile
      return this.#session = session;
    } catch (error) {
      this.#opening = undefined;
      throw error;
    }
  }

  async #isCapsLocked(): Promise<boolean> {
    const { bus, object } = await this.session();
    return await bus.propertyAsync(object, "CapsLockState") === true;
  }

  #names(): string[] {
    return this.displays.arrangement().outputs.map(({ output }) => output.name);
  }

  #endSession(): void {
    this.#idle.cancel();
    this.#session?.close();
    this.#session = this.#opening = undefined;
    this.#input.forget();
  }

  /** Closes a session when it is unused. */
  #rest(): void {
    const isOpening = this.#opening !== undefined && this.#session === undefined;
    if (this.#input.isHolding || this.#readings > 0 || isOpening) this.#idle.touch();
    else this.#endSession();
  }

  async #reader({ output }: PlacedOutput): Promise<FrameReader> {
    this.#readings++; // the first frame may take longer than a session may be idle
    try {
      return await (await this.session()).reader(output.name);
    } finally {
      this.#readings--;
    }
  }

  /** Throws if a person has stopped sharing the screen: only the next action shares it again. */
  #checkShared(): void {
    this.bus.dispatch();
    if (this.#session?.isEnded) throw new DesktopUnavailableError("GNOME has stopped sharing its screen");
  }
}
