/** Notifications with buttons, on a session bus with a mock notification service. */

import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { type Notice, showNotification } from "../../../ffi/linux/notifications.ts";
import { BusError } from "../../../ffi/linux/dbus/channel.ts";
import { SESSION_BUS, SessionBus } from "../../support/session_bus.ts";
import { until } from "../../support/shell.ts";

const NAME = "org.freedesktop.Notifications", PATH = "/org/freedesktop/Notifications";
const NOTICE: Notice = {
  summary: "Allow claude to act in gedit?",
  body: 'It wants: click in the window "<a href=x>Save</a>"',
  actions: [{ key: "once", label: "Allow once" }, { key: "deny", label: "Deny" }],
  lastsMs: 300_000,
};

Deno.test({
  name: "a notification lasts until a button is pressed, the question ends, or the bus does",
  ...SESSION_BUS,
  async fn(test) {
    await using bus = await SessionBus.start();
    const show = (signal = new AbortController().signal) => showNotification(NOTICE, signal, [bus.socket]);
    await test.step("is refused without a service", async () => {
      await assertRejects(() => show(), BusError);
    });
    const template = ["-m", "dbusmock", "--session", "--template", "notification_daemon"];
    const abilities = ["--parameters", '{"capabilities":"body body-markup actions"}'];
    await using mock = bus.spawn("/usr/bin/python3", ...template, ...abilities);
    const times = (text: string) => mock.printed.split(text).length - 1;
    await until(
      () => bus.run("gdbus", "introspect", "--session", "-d", NAME, "-o", PATH).catch(() => ""),
      (xml) => xml.includes("CloseNotification"),
    );
    const press = (id: number, key: string) =>
      bus.run(
        ...["gdbus", "call", "--session", "-d", NAME, "-o", PATH] as const,
        ...["-m", "org.freedesktop.DBus.Mock.EmitSignal", NAME, "ActionInvoked", "us"],
        `[<uint32 ${id}>, <'${key}'>]`,
      );
    await test.step("returns the pressed button", async () => {
      const shown = show();
      await until(() => times(" Notify "), (notices) => notices === 1);
      const line = mock.printed.split("\n").find((line) => line.includes(" Notify "))!;
      for (const part of ["deskhand", NOTICE.summary, "&lt;a href=x&gt;", "Allow once", "300000"]) {
        assertStringIncludes(line, part);
      }
      await press(7, "deny"); // another program's notification
      await press(1, "once");
      assertEquals(await shown, "once");
      await until(() => times(" CloseNotification "), (closed) => closed === 1);
    });
    await test.step("closes when the question ends", async () => {
      const ending = new AbortController(), shown = show(ending.signal);
      await until(() => times(" Notify "), (notices) => notices === 2);
      ending.abort();
      assertEquals(await shown, undefined);
      await until(() => times(" CloseNotification "), (closed) => closed === 2);
    });
    await test.step("ends when the bus ends", async () => {
      const shown = show();
      await until(() => times(" Notify "), (notices) => notices === 3);
      await bus.kill();
      assertEquals(await shown, undefined);
    });
  },
});
