/** A row of the table of options, and the type of its setting. */

/** Option groups with their headings, in the order of help. */
export const OPTION_GROUPS = {
  servers: "The servers",
  desktop: "The desktop",
  callers: "Callers of the control API",
  files: "The file server",
  agents: "AI agents",
  rest: "The prompt, the log and the rest",
} as const;

/** A row of the table of options. */
export interface Option {
  name: string;
  /** The option's group in help. */
  group: keyof typeof OPTION_GROUPS;
  /** The letter after a single `-`. */
  short?: string;
  /**
   * The kind of option: without a value (`flag`), with one value (`value`), with a value each time it is
   * given (`list`), or with an optional value (`optional`).
   */
  kind: "flag" | "value" | "list" | "optional";
  /** The value's name in help. */
  value?: string;
  /** The value's format; any text if omitted. */
  type?: "port" | "seconds";
  /** The allowed values; any if omitted. */
  choices?: readonly string[];
  /** The prefix of further allowed values, such as `vnc://`. */
  scheme?: string;
  /** A short description of each of these values, for completions. */
  meanings?: Readonly<Record<string, string>>;
  /** The kind of paths that completions offer for the value. */
  path?: "file" | "folder";
  /**
   * Why the file server may serve the file that the option names. If omitted, the file is one of deskhand's
   * own secrets (files/secrets.ts).
   */
  servable?: string;
  /** Whether the file server never serves the contents of this option's folder. */
  secret?: true;
  /** The option's value if given without one. */
  bare?: string;
  /** The value if the option is not given. */
  default?: string;
  /** The environment variable that can replace the option. */
  env?: string;
  /** The option has no effect unless one of these options or subcommands is given too. */
  needs?: readonly string[];
  /** One line for help. */
  summary: string;
}

/** `files-port` becomes `filesPort`. */
type Camel<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name;

/** The name of an option's setting: `files-port` becomes `filesPort`. */
export function camelCase(name: string): string {
  return name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

type Value<O> = O extends { type: "port" | "seconds" } ? number
  : O extends { choices: readonly (infer Choice)[] } ? Choice
  : string;

/** The type of the setting for an option's row. */
type Setting<O> = O extends { kind: "flag" } ? boolean
  : O extends { kind: "list" } ? string[]
  : O extends { default: string } ? Value<O>
  : Value<O> | undefined;

/** Option values: a field per row, named in camel case; undefined if not given. */
export type SettingsOf<Row extends { name: string }> = { [O in Row as Camel<O["name"]>]: Setting<O> };

/**
 * Formats an option's value for help: ` PORT`, or ` [PORT]` if the value is optional.
 * @returns An empty string for an option without a value.
 */
export function valueUsage({ kind, value }: Option): string {
  if (value === undefined) return "";
  return kind === "optional" ? ` [${value}]` : ` ${value}`;
}
