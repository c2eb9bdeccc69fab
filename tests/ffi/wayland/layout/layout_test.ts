/** Keyboard maps as compositors send them, pasted parts of text, and the active layout. */

import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { UnsupportedError } from "../../../../core/errors.ts";
import { cString } from "../../../../ffi/linux/libc.ts";
import { readLayout } from "../../../../ffi/wayland/layout/layout.ts";
import { activeGroup, gnomeGroup, kdeRefusal, textsOf } from "../../../../ffi/wayland/layout/settings.ts";
import { pieces } from "../../../../ffi/wayland/layout/text_typer.ts";
import { need } from "../../../support/need.ts";
import { temporary } from "../../../support/shell.ts";

// Keyboard maps.

const MAPS = need("/usr/lib/x86_64-linux-gnu/libxkbcommon.so.0");
const XKBCOMMON = {
  xkb_context_new: { parameters: ["i32"], result: "pointer" },
  xkb_keymap_new_from_names: {
    parameters: ["pointer", "buffer", /* struct xkb_rule_names * */ "i32"],
    result: "pointer",
  },
  xkb_keymap_get_as_string: { parameters: ["pointer", "i32"], result: "pointer" },
} as const;

/**
 * Compiles a keyboard map from the system's layouts.
 * @param layouts Comma-separated names, such as `de,us`.
 * @param options XKB options.
 */
function mapOf(layouts: string, options = ""): string {
  const { symbols: xkb } = Deno.dlopen("libxkbcommon.so.0", XKBCOMMON);
  const names = ["evdev", "pc105", layouts, "", options].map(cString);
  const rules = BigUint64Array.from(names, (name) => Deno.UnsafePointer.value(Deno.UnsafePointer.of(name)));
  const keymap = xkb.xkb_keymap_new_from_names(xkb.xkb_context_new(0), new Uint8Array(rules.buffer), 0);
  if (!keymap) throw new Error(`no keyboard map of ${layouts} (${names.length} names)`);
  return new Deno.UnsafePointerView(xkb.xkb_keymap_get_as_string(keymap, 1)!).getCString();
}

const SHIFT = 42, ALTGR = 100;

/** Layouts, the active one, a character and its keys; undefined if no key types it. */
const CHARACTERS: [
  layouts: string,
  group: number,
  character: string,
  code?: number,
  ...modifiers: number[],
][] = [
  ["us", 0, "a", 30],
  ["us", 0, "A", 30, SHIFT],
  ["us", 0, "y", 21],
  ["us", 0, "(", 10, SHIFT],
  ["us", 0, "1", 2],
  ["us", 0, " ", 57],
  ["us", 0, "é"],
  ["us", 0, "€"],
  ["us", 0, "漢"],
  ["us", 0, "±"], // on a rare key that programs may not know
  ["de", 0, "y", 44],
  ["de", 0, "ä", 40],
  ["de", 0, "Ä", 40, SHIFT],
  ["de", 0, "@", 16, ALTGR],
  ["de", 0, "€", 18, ALTGR],
  ["de", 0, "¿", 12, SHIFT, ALTGR],
  ["de", 0, "<", 86],
  ["de", 0, "`"], // only a dead key
  ["us,de", 0, "ä"],
  ["us,de", 1, "ä", 40],
  ["us,ru", 1, "я", 44],
  ["us,ru", 1, "a"],
  ["ru", 0, "Я", 44, SHIFT],
  ["fr", 0, "1", 2, SHIFT],
  ["jp", 0, "_", 89, SHIFT],
  ["jp", 0, "|", 124, SHIFT],
];

for (const [layouts, group, character, code, ...modifiers] of CHARACTERS) {
  const how = code === undefined ? "has no key" : `is key ${[...modifiers, code].join("+")}`;
  Deno.test({ name: `'${character}' ${how} in layout ${group} of ${layouts}`, ...MAPS }, () => {
    const layout = readLayout(mapOf(layouts), group)!;
    const stroke = layout.characters.get(character.codePointAt(0)!);
    assertEquals(stroke, code === undefined ? undefined : { code, modifiers });
  });
}

Deno.test({ name: "maps symbols to keys according to the user's options", ...MAPS }, () => {
  const escape = 0xff1b, capsLock = 0xffe5;
  const plain = readLayout(mapOf("us"), 0)!, swapped = readLayout(mapOf("us", "caps:swapescape"), 0)!;
  assertEquals(plain.symbols.get(escape)?.code, 1);
  assertEquals(swapped.symbols.get(escape)?.code, 58);
  assertEquals(swapped.symbols.get(capsLock)?.code, 1);
});

