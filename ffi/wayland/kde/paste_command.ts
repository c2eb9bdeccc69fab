/** The keys by which programs paste, by the program. */

import type { Selection } from "../../../control/desktop.ts";

/** The way in which a program pastes. */
export interface PasteCommand {
  /** Names of keys, in the order of pressing. */
  keys: readonly string[];
  /** The selections that the program takes the text from. */
  selections: readonly Selection[];
}

/** Keys that nearly all programs know. */
const USUAL: PasteCommand = { keys: ["ctrl", "v"], selections: ["clipboard"] };
/** Keys of terminals, since programs in them use Ctrl+V themselves. */
const OF_TERMINALS: PasteCommand = { keys: ["ctrl", "shift", "v"], selections: ["clipboard"] };
/** The keys of old X11 programs; they paste either of the two selections. */
const OLD: PasteCommand = { keys: ["shift", "insert"], selections: ["primary", "clipboard"] };

/** Programs by the last part of their name (`org.kde.konsole` is `konsole`), in lower case. */
const COMMANDS: readonly [command: PasteCommand, programs: string][] = [
  [
    OF_TERMINALS,
    "alacritty blackbox console contour cool-retro-term deepin-terminal foot footclient ghostty gnome-terminal " +
    "gnome-terminal-server guake kgx kitty konsole lxterminal mate-terminal ptyxis qterminal rio roxterm sakura " +
    "st st-256color terminal terminator terminology tilda tilix wezterm wezterm-gui xfce4-terminal yakuake",
  ],
  [OLD, "debian-uxterm debian-xterm emacs gvim rxvt urxvt uxterm xterm"],
];
const BY_PROGRAM: ReadonlyMap<string, PasteCommand> = new Map(
  COMMANDS.flatMap(([command, programs]) =>
    programs.split(" ").map((program): [string, PasteCommand] => [program, command])
  ),
);

/**
 * Finds the way in which a program pastes.
 * @param appId The app id of its window: the name of its desktop file, or its class under XWayland.
 * @example
 * pasteCommandOf("org.kde.konsole").keys; // ["ctrl", "shift", "v"]
 */
export function pasteCommandOf(appId: string): PasteCommand {
  return BY_PROGRAM.get(appId.slice(appId.lastIndexOf(".") + 1).toLowerCase()) ?? USUAL;
}
