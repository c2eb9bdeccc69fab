/** Output and exit codes of xdotool, for lines that change nothing, or of which only the result is compared. */

import { assertEquals } from "@std/assert";
import { COMMAND_NAMES } from "../../../cli/xdotool/names.ts";
import { runXdotool } from "../../../cli/xdotool/start.ts";
import type { Target } from "../../../cli/xdotool/target.ts";
import { VERSION, WITHOUT_LATER } from "../../../cli/xdotool/output.ts";
import { until } from "../../support/shell.ts";
import { type Ended, Stage, XDOTOOL } from "./stage.ts";

const NAMES = COMMAND_NAMES.filter((name) => !WITHOUT_LATER.lacks.has(name));

/** Lines by subject. */
const LINES: Record<string, readonly string[]> = {
  "every command without words": NAMES.filter((name) =>
    !["selectwindow", "get_desktop_viewport"].includes(name)
  ),
  "the program's own options": [
    "",
    "-h",
    "--help",
    "-v",
    "--version",
    "--vers",
    "-x",
    "--",
    "nonesuch",
    "key",
  ],
  "options as getopt reads them": [
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
    "search --name (Editor",
    "search --name [[:upper:]]ditor",
    "search --title Editor",
    "search --class shell",
    "search --classname xterm",
    "search --class --name Editor",
    "search --class --classname .",
    "search --onlyvisible .",
    "search --onlyvisible --name .*",
    "search --maxdepth 0 .",
    "search --maxdepth 1 ''",
    "search --maxdepth 2 --name Editor",
    "search --limit 1 .",
    "search --limit 2 --name ''",
    "search --screen 0 --name Editor",
    "search --desktop 0 --name Editor",
    "search --desktop 3 --name Editor",
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
    "search --name Editor getwindowgeometry",
    "search -- Editor",
  ],
  "questions about windows": [
    "getwindowname {editor}",
    "getwindowname {terminal} {editor}",
    "getwindowpid {terminal}",
    "getwindowpid {editor}",
    "getwindowgeometry {editor}",
    "getwindowgeometry --shell {editor}",
    "getwindowgeometry --shell --prefix W_ {editor}",
    "getwindowgeometry {terminal}",
    "getwindowgeometry {root}",
    "getwindowgeometry {gone}",
    "getwindowname {gone}",
    "getactivewindow",
    "getactivewindow getwindowgeometry",
    "getwindowfocus",
    "getwindowfocus -f",
    "getwindowfocus getwindowname",
    "getdisplaygeometry",
    "getdisplaygeometry --shell",
    "getdisplaygeometry --screen 3",
    "getmouselocation",
    "getmouselocation --shell",
    "get_desktop",
    "get_num_desktops",
    "get_desktop_for_window {editor}",
    "get_desktop_for_window {root}",
    "version",
    "version version",
    "help",
    "help getmouselocation",
  ],
  "windows that are gone": [
    "windowactivate {gone}",
    "windowfocus {gone}",
    "windowmap {gone}",
    "windowunmap {gone}",
    "windowminimize {gone}",
    "windowraise {gone}",
    "windowmove {gone} 1 1",
    "windowsize {gone} 10 10",
    "windowreparent {gone} {root}",
    "windowkill {gone}",
    "windowclose {gone}",
    "windowmap abc",
    "windowmap {gone} getmouselocation",
    "set_window --name x {gone}",
    "set_desktop_for_window {gone} 1",
  ],
  "keys and texts that are wrong": [
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
  "behaviours that are wrong": [
    "behave",
    "behave {editor} nonesuch getmouselocation",
    "behave {editor} focus",
    "behave_screen_edge middle getmouselocation",
    "behave_screen_edge left",
    "behave_screen_edge --quiesce 0 --delay 5 middle getmouselocation",
  ],
};

/** Lines of viewports. */
const VIEWPORT = [
  "get_desktop_viewport",
  "get_desktop_viewport --shell",
  "set_desktop_viewport 100 50",
  "set_desktop_viewport 7",
];

/** Lines that need no desktop: every command's help, and an option that it lacks. */
const HELP = NAMES.flatMap((name) => [`${name} --help`, `${name} -h`, `${name} --nonesuch`]);

/** Runs a line in this process, on a desktop that throws at every call. */
async function withoutDesktop(line: string): Promise<Ended> {
  const printed = { stdout: "", stderr: "" };
  const target = { version: VERSION, ...WITHOUT_LATER, close() {} } as unknown as Target;
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

/** Runs a line by xdotool and by deskhand, and compares the two. */
async function same(line: string, run: (which: "xdotool" | "deskhand") => Promise<Ended>): Promise<void> {
  const [wanted, got] = await Promise.all([run("xdotool"), run("deskhand")]);
  assertEquals(got, wanted, line);
}

Deno.test({
  ...XDOTOOL,
  name: "deskhand xdotool prints what xdotool prints, and exits as it does",
  async fn(t) {
    await using stage = await Stage.start();
    await t.step("every command's help, and an option that it lacks", async () => {
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
    await t.step("the viewport, where there is one workspace", async () => {
      await stage.server.run("wmctrl", "-n", "1");
      await until(() => stage.server.run("xdotool", "get_num_desktops"), (count) => count === "1\n");
      for (const line of VIEWPORT) await same(line, (which) => stage.run(which, line));
      // openbox has no viewports: the request is what can be seen.
      await using root = stage.server.spawn("stdbuf", "-oL", "xev", "-root", "-event", "substructure");
      await until(async () => {
        await stage.run("deskhand", "set_desktop_viewport 100 50");
        return /^ClientMessage event.*\n.*\(_NET_DESKTOP_VIEWPORT\), format 32/m.test(root.printed);
      });
    });
    await t.step("a program that is not there", async () => {
      for (const line of ["exec /nonesuch", "exec --sync /nonesuch"]) {
        // xdotool's code is what the last call of the C library left, which depends on where it prints.
        const [wanted, got] = await Promise.all([stage.run("xdotool", line), stage.run("deskhand", line)]);
        assertEquals([got.code > 0, got.stderr], [wanted.code > 0, wanted.stderr], line);
      }
    });
    await t.step("without a display", async () => {
      for (const line of ["getmouselocation", "-", "--version", "nonesuch"]) {
        await same(line, (which) => stage.run(which, line, { env: { DISPLAY: ":9999" } }));
      }
    });
  },
});
