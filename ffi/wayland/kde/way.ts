/**
 * KWin, KDE Plasma's compositor: the way, what `deskhand doctor` finds, the parts of the desktop that share
 * connections to KWin and to the session bus, and the permission that `deskhand setup` writes and makes KDE
 * read.
 */

import { DesktopUnavailableError, ExpectedError, NoDesktopError, StateError } from "../../../core/errors.ts";
import { until } from "../../../core/until.ts";
import { Bus } from "../../linux/dbus/bus.ts";
import type { Finding, Permission } from "../../permission.ts";
import { closedOnFailure } from "../../reconnecting.ts";
import { liveOfFrames, playOnThread } from "../../on_thread.ts";
import { engineFinding, protocolFinding, recordingFinding, screenFinding } from "../findings.ts";
import type { ConnectedDesktop, Probe, Session, Way } from "../way.ts";
import { WaylandClipboard } from "../wire/clipboard.ts";
import { Connection, Registry, serverOf } from "../wire/connection.ts";
import { Link, type Protocol } from "../wire/link.ts";
import {
  FAKE_INPUT,
  FAKE_INPUT_VERSIONS,
  KEY_STATE,
  KwinKeys,
  KwinPointer,
  tellsModifiers,
  WINDOW_MANAGEMENT,
} from "./keys.ts";
import { missingPermission, permissionPath, permissionState, writePermission } from "./permission.ts";
import { KwinScreen, missingScreenshots } from "./screenshot.ts";
import { KwinWindows } from "./windows.ts";
import type { LivePicture } from "../../../control/desktop/desktop.ts";
import { type LayoutKeyboard, openLayoutKeyboard } from "../layout/layout_keyboard.ts";
import { Outputs } from "../wire/outputs.ts";
import { KwinPaster } from "./paster.ts";

/** The way that uses `org_kde_kwin_fake_input` and `org.kde.KWin.ScreenShot2`. */
export const KDE: Way = {
  /** KWin reads deskhand's whole executable before its first answer on a connection. */
  waitsMs: 60_000,

  async missing(probe) {
    const path = permissionPath();
    // Only the file is checked, since asking KWin for its protocols is slow; connecting finds further
    // problems.
    return path && permissionState(path) === "given" ? undefined : missingPermission(await probe.registry());
  },
  permission: kdePermission,
  connect: (session, probe) => KdeDesktop.open(session, probe?.keep()),
  // A Worker's own connection would stop the desktop while KWin reads the executable (`QUIRKS.kwinChecksum`).
  playOnThread,
  makeWindows: (session, _elements, link) => new KwinWindows(session, link),
  makeClipboard: ({ socket }) => new WaylandClipboard(socket),
  inspect: inspectKde,
};

/** Protocols in display order. */
const PROTOCOLS: readonly Protocol[] = [
  { interfaces: [FAKE_INPUT.name], purpose: "pointer, keys and text", isNeeded: true },
  { interfaces: ["zwlr_layer_shell_v1"], purpose: "where the pointer is", isNeeded: false },
  { interfaces: ["zwlr_data_control_manager_v1"], purpose: "the clipboard", isNeeded: false },
  { interfaces: [WINDOW_MANAGEMENT.name], purpose: "windows", isNeeded: false },
];

/** KWin in Plasma 5 reports only lock keys; in Plasma 6 also held modifiers; held letters in neither. */
function heldKeysFinding(registry: Registry): Finding {
  const detail = tellsModifiers(registry.version(KEY_STATE.name))
    ? "KWin keeps the keys that you hold: a text is refused with modifiers, and lacks a letter once"
    : "KWin does not report the keys that you hold: deskhand releases them for a text";
  return { name: "held keys", ok: true, detail };
}

/** Reports the permission file, each interface, the features that they enable, and the input method. */
async function inspectKde(probe: Probe, missing: string | undefined): Promise<Finding[]> {
  const { session, connection } = probe, registry = await probe.registry();
  const protocols = PROTOCOLS.map((protocol) => protocolFinding(registry, protocol));
  const rest = missing === undefined
    ? [
      ...await engineFinding(session),
      heldKeysFinding(registry),
      await screenFinding(connection, registry),
      recordingFinding(),
    ]
    : [];
  return [permissionFinding(), ...protocols, picturesFinding(session), ...rest];
}

function picturesFinding({ buses }: Session): Finding {
  const name = "pictures";
  try {
    using bus = Bus.open(buses);
    const missing = missingScreenshots(bus);
    return { name, ok: missing === undefined, detail: missing ?? "by KWin's screenshots" };
  } catch (error) {
    if (!(error instanceof ExpectedError)) throw error;
    return { name, ok: false, detail: error.message };
  }
}

