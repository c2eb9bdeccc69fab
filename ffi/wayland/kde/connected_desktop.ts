/** The parts of a KDE desktop that share their connections: to KWin by Wayland, and by the session's bus. */

import type { LivePicture } from "../../../control/desktop/desktop.ts";
import { NoDesktopError } from "../../../core/errors.ts";
import { Bus } from "../../linux/dbus/bus.ts";
import { liveOfFrames } from "../../on_thread.ts";
import type { ConnectedDesktop, Session } from "../way.ts";
import { type LayoutKeyboard, openLayoutKeyboard } from "../layout/layout_keyboard.ts";
import type { Connection } from "../wire/connection.ts";
import { Link } from "../wire/link.ts";
import { Outputs } from "../wire/outputs.ts";
import { FAKE_INPUT, FAKE_INPUT_VERSIONS, KwinKeys, KwinPointer } from "./keys.ts";
import { KwinPaster } from "./paster.ts";
import { missingPermission } from "./permission.ts";
import { KwinScreen } from "./screenshot.ts";

/** A connection to KWin. */
export class KdeDesktop implements ConnectedDesktop {
  readonly pointer: KwinPointer;
  readonly keyboard: LayoutKeyboard;
  readonly screen: KwinScreen;
  readonly live: LivePicture;
  /** The clipboard's way for text that the keyboard cannot type. */
  readonly #paster: KwinPaster;

  readonly wayland: Connection;
  // KWin takes a second and more for each connection. A process that stays uses its connection for several things at a
  // time.
  readonly link: Link | undefined;

  private constructor(session: Session, link: Link, readonly bus: Bus) {
    const { connection: wayland, registry } = link;
    this.wayland = wayland;
    this.link = session.brief && link;
    const missing = missingPermission(registry);
    if (missing) throw new NoDesktopError(`KWin ${missing}`);
    const seat = registry.bindFirst("wl_seat", 5);
    const fakeInput = registry.bindFirst(FAKE_INPUT.name, FAKE_INPUT_VERSIONS.newest);
    wayland.request(fakeInput, FAKE_INPUT.authenticate, "deskhand", "control of this desktop");
    const outputs = new Outputs(wayland, registry);
    this.#paster = new KwinPaster(session.socket, this.link);
    wayland.roundtrip();
    this.pointer = new KwinPointer(wayland, registry, outputs, seat, fakeInput);
    const keys = new KwinKeys(wayland, registry, fakeInput, bus, session.brief === undefined);
    this.keyboard = openLayoutKeyboard({
      keys,
      session,
      settings: "kde",
      paster: this.#paster,
      link: this.link,
    });
    this.screen = new KwinScreen(outputs, bus);
    this.live = liveOfFrames(this.screen);
    wayland.roundtrip();
  }

  /**
   * Connects to KWin.
   * @param link The connection; a new one if left out.
   * @returns undefined if there is no compositor, or the compositor refuses this user.
   * @throws NoDesktopError if there is no bus, or KWin does not let deskhand control it; DesktopUnavailableError if
   *   KWin ends before that.
   */
  static open(session: Session, link = Link.open(session.socket)): KdeDesktop | undefined {
    return Link.use(link, (link) => {
      const bus = Bus.open(session.buses);
      try {
        return new KdeDesktop(session, link, bus);
      } catch (error) {
        bus.close();
        throw error;
      }
    });
  }

  /** The state of both connections. */
  get connection(): ConnectedDesktop["connection"] {
    const { wayland, bus } = this;
    return {
      isLost: wayland.isLost || bus.isLost,
      answering: () => wayland.answering(),
      cutIfSilent: () => {
        wayland.cutIfSilent();
        if (wayland.isLost) bus.close(); // KWin answers both
      },
    };
  }

  showWindows(serverId: Parameters<KwinScreen["showWindows"]>[0]): void {
    this.screen.showWindows(serverId);
  }

  close(): void {
    this.keyboard.close(); // puts settings back, and presses nothing
    this.#paster.close();
    this.pointer.close();
    this.wayland.close();
    this.bus.close();
  }
}
