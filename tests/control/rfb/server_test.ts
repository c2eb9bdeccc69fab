/** The VNC server on sockets: who gets in, the pictures byte by byte, and what input does. */

import { assertEquals } from "@std/assert";
import { Flow } from "../../../control/rfb/viewer.ts";
import type { Door } from "../../../control/rfb/handshake.ts";
import { keyOfKeysym } from "../../../control/rfb/input.ts";
import { RfbServer } from "../../../control/rfb/server.ts";
import { Operator } from "../../../control/operator/operator.ts";
import { VirtualDesktop } from "../../../ffi/virtual/mod.ts";
import {
  ENCODING,
  lengthAndText,
  longs,
  message,
  minorOf,
  uint16,
  uint32,
  words,
} from "../../../rfb/protocol.ts";
import { plainMessage, vncAuthAnswer } from "../../../rfb/security.ts";
import { NATIVE, pixelWriter } from "../../../rfb/pixel_format.ts";
import { nodeModule } from "../../../core/path.ts";
import { OPEN, runnerOf } from "../../support/control.ts";
import { short, until } from "../../support/shell.ts";
import { waiting } from "../../support/waits.ts";

const TOKEN = "a-token-of-the-test";
/** A door with the token and a password; after three wrong passwords, none may be tried. */
function closedDoor(): Door & { wrong: number } {
  return {
    wrong: 0,
    isOpen: false,
    password: "letmein",
    check: (secret) => secret === TOKEN ? "owner" : undefined,
    wait() {
      return this.wrong >= 3 ? 60 : undefined;
    },
    failed() {
      return ++this.wrong > 3 ? 60 : undefined;
    },
    forgive() {
      this.wrong--;
    },
  };
}

/** A server on a virtual desktop. */
async function rfbServer(door: Door = OPEN, readOnly = false) {
  const desktop = new VirtualDesktop(),
    operator = new Operator(desktop),
    runner = runnerOf(operator, readOnly);
  const reported: unknown[] = [], ends: string[] = [];
  const server = new RfbServer({
    door,
    report: (error) => reported.push(error),
    ended: ({ end }) => ends.push(end),
  });
  const port = await server.listen("127.0.0.1", 0);
  server.start(runner);
  return {
    desktop,
    operator,
    runner,
    port,
    ends,
    async [Symbol.asyncDispose]() {
      server.close();
      await until(() => runner.pictures.seats.all.length === 0);
      runner.pictures.close();
      operator.close();
      desktop.close();
      assertEquals(reported, []);
    },
  };
}

/** A client that reads the parts that it names. */
class Client implements Disposable {
  #left = new Uint8Array();
  width = 0;
  height = 0;
  name = "";

  private constructor(readonly conn: Deno.TcpConn) {}

  static async connect(port: number): Promise<Client> {
    return new Client(await Deno.connect({ hostname: "127.0.0.1", port }));
  }

  /** A client past its handshake without a secret. */
  static async open(port: number): Promise<Client> {
    const client = await Client.connect(port);
    assertEquals(await client.text(12), "RFB 003.008\n");
    await client.send(new TextEncoder().encode("RFB 003.008\n"));
    assertEquals([...await client.take(2)], [1, 1]);
    await client.send([1]);
    assertEquals(uint32(await client.take(4), 0), 0);
    await client.init();
    return client;
  }

  async init(): Promise<void> {
    await this.send([1]);
    const head = await this.take(24);
    [this.width, this.height] = [uint16(head, 0), uint16(head, 2)];
    this.name = await this.text(uint32(head, 20));
  }

  async send(...parts: (Uint8Array | number[])[]): Promise<void> {
    const bytes = message(...parts);
    for (let at = 0; at < bytes.length;) at += await this.conn.write(bytes.subarray(at));
  }

  /**
   * The zlib stream so far, which continues from update to update, and the number of its bytes already drawn.
   */
  #stream = new Uint8Array();
  #seen = 0;

  async take(count: number): Promise<Uint8Array> {
    while (this.#left.length < count) {
      const more = new Uint8Array(65536), read = await waiting("bytes of the server", this.conn.read(more));
      if (read === null) throw new Error("the server ended the connection");
      this.#left = message(this.#left, more.subarray(0, read));
    }
    const taken = this.#left.subarray(0, count);
    this.#left = this.#left.slice(count);
    return taken;
  }

  async text(count: number): Promise<string> {
    return new TextDecoder().decode(await this.take(count));
  }

  /** Whether the server has closed the connection without another byte. */
  async isEnded(): Promise<boolean> {
    return await this.take(1).then(() => false, () => true);
  }

