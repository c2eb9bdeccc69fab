/** The prompt in a real terminal: editing, history, completion, Ctrl-C, Ctrl-D. */

import { assertEquals, assertMatch } from "@std/assert";
import { need } from "../support/need.ts";
import { Program } from "../support/program.ts";
import { temporary, until } from "../support/shell.ts";
import { Terminal } from "../support/terminal.ts";
import { statusOf } from "../support/uploads.ts";

const DESKHAND = `${Deno.execPath()} run -q -A main.ts --desktop virtual`;

/** Clears the screen, so that all that it shows next is new. */
async function clear(terminal: Terminal): Promise<void> {
  await terminal.keys("C-l");
  await terminal.shows(/^>\n*$/);
}

Deno.test({ name: "lines are edited, remembered and completed", ...need("tmux") }, async () => {
  await using terminal = await Terminal.open(DESKHAND);
  await terminal.shows(/^>$/m);
  await terminal.keys("m10-2", "Left", "Left", "BSpace", "5", "End", "0", "Enter"); // m15-20
  await terminal.line("g");
  await terminal.shows(/^15 20$/m);
  await terminal.line("m1-1");
  await terminal.keys("Up", "Up", "Up", "Enter"); // m15-20 again
  await terminal.shows(/^> m1-1\n> m15-20\n>$/m); // after an unfinished line Tab would be part of a paste
  await terminal.keys("stat", "Tab");
  await terminal.shows(/^> status$/m);
  await terminal.keys("Enter");
  await terminal.shows(/^desktop {2}virtual, 1280x720$/m);
  await terminal.line("shot nothing");
  await terminal.shows(/ends in \.bmp or \.png/);
  await terminal.line("g");
  assertMatch(await terminal.shows(/15 20\s+> m1-1[^]*15 20/), /^> g$/m);
  await terminal.line("trace");
  const screen = await terminal.shows(/^recording a trace[^]*^>$/m);
  assertEquals(screen.replaceAll("\n", "").match(/-virtual\.html/g)?.length, 1, screen);
  await terminal.keys("C-d");
  await terminal.shows(/^exit 0$/m);
});

Deno.test({ name: "results of lines typed ahead appear on their own lines", ...need("tmux") }, async () => {
  await using terminal = await Terminal.open(DESKHAND);
  await terminal.shows(/^>$/m);
  await terminal.keys("g", "Enter", "m7-8", "Enter", "g", "Enter", "m9-9", "Enter", "g", "Enter");
  await terminal.shows(/^640 360$[^]*^7 8$[^]*^9 9$\n^>$/m);
});

Deno.test(
  { name: "Ctrl-C clears the line, then leaves", ...need("tmux") },
  async () => {
    await using terminal = await Terminal.open(DESKHAND);
    await terminal.shows(/^>$/m);
    await terminal.keys("half a line", "C-c");
    await terminal.line("g");
    await terminal.shows(/^640 360$/m);
    await terminal.keys("C-c");
    await terminal.shows(/^exit \d+$/m);
  },
);

for (
  const [way, command] of [
    ["the program", DESKHAND],
    ["deno task", `${Deno.execPath()} task -q start --desktop virtual`],
    ["npx", `npx -c '${Deno.execPath()} task -q start --desktop virtual'`],
  ]
) {
  Deno.test({ name: `Ctrl-Z stops ${way}, and fg continues it`, ...need("tmux", "npx") }, async () => {
    await using terminal = await Terminal.open("PS1=bash: bash --norc"); // with job control
    await terminal.line(command);
    await terminal.shows(/^>$/m);
    for (const moment of ["idle", "busy", "background"]) {
      if (moment === "busy") await terminal.line("wait 1-1 #123456 1500");
      await terminal.keys("C-z");
      await terminal.shows(/Stopped[^]*^bash:$/m);
      if (moment === "background") { // the program's read stops it again
        await terminal.line("clear; bg; until jobs | grep Stopped; do sleep 0.1; done");
        await terminal.shows(/&$[^]*Stopped[^]*^bash:$/m);
      }
      await terminal.line("clear; echo woken; fg");
      await terminal.shows(/^woken$[^]*^>$/m);
      await terminal.line("g");
      await terminal.shows(/^> g\n640 360\n>$/m);
    }
    await terminal.keys("C-c");
    await terminal.shows(/^bash:$/m);
  });
}

