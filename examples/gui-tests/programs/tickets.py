#!/usr/bin/python3
"""Tickets: a GTK 3 program that sells concert tickets."""

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Gtk  # noqa: E402

PRICE = 20


class Tickets(Gtk.Window):
    def __init__(self) -> None:
        super().__init__(title="Tickets", border_width=12)
        self.form = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=8)
        self.add(self.form)
        self.name = self.field("Name", Gtk.Entry())
        self.number = self.field("Tickets", Gtk.SpinButton.new_with_range(1, 10, 1))
        self.student, self.total, self.buy = Gtk.CheckButton(label="Student"), Gtk.Label(), Gtk.Button(label="Buy")
        for widget in (self.student, self.total, self.buy):
            self.form.add(widget)
        self.name.connect("changed", self.update)
        self.number.connect("value-changed", self.update)
        self.student.connect("toggled", self.update)
        self.buy.connect("clicked", self.thank)
        self.connect("destroy", Gtk.main_quit)
        self.update()

    def field(self, label: str, field: Gtk.Entry) -> Gtk.Entry:
        self.form.add(Gtk.Label(label=label, xalign=0, mnemonic_widget=field))
        self.form.add(field)
        return field

    def update(self, *_: object) -> None:
        price = PRICE // 2 if self.student.get_active() else PRICE
        self.total.set_text(f"Total: {price * self.number.get_value_as_int()} €")
        self.buy.set_sensitive(bool(self.name.get_text().strip()))

    def thank(self, _: Gtk.Button) -> None:
        text = f"Enjoy the concert, {self.name.get_text()}!"
        dialog = Gtk.MessageDialog(transient_for=self, modal=True, title="Sold", text=text, buttons=Gtk.ButtonsType.OK)
        dialog.run()
        dialog.destroy()
        self.name.set_text("")


Tickets().show_all()
Gtk.main()
