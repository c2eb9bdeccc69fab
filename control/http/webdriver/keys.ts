/** Keys of WebDriver (W3C WebDriver, section 17.4.2) in deskhand's names, and the steps of typing. */

import { canonicalKey } from "../../desktop/keys.ts";

/** The named keys, by the last three digits of their code points from U+E000. */
const NAMES =
  ("001 keysym:0xff69,002 help,003 backspace,004 tab,005 keysym:0xff0b,006 enter,007 enter,008 shift,009 ctrl," +
    "00a alt,00b pause,00c escape,00d space,00e pageup,00f pagedown,010 end,011 home,012 left,013 up,014 right," +
    "015 down,016 insert,017 delete,018 ;,019 =,01a kp0,01b kp1,01c kp2,01d kp3,01e kp4,01f kp5,020 kp6," +
    "021 kp7,022 kp8,023 kp9,024 kpmultiply,025 kpadd,026 kpseparator,027 kpsubtract,028 kpdecimal," +
    "029 kpdivide,031 f1,032 f2,033 f3,034 f4,035 f5,036 f6,037 f7,038 f8,039 f9,03a f10,03b f11,03c f12," +
    "03d super,050 rightshift,051 rightctrl,052 rightalt,053 rightsuper,054 kppageup,055 kppagedown,056 kpend," +
    "057 kphome,058 kpleft,059 kpup,05a kpright,05b kpdown,05c kpinsert,05d kpdelete").split(",");
const BY_CHARACTER = new Map(NAMES.map((row) => {
  const [code, name] = row.split(" ");
  return [String.fromCodePoint(0xe000 + parseInt(code, 16)), name];
}));
const MODIFIER = /^(?:right)?(?:shift|ctrl|alt|super)$/;

/** The character that releases all modifiers. */
export const NULL_KEY = "\ue000";

/**
 * The key of a character.
 * @returns undefined for a character that no key types.
 * @example
 * keyOf("\ue009"); // "ctrl"
 */
export function keyOf(character: string): string | undefined {
  return BY_CHARACTER.get(character) ?? { "\n": "enter", "\r": "enter", "\t": "tab" }[character] ??
    canonicalKey(character);
}

/** A step of typing: a text, a key, or a modifier that is pressed or released. */
export type TypingStep =
  | { type: "text"; text: string }
  | { type: "key" | "press" | "release"; key: string };

/**
 * The steps that type the characters of Element Send Keys. Modifiers stay down until they come again, until NULL, or
 * until the end.
 * @example
 * typingSteps("ab\ue007"); // [{ type: "text", text: "ab" }, { type: "key", key: "enter" }]
 */
export function typingSteps(text: string): TypingStep[] {
  const steps: TypingStep[] = [], held: string[] = [];
  for (const character of [...text, NULL_KEY]) {
    const special = BY_CHARACTER.get(character), last = steps.at(-1);
    if (character === NULL_KEY) {
      for (const key of held.splice(0).reverse()) steps.push({ type: "release", key });
    } else if (special !== undefined && MODIFIER.test(special)) {
      const at = held.indexOf(special);
      if (at < 0) held.push(special);
      else held.splice(at, 1);
      steps.push({ type: at < 0 ? "press" : "release", key: special });
    } else if (special !== undefined || held.length) {
      steps.push({ type: "key", key: special ?? keyOf(character) ?? character });
    } else if (last?.type === "text") last.text += character;
    else steps.push({ type: "text", text: character });
  }
  return steps;
}
