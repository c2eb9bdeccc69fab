/** RFB fuzz targets: the VNC server with hostile viewers, the back end with hostile servers. */

import { RfbServer } from "../../control/rfb/server.ts";
import { Operator } from "../../control/operator/operator.ts";
import { readCursor } from "../../ffi/vnc/receiver.ts";
import { type ByteReader, Decoder, Raster } from "../../ffi/vnc/encodings.ts";
import { VirtualDesktop } from "../../ffi/virtual/mod.ts";
import { nodeModule } from "../../core/path.ts";
import { readClipboard } from "../../rfb/clipboard.ts";
import { readFormat } from "../../rfb/pixel_format.ts";
import { ENCODING, longs, message, words } from "../../rfb/protocol.ts";
import { StreamEnded } from "../../rfb/stream.ts";
import { OPEN, runnerOf } from "../support/control.ts";
import { mustBe, type Target } from "./target.ts";
import type { Random } from "./values.ts";

const SIZE = { width: 90, height: 70 };
const CURSORS = [ENCODING.cursor, ENCODING.cursorWithAlpha] as const;
const PIXELS = ["raw", "copyRect", "rre", "hextile", "zlib", "tight", "zrle"] as const;

const bytesOf = (random: Random, most: number) =>
  Uint8Array.from(
    { length: random.below(most + 1) },
    () => random.once(2) ? random.below(4) : random.below(256),
  );

/** Length-prefixed bytes, mostly compressed, mostly with the right length. */
function packed(random: Random): Uint8Array {
  const plain = bytesOf(random, 400), zlib = nodeModule("node:zlib");
  const piece = random.once(5) ? plain : new Uint8Array(zlib.deflateSync(plain, { level: random.below(3) }));
  return message(longs(random.once(8) ? random.below(2 ** 31) : piece.length), piece);
}

function readerOf(bytes: Uint8Array): ByteReader {
  let at = 0;
  return {
    take(count) {
      if (at + count > bytes.length) return Promise.reject(new StreamEnded("the end of the case"));
      return Promise.resolve(bytes.subarray(at, at += count));
    },
  };
}

/** A server's rectangles, cursors, formats and texts: each is decoded or refused with a RangeError. */
export function vncServersTarget(): Target {
  return {
    async run(random, note) {
      const decoder = new Decoder(), raster = new Raster(SIZE.width, SIZE.height);
      const region = {
        x: random.below(random.once(6) ? 70_000 : 20),
        y: random.below(20),
        width: random.below(random.once(6) ? 65_536 : 70),
        height: random.below(60),
      };
      const encoding = ENCODING[random.pick(PIXELS)];
      const body = random.once(2) ? packed(random) : bytesOf(random, 2000), reader = readerOf(body);
      note(`encoding ${encoding}, ${JSON.stringify(region)}, ${body.toHex()}`);
      const cases: (() => unknown)[] = [
        () => decoder.draw(encoding, reader, region, raster),
        () => readCursor(reader, region, random.pick(CURSORS)),
        () => readClipboard(random.once(2) ? -body.length : body.length, body),
        () => readFormat(body.length < 16 ? new Uint8Array(16) : body),
      ];
      try {
        await (random.once(4) ? random.pick(cases) : cases[0])();
      } catch (error) {
        mustBe(
          error instanceof RangeError || error instanceof StreamEnded,
          `an internal error: ${Deno.inspect(error)}`,
        );
      } finally {
        decoder.close();
      }
      mustBe(raster.words.length === SIZE.width * SIZE.height, "the picture has another size");
    },
  };
}

/** A viewer's message, valid or not. */
function viewerMessage(random: Random): Uint8Array {
  const makers: (() => Uint8Array)[] = [
    () => message([0, 0, 0, 0], bytesOf(random, 16)),
    () => {
      const list = Array.from({ length: random.below(9) }, () => random.pick(Object.values(ENCODING)));
      return message([2, 0], words(list.length), longs(...list));
    },
    () => message([3, random.below(2)], words(0, 0, random.below(2000), random.below(2000))),
    () =>
      message(
        [4, random.below(2), 0, 0],
        longs(random.pick([0x61, 0xff0d, 0xffe1, 0x1000000 + random.below(0x120000)])),
      ),
    () => message([5, random.below(256)], words(random.below(65_536), random.below(65_536))),
    () => message([6, 0, 0, 0], longs(random.below(200) - 100), bytesOf(random, 100)),
    () => message([150, random.below(2)], words(0, 0, 9, 9)),
    () => message([248, 0, 0, 0], longs(random.below(2 ** 32)), [3], bytesOf(random, 3)),
    () => message([251, 0], words(1, 1), [random.below(3), 0]),
    () => bytesOf(random, 40),
  ];
  return random.pick(makers)();
}

/** Viewers that send anything: the server serves the next one and reports no internal error. */
export function vncViewersTarget(): Target {
  const desktop = new VirtualDesktop(), operator = new Operator(desktop), runner = runnerOf(operator);
  const reported: unknown[] = [],
    server = new RfbServer({ door: OPEN, report: (error) => reported.push(error), ended: () => {} });
  const listening = server.listen("127.0.0.1", 0);
  server.start(runner);
  return {
    async run(random, note) {
      const isGreeting = !random.once(6),
        all = Array.from({ length: random.below(12) }, () => viewerMessage(random));
      const greeting = new TextEncoder().encode("RFB 003.008\n");
      const sent = message(...isGreeting ? [greeting, [1, 1]] : [], ...all);
      note(sent.toHex());
      using conn = await Deno.connect({ hostname: "127.0.0.1", port: await listening });
      mustBe(await conn.read(new Uint8Array(64)) !== null, "the server does not greet");
      await conn.write(sent).catch(() => {}); // the server may have closed the connection
      if (random.once(3)) await conn.read(new Uint8Array(4096)).catch(() => {});
      mustBe(reported.length === 0, `an internal error: ${Deno.inspect(reported[0])}`);
    },
    end() {
      server.close();
      runner.pictures.close();
      operator.close();
      desktop.close();
    },
  };
}
