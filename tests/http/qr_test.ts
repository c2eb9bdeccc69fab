/** QR codes, read back by a decoder. */

import { assertEquals, assertMatch } from "@std/assert";
import decodeQR from "qr/decode";
import { phoneUrlOf } from "../../http/listener.ts";
import { qrSvg, qrTerminal } from "../../http/qr.ts";
import { readTerminalQr } from "../support/browser.ts";

const LINK = `http://192.168.100.5:4000/#token=${"aB3-_.~".repeat(7)}`;
const WIDE = { color: false, columns: 80 };

/** The pixels of an SVG of white and black rectangles, four for each unit. */
function pixelsOf(svg: string) {
  const size = Number(/viewBox="0 0 (\d+) \d+"/.exec(svg)?.[1]), scale = 4, width = size * scale;
  const data = new Uint8Array(width * width * 4).fill(255);
  for (const [, x, y, length] of svg.matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g)) {
    for (let row = Number(y) * scale; row < (Number(y) + 1) * scale; row++) {
      const start = row * width + Number(x) * scale;
      for (let at = start; at < start + Number(length) * scale; at++) data.fill(0, at * 4, at * 4 + 3);
    }
  }
  return { width, height: width, data };
}

Deno.test("an SVG code is read back as its text, black on white with a quiet border", async () => {
  const svg = await qrSvg(LINK);
  assertEquals(decodeQR(pixelsOf(svg)), LINK);
  assertMatch(svg, /^<svg [^>]*><path fill="#fff" d="M0 0h(\d+)v\1H0z"\/>/);
  const columns = Array.from(svg.matchAll(/M(\d+) \d+h\d+v1/g), ([, x]) => Number(x));
  assertEquals(Math.min(...columns), 4);
  assertEquals(svg.includes("aB3"), false); // nothing of the text is markup
});

Deno.test("a code of a terminal is read back as its text, with and without colors", async () => {
  for (const color of [false, true]) {
    const code = await qrTerminal(LINK, { ...WIDE, color });
    assertEquals(readTerminalQr(code!), LINK);
    assertEquals(code!.includes("\x1b["), color);
  }
});

Deno.test("a terminal that is too narrow gets no code", async () => {
  const code = await qrTerminal(LINK, WIDE), columns = code!.split("\n")[0].length;
  assertEquals(await qrTerminal(LINK, { color: false, columns }), code);
  assertEquals(await qrTerminal(LINK, { color: false, columns: columns - 1 }), undefined);
});

Deno.test("only an address beyond loopback is one for a phone", () => {
  const cases: [bound: string, url: string | undefined][] = [
    ["127.0.0.1", undefined],
    ["::1", undefined],
    ["192.168.1.5", "https://192.168.1.5:4000"],
    ["fd00::7", "https://[fd00::7]:4000"],
  ];
  for (const [bound, url] of cases) {
    assertEquals(phoneUrlOf({ scheme: "https", addresses: [bound], port: 4000 }), url, bound);
  }
});
