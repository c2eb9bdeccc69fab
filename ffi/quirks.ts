/**
 * Faults of specific program versions, each with its remedy: one row per fault, which the code looks up where
 * it applies the remedy. A row can go when the oldest supported Debian release is the one that `until` names.
 */

/** A fault in one program's version. */
interface Quirk {
  program: string;
  /** Affected versions: the range if it is known, otherwise the versions tried. */
  version: string;
  symptom: string;
  /** Where the program's source shows the fault, or how it was observed. */
  source: string;
  /** The remedy in deskhand. */
  remedy: string;
  /** The first Debian release whose version of the program is free of the fault; omitted if none is known. */
  until?: "trixie";
  /** Mapped files that together identify the program; all must be present. */
  maps?: readonly RegExp[];
}

/** The last character of Unicode's Basic Multilingual Plane. */
const LAST_OF_PLANE = 0xffff;

/** Whether a text has a character that takes more than 16 bits, such as an emoji. */
export function hasWideCharacter(characters: readonly number[]): boolean {
  return characters.some((character) => character > LAST_OF_PLANE);
}

/** A fault that alters text sent as keys. */
interface LossyQuirk extends Quirk {
  maps: readonly RegExp[];
  /** Whether a text would be altered. */
  changes(characters: readonly number[]): boolean;
  /** Alters text only while an input method runs: the program may have its module loaded without one. */
  needsMethod?: boolean;
  /** The reason in messages, after the program's name. */
  why: string;
}

const LOSSY: readonly LossyQuirk[] = [
  {
    program: "GTK",
    version: "up to 4.8",
    symptom: "takes several characters that come fast from IBus in reverse order",
    source: "seen in GTK 4.8 with libim-ibus",
    remedy: "refuse texts of several characters",
    until: "trixie",
    maps: [/\/libgtk-4\.so\.1\.[0-8]\d\d\./, /\/gtk-4\.0\/\S*\/libim-ibus\.so/],
    changes: (characters) => characters.length > 1,
    needsMethod: true,
    why: "GTK 4.8, which takes several characters from IBus in reverse order",
  },
  {
    program: "KTextEditor (Kate, KWrite)",
    version: "5",
    symptom: "loses characters above U+FFFF: it checks whether each half of such a character can be printed",
    source: "DocumentPrivate::typeChars",
    remedy: "refuse texts with such characters",
    until: "trixie",
    maps: [/\/libKF5TextEditor\.so/],
    changes: hasWideCharacter,
    why: "KTextEditor 5 (Kate, KWrite), which loses characters above U+FFFF",
  },
];

/**
 * Why a program would receive a different text than the one sent.
 * @param maps The program's mapped files, as /proc/PID/maps lists them.
 * @param characters Code points of the text.
 * @param hasMethod Whether an input method is running.
 * @returns undefined if no problem is known.
 * @example
 * const maps = "7f12 /usr/lib/libKF5TextEditor.so.5\n";
 * whyLossy(maps, [0x1f600], false)?.slice(0, 13); // "KTextEditor 5"
 */
export function whyLossy(
  maps: string,
  characters: readonly number[],
  hasMethod: boolean,
): string | undefined {
  return LOSSY.find((quirk) =>
    (hasMethod || !quirk.needsMethod) && quirk.changes(characters) &&
    quirk.maps.every((file) => file.test(maps))
  )?.why;
}

/**
 * How fast a program accepts keys; x11/handled/mod.ts implements the waits:
 * - `free`: at any speed;
 * - `settled`: a combination only after the keys before it have been handled, and keys after a combination
 *   only when its command is done;
 * - `apart`: as `settled`, and also quotes, tabs, line feeds and characters above U+FFFF only after the keys
 *   before them have been handled;
 * - `unrepeated`: a repeated key only after its first press has come back from the input method;
 * - `single`: each key only when the program is waiting for events again.
 */
export type Pace = "free" | "settled" | "apart" | "unrepeated" | "single";

