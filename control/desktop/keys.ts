/**
 * Key names: one table for the API, the prompt, recordings and every back end. A key is one of these names,
 * or one printable character, which stands for the key (with its modifiers) that types it.
 */

import { InputError } from "../../core/errors.ts";
import { nearest } from "../../core/printable.ts";

// Character names as xdotool and other programs write them: the X11 keysym names of Latin-1
// (X11/keysymdef.h), those of nut.js, and Unicode numbers such as `U20AC`.

/** The keysym names from U+0020 to U+007E, in order; letters and digits are their own names. */
const ASCII_NAMES =
  "space exclam quotedbl numbersign dollar percent ampersand apostrophe parenleft parenright asterisk plus comma " +
  "minus period slash 0 1 2 3 4 5 6 7 8 9 colon semicolon less equal greater question at A B C D E F G H I J K L M " +
  "N O P Q R S T U V W X Y Z bracketleft backslash bracketright asciicircum underscore grave a b c d e f g h i j k l " +
  "m n o p q r s t u v w x y z braceleft bar braceright asciitilde";

/** The keysym names from U+00A0 to U+00FF, in order. */
const LATIN1_NAMES =
  "nobreakspace exclamdown cent sterling currency yen brokenbar section diaeresis copyright " +
  "ordfeminine guillemotleft notsign hyphen registered macron degree plusminus twosuperior threesuperior acute mu " +
  "paragraph periodcentered cedilla onesuperior masculine guillemotright onequarter onehalf threequarters " +
  "questiondown Agrave Aacute Acircumflex Atilde Adiaeresis Aring AE Ccedilla Egrave Eacute Ecircumflex Ediaeresis " +
  "Igrave Iacute Icircumflex Idiaeresis ETH Ntilde Ograve Oacute Ocircumflex Otilde Odiaeresis multiply Oslash " +
  "Ugrave Uacute Ucircumflex Udiaeresis Yacute THORN ssharp agrave aacute acircumflex atilde adiaeresis aring ae " +
  "ccedilla egrave eacute ecircumflex ediaeresis igrave iacute icircumflex idiaeresis eth ntilde ograve oacute " +
  "ocircumflex otilde odiaeresis division oslash ugrave uacute ucircumflex udiaeresis yacute thorn ydiaeresis";

/** Further names: older keysym names, and those of nut.js and browsers. */
const OTHER_NAMES: Record<string, string> = {
  EuroSign: "€",
  quoteright: "'",
  quoteleft: "`",
  Quote: "'",
  LeftBracket: "[",
  RightBracket: "]",
  BracketLeft: "[",
  BracketRight: "]",
  ...Object.fromEntries(Array.from({ length: 10 }, (_, digit) => [`Num${digit}`, `${digit}`])),
};

/** The digits of nut.js differ only in case from PyAutoGUI's number pad. */
const EXACT_CASE = /^num\d$/i;

function namesFrom(first: number, names: string): [string, string][] {
  return names.split(" ").map((name, i) => [name, String.fromCodePoint(first + i)]);
}

/** Characters by name; built on first use, since startup does not need them. */
interface Names {
  exact: Map<string, string>;
  /** Names that mean the same character in upper and lower case, in lower case. */
  lower: Map<string, string>;
}

let made: Names | undefined;

function names(): Names {
  if (made) return made;
  const exact = new Map([
    ...namesFrom(0x20, ASCII_NAMES),
    ...namesFrom(0xa0, LATIN1_NAMES),
    ...Object.entries(OTHER_NAMES),
  ]);
  const lower = new Map<string, string>(), ambiguous = new Set<string>();
  for (const [name, character] of exact) {
    const key = name.toLowerCase();
    if (lower.has(key) || EXACT_CASE.test(name)) ambiguous.add(key);
    lower.set(key, character);
  }
  for (const key of ambiguous) lower.delete(key);
  return made = { exact, lower };
}

const UNICODE = /^U\+?([0-9a-f]{4,6})$/i;

