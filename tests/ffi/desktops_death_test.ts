/** The server or compositor is killed and restarted, on every desktop of the table. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import type { Desktop } from "../../control/desktop/desktop.ts";
import { DesktopUnavailableError } from "../../core/errors.ts";
import { DESKTOPS } from "../support/desktops.ts";
import { Program } from "../support/program.ts";
import { until } from "../support/shell.ts";
import { keptFrame } from "../support/clipboard_tools.ts";

const REGION = { x: 0, y: 0, width: 5, height: 5 };

/** Calls made while the desktop is gone. */
const CALLS: [name: string, call: (desktop: Desktop) => unknown][] = [
  ["position", ({ pointer }) => pointer.position()],
  ["move", ({ pointer }) => pointer.move({ x: 1, y: 1 })],
  ["button", ({ pointer }) => pointer.button("left", true)],
  ["scroll", ({ pointer }) => pointer.scroll("up", 1)],
  ["key pressed", ({ keyboard }) => keyboard.key("a", true)],
  ["key released", ({ keyboard }) => keyboard.key("shift", false)],
  ["type", ({ keyboard }) => keyboard.type("text")],
  ["type what no key has", ({ keyboard }) => keyboard.type("é漢")],
  ["layout", ({ screen }) => screen.layout()],
  ["capture", ({ screen }) => keptFrame(screen, REGION, true)],
  ["picture", ({ screen }) => screen.picture(REGION, true)],
  ["windows", ({ windows }) => windows!.list()],
  ["copy", ({ clipboard }) => clipboard!.write({ text: "gone" }, "clipboard")],
  ["paste", ({ clipboard }) => clipboard!.read("text", "clipboard")],
  ["kinds", ({ clipboard }) => clipboard!.kinds("clipboard")],
];

/** The clipboard's event loops end after their test. */
const options = { sanitizeOps: false, sanitizeResources: false };

