/** The keys by which programs paste. */

import { assertEquals } from "@std/assert";
import { pasteCommandOf } from "../../../../ffi/wayland/kde/paster.ts";

const CASES: [appId: string, keys: string, selections: string][] = [
  ["org.kde.konsole", "ctrl+shift+v", "clipboard"],
  ["org.kde.yakuake", "ctrl+shift+v", "clipboard"],
  ["org.gnome.Terminal", "ctrl+shift+v", "clipboard"],
  ["Alacritty", "ctrl+shift+v", "clipboard"],
  ["foot", "ctrl+shift+v", "clipboard"],
  ["XTerm", "shift+insert", "primary clipboard"],
  ["debian-xterm", "shift+insert", "primary clipboard"],
  ["org.kde.kwrite", "ctrl+v", "clipboard"],
  ["chromium", "ctrl+v", "clipboard"],
  ["", "ctrl+v", "clipboard"],
];
for (const [appId, keys, selections] of CASES) {
  Deno.test(`${appId || "a program without a name"} pastes by ${keys}`, () => {
    const command = pasteCommandOf(appId);
    assertEquals([command.keys.join("+"), command.selections.join(" ")], [keys, selections]);
  });
}
