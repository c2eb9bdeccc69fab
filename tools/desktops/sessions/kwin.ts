/** KDE's Plasma on Wayland, without a screen. */

import type { Row } from "../rows.ts";
import type { Session } from "../session.ts";
import { startBase } from "./base.ts";
import { configureFcitx } from "./input_method.ts";
import { type Kind, listedActiveTitle, SCREEN } from "./kind.ts";

/** Sessions of Plasma on Wayland. */
export const KWIN: Kind = {
  async start(session: Session, row: Row): Promise<void> {
    Object.assign(session.env, {
      XDG_SESSION_TYPE: "wayland",
      XDG_CURRENT_DESKTOP: "KDE",
      XDG_MENU_PREFIX: "plasma-",
      KDE_FULL_SESSION: "true",
      KDE_SESSION_VERSION: session.has("kded6") ? "6" : "5",
    });
    await startBase(session);
    const method = row.inputMethod.startsWith("fcitx5") ? "--inputmethod fcitx5" : "";
    if (method) configureFcitx(session, row.inputMethod);
    const size = `--width ${SCREEN.width} --height ${SCREEN.height}`;
    const options = `--virtual --xwayland --no-lockscreen --socket wayland-0 ${size} ${method}`;
    session.launch("kwin", `kwin_wayland ${options}`);
    session.env.WAYLAND_DISPLAY = "wayland-0";
    await session.ready("KWin", `test -S ${session.env.XDG_RUNTIME_DIR}/wayland-0`, 60);
    session.env.DISPLAY = ":0";
    session.env.XAUTHORITY = await session.run("ls $XDG_RUNTIME_DIR/xauth_* 2>/dev/null | head -n 1 || true");
    const kded = session.has("kded6") ? "kded6" : "kded5";
    session.launch("kded", kded);
    session.launch("plasmashell", "plasmashell");
    await session.ready(
      "plasmashell",
      "gdbus call --session --dest org.kde.plasmashell --object-path / --method org.freedesktop.DBus.Peer.Ping",
      60,
    );
    await session.run(`/usr/local/bin/deno run -q -A --cached-only /opt/deskhand/main.ts setup`);
  },
  activeTitle: listedActiveTitle,
  server: () => "kwin_wayland",
};
