/** Reasons why windows show no elements, and what helps: programs are known by the files that they have mapped. */

import { cString, openLibc } from "../linux/libc.ts";

/** How accessibility is switched on, in the words of every interface. */
export const SWITCH_ON = 'switch accessibility on (POST /api/elements {"enabled":true}, or elements on)';

/** A kind of program. */
interface Kind {
  /** A file that only programs of this kind map. */
  file: RegExp;
  /** The remedy. */
  why: string;
  /** The same while accessibility is off, where that differs. */
  whyOff?: string;
}

/** In the order in which they are tried: an Electron program may map libraries of others, too. */
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
    file: /\/libQt[56]Gui\.so/m,
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

/** The most that is read of a process's maps, in bytes. */
const LIMIT = 4 << 20;

/**
 * The files that a process has mapped, with their places in memory (proc(5), /proc/pid/maps), read by the C library:
 * executables of deskhand may not read /proc in Deno's terms.
 * @param pid The process; undefined if the desktop does not tell it.
 * @returns "" if the process is not known, has ended, or is another user's.
 */
export function mapsOf(pid: number | undefined): string {
  if (pid === undefined) return "";
  const c = openLibc(), fd = c.open(cString(`/proc/${pid}/maps`), 0), decoder = new TextDecoder();
  if (fd < 0) return "";
  const bytes = new Uint8Array(65_536);
  let text = "";
  try {
    while (text.length < LIMIT) {
      const count = Number(c.read(fd, bytes, BigInt(bytes.length)));
      if (count <= 0) break;
      text += decoder.decode(bytes.subarray(0, count), { stream: true });
    }
    return text;
  } finally {
    c.close(fd);
  }
}
