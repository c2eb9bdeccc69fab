/** Sessions of Mutter that give no stream, or do not take copied content. */

import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { DesktopUnavailableError } from "../../../../core/errors.ts";
import { Bus } from "../../../../ffi/linux/dbus/bus.ts";
import { ClipboardSession } from "../../../../ffi/wayland/gnome/clipboard.ts";
import { MutterSession } from "../../../../ffi/wayland/gnome/mutter_session.ts";
import { Variant } from "../../../../ffi/linux/dbus/values.ts";
import { SESSION_BUS, SessionBus } from "../../../support/session_bus.ts";
import { until } from "../../../support/until.ts";

const MUTTER = "org.gnome.Mutter";
const MOCK = "org.freedesktop.DBus.Mock";

/** A method of an object: the object's path, its name, types of arguments and of the answer, and its code in Python. */
type Method = [path: string, name: string, input: string, output: string, code: string];

/** Starts a service that stands in for one of Mutter's. */
async function startService(session: SessionBus, bus: Bus, name: string, methods: Method[]) {
  const service = `${MUTTER}.${name}`, path = `/org/gnome/Mutter/${name}`;
  const mock = session.spawn("/usr/bin/python3", "-m", "dbusmock", "--session", service, path, service);
  await until(() => bus.owner(service));
  const root = { destination: service, path, interface: MOCK };
  const properties = { SessionId: new Variant("s", "7") };
  bus.call(root, "AddObject", "ssa{sv}a(ssss)", ["/session", `${service}.Session`, properties, []], "");
  for (const [path, ...method] of methods) {
    const interfaceName = path === "/session" ? `${service}.Session` : service;
    bus.call({ ...root, path }, "AddMethod", "sssss", [interfaceName, ...method], "");
  }
  return mock;
}

Deno.test(
  { name: "a session whose stream does not begin counts as ended, and is stopped", ...SESSION_BUS },
  async () => {
    await using session = await SessionBus.start();
    const bus = Bus.open([session.socket]);
    await using _remote = await startService(session, bus, "RemoteDesktop", [
      ["/org/gnome/Mutter/RemoteDesktop", "CreateSession", "", "o", "ret = '/session'"],
      ["/session", "Start", "", "", ""],
      ["/session", "Stop", "", "", ""],
    ]);
    await using _cast = await startService(session, bus, "ScreenCast", [
      ["/org/gnome/Mutter/ScreenCast", "CreateSession", "a{sv}", "o", "ret = '/session'"],
      ["/session", "RecordMonitor", "sa{sv}", "o", "ret = '/stream'"],
    ]);
    const owner = bus.owner(`${MUTTER}.RemoteDesktop`)!;
    const mutter = await MutterSession.open(bus, owner, ["A"], undefined, 100);
    await assertRejects(() => mutter.reader("A"), DesktopUnavailableError, "gives no stream");
    assert(mutter.isEnded, "the next use would take it again");
    mutter.close();
    const remote = { destination: `${MUTTER}.RemoteDesktop`, path: "/session", interface: MOCK };
    assertEquals(bus.call(remote, "GetMethodCalls", "s", ["Stop"], "a(tav)")[0].length, 1);
    bus.close();
  },
);

Deno.test(
  { name: "a session that does not take what is copied is used no more", ...SESSION_BUS },
  async () => {
    await using session = await SessionBus.start();
    const bus = Bus.open([session.socket]);
    await using _remote = await startService(session, bus, "RemoteDesktop", [
      ["/org/gnome/Mutter/RemoteDesktop", "CreateSession", "", "o", "ret = '/session'"],
      ["/session", "EnableClipboard", "a{sv}", "", ""],
    ]);
    const clipboard = ClipboardSession.open([session.socket]);
    assertEquals(clipboard.refresh(), false);
    assertThrows(
      () => clipboard.offer(new Map([["text/plain", new Uint8Array(1)]])),
      DesktopUnavailableError,
    );
    assertEquals(clipboard.refresh(), true);
    clipboard.close();
    bus.close();
  },
);
