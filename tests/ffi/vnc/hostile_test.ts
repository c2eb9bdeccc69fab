/** Misbehaving VNC servers: each fails with one sentence, in bounded time and memory. */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { NoDesktopError } from "../../../core/errors.ts";
import { nodeModule } from "../../../core/path.ts";
import { openVnc, type VncDesktop } from "../../../ffi/vnc/mod.ts";
import { Silence } from "../../../ffi/vnc/receiver.ts";
import { formatBytes, NATIVE } from "../../../rfb/pixel_format.ts";
import { ENCODING, lengthAndText, longs, message, rectangleHead, words } from "../../../rfb/protocol.ts";
import { until } from "../../support/shell.ts";

const SIZE = { width: 64, height: 48 };
const text = (value: string) => new TextEncoder().encode(value);
/** A server's handshake up to the security type, and up to the desktop's name. */
const BEGINNING = message(text("RFB 003.008\n"), [1, 1], longs(0));
const init = (width = SIZE.width, height = SIZE.height, name = lengthAndText("a name")) =>
  message(BEGINNING, words(width, height), formatBytes(NATIVE), name);
/** An update with one rectangle. */
const update = (encoding: number, body: Uint8Array | number[] = [], region = { x: 0, y: 0, ...SIZE }) =>
  message([0, 0, 0, 1], rectangleHead(region, encoding), body);
const packed = (bytes: Uint8Array) => {
  const piece = new Uint8Array(nodeModule("node:zlib").deflateSync(bytes));
  return message(longs(piece.length), piece);
};
const PIXELS = new Uint8Array(4 * SIZE.width * SIZE.height).fill(7);
const PAINTED = message(init(), update(ENCODING.raw, PIXELS));

/** Sends bytes to each client, then waits or closes the connection. */
function serving(bytes: Uint8Array, ends = false) {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 }), open = new Set<Deno.Conn>();
  const serve = async () => {
    for await (const conn of listener) {
      open.add(conn);
      void conn.write(bytes).catch(() => {}).then(() => ends && conn.close());
      void drain(conn);
    }
  };
  const done = serve();
  return {
    address: `vnc://127.0.0.1:${listener.addr.port}`,
    async [Symbol.asyncDispose]() {
      listener.close();
      for (const conn of open) {
        try {
          conn.close();
        } catch {
          // It has ended.
        }
      }
      await done;
    },
  };
}

async function drain(conn: Deno.Conn): Promise<void> {
  const buffer = new Uint8Array(4096);
  try {
    while (await conn.read(buffer) !== null);
  } catch {
    // It has ended.
  }
}

