/** The screen lock as reported by desktops' screen savers and logind, played by a mock. */

import { assert, assertEquals } from "@std/assert";
import { delay } from "@std/async/delay";
import { Bus } from "../../../ffi/linux/dbus/bus.ts";
import { encodeMessage, MESSAGE } from "../../../ffi/linux/dbus/message.ts";
import { isStopped } from "../../../ffi/linux/threads.ts";
import { SessionLock } from "../../../ffi/linux/session_lock.ts";
import { Program } from "../../support/program.ts";
import { SESSION_BUS, SessionBus } from "../../support/session_bus.ts";
import { temporary, until } from "../../support/shell.ts";

const LOGIND = "org.freedesktop.login1", PATH = "/org/freedesktop/login1";
const MOCK = ["-m", "dbusmock", "--session"];

/** Calls a mock's method. */
const call = (bus: SessionBus, service: string, path: string, method: string, ...args: string[]) =>
  bus.run("gdbus", "call", "--session", "-d", service, "-o", path, "-m", method, ...args);

const owned = (bus: SessionBus, service: string) =>
  until(() =>
    call(
      bus,
      "org.freedesktop.DBus",
      "/org/freedesktop/DBus",
      "org.freedesktop.DBus.NameHasOwner",
      service,
    ), (answer) => answer.includes("true"));

for (const desktop of ["gnome", "freedesktop", "mate", "cinnamon", "xfce"]) {
  const service = `org.${desktop}.ScreenSaver`;
  Deno.test({
    name: `${service} reports the screen lock from its start to its end`,
    ...SESSION_BUS,
    async fn() {
      await using bus = await SessionBus.start();
      const told: boolean[] = [], lock = new SessionLock([bus.socket], []);
      const end = lock.watch((isLocked) => told.push(isLocked));
      try {
        const path = `/${service.replaceAll(".", "/")}`;
        await using saver = bus.spawn("/usr/bin/python3", ...MOCK, service, path, service);
        await owned(bus, service);
        const mock = (method: string, ...args: string[]) =>
          call(bus, service, path, `org.freedesktop.DBus.Mock.${method}`, ...args);
        await mock("AddMethod", service, "GetActive", "", "b", "ret = True");
        await mock("EmitSignal", service, "ActiveChanged", "b", "[<true>]");
        await until(() => told, (told) => told.length === 1);
        await mock("EmitSignal", service, "ActiveChanged", "b", "[<false>]");
        await until(() => told, (told) => told.length === 2);

        const later: boolean[] = [], endLater = lock.watch((isLocked) => later.push(isLocked));
        await until(() => later, (later) => later.length === 1); // GetActive reports that it is locked already
        endLater();
        await mock("EmitSignal", service, "ActiveChanged", "b", "[<true>]");
        await until(() => told, (told) => told.length === 3);
        await saver[Symbol.asyncDispose]();
        await until(() => told, (told) => told.length === 4);
        assertEquals([told, later], [[true, false, true, false], [true]]);

        await using again = bus.spawn("/usr/bin/python3", ...MOCK, service, path, service);
        await owned(bus, service);
        await mock("EmitSignal", service, "ActiveChanged", "b", "[<true>]");
        await until(() => told, (told) => told.length === 5);
        await bus.kill(); // nothing will report the end of the lock
        await until(() => told, (told) => told.length === 6);
        assertEquals([told[5], again.pid > 0], [false, true]);
      } finally {
        end();
      }
    },
  });
}

Deno.test({
  name: "logind reports when the session on the screen is locked",
  ...SESSION_BUS,
  async fn() {
    await using bus = await SessionBus.start();
    const user = `${PATH}/user/self`, session = `${PATH}/session/_37`;
    await using _logind = bus.spawn("/usr/bin/python3", ...MOCK, LOGIND, user, `${LOGIND}.User`);
    await owned(bus, LOGIND);
    const mock = (method: string, ...args: string[]) =>
      call(bus, LOGIND, user, `org.freedesktop.DBus.Mock.${method}`, ...args);
    await mock("AddObject", session, `${LOGIND}.Session`, "{'LockedHint': <true>}", "@a(ssss) []");
    await mock("AddProperty", `${LOGIND}.User`, "Display", `<('7', objectpath '${session}')>`);
    const told: boolean[] = [];
    const end = new SessionLock([], [bus.socket]).watch((isLocked) => told.push(isLocked));
    try {
      await until(() => told, (told) => told.length === 1);
      const set = (value: string) =>
        call(
          bus,
          LOGIND,
          session,
          "org.freedesktop.DBus.Properties.Set",
          `${LOGIND}.Session`,
          "LockedHint",
          value,
        );
      await set("<false>");
      await until(() => told, (told) => told.length === 2);
      await set("<true>");
      await until(() => told, (told) => told.length === 3);
      assertEquals(told, [true, false, true]);
    } finally {
      end();
    }
  },
});

Deno.test("without a bus nothing is reported and nothing fails", () => {
  const end = new SessionLock(["/nowhere/bus"], []).watch(() => {
    throw new Error("told");
  });
  end();
});

Deno.test({
  name: "waits for a stopped session bus without blocking the thread",
  ...SESSION_BUS,
  async fn() {
    await using bus = await SessionBus.start();
    (await Bus.openAside([bus.socket])).close(); // loads the D-Bus client
    // A watch that waits for the bus on this thread would begin only after ten seconds.
    const pause = `kill -STOP ${bus.pid}; echo stopped; read -t 10; kill -CONT ${bus.pid}`;
    await using pausing = new Program(["-c", pause], { executable: "bash" });
    await pausing.printed(/stopped/);
    const end = new SessionLock([bus.socket], []).watch(() => {});
    for (let turn = 0; turn < 50; turn++) await delay(1);
    assert(isStopped(`${bus.pid}`), "the watch has waited for the bus");
    await pausing.endInput();
    await pausing.ended();
    end();
  },
});

Deno.test("a session bus that ends while its signals are requested reports nothing and fails nothing", () =>
  temporary(async (folder) => {
    using bus = Deno.listen({ transport: "unix", path: `${folder}/bus` });
    const serving = endsAfterHello(bus), told: boolean[] = [];
    const end = new SessionLock([`${folder}/bus`], []).watch((isLocked) => told.push(isLocked));
    await serving;
    for (let turn = 0; turn < 50; turn++) await delay(1); // an uncaught error would fail this test
    assertEquals(told, []);
    end();
  }));

/** Admits one client as a bus does, answers its Hello, and ends at the request that follows. */
async function endsAfterHello(bus: Deno.UnixListener): Promise<void> {
  using client = await bus.accept();
  const bytes = new Uint8Array(65536), hello = { type: MESSAGE.reply, serial: 1, signature: "s" };
  const answer = encodeMessage({ ...hello, fields: { replySerial: 1, destination: ":1.1" }, args: [":1.1"] });
  const lines = ["OK 0123456789abcdef0123456789abcdef", "AGREE_UNIX_FD"].map((line) =>
    new TextEncoder().encode(`${line}\r\n`)
  );
  let received = "";
  while (!received.includes("Hello")) {
    received += new TextDecoder().decode(bytes.subarray(0, await client.read(bytes) ?? 0));
    const reply = lines.shift() ?? (received.includes("Hello") ? answer.bytes : undefined);
    if (reply) await client.write(reply);
  }
  await client.read(bytes);
}
