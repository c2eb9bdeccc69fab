/** Fcitx 5 as played by a mock on a bus of its own: engines that it turns off, or fails to. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { BusError } from "../../../../ffi/linux/dbus/channel.ts";
import { Fcitx5, FCITX_SERVICE } from "../../../../ffi/linux/input_method/fcitx5.ts";
import { SESSION_BUS, SessionBus } from "../../../support/session_bus.ts";
import { until } from "../../../support/shell.ts";

const CONTROLLER = "org.fcitx.Fcitx.Controller1", MOCK = "org.freedesktop.DBus.Mock";

/** Plays a Fcitx 5 whose engine is active, and passes it to a function together with the mock's own methods. */
async function withFcitx(
  use: (fcitx: Fcitx5, mock: (method: string, ...args: string[]) => Promise<string>) => Promise<void>,
): Promise<void> {
  await using bus = await SessionBus.start();
  bus.enterOn({}); // the records are in its folder
  assertEquals(await Fcitx5.open([bus.socket]), undefined, "nothing runs yet");
  await using _service = bus.spawn(
    ...["/usr/bin/python3", "-m", "dbusmock", "--session", FCITX_SERVICE, "/controller", CONTROLLER] as const,
  );
  const fcitx = (await until(() => Fcitx5.open([bus.socket])))!;
  const call = ["call", "--session", "-d", FCITX_SERVICE, "-o", "/controller", "-m"];
  const mock = (method: string, ...args: string[]) => bus.run("gdbus", ...call, `${MOCK}.${method}`, ...args);
  try {
    await mock("AddMethod", CONTROLLER, "State", "", "i", "ret = 2");
    await mock("AddMethod", CONTROLLER, "CurrentInputMethod", "", "s", "ret = 'hangul'");
    await mock("AddMethod", CONTROLLER, "Activate", "", "", "");
    await use(fcitx, mock);
  } finally {
    fcitx.close();
  }
}

Deno.test({
  name: "an engine that Fcitx 5 fails to turn off is turned on again by the next text",
  ...SESSION_BUS,
  fn: () =>
    withFcitx(async (fcitx, mock) => {
      const refusal = "raise dbus.exceptions.DBusException('busy', name='org.fcitx.Busy')";
      await mock("AddMethod", CONTROLLER, "Deactivate", "", "", refusal);
      assertEquals(await fcitx.engine(), "hangul");
      await assertRejects(() => fcitx.suspend("hangul"), BusError, "busy");
      assertEquals(await mock("GetMethodCalls", "Activate"), "(@a(tav) [],)\n");
      assertEquals(await fcitx.engine(), "hangul");
      assert((await mock("GetMethodCalls", "Activate")).includes("uint64"), "Activate has been called");
    }),
});

Deno.test({
  name: "an engine that stays on after Deactivate counts as not turned off, and is not turned on",
  ...SESSION_BUS,
  fn: () =>
    withFcitx(async (fcitx, mock) => {
      await mock("AddMethod", CONTROLLER, "Deactivate", "", "", "");
      assertEquals(await fcitx.suspend("hangul"), false);
      assertEquals(await fcitx.engine(), "hangul");
      assertEquals(await mock("GetMethodCalls", "Activate"), "(@a(tav) [],)\n");
    }),
});
