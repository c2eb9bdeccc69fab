/** KDE Plasma on Wayland, headless. */

import type { Row } from "../rows.ts";
import type { Bench } from "../field.ts";
import type { Session } from "../session.ts";
import { startBase } from "./base.ts";
import { configureFcitx } from "./input_method.ts";
import { type Aid, AIDS, type Kind, listedActiveTitle, pressByDeskhand, SCREEN } from "./kind.ts";

const ping = (name: string) =>
  `gdbus call --session --dest ${name} --object-path / --method org.freedesktop.DBus.Peer.Ping`;

/** KWin's workspaces, and an additional one. */
const DESKTOPS = "--session --dest org.kde.KWin --object-path /VirtualDesktopManager --method";
const MANAGER = "org.kde.KWin.VirtualDesktopManager";

/** Plasma sessions on Wayland. */
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
    // A copy has no file capability, which would hide the environment from the user's programs, and which not
    // every container supports.
    await session.run("cp /usr/bin/kwin_wayland .");
    session.launch("kwin", `./kwin_wayland ${options}`);
    session.env.WAYLAND_DISPLAY = "wayland-0";
    await session.ready("KWin", `test -S ${session.env.XDG_RUNTIME_DIR}/wayland-0`, 60);
    session.env.DISPLAY = ":0";
    session.env.XAUTHORITY = await session.run("ls $XDG_RUNTIME_DIR/xauth_* 2>/dev/null | head -n 1 || true");
    const kded = session.has("kded6") ? "kded6" : "kded5";
    session.launch("kded", kded);
    if (session.has("plasmashell")) {
      session.launch("plasmashell", "plasmashell");
      await session.ready("plasmashell", ping("org.kde.plasmashell"), 60);
    }
    await session.ready("KWin's bus", ping("org.kde.KWin"), 60);
    await session.run(`/usr/local/bin/deno run -q -A --cached-only /opt/deskhand/main.ts setup`);
  },
  activeTitle: listedActiveTitle,
  person: {
    press: pressByDeskhand,
    async layout({ session }: Bench, name: string): Promise<void> {
      session.write(".config/kxkbrc", `[Layout]\nUse=true\nLayoutList=${name}\n`);
      await session.run("gdbus emit --session --object-path /Layouts --signal org.kde.keyboard.reloadConfig");
    },
    /** KWin reads them from KDE's accessibility settings, and again when the bus reports a change. */
    async aid({ session }: Bench, on: Aid | undefined): Promise<void> {
      if (!session.has("kwriteconfig6")) {
        throw new Error("this compositor has no slow, bounce and sticky keys");
      }
      for (const aid of AIDS) {
        const key = `${aid[0].toUpperCase()}${aid.slice(1)}Keys`, name = "--file kaccessrc --group Keyboard";
        await session.run(`kwriteconfig6 ${name} --key ${key} --type bool --notify ${aid === on}`);
      }
    },
    async leave({ session }: Bench): Promise<void> {
      await session.run(`gdbus call ${DESKTOPS} ${MANAGER}.createDesktop 1 second`);
      const get = `gdbus call ${DESKTOPS} org.freedesktop.DBus.Properties.Get ${MANAGER} desktops`;
      const id = /'([0-9a-f-]{36})', 'second'/.exec(await session.run(get))?.[1];
      const set = `gdbus call ${DESKTOPS} org.freedesktop.DBus.Properties.Set ${MANAGER} current`;
      await session.run(`${set} "<'${id}'>"`);
    },
  },
  server: () => "kwin_wayland",
};
