/**
 * The layout that a person has active, of those in the keyboard map: on GNOME by the `gsettings` program, which comes
 * with GLib, and on KDE by KWin.
 */

import { UnsupportedError } from "../../../core/errors.ts";
import { Bus } from "../../linux/dbus/bus.ts";

const PROGRAM = "gsettings", SCHEMA = "org.gnome.desktop.input-sources";
/** The time that the program may take, in milliseconds. */
const ANSWER_MS = 10_000;

/**
 * The place of the active layout in the keyboard map, from 0.
 * @param env The session's variables that the environment lacks.
 * @param ms How long the program may take, in milliseconds.
 * @throws UnsupportedError if the program is missing, fails, or takes too long.
 */
export async function gnomeGroup(env: Record<string, string>, ms = ANSWER_MS): Promise<number> {
  const [sources, recent] = await Promise.all(["sources", "mru-sources"].map((key) => get(key, env, ms)));
  return activeGroup(sources, recent);
}

async function get(key: string, env: Record<string, string>, ms: number): Promise<string> {
  try {
    const args = ["get", SCHEMA, key], signal = AbortSignal.timeout(ms);
    const options = { args, env, signal, stdin: "null", stdout: "piped", stderr: "piped" } as const;
    const { success, stdout, stderr } = await new Deno.Command(PROGRAM, options).output();
    const said = new TextDecoder().decode(success ? stdout : stderr).trim();
    if (success) return said;
    throw new Error(said || `${PROGRAM} gave no answer`);
  } catch (error) {
    throw new UnsupportedError(`GNOME's keyboard settings cannot be read: ${(error as Error).message}`);
  }
}

/**
 * Reads a list of texts, or of groups of texts.
 * @param printed Such as `['a', "it's"]`, `@as []`, `[('xkb', 'us'), ('xkb', 'de')]`.
 * @returns The texts in their order.
 */
export function textsOf(printed: string): string[] {
  return Array.from(
    printed.matchAll(/'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"/g),
    ([, single, double]) => (single ?? double).replace(/\\(.)/g, "$1"),
  );
}

/**
 * The place of the active layout in the keyboard map that GNOME loads. It loads up to three of the person's input
 * sources at a time, and the first one again behind them (`keyboard.js` of gnome-shell).
 * @param sources Printed `sources`: all input sources.
 * @param recent Printed `mru-sources`: those used last, the active one first.
 */
export function activeGroup(sources: string, recent: string): number {
  const all = pairs(textsOf(sources)), active = pairs(textsOf(recent))[0];
  return Math.max(0, all.indexOf(active)) % 3;
}

/** The content of each source as a text. */
function pairs(texts: readonly string[]): string[] {
  return Array.from({ length: texts.length / 2 }, (_, i) => `${texts[2 * i]}\n${texts[2 * i + 1]}`);
}

/** KWin says so there, and only with several layouts. */
const KEYBOARD = {
  destination: "org.kde.keyboard",
  path: "/Layouts",
  interface: "org.kde.KeyboardLayouts",
} as const;

/**
 * The place of the active layout in the keyboard map, from 0.
 * @param buses Paths of sockets of the session's bus; the environment's if left out.
 * @throws DesktopUnavailableError or NoDesktopError if the bus does not answer.
 */
export async function kdeGroup(buses?: readonly string[]): Promise<number> {
  const bus = Bus.open(buses); // opened for this question alone, which is rare
  try {
    if (bus.owner(KEYBOARD.destination) === undefined) return 0;
    return (await bus.callAsync(KEYBOARD, "getLayout", "", [], "u"))[0];
  } finally {
    bus.close();
  }
}
