/** Texts on a terminal of 80 by 24 characters: the start, `status`, `help`, and the bare prompt. */

import { assertEquals, assertMatch } from "@std/assert";
import { LISTED_ENDPOINTS } from "../../control/http/endpoints.ts";
import { COMMANDS } from "../../control/prompt/commands.ts";
import { VERSION } from "../../core/version.ts";
import { need } from "../support/need.ts";
import { Terminal } from "../support/terminal.ts";

const DESKHAND = `${Deno.execPath()} run -q -A main.ts --desktop virtual`;
const PATHS = [...new Set(LISTED_ENDPOINTS.map(({ path }) => path))];

/** The paths that a screen lists by groups, sorted, each once. */
function pathsOn(screen: string): string[] {
  const paths = screen.split("\n").filter((line) => /^ {2}/.test(line)).flatMap((line) =>
    line.match(/(?<= )\/\S*/g) ?? []
  );
  return [...new Set(paths)].sort();
}

Deno.test(
  { ...need("tmux"), name: "a start fits on one screen: port, paths, link, help, and how to stop" },
  async () => {
    await using terminal = await Terminal.open(`${DESKHAND} --http 0`, 80, 24);
    const screen = await terminal.shows(/^>$/m);
    assertMatch(screen, /^HTTP server started on port \d+$/m);
    assertEquals(pathsOn(screen), PATHS.toSorted());
    assertMatch(
      screen,
      /^curl http:\S+\/api\/position\nhttp:\S+\/#token=\S+\nhelp lists .*\bstatus\b.*\bquit stops\.\n>$/m,
    );
    await terminal.line("status");
    const status = await terminal.shows(/^recorder [^]*#token=\S+\n>$/m);
    assertEquals(pathsOn(status), PATHS.toSorted());
  },
);

Deno.test(
  { ...need("tmux"), name: "a narrow terminal breaks no word above the prompt, nor of a form" },
  async () => {
    await using terminal = await Terminal.open(`${DESKHAND} --http 0`, 50, 60);
    assertMatch(
      await terminal.shows(/^>$/m),
      /^help lists commands, [^]* status\nsays this again; quit stops\.\n>$/m,
    );
    await terminal.line("help wait");
    await terminal.shows(
      /^> help wait\nwait <x>-<y> <colour> \[<ms>\] \| wait still <ms>\n {2}\[<ms>\]\n {2}wait for /m,
    );
  },
);

Deno.test({ ...need("tmux"), name: "help has every command, and breaks no word" }, async () => {
  await using terminal = await Terminal.open(DESKHAND, 80, 100);
  assertMatch(
    await terminal.shows(/^>$/m),
    new RegExp(`^deskhand ${VERSION}: help lists the commands; .*--http`, "m"),
  );
  await terminal.line("help");
  const screen = (await terminal.shows(/^> help\n[^]*^>$/m)).replace(/\s+/g, " ");
  for (const { usage, summary } of COMMANDS) {
    assertEquals(screen.includes(`${usage} ${summary}`), true, usage);
  }
});
