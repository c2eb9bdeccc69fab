/** GNOME on Wayland, headless. */

import type { Row } from "../rows.ts";
import type { Bench } from "../field.ts";
import type { Session } from "../session.ts";
import { mustCome } from "../waiting.ts";
import { startBase } from "./base.ts";
import { awaitEngine, configureIbus, ibusEngine } from "./input_method.ts";
import { type Aid, AIDS, type Kind, pressByDeskhand, SCREEN } from "./kind.ts";

const SHELL = "--session --dest org.gnome.Shell --object-path /org/gnome/Shell";

/** Evaluates JavaScript in the shell, which its unsafe mode permits. */
async function evaluate<T>(session: Session, script: string): Promise<T> {
  const call = `gdbus call ${SHELL} --method org.gnome.Shell.Eval`;
  const printed = await session.run(`${call} 'JSON.stringify([${script}])'`);
  const [, isDone, , text] = /^\((true|false), (['"])(.*)\2\)$/s.exec(printed) ?? [];
  if (isDone !== "true") throw new Error(`the shell answers ${printed}`);
  return JSON.parse(JSON.parse(text.replace(/\\(['"\\])/g, "$1")))[0];
}

/** Switches to the empty workspace that GNOME keeps after the last window. */
const LEAVE = "() => { const all = global.workspace_manager; " +
  "all.get_workspace_by_index(all.n_workspaces - 1).activate(global.get_current_time()); return all.n_workspaces }";

export const GNOME: Kind = {
  async start(session: Session, row: Row): Promise<void> {
    Object.assign(session.env, { XDG_SESSION_TYPE: "wayland", XDG_CURRENT_DESKTOP: "GNOME" });
    await startBase(session);
    const engine = ibusEngine(row.inputMethod);
    const sources = engine ? `[("ibus","${engine}"),("xkb","us")]` : `[("xkb","us")]`;
    await configureIbus(session, row.inputMethod);
    await session.run(`gsettings set org.gnome.desktop.input-sources sources '${sources}'`);
    // Trials move the pointer to all corners: the hot corner opens the overview, which intercepts the next
    // click.
    await session.run("gsettings set org.gnome.desktop.interface enable-hot-corners false");
    session.launch(
      "gnome-shell",
      `gnome-shell --headless --virtual-monitor ${SCREEN.width}x${SCREEN.height} --unsafe-mode`,
    );
    session.env.WAYLAND_DISPLAY = "wayland-0";
    await session.ready("gnome-shell", `test -S ${session.env.XDG_RUNTIME_DIR}/wayland-0`, 60);
    for (const part of ["xsettings", "keyboard", "media-keys", "power", "color"]) {
      session.launch(`gsd-${part}`, `/usr/libexec/gsd-${part}`);
    }
    const starting = () => evaluate<boolean>(session, "!Main.layoutManager._startingUp");
    await mustCome("GNOME did not start up", starting, Boolean, 60);
    await evaluate(session, "Main.overview.hide()");
    await mustCome("the overview stayed", () => evaluate<boolean>(session, "!Main.overview.visible"));
    await awaitEngine(session, row.inputMethod);
    session.env.DISPLAY = ":0";
    session.env.XAUTHORITY = await session.run("ls $XDG_RUNTIME_DIR/.mutter-Xwaylandauth.* | head -n 1");
  },
  async activeTitle(session: Session): Promise<string> {
    return await evaluate<string>(session, 'global.display.focus_window?.title ?? ""');
  },
  async pointer(session: Session): Promise<{ x: number; y: number }> {
    const [x, y] = await evaluate<number[]>(session, "global.get_pointer()");
    return { x, y };
  },
  person: {
    async press(bench: Bench, key: string, down: boolean): Promise<void> {
      // A held key repeats, even while deskhand's text arrives through IBus.
      await bench.session.run("gsettings set org.gnome.desktop.peripherals.keyboard repeat false");
      await pressByDeskhand(bench, key, down);
    },
    layout: ({ session }: Bench, name: string) =>
      session.run(`gsettings set org.gnome.desktop.input-sources sources "[('xkb','${name}')]"`),
    async aid({ session }: Bench, on: Aid | undefined): Promise<void> {
      for (const aid of AIDS) {
        await session.run(`gsettings set org.gnome.desktop.a11y.keyboard ${aid}keys-enable ${aid === on}`);
      }
    },
    leave: ({ session }: Bench) => evaluate(session, `(${LEAVE})()`),
  },
  server: () => "gnome-shell",
};
