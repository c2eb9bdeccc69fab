"""A program in which simultaneous keys overtake each other, as in Qt with an input method.

Arguments: files for the program to map. Prints "text ...", the text as JSON.
"""

import json
import mmap
import sys

import gi

gi.require_version("Gdk", "3.0")
gi.require_version("Gtk", "3.0")
from gi.repository import Gdk, GLib, Gtk  # noqa: E402

maps = []
for path in sys.argv[1:]:
    with open(path, "r+b") as file:
        maps.append(mmap.mmap(file.fileno(), 0))
text, late = "", []


def press(_window, event):
    character = Gdk.keyval_to_unicode(event.keyval)
    if character:
        if not late:
            GLib.idle_add(take, priority=GLib.PRIORITY_DEFAULT + 1)
        late.append(chr(character))
    return True


def take():
    global text
    text += "".join(reversed(late))
    late.clear()
    print("text " + json.dumps(text), flush=True)


window = Gtk.Window(title="Overtaken")
window.connect("key-press-event", press)
window.show_all()
Gtk.main()
