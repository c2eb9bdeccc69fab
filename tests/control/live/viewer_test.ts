/** Viewers of the live view: their input, and their end. */

import { assertEquals } from "@std/assert";
import { delay } from "@std/async/delay";
import { ACTIONS } from "../../../control/actions/mod.ts";
import { LIVE_ENDPOINT } from "../../../control/http/page.ts";
import { inputsOf, type ViewersMemory } from "../../../control/desktop/viewers.ts";
import { LiveView, Viewer } from "../../../control/http/live/live.ts";
import { Operator } from "../../../control/operator/operator.ts";
import { newRecording } from "../../../control/recording/format.ts";
import { Recorder } from "../../../control/recording/recorder.ts";
import { StoredRecording } from "../../../control/recording/stored.ts";
import { DesktopUnavailableError } from "../../../core/errors.ts";
import { VirtualDesktop } from "../../../ffi/virtual/mod.ts";
import { runnerOf, servicesOf } from "../../support/control.ts";
import { until } from "../../support/shell.ts";

/** A viewer's side of its connection. */
class Client extends EventTarget {
  readonly readyState = WebSocket.OPEN;
  binaryType = "";
  bufferedAmount = 0;
  closed = false;
  readonly told: { type: string; message: string }[] = [];

  /** Messages to the client. */
  send(message: string) {
    this.told.push(JSON.parse(message));
  }

  /** Closes the connection. */
  close() {
    this.closed = true;
  }

  /** Sends a request. */
  asks(message: Record<string, unknown>) {
    this.dispatchEvent(new MessageEvent("message", { data: JSON.stringify(message) }));
  }
}

function viewing() {
  const desktop = new VirtualDesktop(), operator = new Operator(desktop), client = new Client();
  const listener = { acknowledged() {}, answered() {}, chosen() {}, acted() {} };
  const viewer = new Viewer(client as unknown as WebSocket, runnerOf(operator), undefined, listener);
  return { desktop, operator, client, viewer };
}

const key = (name: string, down: boolean) => ({ type: "key", key: name, down });
const button = (down: boolean, x: number, y: number) => ({ type: "button", button: "left", down, x, y });

Deno.test("a viewer's press is atomic: others do not get between its move and its button", async () => {
  const { desktop, operator, client } = viewing();
  const typed = Promise.withResolvers<void>();
  desktop.keyboard.type = () => typed.promise;
  const typing = operator.type("a long text");
  client.asks(button(true, 100, 110));
  client.asks(button(false, 120, 130));
  // By then, the viewer's first message waits for its turn.
  await delay(0);
  const others = Array.from({ length: 6 }, () => operator.move({ x: 700, y: 600 }));
  typed.resolve();
  await Promise.all([typing, ...others]);
  await until(() => operator.held(), (held) => !held.length);
  assertEquals(desktop.log.filter(({ type }) => type === "button"), [
    button(true, 100, 110),
    button(false, 120, 130),
  ]);
});

const LEAVING: [how: string, leave: (client: Client, viewer: Viewer) => void][] = [
  ["goes away", (_, viewer) => viewer.close()],
  ["releases all", (client) => client.asks({ type: "release" })],
  ["releases each", (client) => {
    client.asks(key("shift", false));
    client.asks(button(false, 50, 50));
  }],
];
for (const [how, leave] of LEAVING) {
  Deno.test(`a viewer that ${how} while a replay runs leaves nothing pressed`, async () => {
    const { desktop, operator, client, viewer } = viewing();
    const recorder = new Recorder(operator);
    recorder.load(StoredRecording.of({
      ...newRecording({ x: 0, y: 0, width: 1280, height: 720 }, new Date()),
      events: [{ t: 0, type: "key", key: "a", down: true }, {
        t: 60_000,
        type: "key",
        key: "a",
        down: false,
      }],
    }));
    client.asks(key("shift", true));
    client.asks(button(true, 10, 10));
    await until(() => operator.held().length, (held) => held === 2);
    const playing = recorder.play();
    await until(() => desktop.log.at(-1), (last) => last?.type === "key" && last.key === "a");
    // A press that is refused during the replay is not released either.
    client.asks(key("a", true));
    client.asks(key("a", false));
    await until(() => client.told.length, (told) => told === 2);
    leave(client, viewer);
    await until(() => operator.held(), (held) => !held.length);
    assertEquals(recorder.status().state, "playing");
    const released = desktop.log.slice(-2);
    assertEquals(released.map((action) => "down" in action && action.down), [false, false]);
    assertEquals(desktop.log.some(({ type }, i) => type === "move" && i > 1), false);
    await recorder.stop();
    await playing;
    assertEquals(desktop.log.at(-1), { type: "key", key: "a", down: false });
  });
}

