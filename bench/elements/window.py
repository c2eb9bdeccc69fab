"""A GTK 3 window. The argument selects its content: "elements" for 100 elements, "rows" for a list of 10,000 rows."""

import sys

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Gtk  # noqa: E402

ELEMENTS = 100
ROWS = 10_000


def elements():
    grid = Gtk.Grid()
    for number in range(ELEMENTS):
        kind = number % 4
        widget = Gtk.Button(label=f"Button {number}")
        if kind == 1:
            widget = Gtk.CheckButton(label=f"Check {number}")
        elif kind == 2:
            widget = Gtk.Entry(text=f"Text {number}")
        elif kind == 3:
            widget = Gtk.Label(label=f"Label {number}")
        grid.attach(widget, number % 5, number // 5, 1, 1)
    return grid


def rows():
    store = Gtk.ListStore(str, str)
    for number in range(ROWS):
        store.append([f"Row {number}", f"Value {number}"])
    view = Gtk.TreeView(model=store)
    for column, title in enumerate(("Name", "Value")):
        view.append_column(Gtk.TreeViewColumn(title, Gtk.CellRendererText(), text=column))
    scrolled = Gtk.ScrolledWindow()
    scrolled.add(view)
    return scrolled


kind = sys.argv[1]
window = Gtk.Window(title=kind)
window.set_default_size(800, 600)
window.add({"elements": elements, "rows": rows}[kind]())
window.connect("destroy", Gtk.main_quit)
window.show_all()
Gtk.main()
