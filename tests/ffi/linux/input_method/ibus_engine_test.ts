/** deskhand's engine in a real IBus, whose signals show the order of its end; addresses; pending keys. */

import { assertEquals, assertRejects } from "@std/assert";
import { StateError } from "../../../../core/errors.ts";
import { DAEMON, MESSAGE } from "../../../../ffi/linux/dbus/message.ts";
import { type Incoming, NoAnswerError } from "../../../../ffi/linux/dbus/channel.ts";
import { IBUS, Ibus, ibusSockets } from "../../../../ffi/linux/input_method/ibus.ts";
import { IbusEngine, PendingKeys } from "../../../../ffi/linux/input_method/ibus_engine.ts";
import { need } from "../../../support/need.ts";
import { SESSION_BUS, SessionBus } from "../../../support/session_bus.ts";
import { temporary, until } from "../../../support/shell.ts";
import { Client, Xvfb } from "../../../support/xvfb.ts";

const NEEDED = SESSION_BUS.ignore ? SESSION_BUS : need("Xvfb", "ibus-daemon");
const PERSONS = "xkb:us::eng";

/** Runs a test in an X11 session with IBus, with a second connection that witnesses signals. */
async function inIbus(test: (ibus: Ibus, witness: Ibus) => Promise<void>): Promise<void> {
  await using server = await Xvfb.start();
  await using session = await SessionBus.start();
  const env = session.enterOn(server.env), display = server.display.slice(1);
  await using _ibus = new Client("ibus-daemon", ["--panel", "disable"], env);
  const ibus = (await until(() => Ibus.open(display)))!, witness = (await Ibus.open(display))!;
  try {
    // The engine may take longer to start than IBus waits.
    await until(() => ibus.setEngine(PERSONS).then(() => true, () => false));
    await test(ibus, witness);
  } finally {
    ibus.close();
    witness.close();
  }
}

for (const way of ["end", "endNow"] as const) {
  Deno.test({
    name: `${way}: restores the user's engine before deskhand's engine disconnects`,
    ...NEEDED,
  }, () =>
    inIbus(async (ibus, witness) => {
      const told: string[] = [], engine = new IbusEngine(ibus);
      witness.bus.listen(
        { interface: IBUS.interface, member: "GlobalEngineChanged" },
        ({ values: [name] }) => {
          told.push(String(name).replace(/^deskhand.*/, "deskhand"));
        },
      );
      await engine.begin();
      witness.bus.listen({ member: "NameOwnerChanged" }, ({ values: [, before, now] }) => {
        if (before && !now) told.push("the connection ends");
      });
      await engine[way]();
      assertEquals(await witness.engine(), PERSONS);
      await until(() => told.includes("the connection ends"));
      const first = told.indexOf("deskhand"); // the earlier engine's signal may arrive late
      assertEquals(told.slice(first, first + 3), ["deskhand", PERSONS, "the connection ends"]);
    }));
}

Deno.test(
  "the engine disconnects even if IBus does not answer at its end",
  NEEDED,
  () =>
    inIbus(async (ibus, witness) => {
      const engine = new IbusEngine(ibus),
        names = async () => (await witness.bus.callAsync(DAEMON, "ListNames", "", [], "as"))[0];
      const before = await names();
      await engine.begin();
      // Other engines of IBus may connect meanwhile, and stay.
      const fresh = (await names()).filter((name) => !before.includes(name));
      ibus.engine = () => Promise.reject(new NoAnswerError("no answer"));
      await assertRejects(() => engine.end(), NoAnswerError);
      const isGone = async () => {
        const left = await names();
        return fresh.some((name) => !left.includes(name));
      };
      await until(isGone);
    }),
);

// IBus's address, from the environment and its files.

