/** The names of the actions that are tried, in order. */

/** Actions tried with a program that accepts text. */
export const FIELD_THINGS = ["texts", "ascii", "scripts", "shortcuts"] as const;

/** Actions tried with a desktop. The last ones change the desktop or end it. */
export const DESKTOP_THINGS = [
  ...["pointer", "clicks", "wheel", "drag", "keys", "clipboard", "picture", "find", "record"] as const,
  ...["keyboards", "held-key", "aids", "workspace"] as const,
  ...["windows", "resolution", "end"] as const,
] as const;

/** Actions tried next to a user; the only ones tried with a mere window manager. */
export const BESIDE_THINGS = [
  "keyboards",
  "held-key",
  "aids",
  "workspace",
  "end",
] as const satisfies readonly DesktopThing[];

export type FieldThing = typeof FIELD_THINGS[number];
export type DesktopThing = typeof DESKTOP_THINGS[number];
