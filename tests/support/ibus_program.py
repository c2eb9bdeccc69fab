"""A program that sends its keys to IBus without waiting, and looks up what comes back in its current keyboard map.

Chromium with the IBus module does that. Arguments: files for the program to map. Prints "given N" and "text ...", the
text as JSON, and "saved ..." for a key with Ctrl, which it handles immediately, as GTK 4 does.
"""

import json
import mmap
import sys

import gi

gi.require_version("Gdk", "3.0")
gi.require_version("Gtk", "3.0")
gi.require_version("IBus", "1.0")
from gi.repository import Gdk, GLib, Gtk, IBus  # noqa: E402

RELEASED = int(IBus.ModifierType.RELEASE_MASK)


class Program:
    def __init__(self):
        self.text = ""
        self.given = 0
        self.context = IBus.Bus().create_input_context("witness")
        self.context.set_capabilities(IBus.Capabilite.FOCUS)
        self.context.focus_in()
        self.keymap = Gdk.Keymap.get_for_display(Gdk.Display.get_default())
        self.window = Gtk.Window(title="Keys by IBus")
        self.window.connect("key-press-event", self.give, 0)
        self.window.connect("key-release-event", self.give, RELEASED)
        self.window.connect("focus-in-event", lambda *_: self.context.focus_in())
        self.window.set_default_size(300, 200)
        self.window.show_all()

    def give(self, _window, event, released):
        if event.state & Gdk.ModifierType.CONTROL_MASK and not released:
            print("saved " + json.dumps(self.text), flush=True)
            return True
        key = (event.hardware_keycode, event.state, event.group)
        self.given += 1
        print(f"given {self.given}", flush=True)
        self.context.process_key_event_async(
            event.keyval, key[0] - 8, int(event.state) | released, -1, None, self.take, (key, released)
        )
        return True

    def take(self, context, answer, data):
        try:
            context.process_key_event_async_finish(answer)
        except GLib.Error:
            pass  # the engine has exited, so the program handles the key
        (code, state, group), released = data
        if released:
            return
        found, symbol, *_ = self.keymap.translate_keyboard_state(code, state, group)
        character = Gdk.keyval_to_unicode(symbol) if found else 0
        if character:
            self.text += chr(character)
            print("text " + json.dumps(self.text), flush=True)


maps = []
for path in sys.argv[1:]:
    with open(path, "r+b") as file:
        maps.append(mmap.mmap(file.fileno(), 0))
IBus.init()
program = Program()
Gtk.main()