Deno.test({ name: "Ctrl-Z ends a replay and releases all keys", ...need("tmux") }, async () => {
  await temporary(async (folder) => {
    const file = `${folder}/a.json`;
    await writeHeldKey(file, "a", 600_000);
    await using terminal = await Terminal.open("PS1=bash: bash --norc");
    await terminal.line(`${DESKHAND} --http 0`);
    const [, port] = /port (\d+)/.exec(await terminal.shows(/^>$/m))!;
    const history = async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/api/history`);
      const { actions } = await answer.json() as { actions: { key: string; down: boolean }[] };
      return actions.map(({ key, down }) => `${key} ${down ? "down" : "up"}`);
    };
    await terminal.line("press shift");
    await terminal.line(`load ${file}`);
    await terminal.line("play");
    await until(history, (actions) => actions.at(-1) === "a down");
    await terminal.keys("C-z");
    await terminal.shows(/Stopped[^]*^bash:$/m);
    await terminal.line("clear; fg");
    await terminal.line("status");
    await terminal.shows(/^desktop/m);
    assertEquals((await history()).filter((action) => action.startsWith("a")), ["a down", "a up"]);
    assertEquals((await history()).at(-1), "shift up");
  });
});

/** The history of a control API, such as `a down`. */
async function historyOf(url: string): Promise<string[]> {
  const { actions } = await (await fetch(`${url}/api/history`)).json();
  return actions.map(({ key, down }: { key: string; down: boolean }) => `${key} ${down ? "down" : "up"}`);
}

const post = (url: string, path: string, body: unknown) =>
  fetch(`${url}/api/${path}`, { method: "POST", body: JSON.stringify(body) });

/** Starts a control API in a shell with job control. @returns Its address and process ID. */
async function servedIn(terminal: Terminal, input = ""): Promise<{ url: string; pid: number }> {
  await terminal.line(`sh -c 'echo pid $$; exec ${DESKHAND} --http 0' ${input}`);
  const [, pid, port] = /^pid (\d+)$[^]*port (\d+)/m.exec(await terminal.shows(/^pid \d+$[^]*port \d+/m))!;
  return { url: `http://127.0.0.1:${port}`, pid: Number(pid) };
}

for (const way of ["Ctrl-Z without a prompt", "kill -TSTP at the prompt"]) {
  const isPrompt = way.endsWith("prompt") && way.startsWith("kill");
  Deno.test({ name: `${way} releases all keys, and fg continues the program`, ...need("tmux") }, async () => {
    await using terminal = await Terminal.open("PS1=bash: bash --norc");
    const { url, pid } = await servedIn(terminal, isPrompt ? "" : "</dev/null");
    await post(url, "press", { key: "shift" });
    const holding = post(url, "key", { keys: "a", hold_ms: 300_000 });
    const queued = until(() => historyOf(url), (history) => history.at(-1) === "a down")
      .then(() => post(url, "key", { keys: "b" }));
    await until(async () =>
      /^deskhand_waiting_actions 1$/m.test(await (await fetch(`${url}/metrics`)).text())
    );
    if (isPrompt) Deno.kill(pid, "SIGTSTP");
    else await terminal.keys("C-z");
    await terminal.shows(/Stopped[^]*^bash:$/m);
    await terminal.line("clear; fg");
    const ended = await holding;
    assertEquals([ended.status, (await ended.json()).error], [
      503,
      "the action was ended because deskhand was stopped, as by Ctrl-Z",
    ]);
    assertEquals((await queued).status, 200);
    const [up, ...rest] = (await historyOf(url)).slice(2);
    assertEquals([[up, rest[0]].toSorted(), rest.slice(1)], [["a up", "shift up"], ["b down", "b up"]]);
    if (!isPrompt) return;
    await terminal.line("g");
    await terminal.shows(/^> g\n640 360\n>$/m);
  });
}

Deno.test(
  { name: "Ctrl-Z and Ctrl-C release what a chain of xdotool commands holds", ...need("tmux") },
  async () => {
    await using program = new Program(["--desktop", "virtual", "--http", "0"]);
    const url = await program.controlUrl();
    await using terminal = await Terminal.open(`export DESKHAND_URL=${url}; PS1=bash: bash --norc`);
    const xdotool = `${Deno.execPath()} run -q -A main.ts xdotool`;
    const last = (action: string) => until(() => historyOf(url), (history) => history.at(-1) === action);
    await terminal.line(`${xdotool} keydown ctrl sleep 600`);
    await last("ctrl down");
    await terminal.keys("C-z");
    await terminal.shows(/Stopped[^]*^bash:$/m);
    assertEquals((await historyOf(url)).at(-1), "ctrl up");
    await terminal.line(`${xdotool} keydown alt sleep 600; echo code $?`);
    await last("alt down");
    await terminal.keys("C-c");
    await last("alt up");
  },
);

Deno.test(
  { name: "Ctrl-Z does nothing if no shell could continue the program", ...need("tmux") },
  async () => {
    await using terminal = await Terminal.open(`exec ${DESKHAND}`);
    await terminal.shows(/^>$/m);
    await terminal.keys("C-z");
    await terminal.line("g");
    await terminal.shows(/^> g\n640 360\n>$/m);
  },
);

Deno.test(
  { name: "no typed text ends it, and it never stalls the server", ...need("tmux", "curl") },
  async () => {
    await using terminal = await Terminal.open(`${DESKHAND} --http 0`);
    const screen = await terminal.shows(/^>$/m);
    const port = /port (\d+)/.exec(screen)![1];
    for (
      const keys of ["Escape", "F5", "C-\\", "C-l", "M-x", "C-r", "Tab", "é漢", "C-s", "C-q"]
    ) await terminal.keys(keys);
    await terminal.keys("C-c");
    await terminal.line("zzz");
    await terminal.shows(/unknown command zzz/);
    const { stdout } = await new Deno.Command("curl", {
      args: ["-s", `http://127.0.0.1:${port}/api/position`],
    }).output();
    assertEquals(new TextDecoder().decode(stdout), '{"x":640,"y":360}\n');
    await terminal.line("quit");
    await terminal.shows(/^exit [01]$/m);
  },
);

Deno.test({ name: "a question is answered, or cancelled by Ctrl-C", ...need("tmux") }, async () => {
  await temporary(async (folder) => {
    const file = `${folder}/a.json`;

    await using terminal = await Terminal.open(DESKHAND);
    await terminal.shows(/^>$/m);
    await terminal.line("rec");
    await terminal.shows(/^recording;/m);
    await terminal.line("m3-4");
    await terminal.line("stop");
    await terminal.shows(/^recorded \d+ events?$/m);
    await terminal.line(`save ${file}`);
    await terminal.shows(/^saved \d+ events?$/m);
    const saved = await Deno.readTextFile(file);
    for (const key of ["C-c", "n", "Enter"]) {
      await Deno.writeTextFile(file, "other");
      await terminal.line(`save ${file}`);
      await terminal.shows(/Replace it\? \[y\/N\]$/m);
      await terminal.keys(key, ...key === "n" ? ["Enter"] : []);
      await terminal.shows(key === "C-c" ? /^cancelled$\n^>$/m : /^not saved$\n^>$/m);
      await terminal.line("g");
      await terminal.shows(/^3 4$\n^>$/m);
      assertEquals(await Deno.readTextFile(file), "other");
      await clear(terminal);
    }
    await terminal.line(`save ${file}`);
    await terminal.shows(/Replace it\? \[y\/N\]$/m);
    await terminal.line("y");
    await terminal.shows(/^saved \d+ events?$\n^>$/m);
    assertEquals(await Deno.readTextFile(file), saved);
  });
});

Deno.test({
  name: "with an unsaved recording, the first attempt to leave shows a warning instead",
  ...need("tmux"),
}, async () => {
  await temporary(async (folder) => {
    const held = /^the recording is not saved: save it, or quit again to discard it$\n^>$/m;
    await using terminal = await Terminal.open(DESKHAND);
    await terminal.shows(/^>$/m);
    await terminal.line("rec mouse");
    await terminal.shows(/^recording, without the keyboard$\n^>$/m);
    await terminal.line("m3-4");
    await terminal.shows(/^> m3-4$\n^>$/m);
    for (const keys of [["C-d"], ["C-c"], ["quit", "Enter"]]) {
      await terminal.keys(...keys);
      await terminal.shows(held);
      await clear(terminal);
      await terminal.line("g"); // after another line the warning comes again
      await terminal.shows(/^3 4$\n^>$/m);
    }
    await terminal.keys("Up", "Up", "Enter"); // lines from before leaving are remembered
    await terminal.shows(held);
    await terminal.line("stop");
    await terminal.line(`save ${folder}/a.json`);
    await terminal.shows(/^saved 1 event$/m);
    await terminal.line("rec mouse"); // nothing happens, so nothing is lost
    await terminal.shows(/^recording, without the keyboard$\n^>$/m);
    await terminal.keys("C-d");
    await terminal.shows(/^exit 0$/m);
  });
});

Deno.test({ name: "Ctrl-D at a question answers no", ...need("tmux") }, async () => {
  await temporary(async (folder) => {
    await Deno.writeTextFile(`${folder}/a.json`, "other");
    await using terminal = await Terminal.open(DESKHAND);
    await terminal.shows(/^>$/m);
    await terminal.line("rec mouse");
    await terminal.shows(/^recording, without the keyboard$\n^>$/m);
    await terminal.line("m3-4");
    await terminal.line("stop");
    await terminal.shows(/^recorded 1 event$\n^>$/m);
    await terminal.line(`save ${folder}/a.json`);
    await terminal.shows(/Replace it\? \[y\/N\]$/m);
    await terminal.keys("C-d");
    await terminal.shows(/^not saved\nthe recording is not saved: [^]*^>$/m);
    await terminal.keys("C-c");
    await terminal.shows(/^exit 0$/m);
    assertEquals(await Deno.readTextFile(`${folder}/a.json`), "other");
  });
});

Deno.test(
  { name: "leaving twice discards an unsaved recording", ...need("tmux") },
  async () => {
    await using terminal = await Terminal.open(DESKHAND);
    await terminal.shows(/^>$/m);
    await terminal.line("rec mouse");
    await terminal.shows(/^recording, without the keyboard$\n^>$/m);
    await terminal.line("m3-4");
    await terminal.shows(/^> m3-4$\n^>$/m);
    await terminal.keys("C-c");
    await terminal.shows(/quit again/);
    const journals = () =>
      Array.from(Deno.readDirSync(terminal.state)).filter(({ name }) => /journal/.test(name));
    assertEquals(journals().length, 1);
    await terminal.keys("C-d");
    await terminal.shows(/^exit 0$/m);
    assertEquals(journals(), []);
  },
);

Deno.test({ name: "a replay is cancelled by Ctrl-C and stopped by stop", ...need("tmux") }, async () => {
  const file = await Deno.makeTempFile({ suffix: ".json" });
  await writeHeldKey(file, "shift", 60_000);
  await using terminal = await Terminal.open(`${DESKHAND} --http 0`);
  const port = /port (\d+)/.exec(await terminal.shows(/^>$/m))![1];
  const events = await follow(`http://127.0.0.1:${port}/api/events`);
  const pressed = /"type":"key","key":"shift","down":true/g;
  await terminal.line(`load ${file}`);
  await terminal.shows(/loaded 2 events/);
  await terminal.line("play");
  await until(() => events.text.match(pressed)?.length === 1);
  await terminal.keys("C-c");
  await terminal.shows(/^cancelled$/m);
  await terminal.line("play");
  await until(() => events.text.match(pressed)?.length === 2);
  await terminal.line("stop");
  await terminal.shows(/^stopped: \d events?,/m);
  await terminal.line("status");
  await terminal.shows(/recorder idle, 2 events/);
  await terminal.line("history");
  await terminal.shows(/"shift","down":false\}\n[^]*"shift","down":false\}\n>/);
  await events.leave();
  await Deno.remove(file);
});

/** Writes a recording of a key that is held for some milliseconds. */
async function writeHeldKey(file: string, key: string, ms: number): Promise<void> {
  const events = [{ t: 0, down: true }, { t: ms, down: false }].map((event) => ({
    ...event,
    type: "key",
    key,
  }));
  const head = { version: 1, desktop: { width: 1280, height: 720 }, started: "2026-01-01T00:00:00Z" };
  await Deno.writeTextFile(file, JSON.stringify({ format: "deskhand-recording", ...head, events }));
}

/** Reads a stream of events while it is followed. */
async function follow(url: string) {
  const leaving = new AbortController();
  const response = await fetch(url, { signal: leaving.signal });
  const events = { text: "", leave: () => (leaving.abort(), read) };
  const read = (async () => {
    for await (const part of response.body!.pipeThrough(new TextDecoderStream())) events.text += part;
  })().catch(() => {});
  await until(() => events.text.includes(": listening"));
  return events;
}

Deno.test(
  { name: "an action that did nothing says so, except within a paste", ...need("tmux") },
  async () => {
    await using terminal = await Terminal.open(DESKHAND);
    await terminal.shows(/^>$/m);
    await terminal.line("k shift");
    await terminal.shows(/^> k shift\n(miss|unsure): .+\n>$/m);
    await terminal.line("c600-260");
    await terminal.shows(/^> c600-260\n>$/m);
    await terminal.keys("k shift", "Enter", "g", "Enter");
    await terminal.shows(/^600 260$[^]*^>$/m);
  },
);

// The prompt on a real terminal: pastes, history across starts, search, file names, and a concurrent log.

Deno.test({ ...need("tmux"), name: "each pasted line is shown with its results" }, async () => {
  await using terminal = await Terminal.open(DESKHAND);
  await terminal.shows(/^>$/m);
  await terminal.paste("m1-2\ng\nzz\nm3-4\ng\nhalf");
  await terminal.shows(
    /^> m1-2\n> g\n1 2\n> zz\nunknown command zz; help all lists them\n> m3-4\n> g\n3 4\n> half$/m,
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
  { ...need("tmux"), name: "a line of an earlier start comes back, text typed by t does not" },
  async () => {
    await using terminal = await Terminal.open(`${DESKHAND}; clear; echo again; ${DESKHAND}`);
    await terminal.shows(/^>$/m);
    for (const line of ["m7-8", "t secret", "hunter2", "g"]) await terminal.line(line);
    await terminal.shows(/^7 8\n>$/m);
    await terminal.keys("C-d");
    await terminal.shows(/^again\nTry: .*\ndeskhand .*\n>$/m);
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
    await terminal.shows(/^> m7-89\n>$/m);
    await terminal.line("g");
    await terminal.shows(/^> m7-89\n> g\n7 89\n>$/m);
    await terminal.keys("h", "a", "l", "f", "C-r", "x");
    await terminal.shows(/^\(not found: x\) half$/m);
    await terminal.keys("C-g");
    await terminal.shows(/^> half$/m);
  },
);

Deno.test({ ...need("tmux"), name: "Tab completes file names after save" }, async () => {
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
  name: "--log - output appears above the line being typed",
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
