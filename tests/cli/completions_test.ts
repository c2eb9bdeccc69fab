/** Completions, as the shells themselves complete; and that every script has every option. */

import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { DESKTOP_MEANINGS } from "../../ffi/open.ts";
import { completions } from "../../cli/completions.ts";
import { UsageError } from "../../core/errors.ts";
import { readOptions } from "../../cli/options.ts";
import { Lifetime } from "../../core/lifetime.ts";
import { CONSOLE } from "../../core/output.ts";
import { OPTIONS } from "../../cli/option_table.ts";
import { SHELLS } from "../../cli/subcommand.ts";
import { runSubcommand, SUBCOMMANDS } from "../../cli/subcommands.ts";
import { need } from "../support/need.ts";
import { Terminal } from "../support/terminal.ts";
import { temporary } from "../support/temporary.ts";

/** Text before Tab, and the line after it. */
const TYPED: [typed: string, completed: string][] = [
  ["deskhand --des", "deskhand --desktop"],
  ["deskhand --desktop vi", "deskhand --desktop virtual"],
  ["deskhand --desktop=vi", "deskhand --desktop=virtual"],
  ["deskhand --http --read", "deskhand --http --read-only"],
  ["deskhand --files ins", "deskhand --files inside/"],
  ["deskhand --files=ins", "deskhand --files=inside/"],
  ["deskhand --files --inde", "deskhand --files --index"],
  ["deskhand --cert serv", "deskhand --cert server.pem"],
  ["deskhand comp", "deskhand completions"],
  ["deskhand completions po", "deskhand completions powershell"],
];

/** The start of each shell without the user's settings, and with the completions. */
const STARTED: Partial<Record<typeof SHELLS[number], { command: string; setup: string }>> = {
  bash: { command: "bash --noprofile --norc", setup: "PS1='$ '; source completions.bash" },
  zsh: {
    command: "zsh --no-rcs",
    setup: "PS1='$ '; autoload -U compinit; compinit -u -D; source completions.zsh",
  },
  fish: {
    command: "fish --no-config",
    setup:
      "function fish_prompt; echo -n '$ '; end; source completions.fish; set -g fish_autosuggestion_enabled 0",
  },
};

for (const shell of SHELLS) {
  const started = STARTED[shell];
  if (!started) continue;
  const { command, setup } = started;
  Deno.test({
    ...need("tmux", shell),
    name: `${shell} completes options, their values, files and words`,
    async fn(test) {
      await temporary(async (folder) => {
        await Deno.mkdir(join(folder, "inside"));
        await Deno.writeTextFile(join(folder, "server.pem"), "");
        await Deno.writeTextFile(join(folder, `completions.${shell}`), completions(shell, SUBCOMMANDS));
        await using terminal = await Terminal.open(
          `cd '${folder}'; env -i TERM=xterm LC_ALL=C.UTF-8 HOME='${folder}' PATH="$PATH" ${command}`,
        );
        await terminal.line(setup);
        await terminal.keys("C-l");
        await terminal.shows(/^\$\s*$/);
        for (const [typed, completed] of TYPED) {
          await test.step(typed, async () => {
            try {
              await terminal.keys(typed);
              await terminal.shows(new RegExp(`^\\$ ${RegExp.escape(typed)}$`, "m"));
              await terminal.keys("Tab");
              // A shell may add a blank, or the = that a value may follow.
              await terminal.shows(new RegExp(`^\\$ ${RegExp.escape(completed)}[= ]*$`, "m"));
            } finally {
              await terminal.keys("C-u", "C-l");
            }
            await terminal.shows(/^\$\s*$/);
          });
        }
        if (shell !== "bash") { // bash shows words alone
          await terminal.keys("deskhand --desktop ");
          await terminal.shows(/^\$ deskhand --desktop\s*$/m);
          await terminal.keys("Tab");
          for (const [word, meaning] of Object.entries(DESKTOP_MEANINGS)) {
            await terminal.shows(new RegExp(`\\b${word}\\s.*${RegExp.escape(meaning)}`));
          }
        }
      });
    },
  });
}

Deno.test("the completions of every shell have every option and subcommand", () => {
  for (const shell of SHELLS) {
    const script = completions(shell, SUBCOMMANDS);
    for (const { name } of OPTIONS) {
      assertStringIncludes(script, shell === "fish" ? ` -l ${name} ` : `--${name}`);
    }
    for (const { name } of SUBCOMMANDS) assertStringIncludes(script, name);
  }
});

Deno.test("quotes in a summary end no string", () => {
  // The summaries hold apostrophes; in PowerShell and zsh an odd number of quotes on a line would be an error.
  assert(OPTIONS.some(({ summary }) => summary.includes("'")));
  for (
    const line of completions("powershell", SUBCOMMANDS).split("\n").filter((line) =>
      line.startsWith("    '")
    )
  ) {
    assertEquals(line.replaceAll("''", "").split("'").length % 2, 1, line);
  }
});

const START = { settings: readOptions([], () => undefined).settings, lifetime: new Lifetime() };

Deno.test("an unknown shell is refused", async () => {
  for (const words of [[], ["tcsh"], ["bash", "zsh"], ["toString"]]) {
    await assertRejects(
      () => runSubcommand(["completions", ...words], CONSOLE, START),
      UsageError,
      "bash, zsh, fish, powershell",
    );
  }
});
