/** Text in any script, as a real terminal receives it, and programs with limits on text. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { delay } from "@std/async/delay";
import { fromFileUrl, join } from "@std/path";
import type { Desktop } from "../../../control/desktop/desktop.ts";
import { combination } from "../../../control/operator/gestures.ts";
import { Operator } from "../../../control/operator/operator.ts";
import { InputError, StateError } from "../../../core/errors.ts";
import { Connection } from "../../../ffi/x11/connection.ts";
import { textSymbol } from "../../../ffi/x11/keyboard.ts";
import { openX11 } from "../../../ffi/x11/desktop.ts";
import { ElementsStage, STAGE } from "../../support/elements.ts";
import { need } from "../../support/need.ts";
import { MANY, receives, typewriter } from "../../support/program.ts";
import { SessionBus } from "../../support/session_bus.ts";
import { mustRun, temporary, until } from "../../support/shell.ts";
import { lockGroup } from "../../support/window_desktops.ts";
import { Client, Xvfb } from "../../support/xvfb.ts";

const NEEDED = need("Xvfb", "xdotool", "xterm", "xmodmap", "setxkbmap");

Deno.test({ name: "restores the keyboard map after a text", ...NEEDED }, async () => {
  await using server = await Xvfb.start();
  const map = await server.run("xmodmap", "-pke");
  const desktop = openX11(server.display);
  await using typed = await typewriter(server);
  await desktop.keyboard.type(MANY);
  await receives(typed.received, MANY);
  desktop.close();
  assertEquals(await server.run("xmodmap", "-pke"), map);
});

Deno.test(
  { name: "keys bound by an earlier text keep their symbols while another is typed", ...NEEDED },
  async () => {
    await using server = await Xvfb.start();
    const desktop = openX11(server.display);
    await using typed = await typewriter(server);
    await desktop.keyboard.type("漢");
    await desktop.keyboard.type(MANY + "漢字"); // needs every free key
    await receives(typed.received, "漢" + MANY + "漢字");
    // Typing takes longer than bindings last, however fast the machine.
    const end = performance.now() + 1200;
    const slow = {
      throwIfAborted() {
        while (performance.now() < end);
      },
    };
    const more = "漢字".repeat(50);
    await desktop.keyboard.type(more, slow as AbortSignal);
    await receives(typed.received, "漢" + MANY + "漢字" + more);
    desktop.close();
  },
);

Deno.test(
  { name: "binds characters again after another program has loaded a keyboard map", ...NEEDED },
  async () => {
    await using server = await Xvfb.start();
    const desktop = openX11(server.display);
    await using typed = await typewriter(server);
    await desktop.keyboard.type("漢");
    await receives(typed.received, "漢");
    await server.run("setxkbmap", "fr");
    const map = await server.run("xmodmap", "-pke");
    await desktop.keyboard.type("漢a");
    await receives(typed.received, "漢漢a");
    desktop.close();
    assertEquals(await server.run("xmodmap", "-pke"), map);
  },
);

Deno.test(
  {
    name: "unbinds its keys on exit, except one that another program has bound since",
    ...NEEDED,
  },
  async () => {
    await using server = await Xvfb.start();
    const desktop = openX11(server.display);
    for (const key of ["漢", "é"]) await desktop.keyboard.key(key, true); // bound while they are down
    const map = () => server.run("xmodmap", "-pke");
    const keycode = /keycode +(\d+) = U6F22/.exec(await map())![1];
    await server.run("xmodmap", "-e", `keycode ${keycode} = F20`);
    const withBoth = (await map()).split("\n");
    desktop.close();
    const without = (await map()).split("\n"),
      isChanged = (_: string, i: number) => without[i] !== withBoth[i];
    assertEquals(
      without.filter(isChanged),
      withBoth.filter(isChanged).map((line) => line.replace(/= eacute.*/, "=")),
    );
    assertEquals(withBoth.filter(isChanged).length, 1);
  },
);

Deno.test({ name: "text arrives the same in each of four keyboard layouts", ...NEEDED }, async () => {
  await using server = await Xvfb.start();
  await server.run("setxkbmap", "us,ru,de,fr");
  const desktop = openX11(server.display);
  await using typed = await typewriter(server);
  let all = "";
  for (const group of [0, 1, 2, 3]) {
    lockGroup(server, group);
    const text = "yzYZ-;# 12@ é€ эя 漢\n";
    await desktop.keyboard.type(text);
    await desktop.keyboard.key("y", true);
    await desktop.keyboard.key("y", false);
    await desktop.keyboard.key("enter", true);
    await desktop.keyboard.key("enter", false);
    await receives(typed.received, all += (text + "y\n").replaceAll("\n", "\r"));
  }
  desktop.close();
});

