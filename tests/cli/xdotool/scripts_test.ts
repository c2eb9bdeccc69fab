/** Scripts of xdotool: on standard input, in files and in pipes, by xdotool and then by deskhand. */

import { assertEquals } from "@std/assert";
import { temporary } from "../../support/temporary.ts";
import { type Given, Stage, XDOTOOL } from "./stage.ts";

/** Scripts on standard input. */
const SCRIPTS: readonly string[] = [
  "getmouselocation\n",
  "# a comment\n\n   # another\n  getmouselocation --shell\n",
  "mousemove 10 20 getmouselocation\n",
  "search --name '^Editor$' getwindowname\ngetwindowgeometry %1\n",
  'search --name "^Editor$"\ngetwindowname\n',
  "exec --sync echo 'two words' \"and more\" '$HOME' x$HOME ''\n",
  "exec --sync echo $NAME end\n",
  "exec --sync echo $NONESUCH\n",
  "exec --sync echo $1\n",
  "getwindowname %1\n",
  "nonesuch\ngetmouselocation\n",
  "exec --sync false\nexec --sync echo after\n",
  "exec --sync echo after\nexec --sync sh -c 'exit 3'\n",
  "mousemove 5 5\nmousemove 9 9\nmousemove restore\ngetmouselocation\n",
  "mousemove restore\n",
  // Many questions together: over a window, and over the desktop with what moves the pointer in between.
  "mousemove 300 250\n" + "getmouselocation\n".repeat(600),
  "mousemove 9 9\ngetmouselocation\n \tGetMouseLocation \nmousemove 3 4\ngetmouselocation\ngetmouselocation\nmousemove 5 6\n",
  "mousemove 3 4\n" + "getmouselocation\n".repeat(3) + "getmouselocation --shell\ngetmouselocation\n",
];

/** Scripts in files, and their arguments. */
const FILES: readonly (readonly [text: string, ...args: string[]])[] = [
  ["mousemove 5 5\nmousemove 9 9\nmousemove restore getmouselocation\n"],
  ["mousemove 5 5\nmousemove 9 9\nmousemove $1\ngetmouselocation\n", "restore"],
  ["mousemove 7 8\ngetmouselocation --shell\n"],
  ["exec --sync echo $0 $2 $1\n", "a", "b~c"],
  ["exec --sync echo $2\n", "a"],
];

/** Runs xdotool and deskhand in turn, since both move the pointer, and compares the results. */
async function same(stage: Stage, line: string, what: string, given?: Given): Promise<void> {
  const wanted = await stage.run("xdotool", line, given);
  assertEquals(await stage.run("deskhand", line, given), wanted, what);
}

Deno.test({
  ...XDOTOOL,
  name: "scripts print what they print by xdotool, and end as there",
  async fn(t) {
    await using stage = await Stage.start();
    await stage.reset();
    await t.step("on standard input", async () => {
      for (const input of SCRIPTS) await same(stage, "-", input, { input, env: { NAME: "a name" } });
    });
    await t.step("in files, with arguments", () =>
      temporary(async (folder) => {
        const path = `${folder}/script`;
        for (const [text, ...args] of FILES) {
          await Deno.writeTextFile(path, text);
          await same(stage, [path, ...args].join(" "), text);
        }
      }));
    await t.step("in a pipe with a name", async () => {
      const [input] = FILES[0];
      await same(stage, "/dev/stdin", input, { input });
    });
  },
});