/**
 * Finds the character that a name stands for.
 * @param name Such as `slash`, `eacute`, `EuroSign` or `U20AC`, in any case if unambiguous.
 * @returns undefined if the name stands for no character.
 * @example
 * characterOfName("eacute"); // "é"
 */
export function characterOfName(name: string): string | undefined {
  const code = UNICODE.exec(name)?.[1];
  if (code && parseInt(code, 16) <= 0x10ffff) return String.fromCodePoint(parseInt(code, 16));
  return names().exact.get(name) ?? names().lower.get(name.toLowerCase());
}

export interface Key {
  /** The name used in answers and recordings. */
  readonly name: string;
  /** Other accepted spellings. */
  readonly aliases: readonly string[];
  /** X11 keysym (X11/keysymdef.h, XF86keysym.h). */
  readonly keysym: number;
  /** Windows virtual-key code (winuser.h); 0 if Windows has none. */
  readonly vk: number;
  /** Whether Windows needs KEYEVENTF_EXTENDEDKEY for the key (right-hand and navigation keys). */
  readonly extended: boolean;
  /** Whether holding the key changes what other keys do. */
  readonly modifier: boolean;
}

type KeyRow = [name: string, aliases: string, keysym: number, vk: number, flags?: "e" | "m" | "em"];