const PACES: readonly (Quirk & { maps: readonly RegExp[]; pace: Pace })[] = [
  {
    program: "LibreOffice with GTK 3",
    version: "7.4 and 25.2",
    symptom:
      "Ctrl+A selects text that was typed behind it, since LibreOffice posts a command to itself, behind the keys " +
      "that have come. Writer keeps keys in a buffer while others follow, but not wide characters; a quote behind other " +
      "keys may be lost",
    source: "framework/source/accelerators/acceleratorexecute.cxx; SwEditWin::KeyInput",
    remedy: "wait before and behind each combination, quote, tab, line feed and wide character",
    maps: [/\/libvclplug_gtk3lo\.so/],
    pace: "apart",
  },
  {
    program: "GTK with a module for IBus or Fcitx",
    version: "4",
    symptom: "does a command before the keys that are still at the input method: Ctrl+S saves without them",
    source: "seen in GTK 4.8 and 4.18",
    remedy: "wait before and behind each combination",
    maps: [/\/libgtk-4\.so/, /\/gtk-4\.0\/\S*\/libim-(?:ibus|fcitx5?)\.so/],
    pace: "settled",
  },
  {
    program: "Firefox with GTK 3's module for IBus or Fcitx",
    version: "all that were tried",
    symptom:
      "loses a key that is pressed twice: while Firefox handles a press that comes back from the input method, it " +
      "removes the X server's next event if that is a press of the same key, which it takes for repetition",
    source: "widget/gtk/nsWindow.cpp, key_press_event_cb",
    remedy: "press a key again only when its first press is back",
    maps: [/\/libxul\.so/, /\/gtk-3\.0\/\S*\/im-(?:ibus|fcitx5?)\.so/],
    pace: "unrepeated",
  },
  {
    program: "Qt with a plugin for IBus or Fcitx",
    version: "5 and 6",
    symptom:
      "swaps keys: if the input method answers before Qt waits for the answer, the answer goes through Qt's event " +
      "queue twice, and the next key's answer may overtake it",
    source: "src/dbus/qdbuspendingcall.cpp, QDBusPendingCallWatcher",
    remedy: "press a key only when the program waits for events",
    maps: [/\/libQt[56]Gui\.so/, /\/lib(?:ibus|fcitx5?)platforminputcontextplugin\.so/],
    pace: "single",
  },
];

/**
 * The pace at which a program accepts keys.
 * @param maps The program's mapped files, as /proc/PID/maps lists them.
 * @example
 * paceOf("7f12 /usr/lib/firefox-esr/libxul.so\n"); // "free"
 */
export function paceOf(maps: string): Pace {
  return PACES.find((quirk) => quirk.maps.every((file) => file.test(maps)))?.pace ?? "free";
}

