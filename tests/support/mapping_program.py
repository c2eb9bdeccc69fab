"""A window of a program that maps files, by which deskhand recognizes programs. Arguments: the title and the files.

Like LibreOffice, it posts the command of Ctrl+A to itself after the keys that have arrived, buffers characters while
others follow, except those above U+FFFF, and loses a quote after others. Prints "text ...", the text as JSON. With
LOADS_MS in its environment, it loses keys for that many milliseconds after receiving the focus, as if it loaded a
document: it works briefly 25 times per second.
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

# How long the program works on a command, in seconds: other keys arrive meanwhile.
WORK_S = 0.1
# How long characters stay in the buffer, in milliseconds.
FLUSH_MS = 20
# How long it loads, in seconds, and the interval between two pieces of that work, in milliseconds.
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
