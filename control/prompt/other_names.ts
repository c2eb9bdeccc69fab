/** Other interfaces' names of what the prompt's commands do, for messages about unknown commands. */

/** Commands by the names that paths of the control API and tools of agents have for the same action. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  activate: "act",
  click: "c",
  clipboard: "copy",
  fullscreen: "full",
  key: "k",
  maximize: "max",
  minimize: "min",
  move: "m",
  position: "g",
  record: "rec",
  recording: "rec",
  screenshot: "shot",
  scroll: "sc",
  type: "t",
  window: "win",
  windows: "win",
};

/** All names of other interfaces. */
export const OTHERS: readonly string[] = Object.keys(OTHER_NAMES);

/**
 * The prompt's command for a name of another interface.
 * @param name The name in lower case.
 * @returns The command's name; undefined if no other interface has this name, or if a command has it.
 * @example
 * commandNamed("click"); // "c"
 */
export function commandNamed(name: string): string | undefined {
  return Object.hasOwn(OTHER_NAMES, name) ? OTHER_NAMES[name] : undefined;
}