  encodings(...list: number[]): Promise<void> {
    return this.send([2, 0], words(list.length), longs(...list));
  }

  request(): Promise<void> {
    return this.send([3, 0], words(0, 0, this.width, this.height));
  }

  async key(keysym: number, down: boolean): Promise<void> {
    await this.send([4, down ? 1 : 0, 0, 0], longs(keysym));
  }

  /** An update's pixels, each as 0xRRGGBB. */
  async update(): Promise<Uint32Array> {
    const pixels = new Uint32Array(this.width * this.height);
    const head = await this.take(4);
    assertEquals(head[0], 0);
    const inflate = nodeModule("node:zlib").inflateSync;
    for (let left = uint16(head, 2); left > 0; left--) {
      const rect = await this.take(12), [x, y, width, height] = [0, 2, 4, 6].map((at) => uint16(rect, at));
      const encoding = uint32(rect, 8);
      if (encoding === ENCODING.raw) {
        draw(pixels, this.width, { x, y, width, height }, await this.take(4 * width * height));
        continue;
      }
      assertEquals(encoding, ENCODING.zlib);
      const packed = await this.take(uint32(await this.take(4), 0));
      this.#stream = message(this.#stream, packed);
      const all = new Uint8Array(
        inflate(this.#stream, { finishFlush: nodeModule("node:zlib").constants.Z_SYNC_FLUSH }),
      );
      draw(pixels, this.width, { x, y, width, height }, all.subarray(this.#seen));
      this.#seen = all.length;
    }
    return pixels;
  }

  [Symbol.dispose]() {
    this.conn.close();
  }
}

function draw(
  pixels: Uint32Array,
  across: number,
  { x, y, width, height }: { x: number; y: number; width: number; height: number },
  bytes: Uint8Array,
): void {
  assertEquals(bytes.length, 4 * width * height);
  for (let i = 0; i < width * height; i++) {
    pixels[(y + Math.floor(i / width)) * across + x + i % width] = bytes[4 * i + 2] << 16 |
      bytes[4 * i + 1] << 8 |
      bytes[4 * i];
  }
}

/** The screen with its pointer, as 0xRRGGBB. */
function screenOf(operator: Operator): Promise<Uint32Array> {
  return operator.capture(
    {},
    true,
    ({ width, height, stride, pixels }) =>
      Uint32Array.from({ length: width * height }, (_, i) => {
        const at = Math.floor(i / width) * stride + i % width * 4;
        return pixels[at + 2] << 16 | pixels[at + 1] << 8 | pixels[at];
      }),
  );
}

for (const [name, list] of [["Raw", []], ["zlib", [ENCODING.zlib]]] as const) {
  Deno.test(`full updates in ${name} are the screen, pixel for pixel`, async () => {
    await using server = await rfbServer();
    using client = await Client.open(server.port);
    assertEquals([client.width, client.height], [1280, 720]);
    const screen = await screenOf(server.operator);
    for (let start = 0; start < 2; start++) { // the viewer starts over, and its zlib stream continues
      await client.encodings(...list);
      await client.request();
      const shown = await client.update();
      assertEquals(shown.findIndex((pixel, i) => pixel !== screen[i]), -1);
    }
  });
}

Deno.test("characters are typed as text, combinations pressed by name, and held keys end with the viewer", async () => {
  await using server = await rfbServer();
  const client = await Client.open(server.port);
  for (const character of "Aé€漢") {
    const code = character.codePointAt(0)!, keysym = code < 256 ? code : 0x1000000 + code;
    await client.key(keysym, true);
    await client.key(keysym, false);
  }
  const ctrl = 0xffe3, c = 0x63, shift = 0xffe1;
  await client.key(ctrl, true);
  await client.key(c, true);
  await client.key(ctrl, false); // as people do: Ctrl is up before the letter
  await client.key(c, false);
  await client.send([5, 1], words(30, 40));
  await client.send([5, 8], words(30, 40));
  await client.key(shift, true);
  await until(() => server.operator.held().length === 1);
  client[Symbol.dispose]();
  await until(() => server.operator.held().length === 0);
  const done = short(server.desktop.log).filter((one) => !one.startsWith("("));
  const typed = done.slice(0, done.indexOf("+ctrl")).join("");
  assertEquals(typed, "Aé€漢");
  assertEquals(done.slice(done.indexOf("+ctrl")), [
    "+ctrl",
    "+c",
    "-ctrl",
    "-c",
    "+left",
    "-left",
    "up 1",
    "+shift",
    "-shift",
  ]);
});

Deno.test("what a slow program copies reaches the viewer", async () => {
  await using server = await rfbServer();
  let reads = 0;
  Object.assign(server.desktop.clipboard, {
    kinds: () => Promise.resolve(["text"]),
    read: () => Promise.resolve({ text: ++reads < 4 ? "old" : "new" }),
  });
  using client = await Client.open(server.port);
  const received = async () => {
    const head = await client.take(8);
    return [head[0], await client.text(uint32(head, 4))];
  };
  assertEquals(await received(), [3, "old"]);
  for (const down of [true, false]) for (const key of [0xffe3, 0x63]) await client.key(key, down);
  assertEquals(await received(), [3, "new"]);
});

Deno.test("with --read-only nothing moves, and the name says so", async () => {
  await using server = await rfbServer(OPEN, true);
  using client = await Client.open(server.port);
  assertEquals(client.name.endsWith("(view only)"), true);
  await client.key(0x61, true);
  await client.send([5, 1], words(30, 40), [6, 0, 0, 0], lengthAndText("copied"));
  await client.request();
  await client.update(); // answered after the input
  assertEquals(short(server.desktop.log), []);
});

for (
  const first of [
    "POST / HTTP/1.1\r\n",
    "GET / HTTP/1.1\r\nUpgrade: websocket\r\n",
    "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\x00",
  ]
) {
  Deno.test(`a connection that begins with ${JSON.stringify(first.slice(0, 12))} ends without an answer`, async () => {
    await using server = await rfbServer();
    using client = await Client.connect(server.port);
    await client.text(12);
    await client.send(new TextEncoder().encode(first));
    assertEquals(await client.isEnded(), true);
    assertEquals(server.runner.pictures.seats.all, []);
  });
}

/**
 * Tries a secret. @returns The types that are offered, and the result: 0 if it is right, otherwise the
 * reason.
 */
async function attempt(
  port: number,
  type: number,
  secret: string,
): Promise<[types: number[], result?: 0 | string]> {
  using client = await Client.connect(port);
  await client.text(12);
  await client.send(new TextEncoder().encode("RFB 003.008\n"));
  const [count] = await client.take(1), types = [...await client.take(count)];
  if (!types.includes(type)) return [types];
  await client.send([type]);
  if (type === 2) await client.send(await vncAuthAnswer(secret, await client.take(16)));
  else if (type === 19) {
    await client.take(2);
    await client.send([0, 2]);
    assertEquals(uint32((await client.take(6)).subarray(2), 0), 256);
    await client.send(longs(256), plainMessage("a user", secret));
  }
  if (uint32(await client.take(4), 0) === 0) return [types, 0];
  return [types, await client.text(uint32(await client.take(4), 0))];
}

Deno.test("wrong secrets are counted; then no password is tried, and the token still works", async () => {
  const door = closedDoor();
  await using server = await rfbServer(door);
  assertEquals(await attempt(server.port, 2, "letmein"), [[2, 19], 0]);
  assertEquals(await attempt(server.port, 19, TOKEN), [[2, 19], 0]);
  assertEquals(door.wrong, 0);
  for (const wrong of ["a", "b", "c"]) {
    assertEquals(await attempt(server.port, 2, wrong), [[2, 19], "the password is wrong"]);
  }
  const tooMany = "too many wrong passwords; try again in 60 s";
  assertEquals(await attempt(server.port, 2, "letmein"), [[2, 19], tooMany]);
  assertEquals(await attempt(server.port, 19, "wrong"), [[2, 19], tooMany]);
  assertEquals(await attempt(server.port, 19, TOKEN), [[2, 19], 0]);
});

Deno.test("a viewer without a free place sees why, whatever its right secret", async () => {
  for (
    const [door, type, secret] of [[OPEN, 1, ""], [closedDoor(), 2, "letmein"], [
      closedDoor(),
      19,
      TOKEN,
    ]] as const
  ) {
    await using server = await rfbServer(door);
    const { seats } = server.runner.pictures;
    const taken = Array.from({ length: 8 }, () => seats.take({ name: "", rights: "all" }));
    const [, why] = await attempt(server.port, type, secret);
    for (const slot of taken) seats.free(slot);
    assertEquals(why, "8 viewers are watching already", `type ${type}`);
    assertEquals((await attempt(server.port, type, secret))[1], 0);
  }
});

/** Messages that end a viewer's connection. */
const WRONG: [name: string, bytes: Uint8Array][] = [
  ["of an unknown type", Uint8Array.of(99)],
  ["with a format of 7 bits", message([0, 0, 0, 0, 7], new Uint8Array(15))],
  ["with a text of 2 GB", message([6, 0, 0, 0], longs(0x7fffffff))],
  ["with a damaged extended text", message([6, 0, 0, 0], longs(-8), longs(1 | 1 << 28), longs(0x12345678))],
];

for (const [name, bytes] of WRONG) {
  Deno.test(`a message ${name} ends only its viewer`, async () => {
    await using server = await rfbServer();
    using other = await Client.open(server.port);
    using client = await Client.open(server.port);
    await client.send(bytes);
    assertEquals(await client.isEnded(), true);
    await other.request();
    await other.update();
  });
}

/** Questions to which a viewer does not read the answers, and what it sends before. */
const ASKING: [name: string, before: Uint8Array, question: Uint8Array][] = [
  ["fences", message(), message([248, 0, 0, 0], longs(0x8000_0000), [64], new Uint8Array(64))],
  [
    "the clipboard's text",
    message(
      [6, 0, 0, 0],
      longs(1024 * 1024),
      new Uint8Array(1024 * 1024).map((_, i) => 0x21 + i * i % 89),
      [2, 0],
      words(1),
      longs(ENCODING.extendedClipboard),
    ),
    message([6, 0, 0, 0], longs(-4), longs(1 | 1 << 25)),
  ],
  ["colour maps", message(), message([0, 0, 0, 0, 8, 8, 0, 0], words(7, 7, 3), [0, 3, 6, 0, 0, 0])],
];

for (const [name, before, question] of ASKING) {
  Deno.test(`a viewer that asks for ${name} and does not read is disconnected`, async () => {
    await using server = await rfbServer();
    using client = await Client.open(server.port);
    await client.send(before);
    const many = message(...new Array(Math.ceil(200_000 / question.length)).fill(question));
    const asking = (async () => {
      for (;;) await client.send(many);
    })().catch(() => {}); // the connection ends
    await until(() => server.ends.includes("the peer requests more than it reads"));
    await asking;
    (await Client.open(server.port))[Symbol.dispose]();
  });
}

Deno.test({
  name: "the system checks whether a silent viewer is still there",
  ignore: Deno.build.os !== "linux",
}, async () => {
  await using server = await rfbServer();
  using _client = await Client.open(server.port);
  const port = server.port.toString(16).toUpperCase().padStart(4, "0");
  const connected = () =>
    Deno.readTextFileSync("/proc/net/tcp").split("\n").map((line) => line.trim().split(/\s+/))
      .find(([, local = "", , state]) => local.endsWith(`:${port}`) && state === "01");
  await until(connected, (row) => row?.[5].startsWith("02:") === true); // the timer of keepalive
});

Deno.test("a flow has one picture ahead for a viewer that asks, and fences for one that does not", () => {
  const sent: number[] = [];
  let acknowledged = 0, fences = 0;
  const flow = new Flow<number>({
    send: (picture) => sent.push(picture),
    acknowledge: () => acknowledged++,
    fence: () => ++fences > 0,
  });
  assertEquals(flow.startOver(), 1);
  flow.made(1); // ahead
  assertEquals([sent, acknowledged], [[], 0]);
  flow.asked();
  assertEquals([sent, acknowledged], [[1], 1]);
  flow.asked();
  flow.made(2);
  assertEquals([sent, acknowledged], [[1, 2], 2]);
  flow.isContinuous = true;
  assertEquals(flow.startOver(), 3);
  flow.made(3);
  assertEquals([sent, acknowledged, fences], [[1, 2, 3], 2, 1]);
  flow.fenced();
  flow.fenced(); // from earlier
  assertEquals(acknowledged, 3);
});

Deno.test("the unused byte of a pixel is 255, since noVNC 1.3 takes it for the opacity", () => {
  const format = { ...NATIVE, shift: [0, 8, 16] } as const, out = new Uint8Array(8);
  assertEquals(pixelWriter(format).put(out, 0, 0x102030), 4);
  pixelWriter({ ...format, isBigEndian: true }).put(out, 4, 0x102030);
  assertEquals([...out], [0x10, 0x20, 0x30, 255, 255, 0x30, 0x20, 0x10]);
});

Deno.test("versions and keysyms follow the protocol", () => {
  const versions = [
    "RFB 003.003\n",
    "RFB 003.005\n",
    "RFB 003.007\n",
    "RFB 003.889\n",
    "RFB 005.000\n",
    "RFB 002.000\n",
  ];
  assertEquals(versions.map(minorOf), [3, 3, 7, 8, 8, undefined]);
  const keysyms = [0xff0d, 0x20, 0x6c1, 0x20ac, 0x101f600, 0xffe7, 0x1008ff99, 0x123];
  const keys = ["enter", " ", "а", "€", "😀", "super", "keysym:0x1008ff99", undefined];
  assertEquals(keysyms.map(keyOfKeysym), keys);
});
