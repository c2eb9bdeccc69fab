/**
 * The two files of `~/.config/xkb` that make an XKB option: `rules/evdev`, which names it, and `symbols/deskhand`, which
 * says what keys type with it. libxkbcommon reads them for the compositor (libxkbcommon, "User-configuration"). Pure.
 */

import type { OptionKey } from "./option_keys.ts";

/** The option's two names. A compositor reads the files anew only when the option's name changes. */
export const OPTION_NAMES = ["deskhand:1", "deskhand:2"] as const;
/** One of {@linkcode OPTION_NAMES}. */
export type OptionName = typeof OPTION_NAMES[number];

const BEGIN = "// deskhand begins. It takes these lines out again after it has typed.";
const END = "// deskhand ends.";
/** `%S` is the folder of the system's rules. The include comes first: its rules would else undo those that follow. */
const INCLUDE = "! include %S/evdev";
const RULES = [
  "! option = symbols",
  ...OPTION_NAMES.map((name, i) => `  ${name} = +deskhand(s${i + 1})`),
];
/** How the file of symbols begins, so that deskhand knows it as its own. */
const SYMBOLS_MARK = "// Written by deskhand, which removes it after it has typed.\n";

/**
 * Adds the rules of the option.
 * @param theirs The person's `rules/evdev`; undefined if there is none, so that the system's has to be included.
 */
export function withRules(theirs: string | undefined): string {
  if (theirs === undefined) return `${[BEGIN, INCLUDE, ...RULES, END].join("\n")}\n`;
  const before = withoutRules(theirs);
  return before === undefined ? withRules(undefined) : `${before}\n${[BEGIN, ...RULES, END].join("\n")}\n`;
}

/**
 * Removes what {@linkcode withRules} added.
 * @returns The person's part as it was; undefined if there was none, so that the file goes.
 */
export function withoutRules(text: string): string | undefined {
  const begin = text.indexOf(BEGIN), end = text.indexOf(END, begin);
  if (begin < 0 || end < 0) return text;
  const rest = text.slice(end + END.length).replace(/^\n/, "");
  if (begin === 0 && rest === "") return undefined;
  return text.slice(0, Math.max(0, begin - 1)) + rest;
}

/**
 * The file of symbols.
 * @param symbols Keysyms by key. A key has one on both levels of a type that counts Caps Lock, so that neither Shift
 * nor Caps Lock makes another character of it.
 */
export function symbolsText(symbols: ReadonlyMap<OptionKey, number>): string {
  const lines = [...symbols].map(([{ name }, keysym]) => {
    const symbol = `0x${keysym.toString(16)}`;
    return `  key <${name}> { type[Group1] = "ALPHABETIC", symbols[Group1] = [ ${symbol}, ${symbol} ] };\n`;
  });
  const sections = OPTION_NAMES.map((_, i) => `partial xkb_symbols "s${i + 1}" {\n${lines.join("")}};\n`);
  return SYMBOLS_MARK + sections.join("");
}

/** Whether deskhand wrote a file of symbols. */
export function isOwnSymbols(text: string): boolean {
  return text.startsWith(SYMBOLS_MARK);
}

/**
 * The options of a desktop with deskhand's last.
 * @param name undefined for the person's alone.
 */
export function withOption(options: readonly string[], name: OptionName | undefined): string[] {
  const theirs = options.filter((option) => !(OPTION_NAMES as readonly string[]).includes(option));
  return name ? [...theirs, name] : theirs;
}
