/** That the README names every option, subcommand and prompt command. */

import { assertMatch, assertStringIncludes } from "@std/assert";
import { valueUsage } from "../../cli/option.ts";
import { OPTIONS } from "../../cli/option_table.ts";
import { SUBCOMMANDS } from "../../cli/subcommands.ts";
import { COMMANDS } from "../../control/prompt/commands.ts";

const README = Deno.readTextFileSync(new URL("../../README.md", import.meta.url));

Deno.test("the README has every option with its value, every subcommand and every prompt command", () => {
  for (const row of OPTIONS) {
    const value = valueUsage(row).replaceAll("|", "\\|"); // as in a cell of a table
    assertStringIncludes(README, `--${row.name}${value}\``);
  }
  for (const { name } of SUBCOMMANDS) assertMatch(README, new RegExp(`\`(deskhand )?${name}\\b`));
  for (const { name } of COMMANDS) {
    assertStringIncludes(
      README.slice(README.indexOf("| command "), README.indexOf("## Options")),
      `\`${name}`,
    );
  }
});