const ROWS: KeyRow[] = [
  ["ctrl", "control leftctrl control_l ctrl_l ctrlleft leftcontrol", 0xffe3, 0xa2, "m"],
  ["shift", "leftshift shift_l shiftleft", 0xffe1, 0xa0, "m"],
  ["alt", "leftalt alt_l option altleft optionleft", 0xffe9, 0xa4, "m"],
  [
    "super",
    "win windows meta cmd command super_l leftsuper winleft leftwin leftcmd leftmeta meta_l hyper_l",
    0xffeb,
    0x5b,
    "em",
  ],
  ["rightctrl", "control_r ctrl_r ctrlright rightcontrol", 0xffe4, 0xa3, "em"],
  ["rightshift", "shift_r shiftright", 0xffe2, 0xa1, "em"],
  ["rightalt", "alt_r altright optionright", 0xffea, 0xa5, "em"],
  ["altgr", "iso_level3_shift", 0xfe03, 0xa5, "em"],
  ["rightsuper", "super_r rightwin winright rightcmd rightmeta meta_r hyper_r", 0xffec, 0x5c, "em"],
  ["capslock", "caps_lock", 0xffe5, 0x14],
  ["numlock", "num_lock", 0xff7f, 0x90, "e"],
  ["scrolllock", "scroll_lock", 0xff14, 0x91],
  ["enter", "return", 0xff0d, 0x0d],
  ["tab", "", 0xff09, 0x09],
  ["backtab", "iso_left_tab", 0xfe20, 0],
  ["space", "", 0x20, 0x20],
  ["backspace", "", 0xff08, 0x08],
  ["escape", "esc", 0xff1b, 0x1b],
  ["delete", "del", 0xffff, 0x2e, "e"],
  ["insert", "ins", 0xff63, 0x2d, "e"],
  ["home", "", 0xff50, 0x24, "e"],
  ["end", "", 0xff57, 0x23, "e"],
  ["pageup", "page_up pgup prior", 0xff55, 0x21, "e"],
  ["pagedown", "page_down pgdn next", 0xff56, 0x22, "e"],
  ["left", "arrowleft", 0xff51, 0x25, "e"],
  ["up", "arrowup", 0xff52, 0x26, "e"],
  ["right", "arrowright", 0xff53, 0x27, "e"],
  ["down", "arrowdown", 0xff54, 0x28, "e"],
  ["printscreen", "print print_screen sysrq sys_req prtsc prtscr prntscrn", 0xff61, 0x2c, "e"],
  ["pause", "", 0xff13, 0x13],
  ["break", "", 0xff6b, 0x03, "e"],
  ["menu", "apps contextmenu", 0xff67, 0x5d, "e"],
  ["help", "", 0xff6a, 0x2f],
  ...Array.from({ length: 24 }, (_, i): KeyRow => [`f${i + 1}`, "", 0xffbe + i, 0x70 + i]),
  ...Array.from(
    { length: 10 },
    (_, i): KeyRow => [`kp${i}`, `kp_${i} numpad${i} num${i}`, 0xffb0 + i, 0x60 + i],
  ),
  ["kpadd", "kp_add numpadadd add", 0xffab, 0x6b],
  ["kpsubtract", "kp_subtract numpadsubtract subtract", 0xffad, 0x6d],
  ["kpmultiply", "kp_multiply numpadmultiply", 0xffaa, 0x6a],
  ["kpdivide", "kp_divide numpaddivide divide", 0xffaf, 0x6f, "e"],
  ["kpdecimal", "kp_decimal numpaddecimal decimal", 0xffae, 0x6e],
  ["kpseparator", "kp_separator", 0xffac, 0x6c],
  ["kpenter", "kp_enter numpadenter", 0xff8d, 0x0d, "e"],
  ["kpequal", "kp_equal numpadequal", 0xffbd, 0],
  ["kphome", "kp_home", 0xff95, 0x24],
  ["kpleft", "kp_left", 0xff96, 0x25],
  ["kpup", "kp_up", 0xff97, 0x26],
  ["kpright", "kp_right", 0xff98, 0x27],
  ["kpdown", "kp_down", 0xff99, 0x28],
  ["kppageup", "kp_page_up kp_prior", 0xff9a, 0x21],
  ["kppagedown", "kp_page_down kp_next", 0xff9b, 0x22],
  ["kpend", "kp_end", 0xff9c, 0x23],
  ["kpbegin", "kp_begin", 0xff9d, 0x0c],
  ["kpinsert", "kp_insert", 0xff9e, 0x2d],
  ["kpdelete", "kp_delete", 0xff9f, 0x2e],
  ["volumemute", "xf86audiomute audiovolumemute audiomute", 0x1008ff12, 0xad, "e"],
  ["volumedown", "xf86audiolowervolume audiovolumedown audiovoldown", 0x1008ff11, 0xae, "e"],
  ["volumeup", "xf86audioraisevolume audiovolumeup audiovolup", 0x1008ff13, 0xaf, "e"],
  ["playpause", "xf86audioplay mediaplaypause audioplay", 0x1008ff14, 0xb3, "e"],
  ["mediastop", "xf86audiostop audiostop stop", 0x1008ff15, 0xb2, "e"],
  ["previoustrack", "xf86audioprev mediatrackprevious audioprev prevtrack", 0x1008ff16, 0xb1, "e"],
  ["nexttrack", "xf86audionext mediatracknext audionext", 0x1008ff17, 0xb0, "e"],
  ["browserback", "xf86back", 0x1008ff26, 0xa6, "e"],
  ["browserforward", "xf86forward", 0x1008ff27, 0xa7, "e"],
  ["browserrefresh", "xf86refresh xf86reload", 0x1008ff29, 0xa8, "e"],
  ["browserhome", "xf86homepage", 0x1008ff18, 0xac, "e"],
  ["browsersearch", "xf86search", 0x1008ff1b, 0xaa, "e"],
  ["sleep", "xf86sleep", 0x1008ff2f, 0x5f, "e"],
  ["henkan", "henkan_mode convert", 0xff23, 0x1c],
  ["muhenkan", "nonconvert", 0xff22, 0x1d],
  ["hangul", "lang1", 0xff31, 0x15],
  ["kanji", "", 0xff21, 0x19],
];

/** Every named key, in the order of the help. */
export const KEYS: readonly Key[] = ROWS.map(([name, aliases, keysym, vk, flags = ""]) => ({
  name,
  aliases: aliases.split(" ").filter(Boolean),
  keysym,
  vk,
  extended: flags.includes("e"),
  modifier: flags.includes("m"),
}));

const BY_NAME = new Map(
  KEYS.flatMap((key) => [key.name, ...key.aliases].map((name) => [name, key] as const)),
);

/** A key without a name, by its system's code; other systems reject it. */
export const KEY_CODE = /^(?:vk:0x[0-9a-f]{2}|keysym:0x[0-9a-f]{1,8})$/;

