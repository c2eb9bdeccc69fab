/** A service in Python on a test's bus. */

import { Bus } from "../../../../ffi/linux/dbus/bus.ts";
import type { SessionBus } from "../../../support/session_bus.ts";
import { until } from "../../../support/until.ts";

export const MOCK = { destination: "org.example.Mock", path: "/mock", interface: "org.example.Mock" };

/** Methods of a service in Python: name, types of the arguments and of the answer, and the code that uses `args`. */
export const METHODS = [
  ["Echo", "v", "v", "ret = args[0]"],
  [
    "Mixed",
    "ybnqiuxtdsoga{sv}a(si)ayas",
    "s",
    "ret = repr([str(a) for a in args[:12]] + [dict(args[12])['k']])",
  ],
  [
    "Values",
    "",
    "xta{ua{sv}}(sb)ay",
    "ret = (-5, 2**63, {7: {'a': dbus.Double(1.5)}}, ('é', True), b'\\x01\\x02')",
  ],
  ["Big", "u", "s", "ret = 'x' * args[0]"],
  ["Never", "", "", "import time; time.sleep(600)"],
  ["Slow", "s", "s", "import os, time\nwhile not os.path.exists(args[0]): time.sleep(0.01)\nret = 'late'"],
  ["Fail", "", "", "raise dbus.exceptions.DBusException('not today', name='org.example.Error.No')"],
  [
    "Pass",
    "h",
    "h",
    "import os; f = args[0].take(); got = os.read(f, 99); os.close(f); r, w = os.pipe(); os.write(w, got.upper()); " +
    "os.close(w); ret = dbus.types.UnixFd(r); os.close(r)",
  ],
];

/** Starts the service. */
export async function startMock(session: SessionBus) {
  const mock = session.spawn(
    "/usr/bin/python3",
    "-m",
    "dbusmock",
    "--session",
    "org.example.Mock",
    "/mock",
    "org.example.Mock",
  );
  const bus = Bus.open([session.socket]);
  await until(() => bus.owner("org.example.Mock"));
  const control = { ...MOCK, interface: "org.freedesktop.DBus.Mock" };
  for (const [name, input, output, code] of METHODS) {
    bus.call(control, "AddMethod", "sssss", ["org.example.Mock", name, input, output, code], "");
  }
  return { mock, bus };
}
