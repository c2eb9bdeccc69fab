/** A row of the table of options, and the type of its setting. */

/** Groups of options with their headings, in the order of help. */
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
  /** The option's place in help. */
  group: keyof typeof OPTION_GROUPS;
  /** The letter behind a single `-`. */
  short?: string;
  /**
   * Kind of option: without a value (`flag`), with one value (`value`), with a value each time the option is given
   * (`list`), or with a value that may be left out (`optional`).
   */
  kind: "flag" | "value" | "list" | "optional";
  /** The name of the option's value in help. */
  value?: string;
  /** The form of the value; any text if left out. */
  type?: "port" | "seconds";
  /** The values that are allowed; any if left out. */
  choices?: readonly string[];
  /** The beginning of further values, such as `vnc://`. */
  scheme?: string;
  /** A few words on each of these values, for completions. */
  meanings?: Readonly<Record<string, string>>;
  /** The paths that completions offer for the value. */
  path?: "file" | "folder";
  /**
   * The reason why the file server may serve the file that the option names. Where this is left out, the file is one of
   * deskhand's own secrets (files/secrets.ts).
   */
  servable?: string;
  /** Whether the file server never serves the content of this option's folder. */
  secret?: true;
  /** The option's value if it is given without one. */
  bare?: string;
  /** The value where the option is not given. */
  default?: string;
  /** Environment variable that stands in for the option. */
  env?: string;
  /** The option does nothing unless one of these options and subcommands is given too. */
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

/** The type of the setting that an option's row describes. */
type Setting<O> = O extends { kind: "flag" } ? boolean
  : O extends { kind: "list" } ? string[]
  : O extends { default: string } ? Value<O>
  : Value<O> | undefined;

/** Values of options: a field for each row, by its name in camel case; undefined where it is not given. */
export type SettingsOf<Row extends { name: string }> = { [O in Row as Camel<O["name"]>]: Setting<O> };

/**
 * Writes an option's value for help: ` PORT`, or ` [PORT]` if the value may be left out.
 * @returns An empty string for an option without a value.
 */
export function valueUsage({ kind, value }: Option): string {
  if (value === undefined) return "";
  return kind === "optional" ? ` [${value}]` : ` ${value}`;
}
