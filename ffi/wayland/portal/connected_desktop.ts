/** A desktop over a session of the portal. It ends with the session, and only a new start asks for consent again. */

import type { LivePicture, Screen } from "../../../control/desktop.ts";
import { DesktopUnavailableError } from "../../../core/errors.ts";
import type { Bus } from "../../linux/dbus/bus.ts";
import type { ConnectedDesktop, ConnectedPointer, PointerTracker } from "../connected_desktop.ts";
import type { LayoutKeyboard } from "../layout/layout_keyboard.ts";
import { openLayoutKeyboard } from "../layout/mod.ts";
import { ClipboardPaster } from "../layout/text_paster.ts";
import type { Session } from "../session.ts";
import { GnomeInputMethod } from "../streamed/input_method.ts";
import { RemoteKeys } from "../streamed/remote_input.ts";
import { streamedParts } from "../streamed/streamed_parts.ts";
import { WaylandClipboard } from "../wire/clipboard.ts";
import { compositorGone, Connection } from "../wire/connection.ts";
import { arrange, type Arrangement } from "../wire/geometry.ts";
import { Outputs } from "../wire/outputs.ts";
import { Registry } from "../wire/registry.ts";
import { PortalInput } from "./input.ts";
import { MUTTER } from "./names.ts";
import type { PortalSession } from "./session.ts";
import { type SharedOutput, sharedOutputs } from "./shared_outputs.ts";
import { PortalVideo } from "./video.ts";

/** Pointer, keyboard and screen of a session. */
export class PortalDesktop implements ConnectedDesktop {
  /** The session is never opened again by itself, since that would ask the person. */
  readonly connection = { isLost: false };
  readonly pointer: ConnectedPointer;
  readonly keyboard: LayoutKeyboard;
  readonly screen: Screen;
  readonly pointerTracker: PointerTracker;
  readonly live: LivePicture;
  readonly #wayland: Connection;
  readonly #outputs: Outputs;
  readonly #video: PortalVideo;
  /** The clipboard, to paste characters that no key has. */
  readonly #clipboard: WaylandClipboard | undefined;
  /** Names of outputs by the nodes of their streams. */
  readonly #names = new Map<number, string>();

  /**
   * @param bus The session's bus, which is closed with the desktop.
   * @throws DesktopUnavailableError if the compositor is gone.
   */
  constructor(readonly bus: Bus, readonly session: PortalSession, source: Session) {
    const wayland = this.#wayland = Connection.open(source.socket) ?? compositorGone(source.socket);
    this.#outputs = new Outputs(wayland, new Registry(wayland));
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
    // GNOME gives its clipboard to no program of Wayland that has no window.
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
    this.#wayland.close();
    this.bus.close();
  }

  /** The present places of the shared outputs. */
  #arrangement(): Arrangement<SharedOutput> {
    this.bus.dispatch();
    this.session.check();
    const present = this.#outputs.arrangement().outputs.map(({ output }) => output);
    const shared = sharedOutputs(this.session.streams, present, this.#names);
    if (shared.length) return arrange(shared);
    throw new DesktopUnavailableError(
      "the screens that were shared are gone; start deskhand again to be asked again",
    );
  }
}