/** Descriptions of the permission file's states. */
const STATES = {
  given: "allows this executable",
  missing: "is missing; to write it, run: deskhand setup",
  outdated: "is of another executable or version of deskhand; to write it anew, run: deskhand setup",
  foreign: "is not deskhand's; move it away, then run: deskhand setup",
} as const;

function permissionFinding(): Finding {
  const name = "permission", path = permissionPath();
  if (!path) return { name, ok: false, detail: "HOME is not set, so there is no place for the file" };
  const state = permissionState(path);
  return { name, ok: state === "given", detail: `${path} ${STATES[state]}` };
}

/** Maximum time for KDE to read a new file, and interval between checks, in milliseconds. */
const READ_MS = 20_000, LOOK_MS = 250;
/** KDE's daemon, which maintains the index of desktop files: in Plasma 6 and 5. */
const DAEMONS = ["org.kde.kded6", "org.kde.kded5"];

/** @returns undefined if KWin already lets deskhand control it, or there is no place for the file. */
async function kdePermission({ session, registry }: Probe): Promise<Permission | undefined> {
  const path = permissionPath();
  if (!path || missingPermission(await registry()) === undefined) return undefined;
  return {
    description: "KDE lets only programs that a permission file allows send input and take screenshots. " +
      `deskhand writes ${path}, which allows this executable to do so. deskhand setup --remove undoes this.`,
    async grant() {
      writePermission(path);
      rebuildIndex(session);
      if (await until(() => isRead(session), { ms: READ_MS, every: LOOK_MS })) {
        return `${path} has been written, and KWin has read it.`;
      }
      throw new StateError(
        `${path} has been written, but KWin has not read it yet. Run: kbuildsycoca6 (Plasma 5: kbuildsycoca5)`,
      );
    },
  };
}

/** Whether KWin lets a new connection control it. */
async function isRead({ socket }: Session): Promise<boolean> {
  using connection = Connection.open(socket);
  return connection !== undefined && missingPermission(await Registry.open(connection)) === undefined;
}

/** Tells KDE to look for new desktop files now rather than later. */
function rebuildIndex({ buses }: Session): void {
  try {
    using bus = Bus.open(buses);
    const destination = DAEMONS.find((name) => bus.owner(name) !== undefined);
    const builder = { path: "/kbuildsycoca", interface: "org.kde.kbuildsycoca" };
    if (destination) bus.call({ ...builder, destination }, "recreate", "", [], "");
  } catch (error) {
    if (!(error instanceof DesktopUnavailableError || error instanceof NoDesktopError)) throw error;
  }
}

/** A connection to KWin. */
class KdeDesktop implements ConnectedDesktop {
  readonly pointer: KwinPointer;
  readonly keyboard: LayoutKeyboard;
  readonly screen: KwinScreen;
  readonly live: LivePicture;
  /** Types text that the keyboard cannot type, through the clipboard. */
  readonly #paster: KwinPaster;

  readonly server: string | undefined;
  readonly wayland: Connection;
  // KWin takes a second or more for each connection. A process that stays uses its connection for several
  // things at the same time.
  readonly link: Link | undefined;

  private constructor(session: Session, link: Link, readonly bus: Bus, registry: Registry, outputs: Outputs) {
    const wayland = this.wayland = link.connection;
    this.server = serverOf(wayland);
    this.link = session.brief && link;
    const seat = registry.bindFirst("wl_seat", 5);
    const fakeInput = registry.bindFirst(FAKE_INPUT.name, FAKE_INPUT_VERSIONS.newest);
    wayland.request(fakeInput, FAKE_INPUT.authenticate, "deskhand", "control of this desktop");
    this.#paster = new KwinPaster(session.socket, this.link);
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
  }

  /**
   * Connects to KWin.
   * @param link The connection; a new one if omitted.
   * @returns undefined if there is no compositor, or it refuses this user.
   * @throws NoDesktopError if there is no bus, or KWin does not let deskhand control it;
   * DesktopUnavailableError if KWin ends before that.
   */
  static async open(session: Session, link = Link.open(session.socket)): Promise<KdeDesktop | undefined> {
    return link && await closedOnFailure(link.connection, async (wayland) => {
      const bus = await Bus.openAside(session.buses);
      return await closedOnFailure(bus, async () => {
        const registry = await link.registry(), missing = missingPermission(registry);
        if (missing) throw new NoDesktopError(`KWin ${missing}`);
        const outputs = await Outputs.open(wayland, registry);
        const desktop = new KdeDesktop(session, link, bus, registry, outputs);
        await wayland.handled();
        return desktop;
      });
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
    this.keyboard.close(); // restores settings, and presses nothing
    this.#paster.close();
    this.pointer.close();
    this.wayland.close();
    this.bus.close();
  }
}
