/** Keys of a GNOME desktop, pressed by Mutter's own interface. */

import { Bus } from "../../ffi/dbus/bus.ts";
import type { RemoteObject } from "../../ffi/dbus/objects.ts";
import { Variant } from "../../ffi/dbus/values.ts";
import type { KeyPresser } from "../../ffi/xkb_option/key_presser.ts";

/** Beside other tests a desktop without a graphics card answers late, such as while a terminal starts. */
const ANSWER_MS = 120_000;
const REMOTE = "org.gnome.Mutter.RemoteDesktop", CAST = "org.gnome.Mutter.ScreenCast";

/** A session of Mutter's RemoteDesktop. */
export class MutterKeys implements KeyPresser, Disposable {
  readonly #bus: Bus;
  readonly #session: RemoteObject;

  /** @param bus The path of the session's bus. */
  constructor(path: string) {
    const bus = this.#bus = Bus.open([path]);
    const manager = { destination: REMOTE, path: "/org/gnome/Mutter/RemoteDesktop", interface: REMOTE };
    const [session] = bus.call(manager, "CreateSession", "", [], "o", ANSWER_MS);
    this.#session = { destination: REMOTE, path: session, interface: `${REMOTE}.Session` };
    // Mutter 43 takes no input without a session of pictures.
    const id = new Variant("s", this.#property("SessionId") as string);
    const screens = { destination: CAST, path: "/org/gnome/Mutter/ScreenCast", interface: CAST };
    bus.call(screens, "CreateSession", "a{sv}", [{ "remote-desktop-session-id": id }], "o", ANSWER_MS);
    bus.call(this.#session, "Start", "", [], "", ANSWER_MS);
  }

  press(code: number, down: boolean): void {
    this.#bus.tell(this.#session, "NotifyKeyboardKeycode", "ub", [code, down]);
  }

  flush(): void {
    this.#property("SessionId");
  }

  isCapsLocked(): boolean {
    return this.#property("CapsLockState") as boolean;
  }

  [Symbol.dispose]() {
    this.#bus.close();
  }

  #property(name: string): unknown {
    const properties = { ...this.#session, interface: "org.freedesktop.DBus.Properties" };
    return this.#bus.call(properties, "Get", "ss", [this.#session.interface, name], "v", ANSWER_MS)[0];
  }
}
