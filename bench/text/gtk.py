"""Shows the texts of a scene in a GTK window; prints the words with their places once they are drawn."""

import json
import re
import sys

import gi

scene = json.load(sys.stdin)
THREE = scene["kit"] == 3
gi.require_version("Gtk", f"{scene['kit']}.0")
gi.require_version("Pango", "1.0")
from gi.repository import GLib, Gtk  # noqa: E402

SCALE = 1024  # Pango units per pixel


def add(box, widget):
    if THREE:
        box.pack_start(widget, False, False, 0)
    else:
        box.append(widget)


def children(widget):
    found = []
    if THREE:
        if isinstance(widget, Gtk.Container):
            widget.forall(found.append)
        return found
    child = widget.get_first_child()
    while child:
        found.append(child)
        child = child.get_next_sibling()
    return found


def words_of(label, root):
    """Returns a label's words, from its Pango layout."""
    layout = label.get_layout()
    x, y = label.translate_coordinates(root, 0, 0)
    left, top = label.get_layout_offsets()
    if THREE and not label.get_has_window():
        x, y = x - label.get_allocation().x, y - label.get_allocation().y
    text = layout.get_text()
    for match in re.finditer(r"\S+", text):
        places = [layout.index_to_pos(len(text[:i].encode())) for i in range(*match.span())]
        first = min(min(p.x, p.x + p.width) for p in places) / SCALE
        last = max(max(p.x, p.x + p.width) for p in places) / SCALE
        upper, lower = min(p.y for p in places) / SCALE, max(p.y + p.height for p in places) / SCALE
        yield {"text": match.group(), "x": x + left + first, "y": y + top + upper,
               "width": last - first, "height": lower - upper}


def words(widget, root):
    if not widget.get_mapped():
        return
    if isinstance(widget, Gtk.Label):
        yield from words_of(widget, root)
    for child in children(widget):
        yield from words(child, root)


def row(texts, make):
    box = Gtk.Box(spacing=10)
    for number, text in enumerate(texts):
        add(box, make(text, number))
    return box


def button(text, number):
    made = Gtk.Button(label=text)
    if number == 0:
        made.get_style_context().add_class("suggested-action")
    made.set_sensitive(number != 2)
    return made


def contents():
    texts = scene["texts"]
    box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=7)
    for side in ("start", "end", "top", "bottom"):
        getattr(box, f"set_margin_{side}")(10)
    add(box, row(texts["menu"], lambda text, _: Gtk.Label(label=text)))
    add(box, Gtk.Separator())
    for number, text in enumerate(texts["lines"][:6]):
        add(box, Gtk.CheckButton(label=text) if number % 2 else Gtk.Label(label=text, xalign=0))
    grid = Gtk.Grid(column_spacing=18, row_spacing=3)
    for y, line in enumerate(texts["table"]):
        for x, text in enumerate(line):
            grid.attach(Gtk.Label(label=text, xalign=0), x, y, 1, 1)
    add(box, grid)
    add(box, row(texts["buttons"][:4], button))
    add(box, row(texts["buttons"][4:], button))
    return box


def tell(window, root):
    print(json.dumps(list(words(root, window))), flush=True)
    return False


if THREE:
    Gtk.init([])
else:
    Gtk.init()
settings = Gtk.Settings.get_default()
for name, value in {"gtk-theme-name": scene["theme"], "gtk-application-prefer-dark-theme": scene["dark"],
                    "gtk-font-name": f"{scene['font']} {scene['size']}", "gtk-enable-animations": False,
                    "gtk-xft-antialias": int(scene["smooth"]), "gtk-xft-hinting": 1,
                    "gtk-xft-hintstyle": "hintslight" if scene["smooth"] else "hintfull"}.items():
    settings.set_property(name, value)
window = Gtk.Window()
window.set_decorated(False)
window.set_default_size(700, 420)
root = contents()
if THREE:
    window.add(root)
    window.show_all()
else:
    window.set_child(root)
    window.present()
GLib.timeout_add(1000, tell, window, root)
GLib.MainLoop().run()