Deno.test(
  { name: "text arrives unchanged with modifiers held and Caps Lock on, which stay so", ...NEEDED },
  async () => {
    await using server = await Xvfb.start();
    const desktop = openX11(server.display);
    await using typed = await typewriter(server);
    let all = "";
    for (const held of ["shift", "ctrl", "alt"]) {
      await desktop.keyboard.key(held, true);
      await desktop.keyboard.type("aB é1!");
      await desktop.keyboard.key(held, false);
      await receives(typed.received, all += "aB é1!");
    }
    await server.run("xdotool", "keydown", "Shift_L");
    await desktop.keyboard.type("xY");
    await receives(typed.received, all += "xY");
    await server.run("xdotool", "key", "a");
    await receives(typed.received, all += "A"); // Shift is still down
    await server.run("xdotool", "keyup", "Shift_L");
    await server.run("xdotool", "key", "Caps_Lock");
    await desktop.keyboard.type("aB é");
    await receives(typed.received, all += "aB é");
    await server.run("xdotool", "key", "a");
    await receives(typed.received, all += "A"); // Caps Lock is still on
    desktop.close();
  },
);

Deno.test(
  { name: "a stalled program receives the right characters: no key is rebound before", ...NEEDED },
  async () => {
    await using server = await Xvfb.start();
    const desktop = openX11(server.display);
    await using typed = await typewriter(server);
    const text = String.fromCodePoint(...Array.from({ length: 200 }, (_, i) => 0x4e00 + i));
    Deno.kill(typed.pid, "SIGSTOP");
    const typing = desktop.keyboard.type(text);
    await delay(1000); // longer than any fixed pause
    Deno.kill(typed.pid, "SIGCONT");
    await typing;
    await receives(typed.received, text);
    desktop.close();
  },
);

Deno.test(
  {
    name: "names a program that stops handling keys, and types nothing more",
    ...need("Xvfb", "openbox", "xdotool", "xev", "xprop", "zenity"),
  },
  async () => {
    await using server = await Xvfb.start();
    await using _manager = await server.manager("openbox");
    const desktop = openX11(server.display);
    await using zenity = server.spawn("zenity", "--entry", "--title", "Hanging");
    await server.run("xdotool", "windowactivate", "--sync", await server.window("--name", "Hanging"));
    Deno.kill(zenity.pid, "SIGSTOP");
    const text = String.fromCodePoint(...Array.from({ length: 100 }, (_, i) => 0x4e00 + i));
    await assertRejects(() => desktop.keyboard.type(text), StateError, "Hanging");
    desktop.close();
  },
);

Deno.test({ name: "a long text arrives whole and does not block the event loop", ...NEEDED }, async () => {
  await using server = await Xvfb.start();
  const desktop = openX11(server.display);
  await using typed = await typewriter(server);
  const text = "The quick brown fox, 123. ".repeat(400);
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  await desktop.keyboard.type(text);
  clearInterval(timer);
  assertEquals(turns > 50, true, `${turns} turns`);
  await receives(typed.received, text);
  desktop.close();
});

Deno.test(
  { name: "refuses a character by name if it needs a keycode and none is free", ...NEEDED },
  async () => {
    await using server = await Xvfb.start();
    const empty = (await server.run("xmodmap", "-pke")).matchAll(/^keycode +(\d+) =\s*$/gm);
    await server.run("xmodmap", ...[...empty].flatMap(([, code]) => ["-e", `keycode ${code} = F13`]));
    const desktop = openX11(server.display);
    for (const [text, message] of [["漢", "U+6F22 (漢)"], ["aΩ", "U+03A9 (Ω)"]]) {
      await assertRejects(() => desktop.keyboard.type(text), InputError, message);
    }
    await assertRejects(() => desktop.keyboard.key("漢", true), InputError, "漢");
    desktop.close();
  },
);

// Keysyms of characters, by the tables that programs convert them with.

/** Converts a keysym to a character, as `XmbLookupString` and `XLookupString` do. */
const LIBX11 = { KeySymToUcs4: { parameters: ["u64"], result: "u32" } } as const;

