/** An X server that dies and comes back, and displays that do not exist. */

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

Deno.test(
  {
    name: "when the X server dies every call fails with the reason, and works again when it is back",
    ...X11,
  },
  async () => {
    const number = ownNumber();
    const first = await Xvfb.start({ number });
    const desktop = openX11(first.display);
    desktop.pointer.move({ x: 10, y: 10 });
    desktop.screen.capture(desktop.screen.layout(), false);
    const problems: string[] = [];
    const watch = await desktop.observer.watch({ actions() {}, problem: (kind) => problems.push(kind) });
    await first.stop("SIGKILL");
    const region = { x: 0, y: 0, width: 5, height: 5 };
    const calls: [string, () => unknown][] = [
      ["position", () => desktop.pointer.position()],
      ["move", () => desktop.pointer.move({ x: 1, y: 1 })],
      ["button", () => desktop.pointer.button("left", true)],
      ["scroll", () => desktop.pointer.scroll("up", 1)],
      ["key", () => desktop.keyboard.key("a", true)],
      ["capture", () => desktop.screen.capture(region, true)],
      ["screen", () => desktop.screen.layout()],
    ];
    for (const [name, call] of calls) assertThrows(call, DesktopUnavailableError, "gone", name);
    await assertRejects(() => desktop.keyboard.type("text"), DesktopUnavailableError);
    await until(() => problems.length);
    assertEquals(problems, ["ended"]);
    await watch.close();

    await using second = await Xvfb.start({ number });
    assertEquals(second.display, first.display);
    await until(() => {
      try {
        desktop.pointer.move({ x: 33, y: 44 });
      } catch (error) {
        return error;
      }
    }, (error) => error === undefined);
    assertEquals(desktop.pointer.position(), { x: 33, y: 44 });
    assertEquals(desktop.screen.capture(region, true).width, 5);
    await desktop.keyboard.type("a");
    desktop.close();
  },
);

Deno.test(
  { name: "typing ends when another call finds first that the server is gone", ...X11 },
  async () => {
    // Characters that no key has wait for keys to be bound anew; others for the event loop.
    const rare = String.fromCodePoint(...Array.from({ length: 2000 }, (_, i) => 0x4e00 + i));
    for (const text of [rare, "plain ".repeat(20_000)]) {
      const server = await Xvfb.start({ number: ownNumber() });
      const desktop = openX11(server.display);
      let typed = 0;
      const count = { throwIfAborted: () => void typed++ } as AbortSignal;
      const typing = assertRejects(
        () => desktop.keyboard.type(text, count),
        DesktopUnavailableError,
        "gone",
      );
      await until(() => typed > 0);
      await server.stop("SIGKILL");
      assertThrows(() => desktop.pointer.position(), DesktopUnavailableError);
      await typing;
      desktop.close();
    }
  },
);

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

Deno.test(
  { name: "over HTTP a dead X server is answered with 503, and with 200 when it is back", ...X11 },
  async () => {
    const number = ownNumber();
    const first = await Xvfb.start({ number });
    await using program = new Program(["--http", "0"], { env: first.env });
    const url = await program.controlUrl();
    const status = async (path: string, init?: RequestInit) => {
      const response = await fetch(url + path, init);
      return [response.status, Object.keys(await response.json())];
    };
    assertEquals(await status("/api/position"), [200, ["x", "y"]]);
    await first.stop("SIGKILL");
    assertEquals(await status("/api/position"), [503, ["error"]]);
    assertEquals(await status("/api/move", { method: "POST", body: '{"x":1,"y":1}' }), [503, ["error"]]);
    assertEquals(await status("/api/screenshot"), [503, ["error"]]);
    await using _second = await Xvfb.start({ number });
    await until(() => status("/api/position"), ([code]) => code === 200);
    assertEquals(await status("/api/move", { method: "POST", body: '{"x":7,"y":8}' }), [200, ["ok"]]);
    assertEquals(await (await fetch(`${url}/api/position`)).json(), { x: 7, y: 8 });
  },
);

Deno.test(
  {
    name:
      "a viewer that connects while the X server is gone gets an error message, and nothing is logged as a bug",
    ...X11,
  },
  async () => {
    const xvfb = await Xvfb.start({ number: ownNumber() });
    await using program = new Program(["--http", "0"], { env: xvfb.env });
    const live = `${(await program.controlUrl()).replace("http", "ws")}/api/live`;
    const look = async () => {
      const socket = new WebSocket(live), told: string[] = [];
      socket.binaryType = "arraybuffer";
      socket.onmessage = ({ data }) =>
        told.push(typeof data === "string" ? JSON.parse(data).type : "picture");
      await new Promise((resolve, reject) => (socket.onopen = resolve, socket.onerror = reject));
      return { told, socket };
    };
    const first = await look();
    await until(() => first.told.includes("picture"));
    first.socket.send(JSON.stringify({ type: "ack" }));
    await xvfb.stop("SIGKILL");
    await until(() => first.told.includes("error"));
    const second = await look();
    await until(() => second.told.includes("error"));
    assertEquals(second.told[0], "screen");
    for (const { socket } of [first, second]) {
      const closed = new Promise((resolve) => socket.onclose = resolve);
      socket.close();
      await closed;
    }
    program.kill();
    assertEquals((await program.ended()).stderr, "");
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

Deno.test({ name: "nothing stays pressed, however the program ends", ...X11 }, async () => {
  await using server = await Xvfb.start({ number: ownNumber() });
  for (const ending of ["SIGTERM", "SIGINT", "quit"] as const) {
    await using program = new Program(["--http", "0"], { env: server.env });
    const url = await program.controlUrl();
    for (const body of ['{"button":"left"}', '{"key":"shift"}', '{"key":"a"}']) {
      assertEquals(await (await fetch(`${url}/api/press`, { method: "POST", body })).json(), { ok: true });
    }
    const witness = openX11(server.display);
    const mask = await server.run("xdotool", "getmouselocation");
    assertMatch(mask, /^x:/);
    if (ending === "quit") await program.write("quit");
    else program.kill(ending);
    await program.ended();
    // The server may read the program's last requests after its end.
    const state = (device: string) => server.run("xinput", "query-state", `Virtual core XTEST ${device}`);
    await until(() => state("pointer"), (text) => /button\[1\]=up/.test(text));
    await until(() => state("keyboard"), (text) => /key\[247\]=/.test(text) && !/=down/.test(text));
    witness.close();
  }
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
