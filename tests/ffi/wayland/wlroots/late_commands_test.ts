/** Programs that carry out a shortcut only after the keys that have come by then. */

import { assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { openWayland } from "../../../../ffi/wayland/mod.ts";
import { need } from "../../../support/need.ts";
import { needOwn, Sway } from "../../../support/sway.ts";
import { until } from "../../../support/shell.ts";

const PROGRAM = fromFileUrl(new URL("../../../support/soffice.bin", import.meta.url));
const GTK = "/usr/lib/x86_64-linux-gnu/girepository-1.0/Gtk-3.0.typelib";
const NEEDED = { ignore: need("sway", "/usr/bin/python3", GTK).ignore || needOwn("sway").ignore };

Deno.test(
  { name: "a text behind Ctrl+A replaces what LibreOffice has, whose commands come late", ...NEEDED },
  async () => {
    await using sway = await Sway.start();
    const program = `${sway.folder}/soffice.bin`, file = `${sway.folder}/received`;
    await Deno.copyFile(PROGRAM, program);
    await Deno.chmod(program, 0o755);
    const desktop = await openWayland(sway.socket), { keyboard } = desktop;
    await using _program = sway.spawn(program, file);
    await sway.focused("late");
    const received = () => Deno.readTextFile(file).catch(() => "");
    await keyboard.type("first");
    await until(received, (text) => text === "first");
    for (const text of ["second", "third", "é漢"]) {
      for (const [key, down] of [["ctrl", true], ["a", true], ["a", false], ["ctrl", false]] as const) {
        await keyboard.key(key, down);
      }
      await keyboard.ready!();
      await keyboard.type(text);
      await until(received, (all) => all.includes(text));
      assertEquals(await received(), text);
    }
    desktop.close();
  },
);
