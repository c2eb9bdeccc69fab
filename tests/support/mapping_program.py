"""A window of a program that maps files, by whose names deskhand knows programs. Arguments: the title and the files."""

import mmap
import sys

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Gtk  # noqa: E402

maps = []
for path in sys.argv[2:]:
    with open(path, "r+b") as file:
        maps.append(mmap.mmap(file.fileno(), 0))
window = Gtk.Window(title=sys.argv[1])
window.add(Gtk.Entry())
window.show_all()
Gtk.main()
