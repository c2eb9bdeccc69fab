/** A keyboard in this process, on the GNOME desktop of another user; a program that types with it until it is killed. */

import { GnomeSetter } from "../../../../ffi/wayland/layout/gnome_setter.ts";
import { LayoutKeyboard } from "../../../../ffi/wayland/layout/layout_keyboard.ts";
import { XkbOption } from "../../../../ffi/wayland/layout/xkb_option.ts";
import { MutterKeys } from "../../../support/mutter_keys.ts";

/** A desktop, by what its environment has; plain data. */
export interface ForeignDesktop {
  socket: string;
  env: Record<string, string>;
}

/** How it differs from a user's keyboard. */
interface KeyboardOptions {
  /** Gets what the person reads. */
  notices?: string[];
  /** Why the option may not be used. */
  refusal?: string;
  /** When the option is put back by itself, in milliseconds; an hour if left out, so that a busy machine sees it set. */
  idleMs?: number;
}

/** Makes the keyboard. */
export function foreignKeyboard(
  { socket, env }: ForeignDesktop,
  keys: MutterKeys,
  { notices = [], refusal, idleMs = 3_600_000 }: KeyboardOptions = {},
): LayoutKeyboard {
  const { DBUS_SESSION_BUS_ADDRESS, HOME, XDG_RUNTIME_DIR } = env;
  const setter = new GnomeSetter({ DBUS_SESSION_BUS_ADDRESS, HOME, XDG_RUNTIME_DIR });
  const notice = (text: string) => void notices.push(text);
  const option = refusal ?? new XkbOption(setter, `${HOME}/.config`, notice, idleMs);
  return new LayoutKeyboard({ keys, socket, option, group: () => setter.group() });
}

/** The path of the desktop's bus. */
export function busOf({ env }: ForeignDesktop): string {
  return env.DBUS_SESSION_BUS_ADDRESS.replace("unix:path=", "");
}

if (import.meta.main) {
  const desktop: ForeignDesktop = JSON.parse(Deno.args[0]);
  const keyboard = foreignKeyboard(desktop, new MutterKeys(busOf(desktop)));
  setInterval(() => void keyboard.type("漢").then(() => console.log("typed")), 200);
}
