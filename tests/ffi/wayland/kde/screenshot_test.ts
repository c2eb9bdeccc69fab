/** Pictures of a KWin that takes none. */

import { assertEquals, assertRejects } from "@std/assert";
import { UnsupportedError } from "../../../../core/errors.ts";
import { Bus } from "../../../../ffi/linux/dbus/bus.ts";
import { missingScreenshots, takeScreenshot } from "../../../../ffi/wayland/kde/screenshot.ts";
import { SESSION_BUS, SessionBus } from "../../../support/session_bus.ts";
import { until } from "../../../support/until.ts";

Deno.test({ name: "a KWin that draws without OpenGL is named as the reason", ...SESSION_BUS }, async () => {
  await using system = await SessionBus.start();
  // It has its name on the bus, and no object for screenshots.
  await using _kwin = system.spawn(
    "/usr/bin/python3",
    "-m",
    "dbusmock",
    "org.kde.KWin",
    "/Compositor",
    "org.kde.x",
  );
  const bus = Bus.open([system.socket]);
  try {
    await until(() => bus.owner("org.kde.KWin") !== undefined);
    assertEquals(missingScreenshots(bus), "KWin gives no pictures, since it draws without OpenGL here");
    await assertRejects(
      () => takeScreenshot(bus, { display: "Virtual-0" }, false),
      UnsupportedError,
      "KWin gives no pictures, since it draws without OpenGL here",
    );
  } finally {
    bus.close();
  }
});
