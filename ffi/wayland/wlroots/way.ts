/** Compositors with the protocols of wlroots: sway, Hyprland, labwc and others of their kind. */

import { openCapturedScreen } from "./screen.ts";
import { WaylandClipboard } from "../wire/clipboard.ts";
import { DamagedScreen } from "./damaged_screen.ts";
import type { Way } from "../way.ts";
import { missingProtocols } from "../wire/protocols.ts";
import { WlrootsDesktop } from "./connected_desktop.ts";
import { inspectWlroots } from "./doctor.ts";
import { WlrootsWindows } from "./windows.ts";

/** The way of `zwlr_virtual_pointer`, `zwp_virtual_keyboard` and `zwlr_screencopy`. */
export const WLROOTS: Way = {
  missing: (probe) =>
    Promise.try(() => {
      const missing = missingProtocols(probe.registry);
      return missing.length ? `does not offer ${missing.join(", ")}` : undefined;
    }),
  connect: (session) => Promise.try(WlrootsDesktop.open, session),
  reconnect: WlrootsDesktop.open,
  replaysInWorker: true,
  openScreen: ({ socket }, alarm, jpeg) => Promise.try(DamagedScreen.open, socket, jpeg, alarm),
  openCaptures: ({ socket }) => Promise.try(openCapturedScreen, socket),
  makeWindows: ({ socket }) => new WlrootsWindows(socket),
  makeClipboard: ({ socket }) => new WaylandClipboard(socket),
  inspect: inspectWlroots,
};
