/** Finding pictures over HTTP: places, clicks, and refusals. */

import { assertEquals, assertMatch } from "@std/assert";
import { encodePng } from "../../../control/image/png.ts";
import { controlApi } from "../../support/control.ts";
import { keptFrame } from "../../support/kept_frame.ts";
import { type Bytes, clicked, find, FOUND, frame, picture, RING, wait } from "../../support/pictures.ts";

Deno.test("a picture cut from the screen is found where it was cut, as PNG and as BMP", async () => {
  const { api, png } = await clicked();
  assertEquals(await find(api, png), { status: 200, matches: [FOUND] });
  assertEquals(await find(api, await picture(api, RING, "bmp")), { status: 200, matches: [FOUND] });
});

Deno.test("a picture is looked for in the region that is given, in pixels of the desktop", async () => {
  const { api, png } = await clicked();
  for (
    const [query, matches] of [
      ["?x=280&y=180", [FOUND]],
      ["?x=280&y=180&width=40&height=30", [FOUND]],
      ["?x=200&y=100&width=300&height=300&limit=9", [FOUND]],
      ["?x=281", []],
      ["?y=181", []],
      ["?width=319", []],
      ["?height=209", []],
    ] as const
  ) {
    assertEquals(await find(api, png, query), { status: 200, matches }, query);
  }
});

Deno.test("limit is how many places are returned, the best first, equal ones in reading order", async () => {
  const api = controlApi();
  for (const x of [700, 500, 300]) await api.operator.click({ x, y: 200 }, "left");
  const png = await picture(api);
  const places = async (query: string) =>
    (await find(api, png, query)).matches.map(({ x, y }: { x: number; y: number }) => [x, y]);
  // A line of the background crosses the ring at 500.
  assertEquals(await places("?limit=100&match=0.8"), [[280, 180], [680, 180], [480, 180]]);
  assertEquals(await places("?limit=100"), [[280, 180], [680, 180]]);
  assertEquals(await places("?match=0.8"), [[280, 180]]);
});

Deno.test("tolerance allows for other colours, match for other pixels, and best returns the nearest place", async () => {
  const { api } = await clicked();
  const taken = await keptFrame(api.desktop.screen, RING, false);
  const shade = { ...taken, pixels: taken.pixels.map((byte) => byte < 250 ? byte + 5 : byte) };
  const shaded = await encodePng(shade);
  assertEquals((await find(api, shaded)).matches, []);
  assertEquals((await find(api, shaded, "?tolerance=4")).matches, []);
  assertEquals((await find(api, shaded, "?tolerance=5")).matches, [FOUND]);
  const changed = taken.pixels.slice();
  for (let row = 0; row < 3; row++) changed.fill(255, row * taken.stride, (row + 1) * taken.stride);
  const spoilt = await encodePng({ ...taken, pixels: changed });
  assertEquals(await find(api, spoilt), { status: 200, matches: [] });
  const { best } = await find(api, spoilt, "?best=true");
  assertEquals([best.x, best.y, best.match > 0.5 && best.match < 1], [RING.x, RING.y, true]);
  const found = await find(api, spoilt, `?match=${best.match}&best=true`);
  assertEquals(found, { status: 200, matches: [best] });
});

Deno.test("click clicks in the middle of the picture, with any button, as often as asked", async () => {
  const { api, png } = await clicked();
  const before = api.desktop.log.length;
  assertEquals(await find(api, png, "?click=right&count=2"), { status: 200, matches: [FOUND] });
  const button = (down: boolean) => ({ type: "button", button: "right", down, x: 300, y: 195 });
  assertEquals(api.desktop.log.slice(before) as unknown[], [
    { type: "move", x: 300, y: 195 },
    ...[true, false, true, false].map(button),
  ]);
});

Deno.test("nothing is clicked where the picture is not, which is a 404, or a 408 after timeout_ms", async () => {
  const { api, png } = await clicked();
  const before = api.desktop.log.length;
  const absent = { status: 404, error: "the picture is not on the screen" };
  assertEquals(await find(api, png, "?click=left&x=400"), absent);
  const late = { status: 408, error: "the picture did not appear within 20 ms" };
  assertEquals(await find(api, png, "?click=left&x=400&timeout_ms=20"), late);
  assertEquals(api.desktop.log.length, before);
});

