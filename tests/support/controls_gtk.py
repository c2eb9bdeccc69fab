"""A window with one control of each kind, in GTK 3 or GTK 4: prints each change, such as `country=Norway`."""

import os
import sys
import gi

os.environ["GSK_RENDERER"] = "cairo"  # OpenGL without a graphics card takes seconds of processor time

gi.require_version("Gtk", sys.argv[1])
from gi.repository import GLib, Gtk

IS_OLD = sys.argv[1] == "3.0"


def tell(name, value):
    print(f"{name}={value}", flush=True)


def add(box, child):
    box.pack_start(child, False, False, 0) if IS_OLD else box.append(child)


def named(box, name, control):
    label = Gtk.Label(label=name, mnemonic_widget=control)
    row = Gtk.Box(spacing=6)
    add(row, label)
    add(row, control)
    add(box, row)
    if IS_OLD:
        control.get_accessible().set_name(name)
    else:
        control.update_property([Gtk.AccessibleProperty.LABEL], [name])


def opened(window):
    tell("Asked", 1)
    dialog = Gtk.Dialog(title="Asked", transient_for=window, modal=True)
    dialog.add_button("OK", Gtk.ResponseType.OK)
    dialog.connect("response", lambda it, _: it.destroy())
    dialog.show()


def fill(window):
    box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=6)
    ask = Gtk.Button(label="Ask")
    ask.connect("clicked", lambda _: opened(window))
    add(box, ask)
    country = Gtk.ComboBoxText()
    for name in ("France", "Germany", "Italy", "Norway", "Spain"):
        country.append_text(name)
    country.set_active(0)
    country.connect("changed", lambda it: tell("Country", it.get_active_text()))
    named(box, "Country", country)
    news = Gtk.CheckButton(label="Newsletter")
    news.connect("toggled", lambda it: tell("Newsletter", it.get_active()))
    add(box, news)
    sizes = {}
    for name in ("Small", "Large"):
        first = next(iter(sizes.values()), None)
        if IS_OLD:
            sizes[name] = Gtk.RadioButton.new_with_label_from_widget(first, name)
        else:
            sizes[name] = Gtk.CheckButton(label=name, group=first)
        sizes[name].connect("toggled", lambda it, name=name: it.get_active() and tell("Size", name))
        add(box, sizes[name])
    volume = Gtk.Scale.new_with_range(Gtk.Orientation.HORIZONTAL, 0, 100, 1)
    volume.set_size_request(200, -1)
    volume.connect("value-changed", lambda it: tell("Volume", it.get_value()))
    named(box, "Volume", volume)
    count = Gtk.SpinButton.new_with_range(0, 99, 1)
    count.connect("value-changed", lambda it: tell("Count", it.get_value()))
    named(box, "Count", count)
    entry = Gtk.Entry()
    entry.connect("changed", lambda it: tell("Name", it.get_text()))
    named(box, "Name", entry)
    pages = Gtk.Notebook()
    for name in ("General", "Advanced"):
        pages.append_page(Gtk.Label(label=f"{name} things"), Gtk.Label(label=name))
    pages.connect("switch-page", lambda _, __, at: tell("Tab", ("General", "Advanced")[at]))
    add(box, pages)
    rows = Gtk.ListBox()
    for name in ("Apple", "Pear", "Plum"):
        rows.append(Gtk.Label(label=name)) if not IS_OLD else rows.add(Gtk.Label(label=name))
    rows.connect("row-selected", lambda _, row: row and tell("Row", row.get_index()))
    add(box, rows)
    store = Gtk.TreeStore(str)
    fruit = store.append(None, ["Fruit"])
    for name in ("Fig", "Grape"):
        store.append(fruit, [name])
    store.append(None, ["Nuts"])
    tree = Gtk.TreeView(model=store)
    tree.append_column(Gtk.TreeViewColumn("Kind", Gtk.CellRendererText(), text=0))

    def chosen(selection):
        model, at = selection.get_selected()
        if at:
            tell("Tree", model[at][0])

    tree.get_selection().connect("changed", chosen)
    tree.connect("row-expanded", lambda _, at, __: tell("Expanded", store[at][0]))
    add(box, tree)
    inside = Gtk.Button(label="Inside")
    inside.connect("clicked", lambda _: tell("Inside", 1))
    popover = Gtk.Popover(child=inside)
    popover.show_all() if IS_OLD else None
    popover.hide()
    add(box, Gtk.MenuButton(label="More", popover=popover))
    window.add(box) if IS_OLD else window.set_child(box)


window = Gtk.Window(title=sys.argv[2])
fill(window)
window.show_all() if IS_OLD else window.present()
GLib.MainLoop().run()
