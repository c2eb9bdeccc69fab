"""A window of buttons whose order changes every argv[1] milliseconds; prints the name of each clicked button."""

import random
import sys

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import GLib, Gtk  # noqa: E402

INTERVAL_MS = int(sys.argv[1])
ROWS = 12

window = Gtk.Window(title="Churn")
window.set_default_size(300, 40 * ROWS)
box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
window.add(box)


def clicked(button):
    print(button.get_label(), flush=True)


rows = []
for number in range(ROWS):
    button = Gtk.Button(label=f"Row {number}")
    button.connect("clicked", clicked)
    box.pack_start(button, True, True, 0)
    rows.append(button)


def shuffle():
    random.shuffle(rows)
    for place, button in enumerate(rows):
        box.reorder_child(button, place)
    return True


GLib.timeout_add(INTERVAL_MS, shuffle)
window.connect("destroy", lambda *_: sys.exit(0))
window.show_all()
Gtk.main()