/** Faults that the code looks up by name. */
export const QUIRKS = {
  writerTimer: {
    program: "LibreOffice Writer",
    version: "7.4 and 25.2",
    symptom: "keeps typed keys in a buffer until its timer runs out, if others follow",
    source: "SwEditWin, m_aKeyInputFlushTimer",
    remedy: "wait more than twice the timer's time before a wide character, quote, tab or line feed",
    /** In milliseconds. */
    ms: 50,
    /** Code points of " and ', of a tab and of a line feed. */
    apart: [0x22, 0x27, 0x09, 0x0a],
  },
  lateCommands: {
    program: "LibreOffice on Wayland",
    version: "7.4 and 25.2",
    symptom:
      "Ctrl+A selects text that was typed behind it, since LibreOffice posts a command to itself, behind the keys " +
      "that have come",
    source: "framework/source/accelerators/acceleratorexecute.cxx",
    remedy: "watch the process until its threads rest, since Wayland has no answer for handled events",
    /** Process names, as the system stores them. */
    processes: ["soffice.bin"],
  },
  placesUnderMenus: {
    program: "LibreOffice with GTK 3 on X11",
    version: "7.4",
    symptom:
      "after a change of its window's place or size, reports elements higher than they are by the height of " +
      "its menu bar, until the pointer moves in its document",
    source: "GtkSalFrame::UpdateGeometryFromEvent",
    remedy: "move the pointer in the window before it acts on an element there, and read the element again",
    /** Process names, as the system stores them. */
    processes: ["soffice.bin"],
  },
  popoversAtCorner: {
    program: "GTK",
    version: "4.8",
    symptom: "reports what is in a popover as if its surface were at the corner of the widget that opens it",
    source: "seen in GTK 4.8",
    remedy: "leave these places out, so that the program presses the elements or the click is refused",
    /** The name of a popover's only child: its class, since GTK 4.8 so names what has no name. */
    name: "GtkPopoverContent",
  },
  freedElements: {
    program: "LibreOffice with GTK 3",
    version: "7.4",
    symptom:
      "ends when it is asked for its cache of elements after a panel or a dialog has closed: the cache still has " +
      "elements whose memory is freed",
    source: "seen in LibreOffice 7.4: g_object_ref in spi_cache_foreach of at-spi2-atk's cache",
    remedy: "read its elements one by one",
    /** Names of programs on the accessibility bus. */
    names: ["soffice"],
  },
  wideOnWayland: {
    program: "Chromium and Electron on Wayland",
    version: "all that were tried",
    symptom: "keep 16 bits of a character from every keyboard",
    source: "seen in Chromium",
    remedy: "refuse texts with characters above U+FFFF",
    /** App ids; under XWayland they are capitalized. */
    appIds:
      /^(?:chrom(?:e-|ium)|org\.chromium\.|google-chrome|com\.google\.chrome|brave|microsoft-edge|vivaldi|opera|electron)/,
  },
  disorderedKeys: {
    program: "GNOME Shell with IBus",
    version: "up to 44",
    symptom:
      "IBus's keys reach the program later than a change of a modifier behind them: Ctrl+C arrives as a plain c",
    source: 'Mutter 45, "core: Change MetaWaylandTextInput event forwarding to IMs"',
    remedy: "wait for IBus before each change of a modifier",
    until: "trixie",
    /** The first GNOME version that keeps the order. */
    mendedIn: 45,
  },
  kwinModifiers: {
    program: "KWin with Fcitx 5",
    version: "5.27",
    symptom:
      "Fcitx's keys reach the program later than a change of a modifier behind them: Ctrl+C arrives as a plain c",
    source: "InputMethod::key and Xkb::forwardModifiers of KWin 5.27",
    remedy: "wait for Fcitx 5 before each change of a modifier",
  },
  kwinChecksum: {
    program: "KWin",
    version: "5.27",
    symptom:
      "computes a checksum of the whole executable for each connection, and draws nothing in that time",
    source: "seen in Plasma 5.27",
    remedy: "replay on the connection that is there instead of a Worker's own",
  },
  ibusAbort: {
    program: "ibus-daemon",
    version: "1.5",
    symptom:
      "aborts if it writes to a connection while it drops it: one thread looks up what the other one frees",
    source: "bus/dbusimpl.c, bus_dbus_impl_connection_filter_cb",
    remedy: "wait for an answer behind everything else before the connection is closed",
    /** Maximum wait, in milliseconds. */
    ms: 500,
  },
  smallBuffers: {
    program: "sway",
    version: "1.7",
    symptom: "disconnects a program that has some 400 moves of the pointer to read: its buffer has 4 KB",
    source: "libwayland's buffer for a client; seen in sway 1.7",
    remedy: "send moves at a pace at which 400 take more than a second",
    /** The number of moves sent together, and the delay between further moves, in milliseconds. */
    atOnce: 64,
    ms: 4,
  },
  pressedButtons: {
    program: "wlroots",
    version: "0.15",
    symptom: "counts pressed buttons: after a release without a press, other programs do not get the pointer",
    source: "seen in wlroots 0.15",
    remedy: "release only in the compositor's process that had the press",
    until: "trixie",
  },
  ignoredPresses: {
    program: "Chromium",
    version: "all that were tried",
    symptom: "ignores presses in a dialog that has just opened, and starts the wait anew with each",
    source: "views::InputEventActivationProtector",
    remedy: "wait before the first press",
    /** The double-click time, in milliseconds. */
    ms: 500,
  },
  silentChanges: {
    program: "Firefox",
    version: "all that were tried",
    symptom:
      "chooses options and sets spin buttons without an event for the page if its accessibility is asked, and " +
      "reports success for texts that it does not set",
    source: "seen in Firefox 153",
    remedy: "click options, and type numbers and texts",
    /** Application.ToolkitName. */
    toolkit: "Gecko",
  },
  pingAnswers: {
    program: "GTK and Qt on X11",
    version: "all that were tried",
    symptom: "GTK answers _NET_WM_PING by SubstructureNotifyMask, Qt by StructureNotifyMask",
    source: "seen in GTK and Qt programs",
    remedy: "select both event masks at the root window",
    mask: 1 << 19 | 1 << 17,
  },
  krfbShift: {
    program: "krfb on X11",
    version: "22.12",
    symptom:
      "types > for < with Shift, since it presses the key that has < without Shift, and leaves Shift down",
    source: "tweakModifiers of events/x11/x11events.cpp",
    remedy: "send < without Shift, and while Shift is held the key that has it on a US keyboard",
    character: "<",
    key: ",",
    /**
     * Names of its desktops in any language: user, machine, and in parentheses that the desktop is shared.
     */
    names: /^[^\s@]+@\S+ ?[(（].+[)）]$/,
  },
} as const satisfies Readonly<Record<string, Quirk & Record<string, unknown>>>;

/**
 * Whether a Wayland program loses characters above U+FFFF, whichever keyboard sends them.
 * @example
 * losesWideCharacters("chromium"); // true
 * losesWideCharacters("foot"); // false
 */
export function losesWideCharacters(appId: string): boolean {
  return QUIRKS.wideOnWayland.appIds.test(appId);
}