for (const { name, needs, clipboardNeeds, startMortal, gone, watchEnds } of DESKTOPS) {
  Deno.test({
    name: `${name}: calls fail with the reason when it dies, and work again when it is back`,
    ignore: needs.ignore || clipboardNeeds.ignore,
    ...options,
  }, async () => {
    await using system = await startMortal();
    const desktop = await system.open(), [tool] = system.clipboardTools;
    const seen: string[] = [], problems: string[] = [];
    const watch = await desktop.observer.watch({
      actions: (batch) => seen.push(...batch.map(({ action }) => action.type)),
      problem: (kind) => problems.push(kind),
    });
    await desktop.pointer.move({ x: 10, y: 10 });
    await desktop.keyboard.key("shift", true);
    await keptFrame(desktop.screen, desktop.screen.layout(), false);
    await desktop.clipboard!.write({ text: "before" }, "clipboard");
    await until(() => seen.includes("key"));
    const before = problems.length; // for example that a user's input cannot be read

    await system.kill();
    for (const [name, call] of CALLS) {
      await assertRejects(async () => await call(desktop), DesktopUnavailableError, gone, name);
    }
    if (watchEnds) {
      await until(() => problems.length > before);
      assertEquals(problems.slice(before), ["ended"]);
    }

    await system.restart();
    await until(() => isThere(desktop));
    await desktop.pointer.move({ x: 33, y: 44 });
    assertEquals(await desktop.pointer.position(), { x: 33, y: 44 });
    assertEquals(desktop.screen.layout().width, 1280);
    assertEquals((await keptFrame(desktop.screen, REGION, true)).width, 5);
    seen.length = 0;
    await desktop.keyboard.type("aé");
    await desktop.pointer.button("left", true);
    await desktop.pointer.button("left", false);
    if (!watchEnds) await until(() => seen.includes("button"));
    assertEquals(await desktop.windows!.list(), []);
    await desktop.clipboard!.write({ text: "after" }, "clipboard");
    assertEquals(new TextDecoder().decode(await tool.paste()), "after");
    await watch.close();
    desktop.close();
  });

  Deno.test({
    name: `${name}: any first call after its death fails with the reason`,
    ...needs,
  }, async () => {
    await using system = await startMortal();
    for (const first of ["capture", "key pressed", "type what no key has", "layout", "move", "close"]) {
      const desktop = await system.open();
      await desktop.keyboard.type("é"); // may leave a key binding to undo
      await keptFrame(desktop.screen, REGION, false);
      await system.kill();
      const call = CALLS.find(([name]) => name === first)?.[1];
      if (call) await assertRejects(async () => await call(desktop), DesktopUnavailableError, gone, first);
      desktop.close();
      await system.restart();
    }
  });

  Deno.test({
    name: `${name}: its death leaves no open files`,
    ...needs,
  }, async () => {
    await using system = await startMortal();
    const openFiles = () => [...Deno.readDirSync("/proc/self/fd")].length;
    let before = 0;
    for (let i = 0; i < 5; i++) {
      const desktop = await system.open(), ended = Promise.withResolvers<void>();
      const watch = await desktop.observer.watch({
        actions() {},
        problem: (kind) => kind === "ended" && ended.resolve(),
      });
      await keptFrame(desktop.screen, REGION, false);
      await desktop.keyboard.type("é");
      await system.kill();
      if (watchEnds) await ended.promise;
      await watch.close();
      desktop.close();
      await system.restart();
      // The first round opens what stays open: libraries and the runtime's own files.
      if (i === 0) before = openFiles();
    }
    // A terminated Worker closes the runtime's files a little later.
    await until(openFiles, (now) => now <= before + 2, (now) => `${now} files are open, before ${before}`);
  });

  Deno.test({
    name: `${name}: typing fails if another call notices the death first`,
    ...needs,
  }, async () => {
    await using system = await startMortal();
    // Characters without a key wait for rebound keys; others wait for the event loop.
    const rare = String.fromCodePoint(...Array.from({ length: 2000 }, (_, i) => 0x4e00 + i));
    for (const text of [rare, "plain ".repeat(20_000)]) {
      const desktop = await system.open();
      let typed = 0;
      const count = { throwIfAborted: () => void typed++ } as AbortSignal;
      const typing = assertRejects(() => desktop.keyboard.type(text, count), DesktopUnavailableError, gone);
      await until(() => typed > 0);
      await system.kill();
      await assertRejects(async () => await desktop.pointer.position(), DesktopUnavailableError);
      await typing;
      desktop.close();
      await system.restart();
    }
  });

  Deno.test({
    name: `${name}: over HTTP its death is a 503 and an error for viewers, until it is back`,
    ...needs,
  }, async () => {
    await using system = await startMortal();
    await using program = new Program(["--http", "0"], { env: system.env });
    const url = await program.controlUrl();
    const status = async (path: string, init?: RequestInit) => {
      const response = await fetch(url + path, init);
      return [response.status, Object.keys(await response.json())];
    };
    const move = { method: "POST", body: '{"x":7,"y":8}' };
    assertEquals(await status("/api/position"), [200, ["x", "y"]]);
    const first = await viewer(url);
    await until(() => first.received.includes("picture"));
    first.socket.send(JSON.stringify({ type: "ack" }));
    await system.kill();
    assertEquals(await status("/api/position"), [503, ["error"]]);
    const { error } = await (await fetch(`${url}/api/position`)).json();
    assert(error.includes(gone), error);
    assertEquals(await status("/api/move", move), [503, ["error"]]);
    assertEquals(await status("/api/screenshot"), [503, ["error"]]);
    await until(() => first.received.includes("error"));
    const second = await viewer(url);
    await until(() => second.received.includes("error"));
    assertEquals(second.received[0], "screen");
    await system.restart();
    await until(() => status("/api/position"), ([code]) => code === 200);
    assertEquals(await status("/api/move", move), [200, ["ok"]]);
    assertEquals(await (await fetch(`${url}/api/position`)).json(), { x: 7, y: 8 });
    for (const { socket } of [first, second]) {
      const closed = new Promise((resolve) => socket.onclose = resolve);
      socket.close();
      await closed;
    }
    program.kill();
    assertEquals((await program.ended()).stderr, ""); // no internal error is logged
  });
}

async function isThere(desktop: Desktop): Promise<boolean> {
  try {
    await desktop.pointer.position();
    return true;
  } catch (error) {
    if (error instanceof DesktopUnavailableError) return false;
    throw error;
  }
}

/** Connects a live viewer. @returns The types of the received messages. */
async function viewer(url: string) {
  const socket = new WebSocket(`${url.replace("http", "ws")}/api/live`), received: string[] = [];
  socket.binaryType = "arraybuffer";
  socket.onmessage = ({ data }) => {
    const type = typeof data === "string" ? JSON.parse(data).type : "picture";
    if (type === "ping") socket.send('{"type":"pong"}');
    else received.push(type);
  };
  await new Promise((resolve, reject) => (socket.onopen = resolve, socket.onerror = reject));
  return { received, socket };
}
