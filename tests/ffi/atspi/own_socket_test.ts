/** Programs' own sockets: a program is read over its own where it has one. */

import { assertEquals, equal } from "@std/assert";
import { ask, Calls, ROOT_PATH } from "../../../ffi/atspi/calls.ts";
import { OwnSockets } from "../../../ffi/atspi/links.ts";
import { WindowReader } from "../../../ffi/atspi/window_reader.ts";
import { parseAddresses } from "../../../ffi/linux/dbus/address.ts";
import { windowOf } from "../../support/made_up_programs.ts";
import { need } from "../../support/need.ts";
import { SESSION_BUS, SessionBus } from "../../support/session_bus.ts";
import { temporary } from "../../support/temporary.ts";
import { until } from "../../support/until.ts";
import { Client, Xvfb } from "../../support/xvfb.ts";

/** Connections to a socket, as the system counts them (proc(5), /proc/net/unix): those with the state 3. */
function connections(path: string): number {
  const rows = Deno.readTextFileSync("/proc/net/unix").split("\n").map((row) => row.trim().split(/\s+/));
  return rows.filter((row) => row[5] === "03" && row[7] === path).length;
}

Deno.test({
  name: "a window of GTK 3 is read over its program's own socket, which is closed when it is not used",
  ignore: SESSION_BUS.ignore || need("Xvfb", "zenity").ignore,
}, async () => {
  await using server = await Xvfb.start();
  await using bus = await SessionBus.start(server.env);
  const dest = ["--session", "--dest", "org.a11y.Bus", "--object-path", "/org/a11y/bus"];
  const answer = await bus.run("gdbus", "call", ...dest, "--method", "org.a11y.Bus.GetAddress");
  const sockets = parseAddresses(/'(.*)'/.exec(answer)![1]);
  const form = ["--forms", "--title", "Ask", "--add-entry", "Name"];
  await using zenity = new Client("zenity", form, { ...server.env, ...bus.env, NO_AT_BRIDGE: "0" });
  const calls = new Calls(sockets), reader = new WindowReader(calls, "screen");
  try {
    const read = () => reader.read({ ...windowOf("Ask"), pid: zenity.pid }, false);
    const { elements } = await until(read, ({ elements }) => elements.some(({ name }) => name === "OK"));
    let address: unknown;
    calls.add(
      ask({ app: elements[0].key.split(" ")[0], path: ROOT_PATH }, ...ADDRESS, (own) => address = own),
    );
    calls.run(5000);
    const [path] = parseAddresses(String(address));
    const names = elements.map(({ name }) => name);
    const isReadThere = () =>
      equal(read().elements.map(({ name }) => name), names) && connections(path) === 1;
    await until(isReadThere);
    await until(() => connections(path) === 0);
    await until(isReadThere);
    await zenity[Symbol.asyncDispose](); // while the connection is open
    const { elements: none } = await until(read, ({ silent }) => silent !== undefined);
    assertEquals([none, calls.isLost], [[], false]);
  } finally {
    calls.close();
  }
});

const ADDRESS = ["Application", "GetApplicationBusAddress"] as const;

/** Tells how often a silent program is called whose address is a number of sockets. */
async function attempts(sockets: number): Promise<number> {
  let count = 0;
  await temporary(async (folder) => {
    using listener = Deno.listen({ transport: "unix", path: `${folder}/own` });
    const own = new OwnSockets({ decode: () => undefined, take() {} });
    own.offer("silent", Array(sockets).fill(`unix:path=${folder}/own`).join(";"), Deno.pid);
    own.open("silent"); // on this thread, so that the calls wait in the listener's queue
    assertEquals(own.of("silent"), undefined);
    const last = await Deno.connect({ transport: "unix", path: `${folder}/own` });
    await last.write(Uint8Array.of(1));
    for (let isLast = false; !isLast; count++) {
      using call = await listener.accept();
      const first = new Uint8Array(1);
      isLast = await call.read(first) === 1 && first[0] === 1;
    }
    last.close();
  });
  return count - 1;
}

Deno.test("a silent program is waited for once, however many sockets it names", async () => {
  assertEquals(await attempts(1), 1);
  assertEquals(await attempts(20), 1);
  assertEquals(await attempts(10_000), 0); // no address is that long
});
