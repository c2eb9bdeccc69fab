"""A program that sends its keys to IBus without waiting, and treats an equal press after a returned one as a repeat.

Firefox does that with IBus's GTK 3 module (widget/gtk/nsWindow.cpp, key_press_event_cb). Arguments: files for the
program to map. Prints "text ...", the text as JSON.
"""

import ctypes
import json
import mmap
import sys
import time

import gi

gdk = ctypes.CDLL("libgdk-3.so.0")
gdk.gdk_disable_multidevice()  # as Firefox does, to receive key events of the core protocol
gi.require_version("Gdk", "3.0")
gi.require_version("Gtk", "3.0")
gi.require_version("IBus", "1.0")
from gi.repository import Gdk, Gtk, IBus  # noqa: E402 (the import initializes GDK)

RELEASED = int(IBus.ModifierType.RELEASE_MASK)
KEY_PRESS = 2
# How long the program works on an event, in seconds: IBus responds within that time.
WORK_S = 0.003

gdk.gdk_x11_get_default_xdisplay.restype = ctypes.c_void_p
x11 = ctypes.CDLL("libX11.so.6")


class XKeyEvent(ctypes.Structure):
    _fields_ = [
        ("type", ctypes.c_int),
        ("serial", ctypes.c_ulong),
        ("send_event", ctypes.c_int),
        ("display", ctypes.c_void_p),
        *((name, ctypes.c_ulong) for name in ("window", "root", "subwindow", "time")),
        *((name, ctypes.c_int) for name in ("x", "y", "x_root", "y_root")),
        ("state", ctypes.c_uint),
        ("keycode", ctypes.c_uint),
        ("rest", ctypes.c_long * 24),
    ]


class Program:
    def __init__(self):
        self.text = ""
        self.display = ctypes.c_void_p(gdk.gdk_x11_get_default_xdisplay())
        self.context = IBus.Bus().create_input_context("witness")
        self.context.set_capabilities(IBus.Capabilite.FOCUS)
        self.context.focus_in()
        self.window = Gtk.Window(title="Throttled")
        self.window.connect("key-press-event", self.give, 0)
        self.window.connect("key-release-event", self.give, RELEASED)
        self.window.connect("focus-in-event", lambda *_: self.context.focus_in())
        self.window.set_default_size(300, 200)
        self.window.show_all()

    def give(self, _window, event, released):
        time.sleep(WORK_S)
        key = (event.keyval, event.hardware_keycode, int(event.state))
        self.context.process_key_event_async(
            key[0], key[1] - 8, key[2] | released, -1, None, self.take, (key, released)
        )
        return True

    def take(self, context, answer, data):
        context.process_key_event_async_finish(answer)
        (symbol, code, state), released = data
        if released:
            return
        self.throttle(code, state)
        character = Gdk.keyval_to_unicode(symbol)
        if character:
            self.text += chr(character)
            print("text " + json.dumps(self.text), flush=True)

    def throttle(self, code, state):
        event = XKeyEvent()
        while x11.XPending(self.display):
            x11.XPeekEvent(self.display, ctypes.byref(event))
            if (event.type, event.keycode, event.state) != (KEY_PRESS, code, state & 0x1FFF):
                return
            x11.XNextEvent(self.display, ctypes.byref(event))


maps = []
for path in sys.argv[1:]:
    with open(path, "r+b") as file:
        maps.append(mmap.mmap(file.fileno(), 0))
IBus.init()
program = Program()
Gtk.main()
