/** KWin, the compositor of KDE Plasma. */

import { WaylandClipboard } from "../clipboard.ts";
import type { Way } from "../way.ts";
import { KdeDesktop } from "./connected_desktop.ts";
import { inspectKde } from "./doctor.ts";
import { openLiveScreen } from "./live_screen.ts";
import { permissionLack } from "./permission.ts";

/** The way of `org_kde_kwin_fake_input` and `org.kde.KWin.ScreenShot2`. */
export const KDE: Way = {
  lack: ({ registry }) => permissionLack(registry),
  connect: (session) => KdeDesktop.open(session),
  replaysInWorker: true,
  openScreen: openLiveScreen,
  makeClipboard: ({ socket }) => new WaylandClipboard(socket),
  inspect: inspectKde,
};
