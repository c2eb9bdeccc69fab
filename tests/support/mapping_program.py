"""A window of a program that maps files, by whose names deskhand knows programs. Arguments: the title and the files.

As LibreOffice does, it posts the command of Ctrl+A to itself behind the keys that have come, keeps characters in a
buffer while others follow, but not those above U+FFFF, and loses a quote behind others. Prints "text ...", the text as
JSON. With LOADS_MS in its environment it loses the keys of so many milliseconds from the moment at which it gets the
keyboard, as if it loaded a document: it works a little 25 times a second.
"""

import json
import mmap
import os
import sys
import time

import gi

gi.require_version("Gdk", "3.0")
gi.require_version("Gtk", "3.0")
from gi.repository import Gdk, GLib, Gtk  # noqa: E402

# The time that the program works for a command, in seconds: other keys come within it.
WORK_S = 0.1
# The time for which characters stay in the buffer, in milliseconds.
FLUSH_MS = 20
# The time for which it loads, in seconds, and the time between two pieces of that work, in milliseconds.
LOADS_S = int(os.environ.get("LOADS_MS", "0")) / 1000
WORKS_MS = 40
maps = []
for path in sys.argv[2:]:
    with open(path, "r+b") as file:
        maps.append(mmap.mmap(file.fileno(), 0))
text, buffer, selected = "", "", False
loaded_at = 0


def insert(characters):
    global text, selected
    text = ("" if selected else text) + characters
    selected = False
    print("text " + json.dumps(text), flush=True)


def flush():
    global buffer
    if buffer:
        insert(buffer)
    buffer = ""


def select():
    global selected
    flush()
    selected = True


def load(*_):
    global loaded_at
    if LOADS_S and not loaded_at:
        loaded_at = time.monotonic() + LOADS_S
        GLib.timeout_add(WORKS_MS, lambda: time.monotonic() < loaded_at)


def press(_window, event):
    global buffer
    if LOADS_S and time.monotonic() < (loaded_at or float("inf")):
        return True
    character = Gdk.keyval_to_unicode(event.keyval)
    if event.state & Gdk.ModifierType.CONTROL_MASK:
        time.sleep(WORK_S)
        GLib.idle_add(select)
    elif character > 0xFFFF:
        insert(chr(character))
    elif character and not (buffer and chr(character) in "'\""):
        buffer += chr(character)
        GLib.timeout_add(FLUSH_MS, flush)
    return True


window = Gtk.Window(title=sys.argv[1])
window.connect("key-press-event", press)
window.connect("focus-in-event", load)
window.show_all()
Gtk.main()
