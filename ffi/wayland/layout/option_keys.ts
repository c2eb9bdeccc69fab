/** Keys that hardly any keyboard has, for characters that no key of the person's types. Pure. */

/** A key that the option gives a character. */
export interface OptionKey {
  /** Its code as the kernel counts keys (linux/input-event-codes.h). */
  code: number;
  /** Its name in `keycodes/evdev` of xkeyboard-config. */
  name: string;
}

/**
 * The keys in the order in which they are taken, the rarest first: F13 to F24, those of Sun's and of Asian keyboards.
 *
 * Chromium drops keys whose code it does not know, and takes some for commands of its own. The ones here were pressed
 * with a Chinese character each in Chromium 156, a GTK dialog, foot, and xterm under XWayland, and typed it in all four.
 * Codes above 247 do not exist for X11 programs.
 */
export const OPTION_KEYS: readonly OptionKey[] = [
  ...numbered("FK", 13, 24, 183),
  ...named(128, "STOP AGAI"),
  ...named(131, "UNDO FRNT COPY OPEN PAST FIND CUT HELP"),
  ...named(179, "I187 I188 I189 I190"),
  ...named(120, "I128 I129 HNGL HJCV"),
  ...named(117, "KPEQ I126"),
  ...named(90, "KATA HIRA HENK HKTG MUHE"),
];

function numbered(prefix: string, first: number, last: number, code: number): OptionKey[] {
  return Array.from(
    { length: last - first + 1 },
    (_, i) => ({ code: code + i, name: `${prefix}${first + i}` }),
  );
}

function named(first: number, names: string): OptionKey[] {
  return names.split(" ").map((name, i) => ({ code: first + i, name }));
}
