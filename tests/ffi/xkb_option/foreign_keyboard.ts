/** A keyboard in this process, on the GNOME desktop of another user; a program that types with it until it is killed. */

import { GnomeSetter } from "../../../ffi/xkb_option/gnome_setter.ts";
import { LayoutKeyboard } from "../../../ffi/xkb_option/layout_keyboard.ts";
import { XkbOption } from "../../../ffi/xkb_option/xkb_option.ts";
import { MutterKeys } from "../../support/mutter_keys.ts";

/** A desktop, by what its environment has; plain data. */
export interface ForeignDesktop {
  socket: string;
  env: Record<string, string>;
}

/**
 * Makes the keyboard.
 * @param notices Gets what the person reads.
 * @param refusal Why the option may not be used.
 */
export function foreignKeyboard(
  { socket, env }: ForeignDesktop,
  keys: MutterKeys,
  notices: string[] = [],
  refusal?: string,
): LayoutKeyboard {
  const { DBUS_SESSION_BUS_ADDRESS, HOME, XDG_RUNTIME_DIR } = env;
  const setter = new GnomeSetter({ DBUS_SESSION_BUS_ADDRESS, HOME, XDG_RUNTIME_DIR });
  const option = refusal ?? new XkbOption(setter, `${HOME}/.config`, (text) => notices.push(text));
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
