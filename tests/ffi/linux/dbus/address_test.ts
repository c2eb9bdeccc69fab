/** The address of the session's bus. */

import { assertEquals, assertThrows } from "@std/assert";
import { NoDesktopError } from "../../../../core/errors.ts";
import { parseAddresses, sessionSockets } from "../../../../ffi/linux/dbus/address.ts";
import { matchText } from "../../../../ffi/linux/dbus/answers.ts";

Deno.test("addresses name sockets by path, by abstract name and in the runtime folder", () => {
  for (
    const [addresses, sockets] of [
      ["unix:path=/run/user/1000/bus", ["/run/user/1000/bus"]],
      ["unix:path=/a,guid=0123456789abcdef", ["/a"]],
      ["unix:guid=01,path=/a%20b%2c=c", ["/a b,=c"]],
      ["unix:abstract=/tmp/dbus-x,guid=1", ["\0/tmp/dbus-x"]],
      ["unix:runtime=yes", ["/run/bus"]],
      ["tcp:host=localhost,port=1;unix:path=/b;unix:abstract=c;", ["/b", "\0c"]],
      ["unix:tmpdir=/tmp", []],
      ["unix:path=%zz", []],
      ["launchd:env=A", []],
      ["nonsense", []],
      ["", []],
    ] as const
  ) {
    assertEquals(parseAddresses(addresses, "/run"), [...sockets], addresses);
  }
});

Deno.test("without an address, the session's bus is that of the runtime folder", () => {
  const sockets = (env: Record<string, string>) => sessionSockets((name) => env[name]);
  assertEquals(sockets({ XDG_RUNTIME_DIR: "/run/user/5" }), ["/run/user/5/bus"]);
  assertEquals(sockets({ XDG_RUNTIME_DIR: "/r", DBUS_SESSION_BUS_ADDRESS: "unix:path=/b" }), ["/b"]);
  assertThrows(() => sockets({}), NoDesktopError, "neither DBUS_SESSION_BUS_ADDRESS nor XDG_RUNTIME_DIR");
  assertThrows(() => sockets({ DBUS_SESSION_BUS_ADDRESS: "tcp:host=a" }), NoDesktopError, "no Unix socket");
});

Deno.test("a match rule quotes what it holds", () => {
  assertEquals(
    matchText({ sender: ":1.2", member: "It's", arg0: undefined }),
    String.raw`type='signal',sender=':1.2',member='It'\''s'`,
  );
});
