"""A GTK 3 window that draws three times, 20 ms apart, when it is pressed, and prints when it has drawn: in milliseconds."""

import time

import gi

gi.require_version("Gdk", "3.0")
gi.require_version("Gtk", "3.0")
from gi.repository import Gdk, GLib, Gtk  # noqa: E402

DRAWINGS, APART_MS = 3, 20

Gtk.Settings.get_default().set_property("gtk-enable-animations", False)
window = Gtk.Window(title="witness")
window.set_default_size(300, 200)
area = Gtk.DrawingArea()
drawn, left = [0], [0]


def draw(_, context):
    drawn[0] += 1
    context.set_source_rgb(drawn[0] % 7 / 7, 0.3, 0.7)
    context.paint()
    print(f"drawn {time.time() * 1000:.3f}", flush=True)


def step():
    left[0] -= 1
    area.queue_draw()
    return left[0] > 0


def press(*_):
    left[0] = DRAWINGS
    GLib.timeout_add(APART_MS, step)
    return True


area.add_events(Gdk.EventMask.BUTTON_PRESS_MASK)
area.connect("draw", draw)
area.connect("button-press-event", press)
window.add(area)
window.show_all()
Gtk.main()
