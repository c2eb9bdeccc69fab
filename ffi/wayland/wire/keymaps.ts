/**
 * Keyboard maps as text (XKB text format, version 1) that are sent to the compositor with a virtual keyboard,
 * so that a key's meaning does not depend on the person's layout. Pure.
 *
 * The types and the compatibility map are included from the system: without them, XWayland ignores a map.
 */

import { delay } from "@std/async/delay";
import type { Button, Direction } from "../../../control/desktop/desktop.ts";
import { KEYS } from "../../../control/desktop/keys.ts";
import { StateError } from "../../../core/errors.ts";
import { until } from "../../../core/until.ts";
import type { unreadByClients } from "../../linux/socket.ts";
import { cutText, KEYS_IN_TEXT } from "../../text.ts";

// Kernel key codes (linux/input-event-codes.h) on a US keyboard. Pure.

/** The difference between XKB's codes and the kernel's (X11 protocol: keycodes are 8 to 255). */
export const XKB_OFFSET = 8;

/**
 * Keys of `control/desktop/keys.ts` by name. Missing names share a key with another name, such as `kphome`.
 */
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
  ["altgr", 84], // where XKB has it, in addition to a right Alt key
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
  return range(first, last).map((number, i) => [`${prefix}${number}`, code + i]);
}

/** Integers from the first to the last. */
export function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

/** Rows of character keys: the first key's code, the characters, and the characters with Shift. */
const ROWS: readonly [first: number, plain: string, shifted: string][] = [
  [2, "1234567890-=", "!@#$%^&*()_+"],
  [16, "qwertyuiop[]", "QWERTYUIOP{}"],
  [30, "asdfghjkl;'`", 'ASDFGHJKL:"~'],
  [43, "\\zxcvbnm,./", "|ZXCVBNM<>?"],
];

/** A key that types a character. */
interface CharacterKey {
  code: number;
  plain: string;
  shifted: string;
}

/** Character keys, without the space bar. */
export const CHARACTER_KEYS: readonly CharacterKey[] = ROWS.flatMap(([first, plain, shifted]) =>
  [...plain].map((character, i) => ({ code: first + i, plain: character, shifted: shifted[i] }))
);

/** Key codes not otherwise used in this table, for symbols without a key. All programs know these codes. */
export const SPARE_CODES: readonly number[] = [86, 89, 90, 91, 93, 95, 124, ...range(128, 136)];

/** Key names by code; a character key's name is its character. */
export const NAMES_BY_CODE: ReadonlyMap<number, string> = new Map([
  ...CHARACTER_KEYS.map(({ code, plain }) => [code, plain] as const),
  ...[...CODES_BY_NAME].map(([name, code]) => [code, name] as const),
]);

/** A key's symbol, by its name in `control/desktop/keys.ts`. */
export const KEYSYMS_BY_NAME: ReadonlyMap<string, number> = new Map(
  KEYS.map(({ name, keysym }) => [name, keysym]),
);

/** Modifier bits (X11 protocol, KEYBUTMASK) by key. */
export const MODIFIER_BITS: Readonly<Record<string, number>> = {
  shift: 1,
  rightshift: 1,
  ctrl: 4,
  rightctrl: 4,
  alt: 8,
  rightalt: 8,
  super: 64,
  rightsuper: 64,
  altgr: 128,
};
/** Modifiers that are toggled with each press. */
export const LOCK_BITS: Readonly<Record<string, number>> = { capslock: 2, numlock: 16 };

/** Modifier names in a map, by bit. */
const MODIFIER_NAMES: ReadonlyMap<number, string> = new Map([
  [1, "Shift"],
  [2, "Lock"],
  [4, "Control"],
  [8, "Mod1"],
  [16, "Mod2"],
  [64, "Mod4"],
  [128, "Mod5"],
]);

/** Symbols missing from a US keyboard. */
interface AddedSymbols {
  /** A spare key's symbol, by its code. */
  spare: ReadonlyMap<number, number>;
  /** Characters in further groups, in the order of {@linkcode PLACES}. */
  placed: readonly Stroke[];
}

/**
 * A US keyboard with every key of `control/desktop/keys.ts`, and the added symbols.
 * @returns The map's text.
 */