Deno.test("under --read-only a picture is found, and not clicked", async () => {
  const { api, png } = await clicked({ readOnly: true });
  const before = api.desktop.log.length;
  assertEquals(await find(api, png), { status: 200, matches: [FOUND] });
  assertEquals((await wait(api, { picture: { png: png.toBase64() } })).status, 200);
  const refused = await find(api, png, "?click=left");
  assertEquals(refused.status, 403);
  assertMatch(refused.error, /--read-only/);
  assertEquals(api.desktop.log.length, before);
});

const PNG_OF_RING = async () => await picture(controlApi());
const REFUSED: [name: string, query: string, file: () => Promise<Bytes>, status: number, error: RegExp][] = [
  ["a body that is no picture", "", () => new Blob(["hello"]).bytes(), 400, /^the body must be the bytes of/],
  [
    "no body",
    "",
    () => new Blob([]).bytes(),
    400,
    /^the body must be the bytes of a PNG or BMP file, or JSON such as/,
  ],
  ["a body of more than 16 MiB", "", () => new Blob([new Uint8Array(2 ** 24 + 1)]).bytes(), 413, /16777216/],
  ["a damaged file", "", async () => (await PNG_OF_RING()).slice(0, 60), 400, /^the PNG cannot be read: /],
  [
    "a picture larger than the region",
    "?width=39",
    PNG_OF_RING,
    400,
    /^the picture \(40x30\) is larger than the region \(39x720\)$/,
  ],
  [
    "a picture larger than the screen",
    "",
    () => Promise.resolve(encodePng(frame(1281, 2, () => 0))),
    400,
    /^the picture \(1281x2\) is larger than the screen \(1280x720\)$/,
  ],
  ["a region off the desktop", "?x=1280", PNG_OF_RING, 400, /^x must be from 0 to 1279/],
  [
    "a tolerance of 256",
    "?tolerance=256",
    PNG_OF_RING,
    400,
    /^tolerance must be a whole number from 0 to 255/,
  ],
  ["a match of 0.4", "?match=0.4", PNG_OF_RING, 400, /^match must be a number from 0.5 to 1, not 0.4$/],
  ["a limit of 101", "?limit=101", PNG_OF_RING, 400, /^limit must be a whole number from 1 to 100/],
  [
    "a wait of 0 ms",
    "?timeout_ms=0",
    PNG_OF_RING,
    400,
    /^timeout_ms must be a whole number from 1 to 600000/,
  ],
  ["gone without timeout_ms", "?gone=true", PNG_OF_RING, 400, /^Missing timeout_ms: gone waits$/],
  ["a misspelt field", "?clik=left", PNG_OF_RING, 400, /^clik is unknown: did you mean click\?$/],
  ["an unknown button", "?click=both", PNG_OF_RING, 400, /^click must be one of left, middle, right/],
  ["a count without click", "?count=2", PNG_OF_RING, 400, /^Missing click: count is of clicks$/],
  [
    "a click after half a minute",
    "?click=left&timeout_ms=30001",
    PNG_OF_RING,
    400,
    /^timeout_ms may be at most 30000 with click/,
  ],
  ["click and gone", "?click=left&gone=true&timeout_ms=1", PNG_OF_RING, 400, /^click and gone cannot both/],
  ["click and limit", "?click=left&limit=2", PNG_OF_RING, 400, /^click and limit cannot both be given$/],
];

for (const [name, query, file, status, error] of REFUSED) {
  Deno.test(`${name} is refused with ${status}`, async () => {
    const api = controlApi();
    const answer = await find(api, await file(), query);
    assertEquals([Object.keys(answer), answer.status], [["status", "error"], status]);
    assertMatch(answer.error, error);
    assertEquals([api.desktop.log, api.reported], [[], []]);
  });
}

Deno.test("wait refuses what is no picture in base64, and says which field", async () => {
  const api = controlApi();
  for (const png of ["not base64!", btoa("hello"), 5, ""]) {
    const { status, error } = await wait(api, { picture: { png } });
    assertEquals(status, 400);
    assertMatch(error, /^picture\.png must be a PNG or BMP file/);
  }
  assertEquals((await wait(api, { picture: {} })).error, "Missing picture.png");
  const both = await wait(api, { change: {}, still: { ms: 5 } });
  assertEquals(both.error, "still and change cannot both be given");
});
