/** GNOME by Mutter's own interfaces, which ask no person. */

import { hasPipeWire, PIPEWIRE_MISSING } from "../../linux/pipewire/symbols.ts";
import type { Way } from "../way.ts";
import { GnomeClipboard } from "./clipboard.ts";
import { GnomeDesktop } from "./connected_desktop.ts";
import { inspectGnome } from "./doctor.ts";
import { GnomeWindows } from "./windows.ts";

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
