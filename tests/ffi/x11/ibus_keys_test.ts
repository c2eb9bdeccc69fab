/** Text into programs that pass their keys to IBus on its own bus, and handle the keys that it returns. */

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

/** More distinct characters than the free keys can hold, so that keys are rebound. */
const TEXT = Array.from({ length: 150 }, (_, i) => String.fromCodePoint(0x4e00 + i)).join("");
/** A text that repeats keys, with and without others in between. */
const REPEATS = "héllo 漢漢字漢 ééé😀😀é" + "l".repeat(60);
const ENGINE = "xkb:us::eng";
/** Time for which IBus holds keys, in milliseconds: without waiting for them, typing would continue. */
const KEPT_MS = 700;

/** The process of IBus's built-in engines, a child of the daemon. */
async function engineOf(daemon: number): Promise<number | undefined> {
  const children = await Deno.readTextFile(`/proc/${daemon}/task/${daemon}/children`);
  for (const child of children.trim().split(" ")) {
    const command = await Deno.readTextFile(`/proc/${child}/cmdline`).catch(() => "");
    if (command.includes("ibus-engine-simple")) return Number(child);
  }
}

/** The program's text, from its output. */
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
 * Runs IBus and a program of tests/support that has focus.
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
  name: "rebinds a key only after IBus has returned the program's keys",
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
  name: "counts keys as returned if the IBus engine ends with them",
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
  name: "repeats a key for Firefox only after IBus has returned the press, since Firefox drops it before",
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
  name: "sends Qt a key only when it waits for events, since keys from IBus overtake each other",
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
    await until(() => taken(program.printed).at(-1) === "a"); // no other key was sent
  });
});

Deno.test({
  name: "sends GTK 4 a combination only after IBus has returned its keys, since commands overtake them",
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
