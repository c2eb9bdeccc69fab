/** xdotool's output and exit codes, for lines that change nothing, or whose result alone is compared. */

import { assertEquals } from "@std/assert";
import { COMMAND_NAMES, REFUSED_NAMES } from "../../../cli/xdotool/call.ts";
import { runXdotool } from "../../../cli/xdotool/main.ts";
import type { DesktopTarget } from "../../../cli/xdotool/desktop_target.ts";
import { needTime } from "../../support/need.ts";
import { type Ended, Stage, XDOTOOL } from "./stage.ts";

/** Commands of versions later than Debian's. */
const LATER: readonly string[] = ["getwindowclassname", "windowquit", "windowstate"];
const NAMES = COMMAND_NAMES.filter((name) => !LATER.includes(name));

/** Lines by subject. */
const LINES: Record<string, readonly string[]> = {
  "every command without words": NAMES.filter((name) => name !== "help"),
  "the program's own options": [
    "-v",
    "--version",
    "--vers",
    "-x",
    "--",
    "nonesuch",
    "key",
  ],
  "options as getopt parses them": [
    "mousemove -20 -15",
    "mousemove -- -20 -15 getmouselocation",
    "mousemove_relative --sync=1 1 1",
    "mousemove_relative -- -20 -15",
    "mousemove --s 1 1",
    "mousemove 1 1 mousemove --sy 300 250",
    "mousemove 1 1 mousemove -sync 300 250",
    "mousemove --screen",
    "mousemove --screen=0 300 250",
    "mousemove -w",
    "mousemove -z 1 1",
    "search -name Editor",
    "search --name=Editor Editor",
    "search --onlyv --name Editor",
    "search --cl Shell",
    "search --c Shell",
    "getmouselocation --sh",
    "getmouselocation --prefix ABC --shell",
    "getmouselocation --prefix=ABCDEFGHIJKLMNOPQRSTUVWXYZ --shell",
    "click --repeat 0 1",
    "click --repeat x 1",
    "key --repeat 0 a",
    "key --delay",
    "type -w 1 a",
    "GETMOUSELOCATION",
    "KEY a",
  ],
  "the window stack": [
    "getwindowname",
    "getwindowname %1",
    "getwindowname %@",
    "getactivewindow getwindowname",
    "getactivewindow getwindowname %2",
    "getactivewindow getwindowname %",
    "getactivewindow getwindowname %0",
    "getactivewindow getwindowname %x",
    "search --name ^(Editor|Terminal)$ getwindowname %@",
    "search --name ^(Editor|Terminal)$ getwindowname %2",
    "search --name ^(Editor|Terminal)$ getwindowname %-1",
    "search --name ^(Editor|Terminal)$ getwindowname %-2",
    "search --name ^(Editor|Terminal)$ getwindowname %3",
    "search --name ^(Editor|Terminal)$ getwindowpid %@ getwindowname %@ getmouselocation",
    "search --name Nonesuch getwindowname",
    "windowactivate",
    "windowmove %1 1 1",
    "windowsize 5",
  ],
  "search": [
    "search Editor",
    "search --name Editor",
    "search --name editor",
    "search --name ^Edi",
    "search --name [[:upper:]]ditor",
    "search --title Editor",
    "search --class shell",
    "search --class --name Editor",
    "search --maxdepth 0 .",
    "search --maxdepth 2 --name Editor",
    "search --screen 0 --name Editor",
    "search --all --name --class Editor",
    "search --any --name --class Editor",
    "search --all --onlyvisible --name Terminal",
    "search --pid 1",
    "search --all --pid 1 --name Editor",
    "search --pid",
    "search --sync --name Editor",
    "search --shell --name Editor",
    "search --shell --name Nonesuch",
    "search --shell --prefix MY --name (Editor|Terminal)",
    "search --name Nonesuch",
    "search",
    "search --name Editor search --name Terminal",
    "search -- Editor",
  ],
  "window queries": [
    "getwindowname {editor}",
    "getwindowname {terminal} {editor}",
    "getwindowpid {terminal}",
    "getwindowpid {editor}",
    "getactivewindow",
    "getwindowfocus",
    "getwindowfocus -f",
    "getwindowfocus getwindowname",
    "getdisplaygeometry",
    "getdisplaygeometry --shell",
    "getdisplaygeometry --screen 3",
    "getmouselocation",
    "getmouselocation --shell",
    "version",
    "version version",
  ],
  "invalid keys and texts": [
    "key nonesuch",
    "key a.b",
    "key a.b mousemove 1 1",
    "key ctrl+nonesuch",
    "keydown a.b",
    "type --file /nonesuch",
    "type --args 3 a b",
    "type --args 1 --terminator x a",
    "exec --args 3 a b",
  ],
  "programs and pauses": [
    "exec --sync true",
    "exec --sync false",
    "exec --sync sh -c exit~7",
    "exec --sync /bin/echo hello",
    "exec --sync --args 2 echo hello getmouselocation",
    "exec --sync --terminator END echo hello END getmouselocation",
    "exec --sync /bin/false getmouselocation",
    "exec /bin/false getmouselocation",
    "exec --sync --args 1 false getmouselocation",
    "sleep 0.01 getmouselocation",
    "sleep x getmouselocation",
    "sleep",
  ],
};

