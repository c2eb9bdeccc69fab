/**
 * A desktop's keyboard settings: the active layout, by its index in the keyboard map, and the accessibility
 * features that suppress keys. The `gsettings` program, part of GLib, reads GNOME's; KDE keeps them in KWin
 * and in a file.
 */

import { attempt, UnsupportedError } from "../../../core/errors.ts";
import { join } from "../../../core/path.ts";
import { configFolder } from "../../../core/state_files.ts";
import { Bus } from "../../linux/dbus/bus.ts";
import type { Session } from "../way.ts";

/** Keyboard settings. */
export interface KeyboardSettings {
  /** The index of the active layout in the compositor's map, from 0. */
  group(): Promise<number>;
  /** Why keys would not arrive as sent; omitted if nothing suppresses them. */
  refusal?(): Promise<string | undefined>;
  /** When the settings last changed, in milliseconds; omitted if unknown. */
  changedAt?(): number | undefined;
}

const PROGRAM = "gsettings", SCHEMA = "org.gnome.desktop.input-sources";
/** Maximum time for the program, in milliseconds. */
const ANSWER_MS = 10_000;

/**
 * The active layout's index in the keyboard map, from 0.
 * @param env Session variables missing from the environment.
 * @param ms Maximum time for the program, in milliseconds.
 * @throws UnsupportedError if the program is missing, fails, or takes too long.
 */
export async function gnomeGroup(env: Record<string, string>, ms = ANSWER_MS): Promise<number> {
  const [sources, recent] = await Promise.all(["sources", "mru-sources"].map((key) => get(key, env, ms)));
  return activeGroup(sources, recent);
}

/**
 * Accessibility features that suppress deskhand's keys: their names in {@linkcode AIDS_SCHEMA} and in KDE's
 * file, and their effects.
 */
const AIDS = [
  {
    ...{ gnome: "slowkeys-enable", kde: "SlowKeys" },
    effect: "Slow Keys are on, so programs ignore keys that are pressed only briefly",
  },
  {
    ...{ gnome: "bouncekeys-enable", kde: "BounceKeys" },
    effect: "Bounce Keys are on, so programs ignore a key that is pressed twice in a row",
  },
];
const AIDS_SCHEMA = "org.gnome.desktop.a11y.keyboard";

/**
 * Why GNOME does not pass on keys as sent; the parameters are those of {@linkcode gnomeGroup}.
 * @returns undefined if it does.
 */
async function gnomeRefusal(
  env: Record<string, string>,
  ms = ANSWER_MS,
): Promise<string | undefined> {
  const values = await Promise.all(AIDS.map(({ gnome }) => get(gnome, env, ms, AIDS_SCHEMA)));
  const aid = AIDS[values.indexOf("true")];
  return aid && `${aid.effect}: turn them off (gsettings set ${AIDS_SCHEMA} ${aid.gnome} false)`;
}

async function get(
  key: string,
  env: Record<string, string>,
  ms: number,
  schema: string = SCHEMA,
): Promise<string> {
  try {
    const args = ["get", schema, key], signal = AbortSignal.timeout(ms);
    const options = { args, env, signal, stdin: "null", stdout: "piped", stderr: "piped" } as const;
    const { success, stdout, stderr } = await new Deno.Command(PROGRAM, options).output();
    const said = new TextDecoder().decode(success ? stdout : stderr).trim();
    if (success) return said;
    throw new Error(said || `${PROGRAM} gave no answer`);
  } catch (error) {
    throw new UnsupportedError(`cannot read GNOME's keyboard settings: ${(error as Error).message}`);
  }
}

/**
 * Reads a list of strings, or of tuples of strings.
 * @param printed Such as `['a', "it's"]`, `@as []`, `[('xkb', 'us'), ('xkb', 'de')]`.
 * @returns The strings in order.
 */
