/** Reasons why windows show no elements, and remedies. The kind of a program is recognized by its mapped files. */

import { readProc } from "../../core/proc.ts";

/** The way to switch accessibility on, in the words of every interface. */
export const SWITCH_ON = 'switch accessibility on (POST /api/elements {"enabled":true}, or elements on)';

/** A kind of program. */
interface Kind {
  /** A file that only programs of this kind map. */
  file: RegExp;
  /** The remedy. */
  why: string;
  /** The reason while accessibility is off, where that differs. */
  whyOff?: string;
}

/** Kinds of programs in the order in which they are tried: an Electron program may map libraries of others, too. */
const KINDS: readonly Kind[] = [
  {
    file: /\/(?:icudtl\.dat|v8_context_snapshot\S*\.bin|snapshot_blob\.bin)$/m,
    why: "start it with --force-renderer-accessibility",
    whyOff: `start it with --force-renderer-accessibility, while accessibility is on: ${SWITCH_ON}`,
  },
  {
    file: /\/libxul\.so$/m,
    why: "Firefox was started before accessibility was switched on: start it again",
    whyOff: `Firefox shows them while accessibility is on: ${SWITCH_ON}`,
  },
  {
    // Of Qt 5, only the part for X11 looks at the bus's address; the others know no switch but that of screen readers.
    file: /\/qt5?\/plugins\/platforms\/libqwayland-/m,
    why:
      "it is of Qt 5, which shows them on Wayland if it is started with QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1",
  },
  {
    file: /\/libQt5Gui\.so/m,
    why:
      "it is of Qt and was started before accessibility was switched on: start it again; if it then shows none, " +
      `${SWITCH_ON} and start it once more`,
    whyOff: `it is of Qt and was started while accessibility is off: ${SWITCH_ON}, then start it again`,
  },
  {
    file: /\/libQt6Gui\.so/m,
    why: "it is of Qt and was started before accessibility was switched on: start it again",
    whyOff: `it is of Qt and was started while accessibility is off: ${SWITCH_ON}, then start it again`,
  },
  {
    file: /\/libgtk-x11-2\.0\.so/m,
    why: "it is of GTK 2: start it with GTK_MODULES=gail:atk-bridge (Debian's libatk-adaptor)",
  },
  {
    file: /\/libjvm\.so$/m,
    why: "it is of Java, which needs java-atk-wrapper (Debian's libatk-wrapper-java)",
  },
  { file: /\/ntdll\.(?:so|dll)/m, why: "programs under Wine have none" },
];

/**
 * The reason why a program is not on the accessibility bus.
 * @param maps The files that it has mapped, as {@linkcode mapsOf} gives them.
 * @param isEnabled Tells whether accessibility is switched on in the session.
 * @example
 * whyAbsent("7f12-7f34 r-xp 0 08:01 7 /usr/lib/libQt6Gui.so.6\n", true).slice(0, 11); // "it is of Qt"
 */
export function whyAbsent(maps: string, isEnabled: boolean): string {
  const kind = KINDS.find(({ file }) => file.test(maps));
  if (kind) return isEnabled ? kind.why : kind.whyOff ?? kind.why;
  const what = "its program is not on the accessibility bus";
  return isEnabled || maps ? what : `${what}; if it is of Qt or Firefox, ${SWITCH_ON}`;
}

/**
 * The files that a process has mapped, with their places in memory (proc(5), /proc/pid/maps).
 * @param pid The process; undefined if the desktop does not tell it.
 * @returns "" if the process is not known, has ended, or is another user's.
 */
export function mapsOf(pid: number | undefined): string {
  return pid === undefined ? "" : readProc(`${pid}/maps`);
}
