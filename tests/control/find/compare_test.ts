/** The screen is compared with earlier screenshots: whole, in parts, with masks, and with a timeout. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { readPicture } from "../../../control/image/read_picture.ts";
import type { VirtualDesktop } from "../../../ffi/virtual/mod.ts";
import { type ControlApi, controlApi } from "../../support/control.ts";
import { type Bytes, picture } from "../../support/pictures.ts";

type Api = ControlApi<VirtualDesktop>;
const SIZE = { width: 1280, height: 720 };
const WHOLE = { x: 0, y: 0, ...SIZE };

/** A desk without its clock, which changes by itself. */
function desk(): Api {
  const api = controlApi();
  for (const window of api.desktop.windows.all.slice()) {
    if (window.program.title === "Clock") window.close();
  }
  return api;
}

async function compare(api: Api, png: Bytes, query: Record<string, unknown> = {}) {
  const words = Object.entries(query).map(([name, value]) => [name, String(value)]);
  const answer = await api.request("POST", `/api/compare?${new URLSearchParams(words)}`, undefined, {
    body: png,
  });
  return { status: answer.status, ...await answer.json() };
}

Deno.test("an unchanged screen is the same, and a click's mark is a difference with its position", async () => {
  const api = desk(), before = await picture(api, WHOLE);
  const { same, pixels, share, regions } = await compare(api, before);
  assertEquals({ same, pixels, share, regions }, { same: true, pixels: 0, share: 0, regions: [] });
  await api.operator.click({ x: 150, y: 600 }, "left");
  const after = await compare(api, before);
  assertEquals([after.same, after.pixels > 0, after.share > 0], [false, true, true]);
  assertEquals(after.regions.length, 1);
  const [{ x, y, width, height }] = after.regions;
  assert(x >= 120 && x + width <= 181 && y >= 570 && y + height <= 631, JSON.stringify(after.regions));
  assertEquals((await compare(api, before, { max_pixels: after.pixels })).same, true);
  assertEquals((await compare(api, before, { mask: JSON.stringify(after.regions) })).same, true);
  const left = await picture(api, { x: 0, y: 0, width: 600, height: 400 });
  assertEquals((await compare(api, left, { width: 600, height: 400 })).same, true);
});

Deno.test("a window is compared wherever it is, with an element masked", async () => {
  const api = desk();
  const before = await windowPicture(api, "Form");
  await api.request("POST", "/api/window/place", { title: "Form", x: 850, y: 30 });
  assertEquals((await compare(api, before, { window: "Form" })).same, true);
  await api.request("POST", "/api/element/set", {
    title: "Form",
    role: "textbox",
    name: "Name",
    text: "Ann",
  });
  const element = 'textbox "Name" in "Form"';
  assertEquals((await compare(api, before, { window: "Form" })).same, false);
  const masked = await compare(api, before, { window: "Form", mask: element });
  assert(masked.pixels < (await compare(api, before, { window: "Form" })).pixels);
});

async function windowPicture(api: Api, title: string): Promise<Bytes> {
  const { windows: [{ id }] } = await (await api.request("GET", `/api/windows?title=${title}`)).json();
  return await (await api.request("GET", `/api/screenshot?format=png&window=${id}`)).bytes();
}

Deno.test("images of different sizes differ, and the answer names both sizes", async () => {
  const api = desk(), part = await picture(api, { x: 0, y: 0, width: 100, height: 50 });
  const { same, expected, actual, pixels } = await compare(api, part, { width: 120, height: 50 });
  assertEquals({ same, expected, actual }, {
    same: false,
    expected: { width: 100, height: 50 },
    actual: { width: 120, height: 50 },
  });
  assert(pixels > 0 && pixels <= 20 * 50, `${pixels}`);
});

Deno.test("returns images of the screen and of the differences, with counted pixels in red", async () => {
  const api = desk(), before = await picture(api, WHOLE);
  await api.operator.click({ x: 150, y: 600 }, "left");
  const { pixels, actual_png, difference_png } = await compare(api, before, { pictures: true });
  const now = readPicture(Uint8Array.fromBase64(actual_png), SIZE);
  assertEquals(now.pixels, readPicture(await picture(api, WHOLE), SIZE).pixels);
  const shown = readPicture(Uint8Array.fromBase64(difference_png), SIZE);
  assertEquals(shown.pixels.filter((color) => color === 0xff0000).length, pixels);
  const answer = await api.request("POST", "/api/compare?format=png", undefined, { body: before });
  assertEquals(answer.headers.get("content-type"), "image/png");
  assertEquals(readPicture(await answer.bytes(), SIZE).pixels, shown.pixels);
});

Deno.test("with timeout_ms the screen is polled until it is the same", async () => {
  const api = desk(), before = await picture(api, WHOLE);
  const place = (x: number, y: number) => api.request("POST", "/api/window/place", { title: "Form", x, y });
  await place(40, 60);
  const late = await compare(api, before, { timeout_ms: 120 });
  assertEquals([late.same, late.ms >= 120], [false, true]);
  const waiting = compare(api, before, { timeout_ms: 60_000 });
  assertEquals((await compare(api, before)).same, false); // the wait has begun: comparisons take turns
  await place(868, 186);
  assertEquals((await waiting).same, true);
});

const REFUSED: [body: Bytes | string, query: Record<string, unknown>, status: number, message: RegExp][] = [
  ["no picture", {}, 400, /^the body must be the bytes of a PNG or BMP file$/],
  ["", {}, 400, /^the body must be the bytes of a PNG or BMP file$/],
  ["PNG", { window: "Nowhere" }, 404, /^no window matches title "Nowhere"$/],
  ["PNG", { window: "Form", x: 3 }, 400, /^window and a region cannot both be given$/],
  ["PNG", { element: 'button "Save" in "Form"', window: "Form" }, 400, /^element and window cannot both/],
  ["PNG", { mask: "[" }, 400, /^mask must be a description or JSON/],
  ["PNG", { mask: '[{"x":1,"y":1,"width":0,"height":1}]' }, 400, /^mask\[0\]\.width must be a whole number/],
  ["PNG", { mask: JSON.stringify(Array(101).fill("e1")) }, 400, /^mask must have at most 100 entries$/],
  ["PNG", { threshold: 2 }, 400, /^threshold must be a number from 0 to 1/],
];

Deno.test("what cannot be compared is refused with the reason", async () => {
  const api = desk(), png = await picture(api, { x: 0, y: 0, width: 10, height: 10 });
  for (const [body, query, status, message] of REFUSED) {
    const bytes = body === "PNG" ? png : new TextEncoder().encode(body as string);
    const answer = await compare(api, bytes, query);
    assertEquals(answer.status, status, JSON.stringify(query));
    assertMatch(answer.error, message);
  }
});