Deno.test({ name: "an invalid map has no layout", ...MAPS }, () => {
  assertEquals(readLayout("xkb_keymap {", 0), undefined);
});

// Typed and pasted parts of a text.

/** ASCII is typed, and a line feed is a key; pasted pieces are in brackets. */
function shown(text: string): string[] {
  const characters = Array.from(text, (character) => character.codePointAt(0)!);
  return pieces(characters, (character) => character < 128, (character) => character === 10)
    .map(({ characters, isPasted }) => {
      const piece = String.fromCodePoint(...characters);
      return isPasted ? `[${piece}]` : piece;
    });
}

const CASES: [text: string, pieces: string[]][] = [
  ["", []],
  ["plain\n", ["plain\n"]],
  ["é", ["[é]"]],
  ["echo é > file\n", ["echo ", "[é]", " > file\n"]],
  ["Привет, мир!\n", ["[Привет, мир]", "!\n"]],
  ["é\né", ["[é]", "\n", "[é]"]],
  [`é${"a".repeat(16)}é`, [`[é${"a".repeat(16)}é]`]],
  [`é${"a".repeat(17)}é`, ["[é]", "a".repeat(17), "[é]"]],
  ["é\n\n", ["[é]", "\n\n"]],
];
for (const [text, expected] of CASES) {
  Deno.test(`splits ${JSON.stringify(text)}`, () => assertEquals(shown(text), expected));
}

// The active layout according to the desktop's settings.

Deno.test("parses printed GSettings lists", () => {
  const lists: [printed: string, texts: string[]][] = [
    ["@as []", []],
    ["['a:b', 'c']", ["a:b", "c"]],
    [`["it's"]`, ["it's"]],
    [String.raw`['it\'s']`, ["it's"]],
  ];
  for (const [printed, texts] of lists) assertEquals(textsOf(printed), texts);
});

Deno.test("GNOME's active layout is the last used source, with three sources per map", () => {
  const sources = "[('xkb', 'us'), ('xkb', 'de'), ('xkb', 'ru'), ('xkb', 'fr')]";
  for (
    const [recent, group] of [["@a(ss) []", 0], ["us", 0], ["de", 1], ["ru", 2], ["fr", 0], [
      "gone",
      0,
    ]] as const
  ) {
    assertEquals(
      activeGroup(sources, recent.startsWith("@") ? recent : `[('xkb', '${recent}'), ('xkb', 'us')]`),
      group,
    );
  }
  assertEquals(activeGroup("@a(ss) []", "@a(ss) []"), 0);
});

Deno.test({
  name: "times out if gsettings does not answer",
  ignore: Deno.build.os !== "linux",
  fn: () =>
    temporary(async (folder) => {
      await Deno.writeTextFile(`${folder}/gsettings`, "#!/bin/sh\nexec /bin/sleep 600\n", { mode: 0o755 });
      await assertRejects(
        () => gnomeGroup({ PATH: folder }, 200),
        UnsupportedError,
        "gsettings gave no answer",
      );
    }),
});

const PLASMA_6 = ["BounceKeysPlugin", "StickyKeysPlugin", "screencast"];
const REFUSALS: [name: string, text: string, plugins: string[], refusal: RegExp | undefined][] = [
  [
    "Plasma 6 Bounce Keys",
    "[Keyboard]\nBounceKeys=true\nBounceKeysDelay=500\n",
    PLASMA_6,
    /^Bounce Keys are on/,
  ],
  ["Bounce Keys off", "[Keyboard]\nBounceKeys=false\n", PLASMA_6, undefined],
  ["Plasma 5 Bounce Keys, which KWin ignores", "[Keyboard]\nBounceKeys=true\n", [], undefined],
  ["Slow Keys that this KWin lacks", "[Keyboard]\nSlowKeys=true\n", PLASMA_6, undefined],
  ["Slow Keys", "[Bell]\nA=1\n[Keyboard]\nSlowKeys=true\n", ["SlowKeysPlugin"], /^Slow Keys are on/],
  ["Sticky Keys", "[Keyboard]\nStickyKeys=true\n", PLASMA_6, undefined],
  ["a setting in another group", "[Keyboard]\n[Mouse]\nBounceKeys=true\n", PLASMA_6, undefined],
];

for (const [name, text, plugins, refusal] of REFUSALS) {
  Deno.test(`KWin's keys with ${name}`, async () => {
    assertMatch(`${await kdeRefusal(text, () => Promise.resolve(plugins))}`, refusal ?? /^undefined$/);
  });
}
