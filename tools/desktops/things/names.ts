/** The names of things that are done, in their order. */

/** Things that are done with a program that takes text. */
export const FIELD_THINGS = ["texts", "ascii", "scripts", "shortcuts"] as const;

/** Things that are done with a desktop. The last things change the desktop or end it. */
export const DESKTOP_THINGS = [
  ...["pointer", "clicks", "wheel", "drag", "keys", "clipboard", "picture", "find", "record"] as const,
  ...["keyboards", "held-key", "aids", "workspace"] as const,
  ...["windows", "resolution", "end"] as const,
] as const;

/** Things that are done beside a person; all that is tried with a window manager alone. */
export const BESIDE_THINGS = [
  "keyboards",
  "held-key",
  "aids",
  "workspace",
  "end",
] as const satisfies readonly DesktopThing[];

export type FieldThing = typeof FIELD_THINGS[number];
export type DesktopThing = typeof DESKTOP_THINGS[number];
