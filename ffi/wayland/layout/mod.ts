/** Makes the keyboards of desktops that have one keyboard map for all programs and devices. */

import type { Clipboard } from "../../../control/desktop.ts";
import { ExpectedError } from "../../../core/errors.ts";
import { CONSOLE } from "../../../core/output.ts";
import type { Session } from "../session.ts";
import { GnomeSetter } from "./gnome_setter.ts";
import { KdeSetter } from "./kde_setter.ts";
import type { KeyPresser } from "./key_presser.ts";
import { LayoutKeyboard, type LayoutKeyboardParts } from "./layout_keyboard.ts";
import { configFolder } from "./option_folder.ts";
import type { OptionSetter } from "./option_setter.ts";
import { TextPaster } from "./text_paster.ts";
import { XkbOption } from "./xkb_option.ts";

/** The desktops whose setting of XKB options is known, by what `XDG_CURRENT_DESKTOP` calls them in lower case. */
const SETTERS = {
  gnome: (_config, buses) =>
    new GnomeSetter(
      buses ? { DBUS_SESSION_BUS_ADDRESS: buses.map((path) => `unix:path=${path}`).join(";") } : {},
    ),
  kde: (config, buses) => new KdeSetter(config, buses),
} as const satisfies Record<string, (config: string, buses: Session["buses"]) => OptionSetter>;

/** A desktop whose setting of XKB options is known. */
export type SettingsName = keyof typeof SETTERS;

/** What a keyboard is made for. */
export interface KeyboardOptions {
  keys: KeyPresser;
  session: Session;
  /** Whose settings they are; the desktop that the environment names if left out. */
  settings?: SettingsName;
  /** Stands in where the settings may not be changed; left out where programs do not get at the clipboard. */
  clipboard?: Clipboard;
}

/**
 * Makes a keyboard, which the caller closes before its keys. What a killed deskhand left in the settings is put back.
 * @example
 * const keyboard = openLayoutKeyboard({ keys, session, settings: "gnome" });
 * await keyboard.type("漢");
 */
export function openLayoutKeyboard({ keys, session, settings, clipboard }: KeyboardOptions): LayoutKeyboard {
  const { option, group } = settingsOf(session, settings ?? settingsInUse());
  const paster = clipboard && new TextPaster(clipboard);
  return new LayoutKeyboard({ keys, socket: session.socket, option, group, paster });
}

/** The desktop's settings: the option, or why there is none. */
function settingsOf(
  session: Session,
  name: SettingsName | undefined,
): Pick<LayoutKeyboardParts, "option" | "group"> {
  const first = () => Promise.resolve(0);
  if (!name) return { option: "deskhand knows the keyboard settings of GNOME and KDE alone", group: first };
  try {
    const config = configFolder(), setter = SETTERS[name](config, session.buses);
    const option = new XkbOption(setter, config, CONSOLE.notice); // puts back what a killed one left
    const kept = "--no-xkb-option keeps the keyboard settings as they are";
    return { option: session.keepsKeyboardSettings ? kept : option, group: () => setter.group() };
  } catch (error) {
    if (error instanceof ExpectedError) return { option: error.message, group: first };
    throw error;
  }
}

/** The desktop that the environment names (XDG Desktop Entry Specification: names with colons between them). */
function settingsInUse(): SettingsName | undefined {
  const names = (Deno.env.get("XDG_CURRENT_DESKTOP") ?? "").toLowerCase().split(":");
  return (Object.keys(SETTERS) as SettingsName[]).find((name) => names.includes(name));
}
