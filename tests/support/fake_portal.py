"""A desktop portal for tests: RemoteDesktop and ScreenCast, with a user whose answers the test chooses."""

import sys

import dbus
import dbus.service
from dbus.mainloop.glib import DBusGMainLoop
from gi.repository import GLib

PORTAL = "org.freedesktop.portal."
PATH = "/org/freedesktop/portal/desktop"
VERSION = int(sys.argv[1])
PROPERTIES = {
    "RemoteDesktop": {"version": dbus.UInt32(VERSION), "AvailableDeviceTypes": dbus.UInt32(7)},
    "ScreenCast": {
        "version": dbus.UInt32(4),
        "AvailableSourceTypes": dbus.UInt32(7),
        "AvailableCursorModes": dbus.UInt32(7),
    },
}
REFUSALS = {"refuse": 1, "end": 2}


class Request(dbus.service.Object):
    """Responds once the caller has the response to its call."""

    def __init__(self, bus, sender, options, code, results):
        word = sender[1:].replace(".", "_")
        path = f"{PATH}/request/{word}/{options['handle_token']}"
        super().__init__(bus, path)
        self.path, self.sender = path, sender
        if code is not None:
            GLib.idle_add(self.respond, code, results)

    def respond(self, code, results):
        message = dbus.lowlevel.SignalMessage(self.path, PORTAL + "Request", "Response")
        message.set_destination(self.sender)
        message.append(dbus.UInt32(code), dbus.Dictionary(results, signature="sv"), signature="ua{sv}")
        self.connection.send_message(message)

    @dbus.service.method(PORTAL + "Request")
    def Close(self):
        portal.calls.append("Request.Close")


class Session(dbus.service.Object):
    def __init__(self, bus, sender, options):
        word = sender[1:].replace(".", "_")
        self.path = f"{PATH}/session/{word}/{options['session_handle_token']}"
        super().__init__(bus, self.path)

    @dbus.service.method(PORTAL + "Session")
    def Close(self):
        portal.calls.append("Session.Close")

    @dbus.service.signal(PORTAL + "Session", signature="a{sv}")
    def Closed(self, details):
        pass


class Portal(dbus.service.Object):
    def __init__(self, bus):
        super().__init__(bus, PATH)
        self.answer, self.calls, self.tokens, self.made = "agree", [], {}, 0
        self.session, self.token = None, None

    # The test's side: what the user does, and what was called.

    @dbus.service.method("org.example.Person", in_signature="s")
    def Choose(self, answer):
        self.answer = answer

    @dbus.service.method("org.example.Person", out_signature="as")
    def Calls(self):
        calls, self.calls = self.calls, []
        return dbus.Array(calls, signature="s")

    @dbus.service.method("org.example.Person")
    def TakeBack(self):
        self.session.Closed(dbus.Dictionary({}, signature="sv"))

    # The program's side.

    @dbus.service.method(dbus.PROPERTIES_IFACE, in_signature="ss", out_signature="v")
    def Get(self, interface, name):
        properties = PROPERTIES[interface.removeprefix(PORTAL)]
        if VERSION == 0 and interface.endswith("RemoteDesktop"):
            raise dbus.exceptions.DBusException("No such interface", name="org.freedesktop.DBus.Error.InvalidArgs")
        return properties[name]

    @dbus.service.method(PORTAL + "RemoteDesktop", in_signature="a{sv}", out_signature="o", sender_keyword="sender")
    def CreateSession(self, options, sender):
        self.session = Session(self.connection, sender, options)
        return Request(self.connection, sender, options, 0, {"session_handle": self.session.path}).path

    @dbus.service.method(PORTAL + "RemoteDesktop", in_signature="oa{sv}", out_signature="o", sender_keyword="sender")
    def SelectDevices(self, session, options, sender):
        self.token = options.get("restore_token")
        chosen = sorted(f"{key}={value}" for key, value in options.items() if key != "handle_token")
        self.calls.append("SelectDevices " + " ".join(chosen))
        return Request(self.connection, sender, options, 0, {}).path

    @dbus.service.method(PORTAL + "ScreenCast", in_signature="oa{sv}", out_signature="o", sender_keyword="sender")
    def SelectSources(self, session, options, sender):
        chosen = sorted(f"{key}={value}" for key, value in options.items() if key != "handle_token")
        self.calls.append("SelectSources " + " ".join(chosen))
        return Request(self.connection, sender, options, 0, {}).path

    @dbus.service.method(PORTAL + "RemoteDesktop", in_signature="osa{sv}", out_signature="o", sender_keyword="sender")
    def Start(self, session, parent, options, sender):
        restored = self.tokens.pop(self.token, None)
        answer = restored or self.answer
        self.calls.append("restored" if restored else "asked")
        code = None if answer == "wait" else REFUSALS.get(answer, 0)
        results = {} if code else self.results(answer)
        return Request(self.connection, sender, options, code, results).path

    def results(self, answer):
        place = {"position": (0, 0), "size": (1280, 720)}
        second = {"position": (1280, 0), "size": (800, 600)}
        streams = [] if answer == "no screen" else [(dbus.UInt32(40), place), (dbus.UInt32(41), second)]
        streams = [(node, dbus.Dictionary(each, signature="sv")) for node, each in streams]
        results = {
            "devices": dbus.UInt32(0 if answer == "no devices" else 3),
            "streams": dbus.Array(streams, signature="(ua{sv})"),
        }
        if VERSION >= 2:
            self.made += 1
            token = f"token-{self.made}"
            self.tokens[token] = answer
            results["restore_token"] = token
        return results

    @dbus.service.method(PORTAL + "RemoteDesktop", in_signature="oa{sv}ii")
    def NotifyPointerButton(self, session, options, button, state):
        self.calls.append(f"button {button} {state}")


DBusGMainLoop(set_as_default=True)
bus = dbus.SessionBus()
name = dbus.service.BusName(PORTAL + "Desktop", bus)
portal = Portal(bus)
GLib.MainLoop().run()
