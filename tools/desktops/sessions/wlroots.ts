/** wlroots compositors, headless. */

import type { Row } from "../rows.ts";
import type { Bench } from "../field.ts";
import type { Session } from "../session.ts";
import { startBase } from "./base.ts";
import { startFcitx } from "./input_method.ts";
import { type Kind, listedActiveTitle, pressByDeskhand, SCREEN, SMALLER } from "./kind.ts";

/** Commands that resize the only screen; wlr-randr(1) on Debian 12 does not resize sway's. */
const MODES: Readonly<Record<string, string>> = {
  sway: "swaymsg output HEADLESS-1 resolution",
  labwc: "wlr-randr --output HEADLESS-1 --custom-mode",
};

const mode = (compositor: string, { width, height }: { width: number; height: number }) =>
  `${MODES[compositor]} ${width}x${height}`;

/** Sessions of sway and labwc. */
export const WLROOTS: Kind = {
  async start(session: Session, row: Row): Promise<void> {
    Object.assign(session.env, {
      XDG_SESSION_TYPE: "wayland",
      XDG_CURRENT_DESKTOP: row.command,
      WLR_BACKENDS: "headless",
      WLR_LIBINPUT_NO_DEVICES: "1",
      WLR_RENDERER: "pixman",
    });
    await startBase(session);
    session.launch(row.command, row.command);
    const socket = `ls $XDG_RUNTIME_DIR | grep -x 'wayland-[0-9]'`;
    await session.ready(row.command, socket);
    session.env.WAYLAND_DISPLAY = await session.run(socket);
    session.env.SWAYSOCK = await session.run("ls $XDG_RUNTIME_DIR/sway-ipc.* 2>/dev/null || true");
    await session.ready("the screen", mode(row.command, SCREEN));
    session.env.DISPLAY = ":0";
    if (row.inputMethod.startsWith("fcitx5")) await startFcitx(session, row.inputMethod);
  },
  activeTitle: listedActiveTitle,
  person: {
    press: pressByDeskhand,
    leave({ session }: Bench): Promise<unknown> {
      if (!session.env.SWAYSOCK) throw new Error("no program changes the workspace of this compositor");
      return session.run("swaymsg workspace second");
    },
  },
  resize: (session: Session, { command }: Row) => session.run(mode(command, SMALLER)),
  server: ({ command }: Row) => command,
};
