/** The active layout by the desktop's settings. */

import { assertEquals, assertRejects } from "@std/assert";
import { UnsupportedError } from "../../../../core/errors.ts";
import { activeGroup, gnomeGroup, textsOf } from "../../../../ffi/wayland/layout/layout.ts";
import { temporary } from "../../../support/temporary.ts";

Deno.test("lists of GSettings are read as they are printed", () => {
  const lists: [printed: string, texts: string[]][] = [
    ["@as []", []],
    ["['a:b', 'c']", ["a:b", "c"]],
    [`["it's"]`, ["it's"]],
    [String.raw`['it\'s']`, ["it's"]],
  ];
  for (const [printed, texts] of lists) assertEquals(textsOf(printed), texts);
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

Deno.test({
  name: "settings that are not answered are an error after a while",
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
