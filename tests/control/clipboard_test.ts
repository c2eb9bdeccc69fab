/** The clipboard of a virtual desktop over HTTP. */

import { assertEquals, assertMatch } from "@std/assert";
import { bmpOfPng } from "../../control/image/read_picture.ts";
import { encodePng } from "../../control/image/png.ts";
import { VirtualDesktop } from "../../ffi/virtual/mod.ts";
import { controlApi } from "../support/control.ts";
import { keptFrame } from "../support/kept_frame.ts";

Deno.test("text comes back as it was put, empty text too", async () => {
  const { request } = controlApi();
  const read = async (query = "") => await (await request("GET", `/api/clipboard${query}`)).json();
  assertEquals(await read(), { types: [] });
  for (const text of ["héllo €5 漢字 😀\r\n\t", "", "a".repeat(1_000_000)]) {
    assertEquals((await request("PUT", "/api/clipboard", { text })).status, 200);
    assertEquals(await read(), { text, types: ["text"] });
  }
  assertEquals(await read("?selection=primary"), { types: [] });
  assertEquals((await request("PUT", "/api/clipboard", { text: "p", selection: "primary" })).status, 200);
  assertEquals((await read("?selection=primary")).text, "p");
});

Deno.test("a picture comes back byte for byte, and its first bytes distinguish it from text", async () => {
  const { request } = controlApi();
  const png = await encodePng(
    await keptFrame(new VirtualDesktop().screen, { x: 0, y: 0, width: 9, height: 7 }, false),
  );
  const put = await request("PUT", "/api/clipboard", undefined, { body: png });
  assertEquals(put.status, 200);
  assertEquals(await (await request("GET", "/api/clipboard")).json(), { types: ["png"] });
  const picture = await request("GET", "/api/clipboard?format=png");
  assertEquals(picture.headers.get("content-type"), "image/png");
  assertEquals(await picture.bytes(), png);
  await request("PUT", "/api/clipboard", { text: "x" });
  const none = await request("GET", "/api/clipboard?format=png");
  assertEquals([none.status, (await none.json()).error], [404, "there is no picture on the clipboard"]);
});

Deno.test("a picture that a program gives as a bitmap alone is answered as PNG", async () => {
  const desktop = new VirtualDesktop(), { request } = controlApi({ desktop });
  const png = await encodePng(await keptFrame(desktop.screen, { x: 0, y: 0, width: 9, height: 7 }, false));
  const bmp = bmpOfPng(png), read = (bmp: Uint8Array<ArrayBuffer>) => () => Promise.resolve({ bmp });
  Object.assign(desktop.clipboard, { read: read(bmp) });
  const picture = await request("GET", "/api/clipboard?format=png");
  assertEquals(picture.headers.get("content-type"), "image/png");
  assertEquals(bmpOfPng(await picture.bytes()), bmp);
  Object.assign(desktop.clipboard, { read: read(bmp.subarray(0, 60)) });
  const damaged = await request("GET", "/api/clipboard?format=png");
  assertEquals(damaged.status, 409);
});

const WRONG: [body: unknown, status: number, error: RegExp][] = [
  [{}, 400, /^Missing text$/],
  [{ text: 5 }, 400, /^text must be a text, not 5$/],
  [{ text: "a", selection: "secondary" }, 400, /^selection must be one of clipboard, primary/],
  ["{", 400, /not valid JSON/],
  ["a".repeat(16 * 1024 * 1024 + 1), 413, /larger than the 16777216 bytes/],
];
for (const [body, status, error] of WRONG) {
  Deno.test(`the clipboard refuses ${JSON.stringify(body).slice(0, 40)} with ${status}`, async () => {
    const { request } = controlApi();
    const response = await request("PUT", "/api/clipboard", body);
    assertEquals(response.status, status);
    assertMatch((await response.json()).error, error);
  });
}

Deno.test("a desktop without a clipboard, or without a selection, says so with 409", async () => {
  const desktop = new VirtualDesktop(), { request } = controlApi({ desktop });
  Object.assign(desktop.clipboard, { selections: ["clipboard"] });
  assertEquals((await request("GET", "/api/clipboard?selection=primary")).status, 409);
  Object.assign(desktop, { clipboard: undefined, windows: undefined });
  const missing = await request("GET", "/api/clipboard");
  assertEquals([missing.status, (await missing.json()).error], [
    409,
    "the clipboard of a desktop of kind virtual cannot be reached",
  ]);
  assertEquals((await request("GET", "/api/windows")).status, 409);
});

Deno.test("under --read-only the clipboard is closed both ways", async () => {
  const { request } = controlApi({ readOnly: true });
  assertEquals((await request("GET", "/api/clipboard")).status, 403);
  assertEquals((await request("PUT", "/api/clipboard", { text: "x" })).status, 403);
});
