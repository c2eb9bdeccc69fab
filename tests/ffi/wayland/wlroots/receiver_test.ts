/** Programs that change some characters of a text, on compositors of wlroots. */

import { assertRejects } from "@std/assert";
import { StateError } from "../../../../core/errors.ts";
import { openWayland } from "../../../../ffi/wayland/mod.ts";
import { need } from "../../../support/need.ts";
import { needOwn, Sway } from "../../../support/sway.ts";
import { until } from "../../../support/until.ts";

const GTK = "/usr/lib/x86_64-linux-gnu/girepository-1.0/Gtk-3.0.typelib";
const NEEDED = { ignore: need("sway", "/usr/bin/python3", GTK).ignore || needOwn("sway").ignore };

/** A window of a program with the name of its file, which maps the library beside it. */
const PROGRAM = `#!/usr/bin/python3
import mmap, os, sys
import gi
gi.require_version("Gtk", "3.0")
from gi.repository import Gtk
with open(os.path.dirname(sys.argv[0]) + "/libKF5TextEditor.so.5") as file:
    library = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
window = Gtk.Window(title="editor")
window.add(Gtk.Entry())
window.show_all()
Gtk.main()
`;

Deno.test(
  { name: "KWrite of KDE's Frameworks 5 is refused characters above U+FFFF", ...NEEDED },
  async () => {
    await using sway = await Sway.start();
    const program = `${sway.folder}/kwrite`;
    await Deno.writeTextFile(`${sway.folder}/libKF5TextEditor.so.5`, "library");
    await Deno.writeTextFile(program, PROGRAM, { mode: 0o755 });
    const desktop = await openWayland(sway.socket);
    await using _program = sway.spawn(program);
    await sway.focused("editor");
    await until(() => desktop.windows!.list(), (all) => all[0]?.class === "kwrite");
    await desktop.keyboard.type("漢");
    await assertRejects(() => desktop.keyboard.type("a😀"), StateError, "kwrite is of KTextEditor 5");
    desktop.close();
  },
);
