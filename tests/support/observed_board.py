"""A GTK 3 window with toggle buttons, a field with a blinking caret, and empty areas.

"video" adds an animated picture, and "still" makes buttons change instantly.

It prints where each of its parts is, and a line for each press that a button receives: the judge of clicks."""

import sys

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import GLib, Gtk  # noqa: E402

Gtk.Settings.get_default().set_property("gtk-cursor-blink-timeout", 10000)  # in seconds
if "still" in sys.argv:  # buttons change instantly
    Gtk.Settings.get_default().set_property("gtk-enable-animations", False)
window = Gtk.Window(title="board")
window.set_default_size(600, 500)
board = Gtk.Fixed()
window.add(board)
buttons = []
for number in range(12):
    button = Gtk.ToggleButton(label=f"Button {number}")
    button.set_focus_on_click(False)  # the field keeps the focus, and its caret blinks
    button.set_size_request(110, 40)
    button.connect("toggled", lambda _, number=number: print("press", number, flush=True))
    board.put(button, 20 + number % 4 * 140, 80 + number // 4 * 90)
    buttons.append(button)
field = Gtk.Entry()
board.put(field, 20, 20)


def told():
    _, x, y = window.get_window().get_origin()
    for number, button in enumerate(buttons):
        at = button.get_allocation()
        print("button", number, x + at.x + at.width // 2, y + at.y + at.height // 2, flush=True)
    print("beside", x + 4, y + 4, flush=True)
    return False


if "video" in sys.argv:
    video, frame = Gtk.DrawingArea(), [0]
    video.set_size_request(200, 100)
    board.put(video, 380, 350)

    def draw(_, context):
        for line in range(20):
            context.set_source_rgb((frame[0] * 7 + line * 13) % 100 / 100, line / 20, 0.5)
            context.rectangle(0, line * 5, 200, 5)
            context.fill()

    def step():
        frame[0] += 1
        video.queue_draw()
        return True

    video.connect("draw", draw)
    GLib.timeout_add(40, step)

window.connect("map-event", lambda *_: GLib.timeout_add(200, told) and False)
window.show_all()
field.grab_focus()
Gtk.main()