/** Servers that never show a picture, and the error for each. */
const NEVER: [name: string, bytes: Uint8Array, sentence: RegExp, ends?: boolean][] = [
  ["is silent", new Uint8Array(), /the VNC server is not responding/],
  ["ends immediately", new Uint8Array(), /the VNC server ended the connection/, true],
  ["speaks HTTP", text("HTTP/1.1 400 Bad Request\r\n\r\n"), /it is not a VNC server: it answered "HTTP/],
  [
    "refuses with a reason",
    message(text("RFB 003.008\n"), [0], lengthAndText("too many \x1b[31mviewers")),
    /refused the connection: too many \\u\{1b\}\[31mviewers/,
  ],
  [
    "sends a reason of 4 GB",
    message(text("RFB 003.008\n"), [0], longs(-1), new Uint8Array(5000)),
    /refused the connection/,
  ],
  ["offers unknown security", message(text("RFB 003.008\n"), [2, 5, 129]), /security types 5, 129, none/],
  ["requires a password", message(text("RFB 003.008\n"), [1, 2]), /requires a password/],
  ["has no pixels", init(0, 0), /a screen of 0x0 pixels/],
  ["has too many pixels", init(65535, 65535), /a screen of 65535x65535 pixels/],
  ["has a name of 4 GB", init(64, 48, longs(-1)), /name is 4294967295 bytes long/],
  ["sends an unknown message", message(init(), [77]), /unknown message type 77/],
  ["sends an unknown encoding", message(init(), update(99)), /encoding 99/],
  [
    "draws outside",
    message(init(), update(ENCODING.raw, [], { x: 60, y: 0, ...SIZE })),
    /outside of the picture/,
  ],
  ["copies from outside", message(init(), update(ENCODING.copyRect, words(60, 0))), /outside of the picture/],
  [
    "sends broken zlib",
    message(init(), update(ENCODING.zlib, message(longs(4), [1, 2, 3, 4]))),
    /zlib data/,
  ],
  [
    "sends a decompression bomb",
    message(init(), update(ENCODING.zrle, packed(new Uint8Array(50_000_000)))),
    /more pixels than/,
  ],
  ["compresses 4 GB", message(init(), update(ENCODING.zrle, longs(-1))), /a rectangle of 4294967295 bytes/],
  [
    "sends ZRLE that ends early",
    message(init(), update(ENCODING.zrle, packed(Uint8Array.of(0, 1)))),
    /ZRLE data/,
  ],
  [
    "sends a run that leaves its tile",
    message(init(), update(ENCODING.zrle, packed(new Uint8Array(64).fill(255).fill(128, 0, 1)))),
    /a ZRLE run/,
  ],
  [
    "sends an unknown Tight compression",
    message(init(), update(ENCODING.tight, [0xf0])),
    /Tight's compression 15/,
  ],
  [
    "sends RRE rectangles outside",
    message(init(), update(ENCODING.rre, message(longs(1, 0, 0), words(0, 0, 65, 1)))),
    /outside/,
  ],
  ["sends a text of 2 GB", message(init(), [3, 0, 0, 0], longs(0x7fffffff)), /a text of 2147483647 bytes/],
  [
    "sends a cursor of 4 GB",
    message(init(), update(ENCODING.cursor, [], { x: 0, y: 0, width: 65535, height: 65535 })),
    /a pointer of/,
  ],
  [
    "grows without bound",
    message(init(), update(ENCODING.desktopSize, [], { x: 0, y: 0, width: 65535, height: 65535 })),
    /65535x65535/,
  ],
];

for (const [name, bytes, sentence, ends] of NEVER) {
  Deno.test(`refuses a server that ${name} in one sentence`, async () => {
    await using server = serving(bytes, ends);
    const error = await assertRejects(() => openVnc(server.address, {}, () => {}), NoDesktopError);
    assertMatch(error.message, sentence);
    assertMatch(error.message, /^vnc:\/\/127\.0\.0\.1:\d+: [^\n]+$/);
    assert(Deno.memoryUsage().rss < 1_000_000_000);
  });
}

Deno.test("explains a missing server, and a display number used as a port", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 }), { port } = listener.addr;
  listener.close();
  for (
    const [address, sentence] of [
      [`127.0.0.1:${port}`, /: no VNC server listens on that port$/],
      ["127.0.0.1:1", /: no VNC server listens on that port; display :1 has port 5901$/],
      ["nowhere.invalid", /: there is no host of that name$/],
    ] as const
  ) {
    const error = await assertRejects(() => openVnc(`vnc://${address}`, {}, () => {}), NoDesktopError);
    assertMatch(error.message, sentence);
  }
});

/** Messages after a picture that end the connection. */
const LATER: [name: string, bytes: Uint8Array][] = [
  ["an unknown message", Uint8Array.of(77)],
  ["a rectangle outside", update(ENCODING.raw, [], { x: 1, y: 0, ...SIZE })],
  ["a damaged extended text", message([3, 0, 0, 0], longs(-8), longs(1 | 1 << 28), longs(0x12345678))],
];

for (const [name, bytes] of LATER) {
  Deno.test(`${name} after a picture ends the connection, and affects no other work`, async () => {
    await using server = serving(message(PAINTED, bytes));
    const desktop = await openVnc(server.address, {}, () => {}) as VncDesktop;
    const look = () =>
      desktop.screen.capture({ x: 0, y: 0, width: 1, height: 1 }, false, ({ pixels }) => pixels[0]);
    const shown = () => look().catch((error: Error) => error.message);
    await until(shown, (what) => /is gone \(.+\); waiting/.test(String(what)));
    desktop.close();
  });
}

Deno.test("calls time out on a server that reads no input, while pictures and other work continue", async () => {
  const fence = message([248, 0, 0, 0], longs(0x80000000), [0]);
  await using server = serving(message(PAINTED, fence));
  const desktop = await openVnc(server.address, {}, () => {}) as VncDesktop;
  await until(() => desktop.link.facts.hasFences);
  const began = performance.now(), move = desktop.pointer.move({ x: 1, y: 1 });
  let isOver = false;
  const error = move.then(() => undefined, (error: Error) => error).finally(() => isOver = true);
  for (let i = 0; i < 20; i++) await desktop.screen.picture({ x: 0, y: 0, ...SIZE }, true);
  assert(!isOver, "the pictures have waited for the move");
  assertMatch(String((await error)?.message), /is not responding$/);
  assert(performance.now() - began < 60_000);
  desktop.close();
});

Deno.test("asks a silent server for a pixel, and gives it up if it does not answer", () => {
  const silence = new Silence();
  const STEPS: [seconds: number, "heard" | ReturnType<Silence["at"]>][] = [
    [0, "heard"],
    [9, "fine"],
    [10, "ask"],
    [11, "fine"],
    [12, "heard"], // the pixel
    [21, "fine"],
    [22, "ask"],
    [31, "fine"],
    [32, "gone"],
  ];
  for (const [seconds, expected] of STEPS) {
    if (expected === "heard") silence.heard(seconds * 1000);
    else assertEquals(silence.at(seconds * 1000), expected, `${seconds} s`);
  }
});