Deno.test(
  { name: "libX11 and libxkbcommon convert every keysym to its character", ...need("Xvfb") },
  async () => {
    await using server = await Xvfb.start();
    const connection = Connection.open(server.display)!;
    const x11 = Deno.dlopen("libX11.so.6", LIBX11);
    const wrong: string[] = [];
    let count = 0;
    for (let code = 0x20; code <= 0x10ffff; code++) {
      const symbol = textSymbol(connection, code);
      if (!symbol || code === 0x7f) continue; // Delete is a key
      count++;
      const taken = [
        x11.symbols.KeySymToUcs4(BigInt(symbol)),
        connection.libraries.xkbcommon.xkb_keysym_to_utf32(symbol),
      ];
      if (taken.some((one) => one !== code)) wrong.push(`${code.toString(16)}: ${symbol.toString(16)}`);
    }
    assertEquals(wrong, []);
    assertEquals(count > 1_100_000, true, `${count}`);
    x11.close();
    connection.close();
  },
);

// Keys into programs that are known to change text or to need a slower pace.

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

/** Runs a program that maps files with the given names and has focus. */
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
  name: "waits for LibreOffice before a quote, a wide character and keys after a combination",
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
  name: "a restarted LibreOffice with its earlier window's id and title receives its first text whole",
  ...PROGRAMS,
}, async () => {
  await using server = await Xvfb.start();
  await using bus = await SessionBus.start();
  const env = { ...bus.enterOn(server.env), LOADS_MS: "1500" }, files = await bus.filesToMap(OFFICE);
  await using _manager = await server.manager("openbox");
  const desktop = openX11(server.display), ids = new Set<string>();
  try {
    let starts = 0;
    for (; ids.size === starts; starts++) { // on a busy machine a start may get another window id
      assert(starts < 10, `no number came again: ${[...ids]}`);
      const text = `text ${starts}`;
      await using client = new Client("/usr/bin/python3", [PROGRAM, "Lossy", ...files], env);
      const id = await server.window("--name", "Lossy");
      await server.run("xdotool", "windowactivate", "--sync", id);
      await desktop.keyboard.type(text);
      await until(() => client.printed.endsWith(`text "${text}"\n`));
      ids.add(id);
    }
  } finally {
    desktop.close();
  }
});

Deno.test({
  name: "GTK 4.8 with IBus's module receives any text if IBus is not running",
  ...PROGRAMS,
}, async () => {
  await inProgram(GTK48, async ({ keyboard }) => await keyboard.type("a😀漢"));
});

Deno.test({
  name: "refuses text for GTK 4.8 if IBus runs, even without XIM, which IBus's own module does not need",
  ...(PROGRAMS.ignore ? PROGRAMS : need("ibus-daemon", "ibus")),
}, async () => {
  await inProgram(GTK48, async ({ keyboard }, _program, run) => {
    await keyboard.type("ab");
    await using _ibus = run("ibus-daemon", "--panel", "disable");
    await until(() => mustRun("ibus", ["address"]).then((address) => address.includes("unix:")));
    await until(() => keyboard.type("ab").then(() => false, (error) => error instanceof StateError));
    await assertRejects(() => keyboard.type("ab"), StateError, "the window Lossy uses GTK 4.8");
  });
});

/** Queries mpv over its IPC socket; the answer arrives among events. */
async function askPlayer(path: string, command: unknown[]): Promise<unknown> {
  using socket = await Deno.connect({ transport: "unix", path });
  await socket.write(new TextEncoder().encode(`${JSON.stringify({ command, request_id: 7 })}\n`));
  let text = "";
  for await (const part of socket.readable.pipeThrough(new TextDecoderStream())) {
    text += part;
    const answer = text.split("\n").slice(0, -1).find((line) => line.includes('"request_id":7'));
    if (answer) return JSON.parse(answer).data;
  }
  throw new Error(`mpv has ended: ${text}`);
}

Deno.test({
  name: "a player receives each repetition of a key",
  ignore: STAGE.ignore || need("mpv").ignore,
  async fn() {
    await using stage = await ElementsStage.start();
    await temporary(async (folder) => {
      const path = join(folder, "socket"), ask = (...command: unknown[]) => askPlayer(path, command);
      const options = ["--no-config", "--idle", "--force-window", "--vo=x11", "--ao=null", "--title=player"];
      stage.start("mpv", ...options, `--input-ipc-server=${path}`);
      const { error } = await stage.post("/api/wait", {
        window: { title: "player", active: true },
        timeout_ms: 60_000,
      });
      assertEquals(error, undefined);
      for (let round = 0; round < 5; round++) {
        await ask("set_property", "volume", 100);
        assertEquals((await stage.post("/api/key", { keys: "9", repeat: 20 })).error, undefined);
        await until(() => ask("get_property", "volume"), (volume) => volume === 60); // each press lowers it by 2
      }
    });
  },
});