export function textsOf(printed: string): string[] {
  return Array.from(
    printed.matchAll(/'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"/g),
    ([, single, double]) => (single ?? double).replace(/\\(.)/g, "$1"),
  );
}

/**
 * The active layout's index in the keyboard map that GNOME loads. GNOME loads up to three of the person's
 * input sources at a time, and the first one again after them (`keyboard.js` of gnome-shell).
 * @param sources Printed `sources`: all input sources.
 * @param recent Printed `mru-sources`: the most recently used ones, the active one first.
 */
export function activeGroup(sources: string, recent: string): number {
  const all = pairs(textsOf(sources)), active = pairs(textsOf(recent))[0];
  return Math.max(0, all.indexOf(active)) % 3;
}

/** Each source's content as a string. */
function pairs(texts: readonly string[]): string[] {
  return Array.from({ length: texts.length / 2 }, (_, i) => `${texts[2 * i]}\n${texts[2 * i + 1]}`);
}

/** KWin reports the layout there, and only if there are several. */
const KEYBOARD = {
  destination: "org.kde.keyboard",
  path: "/Layouts",
  interface: "org.kde.KeyboardLayouts",
} as const;

/**
 * The active layout's index in the keyboard map, from 0.
 * @param buses Paths of the session bus's sockets; the environment's if omitted.
 * @throws DesktopUnavailableError or NoDesktopError if the bus does not answer.
 */
async function kdeGroup(buses?: readonly string[]): Promise<number> {
  using bus = await Bus.openAside(buses); // opened only for this rare question
  if (await bus.ownerAsync(KEYBOARD.destination) === undefined) return 0;
  return (await bus.callAsync(KEYBOARD, "getLayout", "", [], "u"))[0];
}

/** KDE's accessibility settings for the keyboard, which KWin in Plasma 6 implements with plugins. */
const ACCESS_FILE = "kaccessrc";
const PLUGINS = { destination: "org.kde.KWin", path: "/Plugins", interface: "org.kde.KWin.Plugins" } as const;

/**
 * Why KWin does not pass on keys as sent.
 * @param text The content of KDE's settings.
 * @param loaded Returns the names of KWin's plugins; Plasma 5 does not implement these settings.
 * @returns undefined if it does.
 */
export async function kdeRefusal(
  text: string,
  loaded: () => Promise<readonly string[]>,
): Promise<string | undefined> {
  const keyboard = /^\[Keyboard\]$([^[]*)/m.exec(text)?.[1] ?? "";
  const on = AIDS.filter(({ kde }) => new RegExp(`^${kde}=true$`, "m").test(keyboard));
  if (!on.length) return undefined;
  const plugins = await loaded(), aid = on.find(({ kde }) => plugins.includes(`${kde}Plugin`));
  return aid && `${aid.effect}: turn them off in System Settings, Accessibility`;
}

async function kwinPlugins(buses: Session["buses"]): Promise<readonly string[]> {
  const bus = await Bus.openAside(buses);
  try {
    return await bus.propertyAsync(PLUGINS, "LoadedPlugins") as string[];
  } finally {
    bus.close();
  }
}

/** The environment variable that points a program to the session bus. */
function busOf(buses: Session["buses"]): Record<string, string> {
  return buses ? { DBUS_SESSION_BUS_ADDRESS: buses.map((path) => `unix:path=${path}`).join(";") } : {};
}

/** A desktop's settings, and their file in the user's configuration folder. */
interface DesktopSettings {
  file: string;
  group(buses: Session["buses"]): Promise<number>;
  refusal(buses: Session["buses"], path: string): Promise<string | undefined>;
}

/** Settings by the desktop's name in `XDG_CURRENT_DESKTOP`, in lower case. */
const DESKTOPS = {
  gnome: {
    file: "dconf/user",
    group: (buses) => gnomeGroup(busOf(buses)),
    refusal: (buses) => gnomeRefusal(busOf(buses)),
  },
  kde: {
    file: ACCESS_FILE,
    group: kdeGroup,
    refusal: async (buses, path) => await kdeRefusal(await Deno.readTextFile(path), () => kwinPlugins(buses)),
  },
} as const satisfies Record<string, DesktopSettings>;

/** The name of a desktop that stores keyboard settings. */
export type SettingsName = keyof typeof DESKTOPS;

/** A desktop's settings. @param name The environment's desktop if omitted. */
export function keyboardSettings({ buses }: Session, name = settingsInUse()): KeyboardSettings {
  if (!name) return { group: () => Promise.resolve(0) };
  const { file, group, refusal } = DESKTOPS[name], path = join(configFolder() ?? "/", file);
  return {
    group: () => group(buses),
    refusal: () => refusal(buses, path),
    changedAt: () => attempt(() => Deno.statSync(path).mtime?.getTime()), // none if nothing was ever set
  };
}

/** The desktop named by the environment (XDG Desktop Entry Specification: names separated by colons). */
function settingsInUse(): SettingsName | undefined {
  const names = (Deno.env.get("XDG_CURRENT_DESKTOP") ?? "").toLowerCase().split(":");
  return (Object.keys(DESKTOPS) as SettingsName[]).find((name) => names.includes(name));
}