Deno.test("typing stops when its viewer goes away", async () => {
  const { desktop, client, viewer } = viewing();
  const typing = Promise.withResolvers<AbortSignal | undefined>();
  const ended = Promise.withResolvers<void>();
  desktop.keyboard.type = (_, signal) => {
    typing.resolve(signal);
    signal?.addEventListener("abort", () => ended.reject(signal.reason));
    return ended.promise;
  };
  client.asks({ type: "text", text: "a long text" });
  const signal = await typing.promise;
  assertEquals(signal?.aborted, false);
  viewer.close();
  assertEquals(signal?.aborted, true);
});

Deno.test("a pointer that moves while a long text is typed does not end the viewer", async () => {
  const { desktop, client } = viewing();
  const typed = Promise.withResolvers<void>();
  desktop.keyboard.type = () => typed.promise;
  client.asks({ type: "text", text: "a long text" });
  for (let x = 0; x < 1200; x++) client.asks({ type: "move", x, y: 7 });
  client.asks(button(true, 20, 30));
  client.asks({ type: "move", x: 40, y: 50 });
  client.asks(button(false, 60, 70));
  assertEquals(client.closed, false);
  typed.resolve();
  const told = await until(() => desktop.log, (actions) => actions.length >= 6);
  assertEquals(told.map((action) => "x" in action && [action.type, action.x, action.y]), [
    ["move", 1199, 7],
    ["move", 20, 30],
    ["button", 20, 30],
    ["move", 40, 50],
    ["move", 60, 70],
    ["button", 60, 70],
  ]);
});

Deno.test("messages to a viewer that does not read are bounded", () => {
  const { client } = viewing();
  client.asks({ type: "nothing" });
  client.bufferedAmount = 2 ** 21;
  client.asks({ type: "nothing" });
  assertEquals(client.told.length, 1);
});

Deno.test("a viewer that sends messages without pause is disconnected", () => {
  const { client } = viewing();
  for (let sent = 0; sent < 5000; sent++) client.asks({ type: "pong" }); // as much as a second has room for
  assertEquals(client.closed, false);
  for (let sent = 0; sent < 100_000 && !client.closed; sent++) client.asks({ type: "pong" });
  assertEquals(client.closed, true);
});

Deno.test({
  name: "viewers learn where the desktop is, even if only that changes, and may join while it is gone",
  sanitizeOps: false, // it checks once more for viewers
  sanitizeResources: false,
}, async () => {
  const desktop = new VirtualDesktop(), screen = desktop.screen.layout();
  let x = 0, gone = false;
  desktop.screen.layout = () => {
    if (gone) throw new DesktopUnavailableError("it is gone");
    return { ...screen, x };
  };
  const take = desktop.screen.take.bind(desktop.screen);
  desktop.screen.take = (region, cursor) => take({ ...region, x: region.x - x }, cursor);
  const services = servicesOf(new Operator(desktop));
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    (request, peer) => LIVE_ENDPOINT.handle({ request, query: "", peer, services }),
  );
  const sockets: WebSocket[] = [];
  const look = async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${server.addr.port}/api/live`), told: unknown[] = [];
    sockets.push(socket);
    socket.onmessage = ({ data }) => {
      if (typeof data !== "string") return socket.send('{"type":"ack"}');
      const { type, x } = JSON.parse(data);
      if (type === "ping") return;
      if (told.at(-1) !== x || type !== "screen") told.push(type === "screen" ? x : type);
    };
    await new Promise((resolve) => socket.onopen = resolve);
    return told;
  };
  const first = await look();
  await until(() => first.length);
  x = -1920;
  await until(() => first.length, (length) => length === 2);
  gone = true;
  await until(() => first.includes("error"));
  const second = await look();
  await until(() => second.includes("error"));
  assertEquals([first.slice(0, 2), second[0]], [[0, -1920], -1920]);
  for (const socket of sockets) socket.close();
  await server.shutdown();
});

Deno.test("any program's action wakes the live view, which may rest if the system reports no changes", async () => {
  const client = new Client(), started = Promise.withResolvers<ViewersMemory>();
  const live = {
    start(memory: ViewersMemory) {
      started.resolve(memory);
      return { done: new Promise<void>(() => {}) };
    },
  };
  const view = new LiveView(runnerOf(new Operator(Object.assign(new VirtualDesktop(), { live }))));
  view.add(client as unknown as WebSocket);
  client.dispatchEvent(new Event("open"));
  const memory = await started.promise, inputs = inputsOf(memory);
  const caller = { signal: new AbortController().signal };
  await view.runner.run(ACTIONS.position, {}, caller);
  assertEquals(inputsOf(memory), inputs);
  await view.runner.run(ACTIONS.move, { x: 5, y: 6 }, caller);
  assertEquals(inputsOf(memory), inputs + 1);
  view.close();
});
