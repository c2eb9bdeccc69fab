/** Text into programs that give their keys to IBus over IBus's own bus, and handle the keys that they get back. */

import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { delay } from "@std/async/delay";
import { fromFileUrl } from "@std/path";
import type { Desktop } from "../../../control/desktop/desktop.ts";
import { combination } from "../../../control/operator/gestures.ts";
import { Operator } from "../../../control/operator/operator.ts";
import { StateError } from "../../../core/errors.ts";
import { openX11 } from "../../../ffi/x11/desktop.ts";
import { need } from "../../support/need.ts";
import { SessionBus } from "../../support/session_bus.ts";
import { mustRun, until } from "../../support/shell.ts";
import { Client, Xvfb } from "../../support/xvfb.ts";

/** More different characters than free keys have room for, so that keys get other characters. */
const TEXT = Array.from({ length: 150 }, (_, i) => String.fromCodePoint(0x4e00 + i)).join("");
/** A text in which the same keys follow each other, with and without others between. */
const REPEATS = "héllo 漢漢字漢 ééé😀😀é" + "l".repeat(60);
const ENGINE = "xkb:us::eng";
/** The time for which IBus keeps keys, in milliseconds: a deskhand that does not wait for them goes on in that time. */
const KEPT_MS = 700;

/** The process of IBus's own engines, a child of the daemon. */
async function engineOf(daemon: number): Promise<number | undefined> {
  const children = await Deno.readTextFile(`/proc/${daemon}/task/${daemon}/children`);
  for (const child of children.trim().split(" ")) {
    const command = await Deno.readTextFile(`/proc/${child}/cmdline`).catch(() => "");
    if (command.includes("ibus-engine-simple")) return Number(child);
  }
}

/** The text that the program has taken, of what it printed. */
function taken(printed: string): string {
  const last = printed.split("\n").filter((line) => line.startsWith("text ") && line.endsWith('"')).at(-1);
  return last ? JSON.parse(last.slice("text ".length)) : "";
}

const PROGRAMS = need(
  "Xvfb",
  "openbox",
  "xev",
  "xprop",
  "xdotool",
  "dbus-daemon",
  "ibus-daemon",
  "ibus",
  "/usr/bin/python3",
  "/usr/lib/x86_64-linux-gnu/girepository-1.0/Gtk-3.0.typelib",
  "/usr/lib/x86_64-linux-gnu/girepository-1.0/IBus-1.0.typelib",
);

/**
 * Runs IBus and a program of tests/support that has the keyboard.
 * @param title The title of the program's window.
 * @param names Names of files that the program maps.
 */
async function besideIbus(
  script: string,
  title: string,
  names: readonly string[],
  act: (desktop: Desktop, program: Client, ibus: Client) => Promise<void>,
): Promise<void> {
  await using server = await Xvfb.start();
  await using bus = await SessionBus.start();
  const env = bus.enterOn(server.env), files = await bus.filesToMap(names);
  await using _manager = await server.manager("openbox");
  await using ibus = new Client("ibus-daemon", ["--xim", "--panel", "disable"], env);
  await until(async () => (await server.run("xprop", "-root", "XIM_SERVERS")).includes("@server=ibus"));
  await until(async () => {
    // The engine may take longer to start than the command waits.
    await mustRun("ibus", ["engine", ENGINE], { env }).catch(() => {});
    return (await mustRun("ibus", ["engine"], { env }).catch(() => "")).trim() === ENGINE;
  });
  const path = fromFileUrl(import.meta.resolve(`../../support/${script}`));
  await using program = new Client("/usr/bin/python3", [path, ...files], env);
  await server.run("xdotool", "windowactivate", "--sync", await server.window("--name", title));
  const desktop = openX11(server.display);
  try {
    await desktop.keyboard.type("a");
    await until(() => taken(program.printed) === "a");
    await act(desktop, program, ibus);
  } finally {
    desktop.close();
  }
}

