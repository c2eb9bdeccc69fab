/** GNOME by Mutter's own interfaces, which ask no person, and what `deskhand doctor` finds there. */

import { basename } from "../../../core/path.ts";
import { Bus } from "../../linux/dbus/bus.ts";
import { NoAnswerError } from "../../linux/dbus/channel.ts";
import { changesText, Ibus } from "../../linux/input_method/ibus.ts";
import { hasPipeWire, PIPEWIRE_MISSING } from "../../linux/pipewire/symbols.ts";
import type { Finding } from "../../permission.ts";
import { recordingFinding, screenFinding } from "../findings.ts";
import type { Session } from "../session.ts";
import type { Probe, Way } from "../way.ts";
import { GnomeClipboard } from "./clipboard.ts";
import { GnomeDesktop } from "./connected_desktop.ts";
import { REMOTE_DESKTOP, SCREEN_CAST } from "./mutter_session.ts";
import { GnomeWindows, KNOWN_WINDOWS } from "./windows.ts";

/** The way of org.gnome.Mutter.RemoteDesktop and ScreenCast, and of PipeWire. */
export const GNOME: Way = {
  /** GNOME starts the services of its screen cast at the first use. */
  waitsMs: 20_000,

  missing: () =>
    Promise.try(() => hasPipeWire() ? undefined : `gives pictures by PipeWire, and ${PIPEWIRE_MISSING}`),
  connect: (session) => Promise.try(GnomeDesktop.open, session),
  reconnect: (session) => GnomeDesktop.open(session),
  makeWindows: ({ socket }, elements) => new GnomeWindows(socket, elements),
  makeClipboard: ({ buses }) => new GnomeClipboard(buses),
  inspect: inspectGnome,
};

/** Purpose of each interface. */
const SERVICES = [
  { service: REMOTE_DESKTOP, purpose: "pointer, keyboard and clipboard" },
  { service: SCREEN_CAST, purpose: "pictures, and where the pointer is" },
] as const;

/** Reports the interfaces, PipeWire, the input method and the screen. */
export async function inspectGnome(
  { session, connection, registry }: Probe,
  missing: string | undefined,
): Promise<Finding[]> {
  const bus = Bus.open(session.buses);
  try {
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
    const screen = screenFinding(connection, registry), method = await inputMethodFinding(session);
    return [...services, pipewire, method, screen, windows, recordingFinding()];
  } finally {
    bus.close();
  }
}

/** Returns which input method is active, and how texts get past it. */
async function inputMethodFinding({ socket }: Session): Promise<Finding> {
  const name = "input method";
  let ibus: Ibus | undefined;
  try {
    ibus = await Ibus.open(basename(socket));
  } catch (error) {
    if (!(error instanceof NoAnswerError)) throw error;
    return { name, ok: false, detail: `${error.message}: texts and keys may not arrive` };
  }
  if (!ibus) {
    const detail = "none (IBus does not run): a text with characters that no key types is pasted by Ctrl+V";
    return { name, ok: true, detail };
  }
  try {
    const engine = await ibus.engine();
    const detail = changesText(engine)
      ? `IBus with ${engine}, which converts keys to other text: text bypasses it, and single keys, ` +
        "shortcuts and keys typed on the live page go through it"
      : `IBus with ${
        engine ?? "no engine"
      }, which passes keys on: a text with characters that no key types is committed`;
    return { name, ok: true, detail };
  } finally {
    ibus.close();
  }
}
