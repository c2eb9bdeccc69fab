"""A GTK 4 window that saves its text to a file, like gtk_witness.py."""

import os
import sys

import gi

os.environ["GSK_RENDERER"] = "cairo"  # OpenGL without a graphics card takes seconds of processor time

gi.require_version("Gtk", "4.0")
from gi.repository import GLib, Gtk  # noqa: E402

path = sys.argv[1]
window, view = Gtk.Window(title="witness"), Gtk.TextView()
text = view.get_buffer()


def save(*_):
    with open(path + ".new", "w") as file:
        file.write(text.get_text(text.get_start_iter(), text.get_end_iter(), True))
    os.rename(path + ".new", path)


def tell(line):
    with open(path + ".events", "a") as file:
        file.write(line + "\n")


def tell_selection(*_):
    if text.get_has_selection():
        tell("selected")


text.connect("changed", save)
text.connect("notify::has-selection", tell_selection)
view.connect("map", lambda *_: tell("shown"))
window.set_child(view)
window.maximize()
window.present()
view.grab_focus()
GLib.MainLoop().run()
