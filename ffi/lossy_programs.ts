/** Programs that make other text of keys, or of keys that come fast: on X11, beside an input method, and on Wayland. */

/** A kind of program on X11, and the texts that it would change. */
interface Kind {
  /** Files that only programs of this kind map, all of them. */
  files: readonly RegExp[];
  /** Tells whether a text would be changed. */
  changes(characters: readonly number[]): boolean;
  /** Changes text only while an input method runs: the program may have its module loaded without one. */
  needsMethod?: boolean;
  /** The reason, behind the program's name. */
  why: string;
}

/** The last character of Unicode's Basic Multilingual Plane. */
const LAST_OF_PLANE = 0xffff;

/** Tells whether a text has a character that takes more than 16 bits, such as an emoji. */
export function hasWideCharacter(characters: readonly number[]): boolean {
  return characters.some((character) => character > LAST_OF_PLANE);
}

/** LibreOffice's module for GTK 3. */
const OFFICE = /\/libvclplug_gtk3lo\.so/;
/** Qt's modules for input methods. */
const QT_METHODS = /\/lib(?:ibus|fcitx5?)platforminputcontextplugin\.so/;

const KINDS: readonly Kind[] = [
  {
    files: [/\/libgtk-4\.so\.1\.[0-8]\d\d\./, /\/gtk-4\.0\/\S*\/libim-ibus\.so/],
    changes: (characters) => characters.length > 1,
    needsMethod: true,
    why: "GTK 4.8, which takes several characters from IBus in reverse order",
  },
  {
    // It looks at each half of such a character alone (DocumentPrivate::typeChars), and takes only what can be printed.
    files: [/\/libKF5TextEditor\.so/],
    changes: hasWideCharacter,
    why: "KTextEditor 5 (Kate, KWrite), which loses characters above U+FFFF",
  },
];

/**
 * The reason why a program would receive a different text than was sent.
 * @param maps The program's mapped files, as /proc/PID/maps lists them.
 * @param characters Code points of the text.
 * @param hasMethod Tells whether an input method runs.
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
  return KINDS.find(({ files, changes, needsMethod }) =>
    (hasMethod || !needsMethod) && changes(characters) && files.every((file) => file.test(maps))
  )?.why;
}

/**
 * How fast a program takes keys:
 * - `free`: at any speed;
 * - `settled`: a combination only when the keys before it are handled, and keys behind a combination only when its
 *   command is done. GTK 4 does a command before the keys that are still at the input method, so that Ctrl+S would save
 *   without them;
 * - `apart`: as `settled`, and quotes, tabs, line feeds and characters above U+FFFF only when the keys before them are handled. LibreOffice
 *   posts a command to itself, behind the keys that have come (framework/source/accelerators/acceleratorexecute.cxx), so
 *   that Ctrl+A would select the text that was typed behind it. Keys wait in a buffer of Writer when others follow, and
 *   wide characters do not (SwEditWin::KeyInput); a quote behind other keys may be lost;
 * - `unrepeated`: a key again only when its first press has come back from the input method. While Firefox handles such
 *   a press, it removes the next event of the X server if that is a press of the same key, which it takes for repetition
 *   (widget/gtk/nsWindow.cpp, key_press_event_cb);
 * - `single`: a key only when the program waits for events again. If the answer of an input method is there before Qt
 *   waits for it, the answer goes through Qt's event queue twice, and the next key's answer may overtake it
 *   (src/dbus/qdbuspendingcall.cpp, QDBusPendingCallWatcher).
 */
export type Pace = "free" | "settled" | "apart" | "unrepeated" | "single";

const PACES: readonly { files: readonly RegExp[]; pace: Pace }[] = [
  { files: [OFFICE], pace: "apart" },
  { files: [/\/libgtk-4\.so/, /\/gtk-4\.0\/\S*\/libim-(?:ibus|fcitx5?)\.so/], pace: "settled" },
  { files: [/\/libxul\.so/, /\/gtk-3\.0\/\S*\/im-(?:ibus|fcitx5?)\.so/], pace: "unrepeated" },
  { files: [/\/libQt[56]Gui\.so/, QT_METHODS], pace: "single" },
];

/**
 * The speed at which a program takes keys.
 * @param maps The program's mapped files, as /proc/PID/maps lists them.
 * @example
 * paceOf("7f12 /usr/lib/firefox-esr/libxul.so\n"); // "free"
 */
export function paceOf(maps: string): Pace {
  return PACES.find(({ files }) => files.every((file) => file.test(maps)))?.pace ?? "free";
}

/** App ids of programs made of Chromium, which keep 16 bits of a character on Wayland. Under XWayland they are capital. */
const CHROMIUM =
  /^(?:chrom(?:e-|ium)|org\.chromium\.|google-chrome|com\.google\.chrome|brave|microsoft-edge|vivaldi|opera|electron)/;

/**
 * Tells whether a program of Wayland loses characters that take more than 16 bits, from every keyboard.
 * @example
 * losesWideCharacters("chromium"); // true
 * losesWideCharacters("foot"); // false
 */
export function losesWideCharacters(appId: string): boolean {
  return CHROMIUM.test(appId);
}
