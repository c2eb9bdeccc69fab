/** What is X11's own about a server that dies, and displays that do not exist; desktops_death_test.ts has the rest. */

import {
  assertEquals,
  assertMatch,
  assertRejects,
  assertStringIncludes,
  assertThrows,
  equal,
} from "@std/assert";
import { openX11 } from "../../../ffi/x11/mod.ts";
import { DesktopUnavailableError, NoDesktopError } from "../../../core/errors.ts";
import { need } from "../../support/need.ts";
import { Program, run } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import { keycodesDown, X11 } from "../../support/x11.ts";
import { ownNumber, Xvfb } from "../../support/xvfb.ts";

/** Keycode of the left Control key. */
const CONTROL = 37;

Deno.test({ name: "a watch of a server that dies leaves no file open", ...X11 }, async () => {
  const openFiles = () => [...Deno.readDirSync("/proc/self/fd")].length;
  let before = 0;
  for (let i = 0; i < 4; i++) {
    const server = await Xvfb.start({ number: ownNumber() });
    const desktop = openX11(server.display);
    const ended = Promise.withResolvers<void>();
    const watch = await desktop.observer.watch({ actions() {}, problem: () => ended.resolve() });
    await server.stop("SIGKILL");
    await ended.promise;
    await watch.close();
    desktop.close();
    // The first time opens what stays open: libraries, and the runtime's own.
    if (i === 0) before = openFiles();
  }
  // A Worker closes the runtime's own files some time after it was ended.
  await until(openFiles, (now) => now <= before);
});

Deno.test(
  { name: "the program survives the first call after the server's death, whichever it is", ...X11 },
  async () => {
    for (const call of ["capture", "key", "type", "screen", "move", "close"] as const) {
      const server = await Xvfb.start({ number: ownNumber() });
      const desktop = openX11(server.display);
      await desktop.keyboard.type("é"); // leaves a binding that is to be undone
      desktop.screen.capture({ x: 0, y: 0, width: 9, height: 9 }, false);
      await server.stop("SIGKILL");
      if (call === "capture") {
        assertThrows(
          () => desktop.screen.capture({ x: 0, y: 0, width: 3, height: 3 }, false),
          DesktopUnavailableError,
        );
      }
      if (call === "key") assertThrows(() => desktop.keyboard.key("a", true), DesktopUnavailableError);
      if (call === "type") await assertRejects(() => desktop.keyboard.type("é漢"), DesktopUnavailableError);
      if (call === "screen") assertThrows(() => desktop.screen.layout(), DesktopUnavailableError);
      if (call === "move") assertThrows(() => desktop.pointer.move({ x: 1, y: 1 }), DesktopUnavailableError);
      desktop.close();
    }
  },
);

Deno.test("a display that does not exist is named, with what to do", () => {
  assertMatch(
    assertThrows(() => openX11(""), NoDesktopError).message,
    /DISPLAY is not set.*--desktop virtual/,
  );
  assertStringIncludes(
    assertThrows(() => openX11(":4711"), NoDesktopError).message,
    ":4711 cannot be opened",
  );
});

Deno.test({
  name: "when the program ends amid a text, modifiers are as before, but for those that deskhand held",
  ...need("Xvfb", "xdotool", "xinput", "xset"),
}, async () => {
  await using server = await Xvfb.start({ number: ownNumber() });
  await server.run("xdotool", "key", "Caps_Lock", "keydown", "Control_L");
  await using program = new Program(["--http", "0"], { env: server.env });
  const url = await program.controlUrl();
  const post = (path: string, body: unknown) =>
    fetch(`${url}/api/${path}`, { method: "POST", body: JSON.stringify(body) });
  await (await post("press", { key: "shift" })).body?.cancel();
  const before = await keycodesDown(server);
  assertEquals(before.length, 2);
  // Characters that no key has are bound a few at a time, with pauses.
  const text = String.fromCodePoint(...Array.from({ length: 2000 }, (_, i) => 0x4e00 + i));
  const typing = post("type", { text }).then((response) => response.body?.cancel(), () => {});
  await until(() => keycodesDown(server), (down) => down.length === 0);
  program.kill("SIGINT"); // at SIGTERM the text would have ten seconds to come to its end
  await program.ended();
  await typing;
  await until(() => server.run("xset", "q"), (text) => /Caps Lock: +on/.test(text));
  await until(() => keycodesDown(server), (down) => equal(down, [CONTROL]));
});

Deno.test("without a display the exit code is 3", async () => {
  const { code, stderr } = await run(["--desktop", "x11"], "", { env: { DISPLAY: ":4711" } });
  assertEquals(code, 3);
  assertStringIncludes(stderr, ":4711 cannot be opened");
});
