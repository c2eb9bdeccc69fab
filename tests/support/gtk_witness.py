"""A GTK 3 window that reports what it receives: its text in a file, and each key, button and wheel event on a line."""

import os
import sys

import gi

gi.require_version("Gdk", "3.0")
gi.require_version("Gtk", "3.0")
from gi.repository import Gdk, Gtk  # noqa: E402

path = sys.argv[1]
window, view = Gtk.Window(title="witness"), Gtk.TextView()
text = view.get_buffer()
MODIFIERS = {"shift": Gdk.ModifierType.SHIFT_MASK, "ctrl": Gdk.ModifierType.CONTROL_MASK, "alt": Gdk.ModifierType.MOD1_MASK}


def save(*_):
    with open(path + ".new", "w") as file:
        file.write(text.get_text(text.get_start_iter(), text.get_end_iter(), True))
    os.rename(path + ".new", path)


def tell(line):
    with open(path + ".events", "a") as file:
        file.write(line + "\n")


def key(_, event):
    held = [name for name, mask in MODIFIERS.items() if event.state & mask]
    tell(" ".join(["key", *held, Gdk.keyval_name(event.keyval)]))


text.connect("changed", save)
view.connect("key-press-event", key)
view.connect("button-press-event", lambda *_: tell("button"))
view.add_events(Gdk.EventMask.SCROLL_MASK)
view.connect("scroll-event", lambda *_: tell("scroll"))
view.connect("map", lambda *_: tell("shown"))
window.add(view)
window.maximize()
window.show_all()
Gtk.main()
