/** Text of any script, as a real terminal program receives it. */

import { assertEquals, assertRejects } from "@std/assert";
import { delay } from "@std/async/delay";
import { openX11 } from "../../../ffi/x11/mod.ts";
import { InputError, StateError } from "../../../core/errors.ts";
import { need } from "../../support/need.ts";
import { MANY } from "../../support/typed_texts.ts";
import { receives, typewriter } from "../../support/typewriter.ts";
import { lockGroup } from "../../support/x11.ts";
import { Xvfb } from "../../support/xvfb.ts";

const NEEDED = need("Xvfb", "xdotool", "xterm", "xmodmap", "setxkbmap");

Deno.test({ name: "after a text the keyboard map is as it was", ...NEEDED }, async () => {
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
  { name: "keys that an earlier text bound keep their symbols while another text is typed", ...NEEDED },
  async () => {
    await using server = await Xvfb.start();
    const desktop = openX11(server.display);
    await using typed = await typewriter(server);
    await desktop.keyboard.type("漢");
    await desktop.keyboard.type(MANY + "漢字"); // needs every key that is free
    await receives(typed.received, "漢" + MANY + "漢字");
    // Typing takes longer than bindings are kept, however fast the machine is.
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
  { name: "characters are bound again after another program has loaded its keyboard map", ...NEEDED },
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
    name: "at its end deskhand unbinds its keys, but not one that another program has bound since",
    ...NEEDED,
  },
  async () => {
    await using server = await Xvfb.start();
    const desktop = openX11(server.display);
    for (const key of ["漢", "é"]) await desktop.keyboard.key(key, true); // bound for as long as they are down
    const map = () => server.run("xmodmap", "-pke");
    const keycode = /keycode +(\d+) = U6F22/.exec(await map())![1];
    await server.run("xmodmap", "-e", `keycode ${keycode} = F20`);
    const withBoth = await map();
    desktop.close();
    assertEquals(await map(), withBoth.replace(/= eacute.*/, "="));
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
  { name: "text arrives right with modifiers held and Caps Lock on, and both stay so", ...NEEDED },
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
  { name: "a program that stalls receives the right characters: no key is bound anew before", ...NEEDED },
  async () => {
    await using server = await Xvfb.start();
    const desktop = openX11(server.display);
    await using typed = await typewriter(server);
    const text = String.fromCodePoint(...Array.from({ length: 200 }, (_, i) => 0x4e00 + i));
    Deno.kill(typed.pid, "SIGSTOP");
    const typing = desktop.keyboard.type(text);
    await delay(1000); // longer than any fixed pause would be
    Deno.kill(typed.pid, "SIGCONT");
    await typing;
    await receives(typed.received, text);
    desktop.close();
  },
);

Deno.test(
  {
    name: "a program that does not come back to its keys is named, and nothing more is typed",
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
  { name: "without an unused keycode, a character that needs one is refused by name", ...NEEDED },
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
