/** Seats of the live view and of the sound: each is freed when its connection ends, however it ends. */

import { assertEquals, assertThrows } from "@std/assert";
import { LiveView } from "../../../control/http/live/live.ts";
import { LiveSound } from "../../../control/http/live/sound.ts";
import { Operator } from "../../../control/operator/operator.ts";
import { VirtualDesktop } from "../../../ffi/virtual/mod.ts";
import { runnerOf } from "../../support/control.ts";
import { need } from "../../support/need.ts";
import { Program } from "../../support/program.ts";
import { until } from "../../support/shell.ts";

/** The server's side of a WebSocket. */
class Socket extends EventTarget {
  readyState: number = WebSocket.CONNECTING;
  binaryType = "";
  bufferedAmount = 0;
  code: number | undefined;

  send() {}

  close(code = 1000) {
    this.code = code;
  }

  open() {
    this.readyState = WebSocket.OPEN;
    this.dispatchEvent(new Event("open"));
  }
}

/** The two kinds of seats, eight of each. */
const KINDS = ["live picture", "sound"] as const;

function seatsOf(kind: typeof KINDS[number]) {
  const seats = kind === "sound"
    ? new LiveSound({
      check: () => Promise.resolve(),
      start: () => ({ stop() {}, done: new Promise(() => {}) }),
    })
    : new LiveView(runnerOf(new Operator(new VirtualDesktop())));
  const add = (sent?: Promise<void>, guest?: { name: string; rights: "look" }) => {
    const socket = new Socket();
    if (seats instanceof LiveSound) seats.add(socket as unknown as WebSocket, guest, sent);
    else seats.add(socket as unknown as WebSocket, guest, "automatic", sent);
    return socket;
  };
  return { seats, add };
}

for (const kind of KINDS) {
  Deno.test(`${kind}: a seat whose socket never opens is free after 5 s, or 1 s after the handshake response`, async () => {
    const { seats, add } = seatsOf(kind), sent = Promise.withResolvers<void>();
    const [silent, answered, open] = [add(), add(sent.promise), add(sent.promise)];
    const ends: [what: string, code: number, seats: number][] = [];
    for (const [what, socket] of Object.entries({ silent, answered, open })) {
      socket.close = (code = 1000) => void ends.push([what, code, seats.count]);
    }
    open.open();
    sent.resolve();
    await until(() => ends.length === 2);
    assertEquals([ends, seats.count], [[["answered", 1000, 2], ["silent", 1000, 1]], 1]);
    silent.open(); // too late
    assertEquals(seats.count, 1);
    seats.close();
  });

  Deno.test(`${kind}: the last seat is for callers with every right, and an ended link frees its guests' seats`, () => {
    const { seats, add } = seatsOf(kind), guest = { name: "Ada", rights: "look" } as const;
    for (let i = 0; i < 7; i++) {
      seats.checkRoom(guest);
      add(undefined, guest).open();
    }
    assertThrows(() => seats.checkRoom(guest), Error, "8 ");
    seats.checkRoom();
    add().open();
    assertThrows(() => seats.checkRoom(), Error, "8 ");
    seats.leave(guest);
    assertEquals(seats.count, 1);
    seats.close();
  });
}

Deno.test({
  name: "thirty clients that reset their connection during the handshake leave every seat free",
  ...need("python3"),
}, async () => {
  await using server = new Program(["--desktop", "virtual", "--http", "0"]);
  const url = new URL(await server.controlUrl());
  await resetHandshakes(Number(url.port), 30);
  const viewers = async () => ((await (await fetch(new URL("/api/links", url))).json()).viewers as unknown[]);
  await until(viewers, (list) => list.length === 0);
  const socket = new WebSocket(`ws://${url.host}/api/live`);
  await new Promise((resolve, reject) => (socket.onopen = resolve, socket.onerror = reject));
  socket.close();
});

/**
 * Begins handshakes and resets the connections within 2 ms, with SO_LINGER set to 0, which Deno cannot set.
 */
async function resetHandshakes(port: number, count: number) {
  const head =
    "GET /api/live HTTP/1.1\\r\\nHost: 127.0.0.1:%d\\r\\nConnection: Upgrade\\r\\nUpgrade: websocket\\r\\n" +
    "Sec-WebSocket-Version: 13\\r\\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\\r\\n\\r\\n";
  const script = `
import socket, struct, time
for i in range(${count}):
    s = socket.create_connection(("127.0.0.1", ${port}))
    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    s.sendall(("${head}" % ${port}).encode())
    time.sleep((0, 0.0005, 0.002)[i % 3])
    s.close()
`;
  const { success, stderr } = await new Deno.Command("python3", { args: ["-c", script] }).output();
  assertEquals([success, new TextDecoder().decode(stderr)], [true, ""]);
}
