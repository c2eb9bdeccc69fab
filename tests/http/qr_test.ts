/** QR codes, read back by a decoder. */

import { assertEquals } from "@std/assert";
import { phoneUrlOf } from "../../http/listener.ts";
import { qrTerminal } from "../../http/qr.ts";
import { readTerminalQr } from "../support/browser.ts";

const LINK = `http://192.168.100.5:4000/#token=${"aB3-_.~".repeat(7)}`;
const WIDE = { color: false, columns: 80 };

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
