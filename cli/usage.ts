/** What help and the manual page say beside the tables of options and subcommands. */

/** How deskhand is called. */
export const USAGE = "deskhand [--http [PORT]] [--files [FOLDER]] [options]";

/** What the exit codes mean. */
export const EXIT_CODES = [
  [0, "fine"],
  [1, "a command failed"],
  [2, "wrong use"],
  [3, "no desktop to control"],
] as const;
