/** The prompt on a real terminal: pastes, the history between starts, search, file names, and a log beside it. */

import { assertEquals } from "@std/assert";
import { need } from "../support/need.ts";
import { temporary } from "../support/temporary.ts";
import { Terminal } from "../support/terminal.ts";
import { statusOf } from "../support/files.ts";

const DESKHAND = `${Deno.execPath()} run -q -A main.ts --desktop virtual`;

Deno.test({ ...need("tmux"), name: "each line of a paste is shown with its results" }, async () => {
  await using terminal = await Terminal.open(DESKHAND);
  await terminal.shows(/^>$/m);
  await terminal.paste("m1-2\ng\nzz\nm3-4\ng\nhalf");
  await terminal.shows(
    /^> m1-2\n> g\n1 2\n> zz\nunknown command zz; help lists them\n> m3-4\n> g\n3 4\n> half$/m,
  );
});

Deno.test({ ...need("tmux"), name: "the rest of a paste answers no question" }, async () => {
  await temporary(async (folder) => {
    await Deno.writeTextFile(`${folder}/a.json`, "other");
    await using terminal = await Terminal.open(DESKHAND);
    await terminal.shows(/^>$/m);
    await terminal.paste(`rec mouse\nm3-4\nstop\nsave ${folder}/a.json\ny\ng\n`);
    await terminal.shows(/Replace it\? \[y\/N\]$/m);
    await terminal.keys("n", "Enter");
    await terminal.shows(/^not saved\n> y\nunknown command y;.*\n> g\n3 4\n>$/m);
    assertEquals(await Deno.readTextFile(`${folder}/a.json`), "other");
  });
});

Deno.test(
  { ...need("tmux"), name: "a line of an earlier start comes back, what t typed does not" },
  async () => {
    await using terminal = await Terminal.open(`${DESKHAND}; clear; echo again; ${DESKHAND}`);
    await terminal.shows(/^>$/m);
    for (const line of ["m7-8", "t secret", "hunter2", "g"]) await terminal.line(line);
    await terminal.shows(/^7 8\n>$/m);
    await terminal.keys("C-d");
    await terminal.shows(/^again\n.*\n>$/m);
    await terminal.keys("Up");
    await terminal.shows(/^> g$/m);
    await terminal.keys("Up");
    await terminal.shows(/^> m7-8$/m);
    await terminal.keys("Enter");
    await terminal.shows(/^> m7-8\n>$/m);
    await terminal.line("g");
    await terminal.shows(/^> m7-8\n> g\n7 8\n>$/m);
  },
);

Deno.test(
  { ...need("tmux"), name: "Ctrl-R finds a line of the history, which can be edited and run" },
  async () => {
    await using terminal = await Terminal.open(DESKHAND);
    await terminal.shows(/^>$/m);
    await terminal.paste("m7-8\nm5-6\nstatus\n");
    await terminal.shows(/^recorder idle.*\ntrace .*\n>$/m);
    await terminal.keys("C-r", "m");
    await terminal.shows(/^\(search: m\) m5-6$/m);
    await terminal.keys("C-r");
    await terminal.shows(/^\(search: m\) m7-8$/m);
    await terminal.keys("End");
    await terminal.shows(/^> m7-8$/m);
    await terminal.keys("9", "Enter");
    await terminal.line("g");
    await terminal.shows(/^> m7-89\n> g\n7 89\n>$/m);
    await terminal.keys("h", "a", "l", "f", "C-r", "x");
    await terminal.shows(/^\(not found: x\) half$/m);
    await terminal.keys("C-g");
    await terminal.shows(/^> half$/m);
  },
);

Deno.test({ ...need("tmux"), name: "Tab completes file names behind save" }, async () => {
  await temporary(async (folder) => {
    await Deno.mkdir(`${folder}/recordings`);
    await Deno.writeTextFile(`${folder}/recordings/first.json`, "");
    await using terminal = await Terminal.open(DESKHAND);
    await terminal.shows(/^>$/m);
    await terminal.keys(`save ${folder}/rec`, "Tab");
    await terminal.shows(/\/recordings\/$/m);
    await terminal.keys("Tab");
    await terminal.shows(/\/recordings\/first\.json$/m);
  });
});

Deno.test({
  ...need("tmux"),
  name: "what --log - writes stands above the line that is being typed",
}, async () => {
  await using terminal = await Terminal.open(`${DESKHAND} --http 0 --log -`);
  const port = /port (\d+)\n/.exec(await terminal.shows(/port \d+\n[^]*^>$/m))![1];
  const ask = async (path: string) => {
    await statusOf(fetch(`http://127.0.0.1:${port}/api/${path}`));
  };
  await terminal.keys("C-l", "m12-4", "Left");
  await terminal.shows(/^> m12-4$/m);
  await ask("position");
  await ask("screen");
  await terminal.shows(
    /^\S+Z control \S+ GET \/api\/position .*\n\S+Z control .*\/api\/screen .*\n> m12-4$/m,
  );
  await terminal.keys("3", "Enter"); // the cursor is where it was
  await terminal.line("g");
  await terminal.shows(/^> m12-34\n> g\n12 34\n>$/m);
  const long = "x".repeat(250); // three rows
  await terminal.keys(`t ${long}`, "Home");
  await terminal.shows(/^x+$\n^x+$\n*$(?![^]*>)/m);
  await ask("pixel?x=1&y=1");
  await terminal.shows(/^\S+Z control .*\/api\/pixel .*\n> t x{96}\nx{100}\nx{54}\n*$/m);
});
