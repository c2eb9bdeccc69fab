/** Compositors with the protocols of wlroots: sway, Hyprland, labwc and others of their kind. */

import { openCapturedScreen } from "./screencopy.ts";
import { WaylandClipboard } from "../wire/clipboard.ts";
import type { Way } from "../way.ts";
import { missingProtocols } from "../wire/link.ts";
import { WlrootsDesktop } from "./connected_desktop.ts";
import { WlrootsWindows } from "./sway_tree.ts";

/** The way of `zwlr_virtual_pointer`, `zwp_virtual_keyboard` and `zwlr_screencopy`. */
export const WLROOTS: Way = {
  missing: (probe) =>
    Promise.try(() => {
      const missing = missingProtocols(probe.registry);
      return missing.length ? `does not offer ${missing.join(", ")}` : undefined;
    }),
  connect: (session, probe) => Promise.try(() => WlrootsDesktop.open(session, probe?.keep())),
  reconnect: (session) => WlrootsDesktop.open(session),
  openScreen: async ({ socket }, alarm, jpeg) =>
    (await import("./damaged_screen.ts")).DamagedScreen.open(socket, jpeg, alarm),
  openCaptures: ({ socket }) => Promise.try(openCapturedScreen, socket),
  makeWindows: ({ socket }) => new WlrootsWindows(socket),
  makeClipboard: ({ socket }) => new WaylandClipboard(socket),
  inspect: async (probe, missing) => (await import("./doctor.ts")).inspectWlroots(probe, missing),
};
