"""A GTK 4 form that prints the entered values when its button is pressed: the text, and whether the box is checked."""

import os
import sys

import gi

os.environ["GSK_RENDERER"] = "cairo"  # OpenGL without a graphics card takes seconds of processor time

gi.require_version("Gtk", "4.0")
from gi.repository import GLib, Gtk  # noqa: E402

loop = GLib.MainLoop()
window = Gtk.Window(title=sys.argv[1])
box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=8)
entry, check, button = Gtk.Entry(), Gtk.CheckButton(label="Agree"), Gtk.Button(label="OK")
secret = Gtk.PasswordEntry()
if len(sys.argv) > 2:
    secret.set_text(sys.argv[2])


def done(*_):
    print(entry.get_text(), end="|" if check.get_active() else "", flush=True)
    print(flush=True)
    loop.quit()


button.connect("clicked", done)
button.set_halign(Gtk.Align.END)
for widget in (Gtk.Label(label="Name"), entry, secret, check, button):
    box.append(widget)
window.set_child(box)
window.set_default_size(420, 260)
window.connect("close-request", lambda *_: loop.quit())
window.present()
loop.run()
