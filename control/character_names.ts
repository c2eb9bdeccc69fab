/**
 * Characters by name, as xdotool and other programs write them: the names of X11 keysyms (X11/keysymdef.h) of
 * Latin-1, those of nut.js, and Unicode numbers such as `U20AC`.
 */

/** The names of the keysyms from U+0020 to U+007E, in order; letters and digits are their own names. */
const ASCII_NAMES =
  "space exclam quotedbl numbersign dollar percent ampersand apostrophe parenleft parenright asterisk plus comma " +
  "minus period slash 0 1 2 3 4 5 6 7 8 9 colon semicolon less equal greater question at A B C D E F G H I J K L M " +
  "N O P Q R S T U V W X Y Z bracketleft backslash bracketright asciicircum underscore grave a b c d e f g h i j k l " +
  "m n o p q r s t u v w x y z braceleft bar braceright asciitilde";

/** The names of the keysyms from U+00A0 to U+00FF, in order. */
const LATIN1_NAMES =
  "nobreakspace exclamdown cent sterling currency yen brokenbar section diaeresis copyright " +
  "ordfeminine guillemotleft notsign hyphen registered macron degree plusminus twosuperior threesuperior acute mu " +
  "paragraph periodcentered cedilla onesuperior masculine guillemotright onequarter onehalf threequarters " +
  "questiondown Agrave Aacute Acircumflex Atilde Adiaeresis Aring AE Ccedilla Egrave Eacute Ecircumflex Ediaeresis " +
  "Igrave Iacute Icircumflex Idiaeresis ETH Ntilde Ograve Oacute Ocircumflex Otilde Odiaeresis multiply Oslash " +
  "Ugrave Uacute Ucircumflex Udiaeresis Yacute THORN ssharp agrave aacute acircumflex atilde adiaeresis aring ae " +
  "ccedilla egrave eacute ecircumflex ediaeresis igrave iacute icircumflex idiaeresis eth ntilde ograve oacute " +
  "ocircumflex otilde odiaeresis division oslash ugrave uacute ucircumflex udiaeresis yacute thorn ydiaeresis";

/** Further names: older ones of keysyms, and those of nut.js and browsers. */
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

/** The digits of nut.js differ in case alone from the number pad of PyAutoGUI. */
const EXACT_CASE = /^num\d$/i;

function namesFrom(first: number, names: string): [string, string][] {
  return names.split(" ").map((name, i) => [name, String.fromCodePoint(first + i)]);
}

/** Names by character and characters by name; made on first use, since a start needs neither. */
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
 * @param name Such as `slash`, `eacute`, `EuroSign` or `U20AC`; in any case where that is unambiguous.
 * @returns undefined for a name that means no character.
 * @example
 * characterOfName("eacute"); // "é"
 */
export function characterOfName(name: string): string | undefined {
  const code = UNICODE.exec(name)?.[1];
  if (code && parseInt(code, 16) <= 0x10ffff) return String.fromCodePoint(parseInt(code, 16));
  return names().exact.get(name) ?? names().lower.get(name.toLowerCase());
}
