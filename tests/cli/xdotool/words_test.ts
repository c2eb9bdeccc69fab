/** Pure parts of xdotool's command line: options, numbers, patterns, the record of a deskhand that runs. */

import { assertEquals } from "@std/assert";
import { OptionReader } from "../../../cli/xdotool/context.ts";
import { floatOf, intOf, longOf, microsecondsOf } from "../../../cli/xdotool/output.ts";
import { keysOf, posixPattern } from "../../../cli/xdotool/desktop_target.ts";
import { strokesOf, type Symbols } from "../../../cli/xdotool/shared_x11_target.ts";
import { isOf, sessionOf } from "../../../cli/running.ts";

Deno.test("options are read up to the first other word", () => {
  const table = { letters: "cw:h", names: ["clearmodifiers", "window:", "repeat:", "repeat-delay:", "help"] };
  for (
    const [words, options, taken] of [
      ["x --window 5 1", ["window=5"], 3],
      ["x -cw5 1", ["c=", "w=5"], 2],
      ["x -clear 1", ["clearmodifiers="], 2],
      ["x --repeat=2 --repeat-delay 3 -- -1", ["repeat=2", "repeat-delay=3"], 5],
      ["x -5", ["unrecognized option '-5'"], 2],
      ["x --rep 2", ["option '--rep' is ambiguous; possibilities: '--repeat' '--repeat-delay'"], 2],
      ["x --help=1", ["option '--help' doesn't allow an argument"], 2],
      ["x --window", ["option '--window' requires an argument"], 2],
      ["x -w", ["option requires an argument -- 'w'"], 2],
      ["x - 1", [], 1],
    ] as [string, string[], number][]
  ) {
    const reader = new OptionReader(words.split(" "), table), read: string[] = [];
    for (let given = reader.next(); given !== undefined; given = reader.next()) {
      read.push(typeof given === "string" ? given : `${given.option}=${given.value}`);
      if (typeof given === "string") break;
    }
    assertEquals([read, reader.taken], [options, taken], words);
  }
});

Deno.test("numbers are read as C reads them", () => {
  assertEquals(["12", "0x1F", "010", "-3", "x", "7z", ""].map(longOf), [12, 31, 8, -3, 0, 7, 0]);
  assertEquals(["12", "0x1F", "010", "-3", "x"].map(intOf), [12, 0, 10, -3, 0]);
  assertEquals(["0.5", "x", "2s"].map(floatOf), [0.5, 0, 2]);
  assertEquals(["12", "x"].map(microsecondsOf), [12_000, 0]);
});

Deno.test("keys and patterns", () => {
  const unknown: string[] = [];
  assertEquals(keysOf("ctrl+Alt_L+nonesuch+A", (name) => unknown.push(name)), ["ctrl", "alt", "A"]);
  assertEquals([unknown, keysOf("a b", () => {})], [["nonesuch"], undefined]);
  assertEquals([posixPattern("^[[:digit:]]+$")!.test("42"), posixPattern("EDI")!.test("Editor")], [
    true,
    true,
  ]);
});

Deno.test("letters and modifiers are keys on every server, and other keys are asked for", () => {
  const asked: string[] = [], shifted = new Map([[0x41, 0x61], [0x2b, 0x3d]]);
  const symbols: Symbols = {
    symbolOf(name) {
      asked.push(name);
      return { A: 0x41, plus: 0x2b, Return: 0xff0d, Meta_L: 0xffe7 }[name] ?? 0;
    },
    unshifted: (symbol) => shifted.get(symbol),
  };
  assertEquals(strokesOf("ctrl+shift+alt+super+z", symbols), [
    ["ctrl"],
    ["shift"],
    ["alt"],
    ["super"],
    ["z"],
  ]);
  assertEquals(asked, []);
  assertEquals(strokesOf("a+A+plus+Return", symbols), [["a"], ["shift", "a"], ["shift", "="], ["enter"]]);
  assertEquals(strokesOf("meta", symbols), [["keysym:0xffe7"]]);
  assertEquals(strokesOf("a+nonesuch", symbols), undefined);
  assertEquals(asked, ["A", "plus", "Return", "Meta_L", "nonesuch"]);
});

Deno.test("a record is of the desktop that the session has", () => {
  const env = (variables: Record<string, string>) => sessionOf((name) => variables[name]);
  const x11 = env({ DISPLAY: ":5.0" }),
    wayland = env({ WAYLAND_DISPLAY: "wayland-1", XDG_RUNTIME_DIR: "/run/1" });
  const record = (kind: string, session: typeof x11) => ({ url: "", hasKeptToken: true, kind, session });
  for (
    const [kind, theirs, wanted, own, expected] of [
      ["x11", x11, "auto", env({ DISPLAY: ":5" }), true],
      ["x11", x11, "auto", env({ DISPLAY: ":6" }), false],
      ["wayland", wayland, "auto", env({ WAYLAND_DISPLAY: "/run/1/wayland-1", DISPLAY: ":0" }), true],
      ["wayland", wayland, "auto", env({ DISPLAY: ":0" }), false],
      ["virtual", x11, "auto", x11, false],
      ["virtual", x11, "virtual", wayland, true],
    ] as const
  ) assertEquals(isOf(record(kind, theirs), wanted, own), expected, `${kind} ${wanted}`);
});
