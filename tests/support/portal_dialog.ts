/** The user of a GNOME desktop who answers the portal's dialog, with input through Mutter's own interface. */

import { Bus } from "../../ffi/linux/dbus/bus.ts";
import type { RemoteObject } from "../../ffi/linux/dbus/message.ts";
import { Variant } from "../../ffi/linux/dbus/values.ts";
import { REMOTE_DESKTOP, SCREEN_CAST, sessionAt } from "../../ffi/wayland/gnome/mutter_session.ts";
import { bash, until } from "./shell.ts";
import type { Gnome } from "./gnome.ts";
import { need } from "./need.ts";

/** The needs of portal tests besides GNOME. */
export const PORTAL = need(
  ...["/usr/libexec/xdg-desktop-portal", "/usr/libexec/xdg-desktop-portal-gnome", "convert"],
  "dbus-update-activation-environment",
);

/** BTN_LEFT. */
const LEFT = 0x110;
/** Time after which a click without effect counts as lost, in milliseconds: the dialog had no pointer yet. */
const LOST_MS = 2000;
/** The colour of the switch when it is on. */
const SWITCHED_ON = "srgba(53,132,228,1)";

/** The dialog's window, in desktop pixels. */
interface Dialog {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Positions in the dialog of Debian 12's portal. */
const SWITCH = ({ x, y, width, height }: Dialog): [number, number] => [x + width - 82, y + height - 78];
const SWITCH_ROW = ({ x, y, width, height }: Dialog): [number, number] => [x + width / 2, y + height - 78];
const SHARE = ({ x, y, width }: Dialog): [number, number] => [x + width - 43, y + 23];
const CANCEL = ({ x, y }: Dialog): [number, number] => [x + 45, y + 23];

/** The user's answer. */
type Answer = "agree" | "agree without input" | "cancel";

/** A user with a pointer. `using` disconnects them. */
export class Person {
  readonly #bus: Bus;
  readonly #session: RemoteObject;
  readonly #stream: string;

  constructor(readonly gnome: Gnome) {
    const bus = this.#bus = Bus.open([`${gnome.env.XDG_RUNTIME_DIR}/bus`]);
    const [path] = bus.call(REMOTE_DESKTOP, "CreateSession", "", [], "o");
    this.#session = sessionAt(REMOTE_DESKTOP, path);
    const id = String(bus.property(this.#session, "SessionId"));
    const options = { "remote-desktop-session-id": new Variant("s", id) };
    const [cast] = bus.call(SCREEN_CAST, "CreateSession", "a{sv}", [options], "o");
    [this.#stream] = bus.call(sessionAt(SCREEN_CAST, cast), "RecordMonitor", "sa{sv}", ["Meta-0", {}], "o");
    bus.call(this.#session, "Start", "", [], "");
  }

  /** Waits for the dialog, answers it, and returns once it is closed. */
  async answer(answer: Answer): Promise<void> {
    await until(() => this.dialog());
    if (answer === "agree") await this.#clickUntil(SWITCH_ROW, (dialog) => this.#isSwitchedOn(dialog));
    await this.#clickUntil(answer === "cancel" ? CANCEL : SHARE, (dialog) => Promise.resolve(!dialog));
  }

  /** Moves the pointer. */
  move(x: number, y: number): void {
    this.#notify("NotifyPointerMotionAbsolute", "sdd", [this.#stream, x, y]);
  }

  /** The portal's dialog, if open. */
  async dialog(): Promise<Dialog | undefined> {
    const [found] = await this.gnome.evaluate<Dialog[]>(
      "global.get_window_actors().map((actor) => actor.meta_window)" +
        ".filter((window) => window.get_wm_class() === 'xdg-desktop-portal-gnome').map((window) => {" +
        "const { x, y, width, height } = window.get_frame_rect(); return { x, y, width, height }; })" +
        ".filter(({ width }) => width > 0)", // it has no size before it is shown
    );
    return found;
  }

  [Symbol.dispose]() {
    this.#bus.tell(this.#session, "Stop", "", []); // the shell may have ended it
    this.#bus.close();
  }

  /** @param isDone Checks the current dialog. */
  async #clickUntil(
    place: (dialog: Dialog) => [x: number, y: number],
    isDone: (dialog: Dialog | undefined) => Promise<boolean>,
  ): Promise<void> {
    let clickedAt = -Infinity;
    await until(async () => {
      const dialog = await this.dialog();
      if (await isDone(dialog)) return true;
      if (!dialog || performance.now() - clickedAt < LOST_MS) return false;
      clickedAt = performance.now();
      this.move(...place(dialog));
      for (const down of [true, false]) this.#notify("NotifyPointerButton", "ib", [LEFT, down]);
      return false;
    });
  }

  #notify(member: string, signature: string, args: (string | number | boolean)[]): void {
    this.#bus.call(this.#session, member, signature, args, "");
  }

  async #isSwitchedOn(dialog: Dialog | undefined): Promise<boolean> {
    if (!dialog) return false;
    const path = `${this.gnome.env.HOME}/dialog.png`, [x, y] = SWITCH(dialog);
    await this.gnome.screenshot(path);
    // The knob is on the right when the switch is on.
    return await bash(`convert ${path} -format '%[pixel:p{${x},${y}}]' info:`) === SWITCHED_ON;
  }
}
