/** Text in real programs that report no elements: found, clicked, waited for and read. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { unpacked } from "../../control/read/engine.ts";
import { need } from "../support/need.ts";
import { Program, run } from "../support/program.ts";
import { temporary, until } from "../support/shell.ts";
import { Xvfb } from "../support/xvfb.ts";

const NEEDED = need("Xvfb", "xterm", "zenity", "xprop", "xev");

/** The terminal's text, and its line height. */
const LINES = [
  "alice@desk:~/project$ git status",
  "On branch main, nothing to commit",
  "drwxr-xr-x 2 root root 4096 Nov 22 17:24 documents",
  "error: could not open display (exit code 3)",
  "PASS  142 tests in 8.31 s",
];

interface Match {
  x: number;
  y: number;
  width: number;
  height: number;
  center: { x: number; y: number };
  match: number;
  text: string;
  source: string;
}

/** A terminal and a dialog on an X server, and deskhand in it. */
async function stage() {
  await using parts = new AsyncDisposableStack();
  const server = parts.use(await Xvfb.start());
  const text = LINES.join("\\n");
  parts.use(server.spawn(
    "xterm",
    ...["-geometry", "70x8+10+10", "-fa", "DejaVu Sans Mono", "-fs", "11", "-b", "4", "-bw", "0", "+sb"],
    ...["-fg", "#d0d0d0", "-bg", "#1e1e1e", "-e", "sh", "-c", `printf '\\033[?25l${text}'; sleep 600`],
  ));
  const question = ["--question", "--text", "Keep the holiday pictures?", "--ok-label", "Keep them"];
  const zenity = parts.use(server.spawn("zenity", ...question, "--extra-button", "Maybe later"));
  const program = parts.use(new Program(["--http", "0", "--desktop", "x11"], { env: server.env }));
  const url = await program.controlUrl();
  const post = async (path: string, body: unknown) => {
    const answer = await fetch(url + path, { method: "POST", body: JSON.stringify(body) });
    return { status: answer.status, ...await answer.json() };
  };
  const find = async (body: object): Promise<Match[]> => (await post("/api/find", body)).matches;
  for (const text of ["documents", "Maybe later"]) {
    assertEquals((await post("/api/wait", { text: { text }, timeout_ms: 60_000 })).status, 200, text);
  }
  return { server, zenity, url, post, find, parts: parts.move() };
}

Deno.test({
  name: "words in a terminal and a dialog are located, and a click on one takes effect",
  ...NEEDED,
  async fn() {
    const { server, zenity, url, post, find, parts } = await stage();
    await using _parts = parts;
    const hints = await server.run(
      "xprop",
      "-id",
      await server.window("--class", "XTerm"),
      "WM_NORMAL_HINTS",
    );
    const [, across, down] = /resize increment: (\d+) by (\d+)/.exec(hints)!.map(Number);
    const words = LINES.flatMap((line, row) =>
      [...line.matchAll(/\S+/g)].map(({ 0: text, index }) => ({
        text,
        x: 14 + (index + text.length / 2) * across,
        y: 14 + (row + 0.5) * down,
        width: text.length * across,
      }))
    );
    let found = 0;
    for (const word of words) {
      const places = await find({ text: word.text, limit: 20, source: "screen" });
      // Each match is on a word that contains the text.
      for (const { center, match, text } of places.filter(({ y }) => y < 10 + 8 * down)) {
        const under = words.find(({ x, y, width }) =>
          Math.abs(x - center.x) <= width / 2 + 2 && Math.abs(y - center.y) <= down / 2
        );
        assert(under && match >= 0.9, `${word.text}: ${text} at ${center.x},${center.y}`);
      }
      if (
        places.some(({ center }) =>
          Math.abs(center.x - word.x) < across * 2 && Math.abs(center.y - word.y) < down
        )
      ) found++;
    }
    assert(found >= words.length * 0.9, `${found} of ${words.length}`);

    const twice = await post("/api/find", { text: "root", click: "left" });
    assertEquals(twice.status, 409);
    assertMatch(twice.error, /^"root" appears 2 times: at \d+,\d+, \d+,\d+; give nth, or a region$/);
    const missing = await post("/api/find", { text: "Maybe latex", click: "left", match: 1 });
    assertEquals(missing.status, 404);
    assertMatch(
      missing.error,
      /^no text like "Maybe latex" is on the screen; nearest: "Maybe later" at \d+,\d+ \(match 0\.9\)/,
    );

    const before = await (await fetch(`${url}/api/text?format=text`)).text();
    assertMatch(before, /holiday pictures\?$/m);
    const gone = post("/api/wait", { text: { text: "holiday", gone: true }, timeout_ms: 60_000 });
    const clicked = await post("/api/find", { text: "Maybe later", click: "left" });
    assertEquals([clicked.status, clicked.matches[0].text], [200, "Maybe later"]);
    assertEquals((await gone).status, 200);
    await zenity.printing((printed) => printed.includes("Maybe later"));
  },
});

Deno.test({
  name: "many readers at a time, one that leaves, a killed server, and the prompt",
  ...NEEDED,
  async fn() {
    const { server, url, post, find, parts } = await stage();
    await using _parts = parts;
    const leaving = new AbortController();
    const left = fetch(`${url}/api/text`, { signal: leaving.signal }).catch((error) => error.name);
    const many = Array.from({ length: 16 }, (_, i) => find({ text: LINES[i % 2].split(" ")[1] }));
    leaving.abort();
    assertEquals(await left, "AbortError");
    for (const places of await Promise.all(many)) assertEquals(places.length, 1);

    const lines = 'find "branch"; find "no such text"; text 0-0 700x60; wait gone "Maybe later" 300';
    const { code, stdout, stderr } = await run(["--desktop", "x11", "-c", lines], "", { env: server.env });
    assertEquals(code, 1);
    assertMatch(stdout, /^\d+ \d+ branch in On branch main, nothing to commit$/m);
    assertMatch(stdout, /^alice@desk.*git status$/m);
    assertMatch(stderr, /the text is not on the screen/);
    assertMatch(stderr, /"Maybe later" is still there after 300 ms, at \d+,\d+/);

    await server.stop("SIGKILL");
    await until(async () => (await post("/api/find", { text: "branch" })).status === 503);
  },
});

Deno.test({
  name: "a language file is loaded; a damaged or missing one fails at startup",
  ...NEEDED,
  async fn() {
    await temporary(async (folder) => {
      const english = await unpacked(
        new URL("../../control/read/tesseract/eng.traineddata.gz", import.meta.url),
      );
      await Deno.writeFile(`${folder}/own.traineddata`, english);
      await Deno.writeFile(`${folder}/bad.traineddata`, english.subarray(0, 1_000_000));
      const read = (languages: string) =>
        run(["--desktop", "virtual", "--languages", languages, "-c", "text"]);
      const own = await read(`${folder}/own.traineddata`);
      assertMatch(own.stdout, /^note/im);
      const bad = await read(`${folder}/bad.traineddata`);
      assertEquals(bad.code, 1);
      assertMatch(bad.stderr, /cannot read text: the data of bad is damaged/);
      await Deno.writeTextFile(`${folder}/bad.traineddata`, "no data at all");
      const none = await read(`${folder}/bad.traineddata`);
      assertMatch(none.stderr, /cannot read text: the data of bad is damaged/);
      const missing = await read("eng,zzz");
      assertEquals(missing.code, 2);
      assertMatch(
        missing.stderr,
        /^deskhand: --languages eng,zzz: cannot read text: language "zzz" is missing; put/m,
      );
    });
  },
});
