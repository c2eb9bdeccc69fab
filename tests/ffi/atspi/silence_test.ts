/** Reasons why programs show no elements, and how elements are pressed. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { pressOf } from "../../../ffi/atspi/watch.ts";
import { mapsOf, whyAbsent } from "../../../ffi/atspi/status.ts";

// Chromium shows its window alone without the flag, and nothing with it while accessibility is off.
const FLAG = "start it with --force-renderer-accessibility", SWITCH = '{"enabled":true}';

/** A mapped file, with the reasons while accessibility is on, and while it is off. */
const REASONS: [file: string, on: string, off: string][] = [
  ["/usr/lib/chromium/icudtl.dat", FLAG, SWITCH],
  ["/opt/code/v8_context_snapshot.bin\n/usr/lib/libQt5Gui.so.5", FLAG, SWITCH],
  ["/usr/lib/firefox-esr/libxul.so", "start it again", SWITCH],
  ["/usr/lib/libQt5Gui.so.5.15.8", "start it again", "then start it again"],
  [
    "/usr/lib/libQt5Gui.so.5\n/usr/lib/x86_64-linux-gnu/qt5/plugins/platforms/libqwayland-generic.so",
    ...["QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1", "QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1"] as const,
  ],
  ["/usr/lib/libQt6Gui.so.6", "of Qt", SWITCH],
  ["/usr/lib/libgtk-x11-2.0.so.0", "GTK_MODULES=gail:atk-bridge", "GTK_MODULES=gail:atk-bridge"],
  ["/usr/lib/jvm/lib/server/libjvm.so", "java-atk-wrapper", "java-atk-wrapper"],
  ["/usr/lib/wine/x86_64-unix/ntdll.so", "Wine", "Wine"],
  ["/usr/bin/xterm", "is not on the accessibility bus", "is not on the accessibility bus"],
];

for (const [file, on, off] of REASONS) {
  Deno.test(`a program with ${JSON.stringify(file)} that shows nothing is told what helps`, () => {
    const maps = `7f12-7f34 r--p 0000 08:01 42    ${file}\n7f34-7f35 rw-p 0000 00:00 0\n`;
    assertStringIncludes(whyAbsent(maps, true), on);
    assertStringIncludes(whyAbsent(maps, false), off);
  });
}

Deno.test("where nothing is known of a program, the switch is named while it is off", () => {
  assertEquals(whyAbsent("", true), "its program is not on the accessibility bus");
  assertStringIncludes(whyAbsent("", false), SWITCH);
});

Deno.test("a process has mapped its own executable, and one that is not there nothing", () => {
  assertStringIncludes(mapsOf(Deno.pid), Deno.execPath());
  assertEquals([mapsOf(undefined), mapsOf(2 ** 30)], ["", ""]);
});

/** Names of an element's actions, and the number of the one that presses it. */
const PRESSES: [names: string[], number: number | undefined][] = [
  [["click"], 0],
  [["Press", "SetFocus"], 0],
  [["SetFocus", "Press"], 1],
  [["activate", "click"], 1],
  [["window.close", "window.minimize"], undefined],
  [["clipboard.copy"], undefined],
  [[], undefined],
];

for (const [names, number] of PRESSES) {
  Deno.test(`of the actions ${names.join(", ") || "none"}, ${number ?? "none"} presses`, () => {
    assertEquals(pressOf(names), number);
  });
}
