/** Keysyms (X11/keysymdef.h) and the characters that they represent. Pure. */

/** Keysyms from this value on represent Unicode characters. */
const UNICODE = 0x1000000;
/** The largest code point. */
const LAST = 0x10ffff;

/**
 * Characters of legacy keysyms, by the first keysym of each block; a space stands for a keysym without a
 * character. They are defined in X11/keysymdef.h; newer programs send Unicode keysyms, but layouts still use
 * these.
 */
const BLOCKS: readonly (readonly [first: number, characters: string])[] = [
  // Latin 2
  [0x1a1, "Ą˘Ł ĽŚ  ŠŞŤŹ ŽŻ ą˛ł ľśˇ šşťź˝žżŔ  Ă ĹĆ Č Ę Ě  ĎĐŃŇ  Ő  ŘŮ Ű  Ţ ŕ  ă ĺć č ę ě  ďđńň  ő  řů ű  ţ˙"],
  // Latin 3
  [0x2a1, "Ħ    Ĥ  İ ĞĴ    ħ    ĥ  ı ğĵ        ĊĈ              Ġ  Ĝ    ŬŜ      ċĉ              ġ  ĝ    ŭŝ"],
  // Latin 4
  [0x3a2, "ĸŖ ĨĻ   ĒĢŦ      ŗ ĩļ   ēģŧŊ ŋĀ      Į    Ė  Ī ŅŌĶ     Ų   ŨŪ ā      į    ė  ī ņōķ     ų   ũū"],
  // Katakana
  [
    0x4a1,
    "。「」、・ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン゛゜",
  ],
  // Arabic
  [
    0x5ac,
    "\u060c              \u061b   \u061f \u0621\u0622\u0623\u0624\u0625\u0626\u0627\u0628\u0629\u062a\u062b\u062c\u062d\u062e\u062f\u0630\u0631\u0632\u0633\u0634\u0635\u0636\u0637\u0638\u0639\u063a     \u0640\u0641\u0642\u0643\u0644\u0645\u0646\u0647\u0648\u0649\u064a\u064b\u064c\u064d\u064e\u064f\u0650\u0651\u0652",
  ],
  // Cyrillic
  [0x6a1, "ђѓёєѕіїјљњћќґўџ№ЂЃЁЄЅІЇЈЉЊЋЌҐЎЏюабцдефгхийклмнопярстужвьызшэщчъЮАБЦДЕФГХИЙКЛМНОПЯРСТУЖВЬЫЗШЭЩЧЪ"],
  // Greek
  [0x7a1, "ΆΈΉΊΪ ΌΎΫ Ώ  ΅― άέήίϊΐόύϋΰώ     ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣ ΤΥΦΧΨΩ       αβγδεζηθικλμνξοπρσςτυφχψω"],
  // Technical
  [0x8bc, "≤≠≥∫∴∝∞  ∇  ∼≃   ⇔⇒≡      √   ⊂⊃∩∪∧∨               ∂      ƒ    ←↑→↓"],
  // Publishing
  [0xaa9, "—– ␣ …‥⅓⅔⅕⅖⅗⅘⅙⅚℅  ‒⟨.⟩    ⅛⅜⅝⅞  ™☓ ◁▷○▯‘’“”℞‰′″ ✝ ▬◀▶●▮◦▫▭△▽☆•▪▲▼☜☞♣♦♥ ✠†‡✓✗♯♭♂♀☎⌕℗‸‚„"],
  // Hebrew
  [
    0xcdf,
    "‗\u05d0\u05d1\u05d2\u05d3\u05d4\u05d5\u05d6\u05d7\u05d8\u05d9\u05da\u05db\u05dc\u05dd\u05de\u05df\u05e0\u05e1\u05e2\u05e3\u05e4\u05e5\u05e6\u05e7\u05e8\u05e9\u05ea",
  ],
  // Thai
  [
    0xda1,
    "\u0e01\u0e02\u0e03\u0e04\u0e05\u0e06\u0e07\u0e08\u0e09\u0e0a\u0e0b\u0e0c\u0e0d\u0e0e\u0e0f\u0e10\u0e11\u0e12\u0e13\u0e14\u0e15\u0e16\u0e17\u0e18\u0e19\u0e1a\u0e1b\u0e1c\u0e1d\u0e1e\u0e1f\u0e20\u0e21\u0e22\u0e23\u0e24\u0e25\u0e26\u0e27\u0e28\u0e29\u0e2a\u0e2b\u0e2c\u0e2d\u0e2e\u0e2f\u0e30\u0e31\u0e32\u0e33\u0e34\u0e35\u0e36\u0e37\u0e38\u0e39\u0e3a   \u0e3e\u0e3f\u0e40\u0e41\u0e42\u0e43\u0e44\u0e45\u0e46\u0e47\u0e48\u0e49\u0e4a\u0e4b\u0e4c\u0e4d  \u0e50\u0e51\u0e52\u0e53\u0e54\u0e55\u0e56\u0e57\u0e58\u0e59",
  ],
  // Korean
  [
    0xea1,
    "ㄱㄲㄳㄴㄵㄶㄷㄸㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅃㅄㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ\u11a8\u11a9\u11aa\u11ab\u11ac\u11ad\u11ae\u11af\u11b0\u11b1\u11b2\u11b3\u11b4\u11b5\u11b6\u11b7\u11b8\u11b9\u11ba\u11bb\u11bc\u11bd\u11be\u11bf\u11c0\u11c1\u11c2ㅭㅱㅸㅿㆁㆄㆆㆍㆎ\u11eb\u11f0\u11f9    ₩",
  ],
  // Latin 9
  [0x13bc, "ŒœŸ"],
  // Currency
  [0x20ac, "€"],
];

/**
 * Finds the character that a keysym represents.
 * @returns undefined for keys without one, such as Return and Shift.
 * @example
 * characterOfKeysym(0x6c1); // "а"
 */
export function characterOfKeysym(keysym: number): string | undefined {
  if (keysym >= 0x20 && keysym <= 0x7e || keysym >= 0xa0 && keysym <= 0xff) {
    return String.fromCodePoint(keysym);
  }
  if (keysym >= UNICODE && keysym <= UNICODE + LAST) {
    const code = keysym - UNICODE, isSurrogate = code >= 0xd800 && code <= 0xdfff;
    return code < 0x20 || code >= 0x7f && code < 0xa0 || isSurrogate ? undefined : String.fromCodePoint(code);
  }
  const block = BLOCKS.find(([first, { length }]) => keysym >= first && keysym < first + length);
  const character = block?.[1][keysym - block[0]];
  return character === " " ? undefined : character;
}

/**
 * A character's keysym: its code for Latin-1, a Unicode keysym for others.
 * @example
 * keysymOfCharacter("€"); // 0x10020ac
 */
export function keysymOfCharacter(character: string): number {
  const code = character.codePointAt(0)!;
  return code < 0x100 ? code : UNICODE + code;
}
