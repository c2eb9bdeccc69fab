/** The tool that starts programs, which must be on a person's list. */

import { ACTIONS } from "../../actions/mod.ts";
import { choice } from "../../actions/schema.ts";
import { launch } from "../launcher.ts";
import { type AnyTool, said, tool } from "../tool.ts";

/** The longest time until a program's window is there, in milliseconds. */
const WINDOW_MS = 10_000;

/**
 * Makes the tool.
 * @param programs Names on the PATH, or paths.
 */
export function openTool(programs: readonly string[]): AnyTool {
  return tool({
    name: "open",
    title: "Open a program",
    description: "Starts a program and waits for its window.",
    action: ACTIONS.click,
    picture: "if asked",
    settleMs: WINDOW_MS,
    input: { program: choice(programs, "The program") },
    ownMs: () => WINDOW_MS,
    async run({ program }) {
      return said(`started ${program}, process ${await launch(program)}`);
    },
  });
}
