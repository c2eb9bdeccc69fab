/** Makes the keyboards of desktops that have one keyboard map for all programs and devices. */

import type { Session } from "../session.ts";
import { gnomeGroup, kdeGroup } from "./active_group.ts";
import { LayoutKeyboard } from "./layout_keyboard.ts";
import { KeymapView } from "./layout_view.ts";
import type { Link } from "../wire/link.ts";
import { PersonEngine } from "../wire/person_engine.ts";
import type { TextMethod } from "./text_method.ts";
import type { TextPaster } from "./text_paster.ts";
import type { KeyPresser } from "./text_typer.ts";

/** Functions that find the active layout, by the desktop's name in `XDG_CURRENT_DESKTOP`, in lower case. */
const GROUPS = {
  gnome: (buses) =>
    gnomeGroup(
      buses ? { DBUS_SESSION_BUS_ADDRESS: buses.map((path) => `unix:path=${path}`).join(";") } : {},
    ),
  kde: kdeGroup,
} as const satisfies Record<string, (buses: Session["buses"]) => Promise<number>>;

/** The name of a desktop that reports the active layout. */
export type SettingsName = keyof typeof GROUPS;

/** Session and desktop of a keyboard. */
export interface KeyboardOptions {
  keys: KeyPresser;
  session: Session;
  /** The desktop that keeps the settings; the one that the environment names if left out. */
  settings?: SettingsName;
  /** The desktop's input method; left out where texts are typed by keys, or pasted. */
  method?: TextMethod;
  /** Pastes characters that no key has; left out if programs cannot use the clipboard. */
  paster?: TextPaster;
  /** A connection that reads the keyboard map too; a connection for the map alone if left out. */
  link?: Link;
}

/**
 * Makes a keyboard, which the caller closes before its keys.
 * @example
 * const keyboard = openLayoutKeyboard({ keys, session, settings: "gnome", paster });
 * await keyboard.type("漢");
 */
export function openLayoutKeyboard(
  { keys, session, settings = settingsInUse(), method, paster, link }: KeyboardOptions,
): LayoutKeyboard {
  const group = () => settings ? GROUPS[settings](session.buses) : Promise.resolve(0);
  return new LayoutKeyboard({
    keys,
    openMaps: () => link ? KeymapView.over(link) : KeymapView.open(session.socket),
    group,
    method,
    engine: method ? undefined : new PersonEngine(session),
    paster,
  });
}

/** The desktop that the environment names (XDG Desktop Entry Specification: names with colons between them). */
function settingsInUse(): SettingsName | undefined {
  const names = (Deno.env.get("XDG_CURRENT_DESKTOP") ?? "").toLowerCase().split(":");
  return (Object.keys(GROUPS) as SettingsName[]).find((name) => names.includes(name));
}
