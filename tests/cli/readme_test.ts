/** The documentation names every option, subcommand and prompt command. */

import { assert, assertMatch, assertStringIncludes } from "@std/assert";
import { OPTIONS, valueUsage } from "../../cli/option_table.ts";
import { SUBCOMMANDS } from "../../cli/subcommands.ts";
import { COMMANDS } from "../../control/prompt/commands.ts";

const read = (path: string) => Deno.readTextFileSync(new URL(`../../${path}`, import.meta.url));

Deno.test("docs/options.md has every option with its value, and every subcommand", () => {
  const page = read("docs/options.md");
  for (const row of OPTIONS) {
    assertStringIncludes(page, `--${row.name}${valueUsage(row)}\``);
  }
  for (const { name } of SUBCOMMANDS) assertMatch(page, new RegExp(`\`(deskhand )?${name}\\b`));
});

Deno.test("docs/prompt.md has every command of the prompt", () => {
  const page = read("docs/prompt.md");
  for (const { name } of COMMANDS) assertStringIncludes(page.slice(page.indexOf("## Commands")), `\`${name}`);
});

Deno.test("options that the README names are options", () => {
  const names = OPTIONS.map(({ name }) => `--${name}`);
  const part = read("README.md").split("\n## ").find((part) => part.startsWith("Options"))!;
  for (const [option] of part.matchAll(/--[a-z][a-z-]*/g)) {
    assert(names.includes(option), option);
  }
});