Deno.test("IBus's address is the display's, or the environment's", () =>
  temporary(async (folder) => {
    const bus = `${folder}/ibus/bus`;
    await Deno.mkdir(bus, { recursive: true });
    const write = (name: string, address: string) =>
      Deno.writeTextFile(`${bus}/${name}`, `# IBus\nIBUS_ADDRESS=${address}\nIBUS_DAEMON_PID=1\n`);
    await write("0123-unix-0", "unix:path=/x11,guid=1");
    await write("0123-unix-wayland-0", "unix:abstract=/wayland,guid=2");
    const config = { XDG_CONFIG_HOME: folder };
    const cases: [env: Record<string, string>, display: string, sockets: string[]][] = [
      [config, "0", ["/x11"]],
      [config, "wayland-0", ["\0/wayland"]],
      [config, "wayland-1", []],
      [{ HOME: folder }, "0", []],
      [{ ...config, IBUS_ADDRESS: "unix:path=/own" }, "wayland-1", ["/own"]],
      [{}, "0", []],
    ];
    for (const [env, display, sockets] of cases) {
      assertEquals(ibusSockets(display, (name) => env[name]), sockets, JSON.stringify([env, display]));
    }
  }));

// Keys that GNOME Shell has passed to IBus, on a fake bus, and which of them a wait is for.

const SHELL = ":1.7";

/** A shell that passes keys to IBus and gets them back when the test says so. */
async function stage() {
  const rules: string[] = [];
  const bus = {
    onCopy: (_: Partial<Incoming>) => {},
    ownerAsync: () => Promise.resolve(SHELL),
    callAsync: () => Promise.resolve([]),
    watch: (rule: string) => {
      rules.push(rule);
      return Promise.resolve(() => {});
    },
    stayAwake: () => () => {},
    onEnd: () => () => {},
  };
  const kept = (await PendingKeys.open({ bus, hasFocus: () => Promise.resolve(true) } as unknown as Ibus))!;
  return {
    kept,
    give: (serial: number, ...values: number[]) => bus.onCopy({ type: MESSAGE.call, serial, values }),
    giveBack: (replySerial: number, name: "method_return" | "error" = "method_return") => {
      const type = name === "error" ? MESSAGE.error : MESSAGE.reply;
      const isCopied = rules.includes(`type='${name}',destination='${SHELL}'`);
      if (isCopied) bus.onCopy({ type, destination: SHELL, replySerial });
    },
  };
}

Deno.test("a wait ends when IBus has returned the sent keys", async () => {
  const { kept, give, giveBack } = await stage(), order: string[] = [];
  give(1);
  const settled = kept.settle(2).then(() => order.push("settled"));
  giveBack(1);
  give(2);
  for (let i = 0; i < 20; i++) await undefined;
  order.push("given back");
  giveBack(2);
  await settled;
  assertEquals(order, ["given back", "settled"]);
});

Deno.test("a key that IBus received without its release is held, unless it is deskhand's own", async () => {
  const { kept, give } = await stage(), own = new Set([42]), release = 1 << 30;
  assertEquals(kept.isHeld(own), false);
  give(1, 0xffe1, 42, 0);
  assertEquals([kept.isHeld(own), kept.isHeld(new Set())], [false, true]);
  give(2, 0x79, 21, 1);
  assertEquals(kept.isHeld(own), true);
  give(3, 0x79, 21, release | 1);
  assertEquals(kept.isHeld(own), false);
});

Deno.test("an error reply returns a key, such as that of an engine that has ended", async () => {
  const { kept, give, giveBack } = await stage();
  give(1);
  const settled = kept.settle(1);
  giveBack(1, "error");
  await settled;
});

Deno.test("after keys that IBus never returns, the next wait is for the next keys", async () => {
  const { kept, give, giveBack } = await stage(), order: string[] = [];
  give(1);
  await assertRejects(
    () => kept.settle(1),
    StateError,
    "the input method IBus has not processed the earlier keys",
  );
  const settled = kept.settle(1).then(() => order.push("settled"));
  for (let i = 0; i < 20; i++) await undefined; // the key has not reached the shell yet
  order.push("given");
  give(2);
  giveBack(2);
  await settled;
  assertEquals(order, ["given", "settled"]);
});