/** Lines that need no desktop: every command's help, and an unknown option. */
const HELP = NAMES.filter((name) => name !== "help").flatMap((
  name,
) => [`${name} --help`, `${name} -h`, `${name} --nonesuch`]);

/** Runs a line in this process, on a desktop that throws at every call. */
async function withoutDesktop(line: string): Promise<Ended> {
  const printed = { stdout: "", stderr: "" };
  const target = { close() {} } as unknown as DesktopTarget;
  const code = await runXdotool(line.split(" "), {
    program: "xdotool",
    print: {
      out: (text) => void (printed.stdout += `${text}\n`),
      err: (text) => void (printed.stderr += `${text}\n`),
    },
    open: () => Promise.resolve(target),
  });
  return { code, ...printed };
}

/** Runs a line with xdotool and with deskhand, and compares the two. */
async function same(line: string, run: (which: "xdotool" | "deskhand") => Promise<Ended>): Promise<void> {
  const [wanted, got] = await Promise.all([run("xdotool"), run("deskhand")]);
  assertEquals(got, wanted, line);
}

Deno.test({
  ignore: XDOTOOL.ignore || needTime("runs hundreds of commands, each by two programs").ignore,
  name: "deskhand xdotool prints what xdotool prints, and exits with the same code",
  async fn(t) {
    await using stage = await Stage.start();
    await t.step("every command's help, and an unknown option", async () => {
      for (const line of HELP) {
        await same(line, (which) => which === "xdotool" ? stage.run(which, line) : withoutDesktop(line));
      }
    });
    for (const [subject, lines] of Object.entries(LINES)) {
      await t.step(subject, async () => {
        await stage.reset();
        for (const line of lines) await same(line, (which) => stage.run(which, line));
      });
    }
    await t.step("a missing program", async () => {
      for (const line of ["exec /nonesuch", "exec --sync /nonesuch"]) {
        // xdotool's code is what the C library's last call left, which depends on where it prints.
        const [wanted, got] = await Promise.all([stage.run("xdotool", line), stage.run("deskhand", line)]);
        assertEquals([got.code > 0, got.stderr], [wanted.code > 0, wanted.stderr], line);
      }
    });
    await t.step("no display", async () => {
      for (const line of ["getmouselocation", "-", "nonesuch"]) {
        const { code, stderr } = await stage.run("deskhand", line, { env: { DISPLAY: ":9999" } });
        assertEquals([code, stderr.split("\n").at(-2)], [1, "Failed creating new xdo instance"]);
      }
    });
  },
});

Deno.test("commands that deskhand refuses name xdotool, and end the chain", async () => {
  for (const name of REFUSED_NAMES) {
    const { code, stdout, stderr } = await withoutDesktop(`${name} --help version`);
    assertEquals([code, stdout], [1, ""]);
    assertEquals(
      stderr,
      `xdotool: ${name}: deskhand does not support this command; on X11, use xdotool itself\n`,
    );
  }
});
