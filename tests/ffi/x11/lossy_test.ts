/** Keys into programs that are known to change texts, or to take keys at a pace of their own. */

import { assertEquals, assertRejects } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { StateError } from "../../../core/errors.ts";
import type { Desktop } from "../../../control/desktop/desktop.ts";
import { combination } from "../../../control/operator/gestures.ts";
import { Operator } from "../../../control/operator/operator.ts";
import { openX11 } from "../../../ffi/x11/mod.ts";
import { need } from "../../support/need.ts";
import { SessionBus } from "../../support/session_bus.ts";
import { mustRun } from "../../support/shell.ts";
import { until } from "../../support/until.ts";
import { Client, Xvfb } from "../../support/xvfb.ts";

const PROGRAM = fromFileUrl(import.meta.resolve("../../support/mapping_program.py"));
const PROGRAMS = need(
  "Xvfb",
  "openbox",
  "xev",
  "xdotool",
  "dbus-daemon",
  "/usr/bin/python3",
  "/usr/lib/x86_64-linux-gnu/girepository-1.0/Gtk-3.0.typelib",
);
const GTK48 = ["libgtk-4.so.1.800.3", "gtk-4.0/4.0.0/immodules/libim-ibus.so"];
const OFFICE = ["program/libvclplug_gtk3lo.so"];

/** Runs a program that maps files of some names, and has the keyboard. */
async function inProgram(
  names: readonly string[],
  act: (desktop: Desktop, program: Client, run: (...command: string[]) => Client) => Promise<void>,
): Promise<void> {
  await using server = await Xvfb.start();
  await using bus = await SessionBus.start();
  const env = bus.enterOn(server.env), files = await bus.filesToMap(names);
  await using _manager = await server.manager("openbox");
  await using client = new Client("/usr/bin/python3", [PROGRAM, "Lossy", ...files], env);
  await server.run("xdotool", "windowactivate", "--sync", await server.window("--name", "Lossy"));
  const desktop = openX11(server.display);
  try {
    await act(desktop, client, (program, ...args) => new Client(program, args, env));
  } finally {
    desktop.close();
  }
}

Deno.test({
  name: "LibreOffice has handled what is before a quote, a wide character and the keys behind a combination",
  ...PROGRAMS,
}, async () => {
  await inProgram(OFFICE, async (desktop, program) => {
    const operator = new Operator(desktop),
      texts = ["first text", "a😀b😀😀é 漢😀", `"one" 'two'`, "the end"];
    for (const text of texts) {
      await combination(operator, ["ctrl", "a"]);
      await operator.type(text);
    }
    await until(() => program.printed.endsWith('the end"\n'));
    const lines = program.printed.split("\n").filter((line) => line.startsWith("text "));
    const received = new Set(lines.map((line) => JSON.parse(line.slice("text ".length))));
    assertEquals(texts.filter((text) => !received.has(text)), []);
  });
});

Deno.test({
  name: "GTK 4.8 with IBus's module receives every text where IBus does not run",
  ...PROGRAMS,
}, async () => {
  await inProgram(GTK48, async ({ keyboard }) => await keyboard.type("a😀漢"));
});

Deno.test({
  name:
    "GTK 4.8 is refused a text beside IBus that serves no XIM, as programs with IBus's own module need none",
  ...(PROGRAMS.ignore ? PROGRAMS : need("ibus-daemon", "ibus")),
}, async () => {
  await inProgram(GTK48, async ({ keyboard }, _program, run) => {
    await keyboard.type("ab");
    await using _ibus = run("ibus-daemon", "--panel", "disable");
    await until(() => mustRun("ibus", ["address"]).then((address) => address.includes("unix:")));
    await until(() => keyboard.type("ab").then(() => false, (error) => error instanceof StateError));
    await assertRejects(() => keyboard.type("ab"), StateError, "the window Lossy is of GTK 4.8");
  });
});
