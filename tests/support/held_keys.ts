/** Keys that share keycodes: which of them are down after some are pressed and others released. */

import { Bus } from "../../ffi/linux/dbus/bus.ts";
import { propertiesOf, type RemoteObject } from "../../ffi/linux/dbus/message.ts";
import { Variant } from "../../ffi/linux/dbus/values.ts";
import { REMOTE_DESKTOP, SCREEN_CAST, sessionAt } from "../../ffi/wayland/gnome/mutter_session.ts";
import type { KeyPresser } from "../../ffi/wayland/layout/text_typer.ts";
import { PATIENCE_MS } from "./waits.ts";

/** Keycodes of a US keyboard, as in X11 and XKB. */
const SHIFT = 50, SLASH = 61, ONE = 10, A = 38;

/** Keys pressed (+) and released (-) in this order, and the keycodes that are then down on every desktop. */
export const HELD_KEYS: [name: string, steps: string[], down: number[]][] = [
  ["a character that repeats", ["+?", "+?", "-?"], []],
  ["a character that repeats often", ["+?", "+?", "+?", "+?"], [SHIFT, SLASH]],
  ["a modifier pressed on its own too", ["+?", "+shift", "-?"], [SHIFT]],
  ["a modifier pressed before", ["+shift", "+?", "-?"], [SHIFT]],
  ["a modifier released before", ["+?", "+shift", "-shift"], [SHIFT, SLASH]],
  ["two characters with one modifier", ["+?", "+!", "-?"], [SHIFT, ONE]],
  ["two characters of one key", ["+a", "+A", "-A"], [A]],
  ["everything released", ["+?", "+shift", "+!", "-shift", "-!", "-?"], []],
];

// Keys on a GNOME desktop, pressed through Mutter's own interface.

/** A session of Mutter's RemoteDesktop. */
export class MutterKeys implements KeyPresser, Disposable {
  sent = 0;
  readonly #bus: Bus;
  readonly #session: RemoteObject;

  /** @param socket The path of the session bus socket. */
  constructor(socket: string) {
    const bus = this.#bus = Bus.open([socket]);
    const [path] = bus.call(REMOTE_DESKTOP, "CreateSession", "", [], "o", PATIENCE_MS);
    this.#session = sessionAt(REMOTE_DESKTOP, path);
    // Mutter 43 accepts no input without a screen cast session.
    const id = new Variant("s", this.#property("SessionId") as string);
    bus.call(SCREEN_CAST, "CreateSession", "a{sv}", [{ "remote-desktop-session-id": id }], "o", PATIENCE_MS);
    bus.call(this.#session, "Start", "", [], "", PATIENCE_MS);
  }

  press(code: number, down: boolean): void {
    this.sent++;
    this.#bus.tell(this.#session, "NotifyKeyboardKeycode", "ub", [code, down]);
  }

  flush(): Promise<void> {
    return Promise.try(() => void this.#property("SessionId"));
  }

  isCapsLocked(): Promise<boolean> {
    return Promise.try(() => this.#property("CapsLockState") as boolean);
  }

  [Symbol.dispose]() {
    this.#bus.close();
  }

  #property(name: string): unknown {
    const of = propertiesOf(this.#session), args = [this.#session.interface, name];
    return this.#bus.call(of, "Get", "ss", args, "v", PATIENCE_MS)[0];
  }
}
