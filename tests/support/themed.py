"""A window of buttons that prints the name of each one clicked.

SIGUSR1 changes its fonts and colours, and it prints `themed` once it is drawn with them; on SIGUSR2 it prints
`rested` once it has handled everything sent to it.

Arguments: the window's title, and how the buttons are arranged: grid, column or tabs.
"""

import signal
import sys

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import GLib, Gtk  # noqa: E402

title, kind = sys.argv[1:]
BUTTONS = 12


def button(number):
    made = Gtk.Button(label=f"{title} {number}")
    made.connect("clicked", lambda one: print(one.get_label(), flush=True))
    return made


def grid():
    made = Gtk.Grid(column_homogeneous=True)
    for number in range(BUTTONS):
        made.attach(button(number), number % 3, number // 3, 1, 1)
    return made


def column():
    made = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
    for number in range(BUTTONS):
        made.pack_start(button(number), True, True, 0)
    return made


def tabs():
    made = Gtk.Notebook()
    made.append_page(grid(), Gtk.Label(label="First"))
    made.append_page(Gtk.Label(label="nothing"), Gtk.Label(label="Second"))
    return made


def retheme():
    settings = Gtk.Settings.get_default()
    settings.props.gtk_theme_name = "HighContrast"
    settings.props.gtk_font_name = "Sans 15"
    window.queue_draw()
    clock = window.get_frame_clock()
    painted = clock.connect("after-paint", lambda _: themed(clock, painted))
    return True


def themed(clock, painted):
    clock.disconnect(painted)
    print("themed", flush=True)


def rested():
    print("rested", flush=True)
    return True


window = Gtk.Window(title=title)
window.set_default_size(300, 250)
window.add({"grid": grid, "column": column, "tabs": tabs}[kind]())
window.connect("destroy", lambda *_: sys.exit(0))
GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, signal.SIGUSR1, retheme)
GLib.unix_signal_add(GLib.PRIORITY_LOW, signal.SIGUSR2, rested)
window.show_all()
Gtk.main()
