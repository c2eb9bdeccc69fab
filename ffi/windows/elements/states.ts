/** States in the words of ARIA, and texts and places in the form of deskhand. */

import type { ElementState, Region } from "../../../control/desktop.ts";

/** Characters of a name or value that are read. */
const CHARACTERS = 2000;

/** An element, as far as its states depend on it. */
export interface StateFlags {
  isFocused?: boolean;
  isDisabled?: boolean;
  /** Tells whether the control is checked, pressed or chosen, as its role says. */
  isOn?: boolean;
  isMixed?: boolean;
  isPressed?: boolean;
  isSelected?: boolean;
  isExpanded?: boolean;
  isCollapsed?: boolean;
  isRequired?: boolean;
  isReadOnly?: boolean;
  isHidden?: boolean;
}

/** The states of an element in the words of ARIA. */
export function statesOf(role: string, flags: StateFlags): ElementState[] {
  const isButton = role === "button" || role === "togglebutton", isRadio = role === "radio";
  const words: [ElementState, boolean | undefined][] = [
    ["focused", flags.isFocused],
    ["disabled", flags.isDisabled],
    ["checked", flags.isOn && !isButton || isRadio && flags.isSelected],
    ["mixed", flags.isMixed],
    ["pressed", flags.isPressed || flags.isOn && isButton],
    ["selected", flags.isSelected && !isRadio],
    ["expanded", flags.isExpanded],
    ["collapsed", flags.isCollapsed],
    ["required", flags.isRequired],
    ["readonly", flags.isReadOnly],
    ["hidden", flags.isHidden],
  ];
  return words.filter(([, isSet]) => isSet).map(([word]) => word);
}

/** Bits of STATE_SYSTEM_* (oleacc.h). */
const BITS = {
  isDisabled: 0x1,
  isSelected: 0x2,
  isFocused: 0x4,
  isPressed: 0x8,
  isOn: 0x10,
  isMixed: 0x20,
  isReadOnly: 0x40,
  isExpanded: 0x200,
  isCollapsed: 0x400,
} as const satisfies Partial<Record<keyof StateFlags, number>>;
const HIDDEN = 0x8000 | 0x10000;
/** STATE_SYSTEM_PROTECTED: a password. */
export const PROTECTED = 0x20000000;

/** The flags of MSAA's states. */
export function msaaFlags(states: number): StateFlags {
  const flags = Object.entries(BITS).map(([name, bit]) => [name, (states & bit) !== 0]);
  return { ...Object.fromEntries(flags), isHidden: (states & HIDDEN) !== 0 };
}

/** A name as it is listed. */
export function nameOf(text: string): string {
  return text.slice(0, CHARACTERS).replaceAll("\ufffc", "").trim();
}

/** A text as deskhand's callers write it: lines end with a line feed. */
export function valueOf(text: string): string {
  return text.slice(0, CHARACTERS).replaceAll(/\r\n?/g, "\n").replaceAll("\ufffc", "");
}

/** A text as Windows' fields take it: lines end with a carriage return and a line feed. */
export function fieldText(text: string): string {
  return text.replaceAll(/\r\n|\r|\n/g, "\r\n");
}

/** A place of whole pixels; undefined for one without an area. */
export function placeOf(numbers: readonly number[] | undefined): Region | undefined {
  if (!numbers || numbers.length < 4 || !numbers.every(Number.isFinite)) return undefined;
  const [x, y, width, height] = numbers.map(Math.round);
  return width > 0 && height > 0 ? { x, y, width, height } : undefined;
}