export function keyboardMap({ spare, placed }: AddedSymbols): string {
  const keys = new Map<number, string[]>();
  const add = (code: number, ...symbols: string[]) => keys.set(code, [...keys.get(code) ?? [], ...symbols]);
  for (const { code, plain, shifted } of CHARACTER_KEYS) {
    add(code, `symbols[Group1]=${listed([plain, shifted].map((one) => keysymOf(one.codePointAt(0)!)))}`);
  }
  for (const [name, code] of CODES_BY_NAME) {
    add(code, `symbols[Group1]=${listed([KEYSYMS_BY_NAME.get(name)!])}`);
  }
  for (const [code, keysym] of spare) add(code, `symbols[Group1]=${listed([keysym])}`);
  for (const [code, groups] of symbolsByCode(placed)) add(code, ...groupsOfKey(groups));
  const codes = [...keys.keys()].map((code) => `<K${code}>=${code + XKB_OFFSET};`).join("");
  const symbols = [...keys].map(([code, parts]) => `key <K${code}>{${parts}};`).join("");
  return `xkb_keymap{xkb_keycodes "deskhand"{minimum=8;maximum=255;${codes}};` +
    'xkb_types "deskhand"{include "complete"};xkb_compatibility "deskhand"{include "complete"};' +
    `xkb_symbols "deskhand"{${symbols}${MODIFIER_MAP}};};`;
}

/** Each key's modifier. */
const MODIFIER_MAP = [...Object.entries(MODIFIER_BITS), ...Object.entries(LOCK_BITS)].map(([name, bit]) =>
  `modifier_map ${MODIFIER_NAMES.get(bit)}{<K${CODES_BY_NAME.get(name)}>};`
).join("");

/** Keysyms by key code, by group, by level. {@linkcode PLACES} has no gaps except the first group. */
function symbolsByCode(placed: readonly Stroke[]): Map<number, number[][]> {
  const all = new Map<number, number[][]>();
  for (const { code, group, level, codePoint } of placed) {
    if (!all.has(code)) all.set(code, []);
    (all.get(code)![group] ??= [])[level] = keysymOf(codePoint);
  }
  return all;
}

/**
 * The parts of a key with further groups.
 * @param groups Keysyms by group, by level; group 0 is omitted.
 */
function groupsOfKey(groups: readonly number[][]): string[] {
  // Names the key type, since XKB would otherwise choose one in which Caps Lock capitalizes.
  return groups.flatMap((keysyms, i) => [
    `type[Group${i + 1}]="FOUR_LEVEL"`,
    `symbols[Group${i + 1}]=${listed(keysyms)}`,
  ]);
}

function listed(keysyms: readonly number[]): string {
  return `[${keysyms.map((keysym) => `0x${keysym.toString(16)}`)}]`;
}

/**
 * A character's symbol (X11 protocol, appendix A: Latin-1 unchanged, others by code point), or that of the
 * key that a control character stands for.
 */
export function keysymOf(codePoint: number): number {
  const key = KEYS_IN_TEXT.get(codePoint);
  if (key) return KEYSYMS_BY_NAME.get(key)!;
  const isLatin1 = codePoint >= 0x20 && codePoint <= 0x7e || codePoint >= 0xa0 && codePoint <= 0xff;
  return isLatin1 ? codePoint : 0x1000000 + codePoint;
}

// Kernel button codes (linux/input-event-codes.h), and Wayland's wheel axes.

/** BTN_LEFT, BTN_RIGHT, BTN_MIDDLE, and the two side buttons of most mice: BTN_SIDE and BTN_EXTRA. */
export const BUTTON_CODES: Readonly<Record<Button, number>> = {
  left: 0x110,
  right: 0x111,
  middle: 0x112,
  back: 0x113,
  forward: 0x114,
};

/** Buttons by code, including BTN_FORWARD and BTN_BACK, which some mice have instead. */
export const BUTTONS_BY_CODE: ReadonlyMap<number, Button> = new Map<number, Button>([
  ...(Object.keys(BUTTON_CODES) as Button[]).map((name) => [BUTTON_CODES[name], name] as const),
  [0x115, "forward"],
  [0x116, "back"],
]);

/** The length of a wheel notch, in units of wl_pointer.axis; the value used by libinput. */
export const NOTCH = 15;
/** wl_pointer.axis and the sign of its values. */
export const AXES: Readonly<Record<Direction, readonly [axis: number, sign: number]>> = {
  up: [0, -1],
  down: [0, 1],
  left: [1, -1],
  right: [1, 1],
};

// How a text is typed: the key for each character. Pure.

/** A symbol's place on the keyboard. */
export interface KeyPlace {
  code: number;
  /** XKB's symbol group, from 0, which is the US keyboard's. */
  group: number;
  /** XKB's level in the group: 1 is selected by Shift, 2 by AltGr, 3 by both. */
  level: number;
}

/** A key to press. */
export interface Stroke extends KeyPlace {
  /** The character that the stroke types. */
  codePoint: number;
}

