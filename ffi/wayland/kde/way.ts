/** KWin, the compositor of KDE Plasma. */

import { playOnThread } from "../../playback/on_thread.ts";
import { WaylandClipboard } from "../wire/clipboard.ts";
import type { Way } from "../way.ts";
import { KdeDesktop } from "./connected_desktop.ts";
import { inspectKde } from "./doctor.ts";
import { missingPermission, permissionPath, permissionState } from "./permission.ts";
import { kdePermission } from "./setup.ts";
import { KwinWindows } from "./windows.ts";

/** The way of `org_kde_kwin_fake_input` and `org.kde.KWin.ScreenShot2`. */
export const KDE: Way = {
  /** KWin reads deskhand's whole executable before its first answer on a connection. */
  waitsMs: 60_000,

  missing: (probe) =>
    Promise.try(() => {
      const path = permissionPath();
      // The file alone is checked, since asking KWin for its protocols is slow; connecting finds further problems.
      return path && permissionState(path) === "given" ? undefined : missingPermission(probe.registry);
    }),
  permission: kdePermission,
  connect: (session, probe) => Promise.try(() => KdeDesktop.open(session, probe?.keep())),
  reconnect: (session) => KdeDesktop.open(session),
  // A connection of a Worker's own would stop the desktop while KWin reads the executable (`QUIRKS.kwinChecksum`).
  playOnThread,
  makeWindows: ({ socket }, _elements, link) => new KwinWindows(socket, link),
  makeClipboard: ({ socket }) => new WaylandClipboard(socket),
  inspect: inspectKde,
};
