/** Codes of keys as the kernel counts them (linux/input-event-codes.h) on a US keyboard. Pure. */

import { KEYS } from "../../../control/keys.ts";

/** The difference between XKB's codes and the kernel's (X11 protocol: keycodes are 8 to 255). */
export const XKB_OFFSET = 8;

/** Keys of `control/keys.ts` by name. Missing names share a key with another name, such as `kphome`. */
export const CODES_BY_NAME: ReadonlyMap<string, number> = new Map<string, number>([
  ["escape", 1],
  ["backspace", 14],
  ["tab", 15],
  ["enter", 28],
  ["ctrl", 29],
  ["shift", 42],
  ["rightshift", 54],
  ["kpmultiply", 55],
  ["alt", 56],
  ["space", 57],
  ["capslock", 58],
  ...numbered("f", 1, 10, 59),
  ["altgr", 84], // where XKB has it beside a right Alt key
  ["numlock", 69],
  ["scrolllock", 70],
  ..."kp7 kp8 kp9 kpsubtract kp4 kp5 kp6 kpadd kp1 kp2 kp3 kp0 kpdecimal".split(" ")
    .map((name, i) => [name, 71 + i] as const),
  ["f11", 87],
  ["f12", 88],
  ["henkan", 92],
  ["muhenkan", 94],
  ["kpenter", 96],
  ["rightctrl", 97],
  ["kpdivide", 98],
  ["printscreen", 99],
  ["rightalt", 100],
  ["home", 102],
  ["up", 103],
  ["pageup", 104],
  ["left", 105],
  ["right", 106],
  ["end", 107],
  ["down", 108],
  ["pagedown", 109],
  ["insert", 110],
  ["delete", 111],
  ["volumemute", 113],
  ["volumedown", 114],
  ["volumeup", 115],
  ["kpequal", 117],
  ["pause", 119],
  ["kpseparator", 121],
  ["hangul", 122],
  ["super", 125],
  ["rightsuper", 126],
  ["menu", 127],
  ["help", 138],
  ["sleep", 142],
  ["browserback", 158],
  ["browserforward", 159],
  ["nexttrack", 163],
  ["playpause", 164],
  ["previoustrack", 165],
  ["mediastop", 166],
  ["browserhome", 172],
  ["browserrefresh", 173],
  ...numbered("f", 13, 24, 183),
  ["browsersearch", 217],
]);

function numbered(prefix: string, first: number, last: number, code: number): [string, number][] {
  return Array.from({ length: last - first + 1 }, (_, i) => [`${prefix}${first + i}`, code + i]);
}

/** Rows of keys that type a character: the first key's code, the characters, and the characters with Shift. */
const ROWS: readonly [first: number, plain: string, shifted: string][] = [
  [2, "1234567890-=", "!@#$%^&*()_+"],
  [16, "qwertyuiop[]", "QWERTYUIOP{}"],
  [30, "asdfghjkl;'`", 'ASDFGHJKL:"~'],
  [43, "\\zxcvbnm,./", "|ZXCVBNM<>?"],
];

/** A key that types a character. */
export interface CharacterKey {
  code: number;
  plain: string;
  shifted: string;
}

/** The keys that type characters, without the space bar. */
export const CHARACTER_KEYS: readonly CharacterKey[] = ROWS.flatMap(([first, plain, shifted]) =>
  [...plain].map((character, i) => ({ code: first + i, plain: character, shifted: shifted[i] }))
);

/** Key codes that this table does not use otherwise, for symbols without a key. All programs know these codes. */
export const SPARE_CODES: readonly number[] = [
  86,
  89,
  90,
  91,
  93,
  95,
  124,
  128,
  129,
  130,
  131,
  132,
  133,
  134,
  135,
  136,
];

/** Names of keys by code; a key that types a character has that character as its name. */
export const NAMES_BY_CODE: ReadonlyMap<number, string> = new Map([
  ...CHARACTER_KEYS.map(({ code, plain }) => [code, plain] as const),
  ...[...CODES_BY_NAME].map(([name, code]) => [code, name] as const),
]);

/** The symbol of a key, by its name in `control/keys.ts`. */
export const KEYSYMS_BY_NAME: ReadonlyMap<string, number> = new Map(
  KEYS.map(({ name, keysym }) => [name, keysym]),
);
