import { assertEquals } from "@std/assert";
import { activeGroup, printedList, textsOf } from "../../../../ffi/wayland/layout/gvariant.ts";
import { optionsOf, withKdeOption } from "../../../../ffi/wayland/layout/kxkbrc.ts";

const NEEDED = "ResetOldOptions=true";

/** A file of KDE's settings, its options, the file with deskhand's option, and again without it. */
const KDE: [name: string, text: string | undefined, options: string[], with_: string, without: string][] = [
  [
    "a missing file",
    undefined,
    [],
    `[Layout]\nUse=true\n${NEEDED}\nOptions=deskhand:1\n`,
    `[Layout]\nUse=true\n${NEEDED}\nOptions=\n`,
  ],
  [
    "a file without options",
    "[Layout]\nLayoutList=de\n",
    [],
    `[Layout]\nUse=true\n${NEEDED}\nOptions=deskhand:1\nLayoutList=de\n`,
    `[Layout]\nUse=true\n${NEEDED}\nOptions=\nLayoutList=de\n`,
  ],
  [
    "options of the person",
    "[Layout]\nLayoutList=de,us\nOptions=ctrl:nocaps,compose:ralt\nResetOldOptions=false\nUse=true\n",
    ["ctrl:nocaps", "compose:ralt"],
    "[Layout]\nLayoutList=de,us\nOptions=ctrl:nocaps,compose:ralt,deskhand:1\nResetOldOptions=true\nUse=true\n",
    "[Layout]\nLayoutList=de,us\nOptions=ctrl:nocaps,compose:ralt\nResetOldOptions=true\nUse=true\n",
  ],
  [
    "other groups before and behind",
    "[A]\nOptions=x\n\n[Layout]\nUse=true\nResetOldOptions=true\nOptions=a:b\n\n[B]\nOptions=y",
    ["a:b"],
    "[A]\nOptions=x\n\n[Layout]\nUse=true\nResetOldOptions=true\nOptions=a:b,deskhand:1\n\n[B]\nOptions=y",
    "[A]\nOptions=x\n\n[Layout]\nUse=true\nResetOldOptions=true\nOptions=a:b\n\n[B]\nOptions=y",
  ],
];

for (const [name, text, options, withOption, without] of KDE) {
  Deno.test(`KDE's settings, ${name}: deskhand's option comes behind the person's, and goes alone`, () => {
    assertEquals(optionsOf(text), options);
    const set = withKdeOption(text, "deskhand:1");
    assertEquals(set, withOption);
    assertEquals(withKdeOption(withKdeOption(set, "deskhand:2"), "deskhand:1"), withOption);
    assertEquals(withKdeOption(set, undefined), without);
  });
}

Deno.test("lists of GSettings are read as they are printed", () => {
  for (
    const [printed, texts] of [["@as []", []], ["['a:b', 'c']", ["a:b", "c"]], [`["it's"]`, [
      "it's",
    ]]] as const
  ) {
    assertEquals(textsOf(printed), [...texts]);
    assertEquals(textsOf(printedList(texts)), [...texts]);
  }
  assertEquals(printedList(["it's"]), String.raw`['it\'s']`);
});

Deno.test("the active layout of GNOME is the source used last, three of them in a map", () => {
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