/**
 * Looks up a named key.
 * @param name A name or alias, in any case.
 * @returns undefined for a character or an unknown name.
 */
export function namedKey(name: string): Key | undefined {
  return BY_NAME.get(name) ?? BY_NAME.get(name.toLowerCase());
}

/**
 * Converts a key as a person writes it to its canonical form.
 * @param text A name or alias in any case, a character's name such as `plus`, `slash`, `eacute` or `U20AC`,
 * one character (but no control character), or a code such as `vk:0x97` (Windows virtual key) or
 * `keysym:0x1008ff5d` (X11), as in recordings.
 * @returns The name from the table, the character or the code; undefined if the text is none of these.
 * @example
 * canonicalKey("Return"); // "enter"
 * canonicalKey("U20AC"); // "€"
 * canonicalKey("banana"); // undefined
 */
export function canonicalKey(text: string): string | undefined {
  if ([...text].length === 1) return canonicalCharacter(text);
  const digit = /^Num\d$/.test(text); // of nut.js; in PyAutoGUI, num0 is on the number pad
  const named = digit ? undefined : namedKey(text);
  if (named) return named.name;
  if (KEY_CODE.test(text.toLowerCase())) return text.toLowerCase();
  const character = characterOfName(text);
  return character === undefined ? undefined : canonicalCharacter(character);
}

/**
 * The character that a key types on every keyboard.
 * @param key A canonical key.
 * @param shift Whether Shift is down; its effect on symbols depends on the layout.
 * @returns undefined if the name does not tell, or if the key types nothing.
 * @example
 * ```ts
 * typedCharacter("a", true); // "A"
 * // + on one layout, 0 on another:
 * typedCharacter("=", true); // undefined
 * ```
 */
export function typedCharacter(key: string, shift: boolean): string | undefined {
  if (key === "space") return " ";
  if ([...key].length !== 1) return undefined;
  if (!shift) return key;
  const capital = key.toUpperCase();
  return capital !== key && [...capital].length === 1 ? capital : undefined;
}

/** A character as a key; undefined if no key types it. */
function canonicalCharacter(character: string): string | undefined {
  if (character === " ") return "space";
  return /[\p{C}\p{Z}]/u.test(character) ? undefined : character;
}

/**
 * Reads a combination such as `ctrl+shift+t`, `F5`, `ctrl++` or `a`.
 *
 * In a combination, a letter stands for its key in either case (`ctrl+T` is `ctrl+t`); alone, `T` is a
 * capital.
 * @param name What messages call the combination.
 * @returns Canonical keys in the order in which they are pressed: at least one, no duplicates.
 * @throws InputError naming the part that is not a key.
 * @example
 * parseCombination("Control+shift+T"); // ["ctrl", "shift", "t"]
 */
export function parseCombination(text: string, name = "keys"): string[] {
  const parts = text === "+" ? ["+"] : text.replace(/\+\+$/, "+plus").split("+").map((part) => part.trim());
  const keys = parts.map((part) => {
    const letter = parts.length > 1 && [...part].length === 1 ? part.toLowerCase() : part;
    const key = canonicalKey(letter);
    if (key === undefined) {
      throw new InputError(
        part === ""
          ? `${name} ${
            JSON.stringify(text)
          } has an empty part: write keys like ctrl+shift+t, and + itself as plus`
          : `${name} contains an unknown key, ${JSON.stringify(part)}${
            meantKey(part)
          }: use names such as enter, ctrl, f5, or ` +
            "one character",
      );
    }
    return key;
  });
  const twice = keys.find((key, i) => keys.indexOf(key) !== i);
  if (twice !== undefined) throw new InputError(`${name} contains ${JSON.stringify(twice)} twice`);
  return keys;
}

const LONGEST_NAME = 32;

/** Suggests the key whose name is close to a word, as a question for messages; empty if none is close. */
export function meantKey(word: string): string {
  const isName = word.length <= LONGEST_NAME; // comparing a long text would delay other requests
  const meant = isName ? nearest(word.toLowerCase(), KEYS.map(({ name }) => name)) : undefined;
  return meant === undefined ? "" : ` (did you mean ${meant}?)`;
}