/** Keys of a US keyboard, by code point. */
export const OWN_STROKES: ReadonlyMap<number, Stroke> = new Map<number, Stroke>([
  ...CHARACTER_KEYS.flatMap(({ code, plain, shifted }) => [
    ownStroke(plain.codePointAt(0)!, code, 0),
    ownStroke(shifted.codePointAt(0)!, code, 1),
  ]),
  ownStroke(0x20, CODES_BY_NAME.get("space")!, 0),
  ...[...KEYS_IN_TEXT].map(([codePoint, name]) => ownStroke(codePoint, CODES_BY_NAME.get(name)!, 0)),
]);

function ownStroke(codePoint: number, code: number, level: number): [number, Stroke] {
  return [codePoint, { codePoint, code, level, group: 0 }];
}

/**
 * Places for other characters, in the order of use: first those that need no modifier, which programs might
 * notice. All programs treat these keys as character keys.
 */
export const PLACES: readonly KeyPlace[] = [0, 1, 2, 3].flatMap((level) =>
  [1, 2, 3].flatMap((group) => CHARACTER_KEYS.map(({ code }) => ({ code, group, level })))
);

/**
 * Cuts a text into parts with no more distinct characters than there are {@linkcode PLACES}.
 * @param characters Code points.
 */
export function partsOf(characters: readonly number[]): Generator<number[]> {
  return cutText(characters, (character) => !OWN_STROKES.has(character), PLACES.length);
}

// The typing pace. A compositor disconnects a program that does not read its events as fast as they come:
// 10,000 characters at the same time end a terminal, and 2,000 a second end an editor with long lines.

/** Number of characters typed at a time. */
export const CHARACTERS_AT_ONCE = 8;
/** Time granted to programs for one character, in milliseconds. */
const CHARACTER_MS = 0.5;
/**
 * Maximum time by which programs may lag behind, in milliseconds: the time for the characters typed at a
 * time, and for one late timer.
 */
const BACKLOG_MS = 8;
/** Number of characters between two checks of unread events. */
const LOOK_CHARACTERS = 128;
/**
 * Number of bytes that programs may leave unread: sockets hold 208 KiB, and 128 characters add some 40 KiB.
 */
const UNREAD_BYTES = 49_152;
/** Maximum wait for a program that lags behind, and the interval between two checks meanwhile, in milliseconds. */
const READ_MS = 10_000, READ_LOOK_MS = 5;

/** The typing pace: how much was typed, and how long programs had for it. */
export class TypingPace {
  /** When programs will be done with the text, on the scale of `performance.now()`. */
  #doneAt = -Infinity;
  /** Number of characters since the last check. */
  #unseen = 0;
  /** The bytes that each program had not read at the last check. */
  #unread: ReadonlyMap<number, number> | undefined;

  /** @param unread Returns the bytes that each program has not read, as {@linkcode unreadByClients} does. */
  constructor(readonly unread: () => ReturnType<typeof unreadByClients>) {}

  /**
   * Waits until more characters may be typed.
   * @throws StateError if a program does not read what was typed; the signal's reason.
   */
  async wait(signal?: AbortSignal): Promise<void> {
    const ms = this.#doneAt - performance.now() - BACKLOG_MS;
    if (ms > 0) await delay(ms);
    if (this.#unseen < LOOK_CHARACTERS) return;
    this.#unseen = 0;
    const before = this.#unread;
    let least = Infinity, progressAt = performance.now();
    const isRead = () => {
      const now = this.#unread = this.unread();
      if (!before || !now) return true;
      // Others may hang, too: only the program that receives the text has more to read than before.
      const behind = [...now].filter(([client, bytes]) =>
        bytes > UNREAD_BYTES && bytes > (before.get(client) ?? 0)
      );
      const bytes = behind.reduce((sum, [, bytes]) => sum + bytes, 0), time = performance.now();
      if (bytes < least) [least, progressAt] = [bytes, time];
      if (time - progressAt > READ_MS) throw keysNotRead();
      return !behind.length;
    };
    await until(isRead, { ms: Infinity, every: READ_LOOK_MS, signal });
  }

  /** Counts typed characters. */
  count(characters: number): void {
    this.#unseen += characters;
    this.#doneAt = Math.max(this.#doneAt, performance.now()) + characters * CHARACTER_MS;
  }
}

function keysNotRead(): StateError {
  return new StateError(
    `the program has not read the last keys for ${
      READ_MS / 1000
    } s: the rest of the text was not typed, since ` +
      "the compositor would disconnect the program",
  );
}