Deno.test({
  name: "a key gets another character only when a program has its keys back that it gave to IBus",
  ...PROGRAMS,
}, async () => {
  await besideIbus("ibus_program.py", "Keys by IBus", [], async ({ keyboard }, program, ibus) => {
    const engine = (await until(() => engineOf(ibus.pid)))!;
    Deno.kill(engine, "SIGSTOP");
    let typing: Promise<void>;
    try {
      typing = keyboard.type(TEXT);
      await until(() => program.printed.includes("given 100\n"));
      await delay(KEPT_MS);
    } finally {
      Deno.kill(engine, "SIGCONT");
    }
    await typing;
    await until(() => taken(program.printed).length >= TEXT.length + 1);
    assertEquals(taken(program.printed), "a" + TEXT);
  });
});

Deno.test({
  name: "keys that an engine of IBus had when it ended are back, by an error",
  ...PROGRAMS,
}, async () => {
  await besideIbus("ibus_program.py", "Keys by IBus", [], async ({ keyboard }, program, ibus) => {
    const engine = (await until(() => engineOf(ibus.pid)))!;
    Deno.kill(engine, "SIGSTOP");
    const typing = keyboard.type(TEXT);
    await until(() => program.printed.includes("given 100\n"));
    Deno.kill(engine, "SIGKILL");
    await typing;
    await until(() => taken(program.printed).length >= TEXT.length + 1);
    // IBus answers the lost calls in any order.
    const sorted = (text: string) => [...text].sort().join("");
    assertEquals(sorted(taken(program.printed)), sorted("a" + TEXT));
  });
});

Deno.test({
  name:
    "Firefox gets a key again only when it has its press back that it gave to IBus, since it drops it before",
  ...PROGRAMS,
}, async () => {
  const firefox = ["libxul.so", "gtk-3.0/3.0.0/immodules/im-ibus.so"];
  await besideIbus("throttling_program.py", "Throttled", firefox, async (desktop, program) => {
    await desktop.keyboard.type(REPEATS);
    const presses = 30;
    await combination(new Operator(desktop), ["k"], { repeat: presses });
    await desktop.keyboard.type(".");
    await until(() => taken(program.printed).endsWith("."));
    assertEquals(taken(program.printed), "a" + REPEATS + "k".repeat(presses) + ".");
  });
});

Deno.test({
  name:
    "Qt gets a key only when it waits for events again, since keys overtake each other on their way from IBus",
  ...PROGRAMS,
}, async () => {
  const qt = ["libQt6Gui.so.6.8.2", "platforminputcontexts/libibusplatforminputcontextplugin.so"];
  await besideIbus("overtaking_program.py", "Overtaken", qt, async ({ keyboard }, program) => {
    await keyboard.type(REPEATS + TEXT);
    await until(() => taken(program.printed).length >= 1 + (REPEATS + TEXT).length);
    assertEquals(taken(program.printed), "a" + REPEATS + TEXT);
    Deno.kill(program.pid, "SIGSTOP");
    try {
      await assertRejects(() => keyboard.type("abc"), StateError, "the program of the window Overtaken");
    } finally {
      Deno.kill(program.pid, "SIGCONT");
    }
    await until(() => taken(program.printed).at(-1) === "a"); // none of the others was sent
  });
});

Deno.test({
  name: "GTK 4 gets a combination only when it has its keys back from IBus, since it does commands before",
  ...PROGRAMS,
}, async () => {
  const gtk4 = ["libgtk-4.so.1.1800.5", "gtk-4.0/4.0.0/immodules/libim-ibus.so"];
  await besideIbus("ibus_program.py", "Keys by IBus", gtk4, async (desktop, program, ibus) => {
    const engine = (await until(() => engineOf(ibus.pid)))!, operator = new Operator(desktop);
    Deno.kill(engine, "SIGSTOP");
    const timer = setTimeout(() => Deno.kill(engine, "SIGCONT"), KEPT_MS);
    try {
      await operator.type("bcd");
      await combination(operator, ["ctrl", "s"]);
      await until(() => program.printed.includes("saved"));
    } finally {
      clearTimeout(timer);
      Deno.kill(engine, "SIGCONT");
    }
    assertMatch(program.printed, /^saved "abcd"$/m);
  });
});
