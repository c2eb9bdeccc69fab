/** The session bus, with a real dbus-daemon, and other implementations' services and callers as witnesses. */

import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import {
  DesktopUnavailableError,
  NoDesktopError,
  plainError,
  rebuiltError,
} from "../../../../core/errors.ts";
import type { Signal } from "../../../../ffi/linux/dbus/answers.ts";
import { Bus } from "../../../../ffi/linux/dbus/bus.ts";
import { BusError, ERROR_NAMES } from "../../../../ffi/linux/dbus/channel.ts";
import { DAEMON, type RemoteObject } from "../../../../ffi/linux/dbus/message.ts";
import { Variant } from "../../../../ffi/linux/dbus/values.ts";
import { openLibc } from "../../../../ffi/linux/libc.ts";
import { SESSION_BUS, SessionBus } from "../../../support/session_bus.ts";
import { temporary, until } from "../../../support/shell.ts";

// A Python service on a test's bus.

const MOCK = { destination: "org.example.Mock", path: "/mock", interface: "org.example.Mock" };

/** Python service methods: name, argument and reply types, and code that uses `args`. */
const METHODS = [
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
async function startMock(session: SessionBus) {
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

/** Reads a file descriptor to its end and closes it. */
function readAll(fd: number): string {
  const c = openLibc(), bytes = new Uint8Array(100);
  const count = Number(c.read(fd, bytes, 100n));
  c.close(fd);
  return new TextDecoder().decode(bytes.subarray(0, count));
}

function openDescriptors(): number {
  return [...Deno.readDirSync("/proc/self/fd")].length;
}

/** A separate bus with a service. */
interface Stage {
  session: SessionBus;
  bus: Bus;
}

/** Steps for values and errors. */
async function valueSteps(t: Deno.TestContext, { bus }: Stage): Promise<void> {
  await t.step("values of every type reach another implementation's service and come back", () => {
    const dictionary = { k: new Variant("as", ["v"]) };
    const [shown] = bus.call(
      MOCK,
      "Mixed",
      "ybnqiuxtdsoga{sv}a(si)ayas",
      [65, true, -2, 3, -4, 5, -6, 7, 1.5, "é漢😀", "/a", "as", dictionary, [["x", 1]], Uint8Array.of(9), [
        "a",
      ]],
      "s",
    );
    assertEquals(
      shown,
      "['A', '1', '-2', '3', '-4', '5', '-6', '7', '1.5', 'é漢😀', '/a', 'as', " +
        "dbus.Array([dbus.String('v')], signature=dbus.Signature('s'), variant_level=1)]",
    );
    assertEquals(bus.call(MOCK, "Values", "", [], "xta{ua{sv}}(sb)ay"), [
      -5n,
      2n ** 63n,
      new Map([[7, new Map([["a", 1.5]])]]),
      ["é", true],
      Uint8Array.of(1, 2),
    ]);
    const nested = new Variant("a{s(iv)}", { a: [1, new Variant("s", "b")] });
    assertEquals(bus.call(MOCK, "Echo", "v", [nested], "v"), [new Map([["a", [1, "b"]]])]);
  });

  await t.step("a reply of megabytes arrives whole", () => {
    assertEquals(bus.call(MOCK, "Big", "u", [3_000_000], "s")[0].length, 3_000_000);
  });

  await t.step("passes file descriptors both ways, and leaves none open", () => {
    const c = openLibc(), pipe = new Int32Array(2), before = openDescriptors();
    c.pipe2(pipe, 0);
    c.write(pipe[1], new TextEncoder().encode("hello"), 5n);
    const [fd] = bus.call(MOCK, "Pass", "h", [pipe[0]], "h");
    pipe.forEach((end) => c.close(end));
    assertEquals(readAll(fd), "HELLO");
    assertEquals(openDescriptors(), before);
  });

  await t.step("an error keeps its name and text, and becomes an unavailable desktop across threads", () => {
    const error = assertThrows(() => bus.call(MOCK, "Fail", "", [], ""), BusError);
    assertEquals([error.errorName, error.text], ["org.example.Error.No", "not today"]);
    assertEquals(error.message, "org.example.Mock.Fail: not today (org.example.Error.No)");
    assert(rebuiltError(plainError(error)) instanceof DesktopUnavailableError);
    const missing = { ...MOCK, destination: "org.example.Nowhere" };
    const none = assertThrows(() => bus.call(missing, "Echo", "", [], ""), BusError);
    assertEquals(none.errorName, ERROR_NAMES.noSuchService);
    assertEquals([bus.owner("org.example.Nowhere"), bus.owner("org.example.Nowhere", { start: true })], [
      undefined,
      undefined,
    ]);
  });

  await t.step("refuses a call that must not start its service while that is not running", () => {
    const registry = { destination: "org.a11y.Bus", path: "/org/a11y/bus", interface: "org.a11y.Bus" };
    const call = (object: RemoteObject) => bus.call(object, "GetAddress", "", [], "s");
    assertThrows(() => call({ ...registry, onlyIfRunning: true }), BusError);
    assertEquals(bus.owner(registry.destination), undefined);
    call(registry); // the bus can start it
    call({ ...registry, onlyIfRunning: true });
  });

  await t.step("refuses a reply of an unexpected type", () => {
    assertThrows(
      () => bus.call(MOCK, "Big", "u", [1], "u"),
      DesktopUnavailableError,
      'the answer has the type "s" instead of "u"',
    );
  });
}

/** Steps for calls with slow replies. */
async function waitSteps(t: Deno.TestContext, { session, bus }: Stage): Promise<void> {
  /** The files that `Slow` waits for until a step writes them. */
  const gates = ["a", "b", "c"].map((name) => `${session.folder}/${name}`);

  await t.step("a call times out, and its late reply does not affect other calls", async () => {
    const [gate] = gates;
    assertThrows(() => bus.call(MOCK, "Slow", "s", [gate], "s", 100), DesktopUnavailableError, "in 100 ms");
    await assertRejects(
      () => bus.callAsync(MOCK, "Slow", "s", [gate], "s", { ms: 100 }),
      DesktopUnavailableError,
      "in 100 ms",
    );
    Deno.writeTextFileSync(gate, "");
    assertEquals(bus.call(MOCK, "Echo", "v", [new Variant("s", "next")], "v"), ["next"]);
  });

  await t.step("a reply that came while this thread was held up is in time", async () => {
    using other = Bus.open([session.socket]);
    for (let i = 0; i < 10; i++) {
      const end = performance.now() + 60, sent = [new Variant("s", `${i}`)];
      const reply = bus.callAsync(MOCK, "Echo", "v", sent, "v", { ms: 30 });
      other.call(MOCK, "Echo", "v", sent, "v"); // its reply comes after the other one
      while (performance.now() < end);
      assertEquals(await reply, [`${i}`]);
    }
  });

  await t.step("other work and other calls continue next to a pending call", async () => {
    const order: string[] = [];
    const slow = bus.callAsync(MOCK, "Slow", "s", [gates[1]], "s").then(([answer]) => order.push(answer));
    assertEquals(bus.call(DAEMON, "NameHasOwner", "s", ["org.example.Mock"], "b"), [true]);
    await bus.callAsync(DAEMON, "GetId", "", [], "s").then(() => order.push("other"));
    Deno.writeTextFileSync(gates[1], "");
    await slow;
    assertEquals(order, ["other", "late"]);
    const stop = new AbortController();
    const stopped = bus.callAsync(MOCK, "Slow", "s", [gates[2]], "s", { signal: stop.signal });
    stop.abort(new Error("enough"));
    await assertRejects(() => stopped, Error, "enough");
    Deno.writeTextFileSync(gates[2], "");
  });

  await t.step("a call without a reply keeps its order", () => {
    bus.tell(MOCK, "Echo", "v", [new Variant("s", "untold")]);
    assertEquals(bus.call(MOCK, "Echo", "v", [new Variant("s", "told")], "v"), ["told"]);
  });
}

/** Steps for signals and calls from other programs. */
async function signalSteps(t: Deno.TestContext, { session, bus }: Stage): Promise<void> {
  await t.step("delivers only signals that match a rule", async () => {
    const heard: Signal[] = [];
    const end = bus.listen({ path: "/a", member: "Changed" }, (signal) => heard.push(signal));
    const other = bus.listen({ member: "Other" }, (signal) => heard.push(signal));
    const rest = bus.stayAwake();
    const emit = (path: string, member: string, value: string) =>
      session.run("gdbus", "emit", "-e", "-o", path, "-s", `org.example.${member}`, value);
    await emit("/b", "Changed", "'no'");
    await emit("/a", "Changed", "{'k': <uint32 5>}");
    await until(() => heard.length);
    assertEquals(heard.map(({ path, member, signature, values }) => [path, member, signature, values]), [
      ["/a", "Changed", "a{sv}", [new Map([["k", 5]])]],
    ]);
    end();
    await emit("/a", "Changed", "'after'");
    await emit("/a", "Other", "'last'");
    await until(() => heard.length > 1);
    assertEquals(heard[1].values, ["last"]);
    rest();
    other();
  });

  await t.step("does not deliver a signal from a sender other than the rule's", async () => {
    const heard: Signal[] = [];
    const sender = bus.owner("org.example.Mock")!;
    const end = bus.listen({ sender, member: "Closed" }, (signal) => heard.push(signal));
    const endOther = bus.onOwnerChange(
      "forged",
      () => assert(false, "another program than the bus said so"),
    );
    for (const signal of ["org.example.Closed", "org.freedesktop.DBus.NameOwnerChanged"]) {
      await session.run("gdbus", "emit", "-e", "-d", bus.name, "-o", "/a", "-s", signal, "'forged'");
    }
    const emit = { ...MOCK, interface: "org.freedesktop.DBus.Mock" };
    bus.call(emit, "EmitSignal", "sssav", ["org.example", "Closed", "s", [new Variant("s", "true")]], "");
    bus.until(() => heard.length > 0, "the signal");
    assertEquals(heard.map(({ values }) => values), [["true"]]);
    end();
    endOther();
  });

  await t.step("refuses calls from other programs immediately", async () => {
    const rest = bus.stayAwake();
    const refused = await assertRejects(() =>
      session.run("dbus-send", "--session", "--print-reply", `--dest=${bus.name}`, "/", "org.example.Do")
    );
    assert((refused as Error).message.includes("deskhand offers no methods"), String(refused));
    rest();
  });
}

/** The step that kills the bus. */
async function endSteps(t: Deno.TestContext, { session, bus }: Stage): Promise<void> {
  await t.step("a bus that ends fails pending and later calls", async () => {
    const waiting = assertRejects(() => bus.callAsync(MOCK, "Never", "", [], ""), DesktopUnavailableError);
    const other = Bus.open([session.socket]), end = other.listen({ member: "Closed" }, () => {});
    await session.kill();
    end(); // it has not noticed the end yet
    other.tell(MOCK, "Echo", "v", [new Variant("s", "vain")]);
    assertThrows(() => other.dispatch(), DesktopUnavailableError, "is gone");
    await waiting;
    assertEquals(bus.isLost, true);
    assertThrows(() => bus.call(MOCK, "Echo", "", [], ""), DesktopUnavailableError);
    bus.close();
    bus.close();
  });
}

Deno.test({
  name: "exchanges calls, replies, errors, signals and file descriptors over a bus until it ends",
  ...SESSION_BUS,
  async fn(t) {
    await using session = await SessionBus.start();
    const { mock, bus } = await startMock(session);
    await using _ = mock;
    const stage: Stage = { session, bus };

    await valueSteps(t, stage);

    await waitSteps(t, stage);

    await signalSteps(t, stage);

    await endSteps(t, stage);
  },
});

Deno.test({
  name: "a missing bus, or one that is closed while in use, is an error",
  ...SESSION_BUS,
  async fn() {
    await temporary((folder) => {
      assertThrows(
        () => Bus.open([`${folder}/bus`]),
        NoDesktopError,
        `there is no session bus at ${folder}/bus`,
      );
    });
    await using session = await SessionBus.start();
    const bus = Bus.open([`${session.folder}/missing`, session.socket]), before = openDescriptors();
    bus.close();
    assertEquals(openDescriptors(), before - 1);
    assertThrows(() => bus.call(DAEMON, "GetId", "", [], "s"), DesktopUnavailableError, "is closed");
  },
});

/** File descriptors besides the standard streams that a program would inherit now. */
async function inherited(): Promise<string[]> {
  const { stdout } = await new Deno.Command("ls", { args: ["-l", "/proc/self/fd"] }).output();
  return new TextDecoder().decode(stdout).match(/socket:|eventfd/g) ?? [];
}

Deno.test({
  name: "listening does not wait for a bus that is stopped, and has its signals after it",
  ...SESSION_BUS,
  async fn() {
    await using session = await SessionBus.start();
    const bus = Bus.open([session.socket]), seen: unknown[] = [], name = "org.example.Own";
    Deno.kill(session.pid, "SIGSTOP");
    const rule = { sender: DAEMON.destination, member: "NameOwnerChanged", arg0: name };
    const endFirst = bus.listen(rule, ({ values }) => seen.push(values[0]));
    bus.listen(rule, ({ values }) => seen.push(values[0]));
    endFirst();
    Deno.kill(session.pid, "SIGCONT");
    await bus.callAsync(DAEMON, "RequestName", "su", [name, 0], "u");
    assertEquals(seen, [name]);
    bus.close();
  },
});

Deno.test({
  name: "programs inherit no file descriptor of a bus that delivers signals",
  ...SESSION_BUS,
  async fn() {
    await using session = await SessionBus.start();
    const before = await inherited(), bus = Bus.open([session.socket]);
    bus.stayAwake();
    assertEquals(await inherited(), before);
    bus.close();
  },
});

Deno.test({
  name: "reports a bus that refuses, and a socket that is not a bus",
  ...SESSION_BUS,
  async fn() {
    // An abstract socket needs no file. The listener answers each connection with one line.
    const name = `deskhand-test-${Deno.pid}`;
    const code = "import socket, sys\n" +
      "s = socket.socket(socket.AF_UNIX); s.bind(chr(0) + sys.argv[1]); s.listen(); print('ready', flush=True)\n" +
      "for answer in (b'REJECTED EXTERNAL\\r\\n', b'x' * 5000):\n" +
      "  c, _ = s.accept(); c.recv(99); c.send(answer); c.recv(99)\n";
    await using session = await SessionBus.start();
    await using listener = session.spawn("/usr/bin/python3", "-c", code, name);
    await listener.printing((text) => text.includes("ready"));
    assertThrows(
      () => Bus.open([`\0${name}`]),
      DesktopUnavailableError,
      "does not accept connections from user",
    );
    assertThrows(() => Bus.open([`\0${name}`]), DesktopUnavailableError, "does not speak D-Bus");
  },
});
