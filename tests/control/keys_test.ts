/** The key table and the parser of combinations. */

import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import type { Frame } from "../../control/desktop/desktop.ts";
import { canonicalKey, KEYS, parseCombination } from "../../control/desktop/keys.ts";
import { encodePng } from "../../control/image/png.ts";
import { bmpOfPng, pngOfBmp, readBmp, readPicture } from "../../control/image/read_picture.ts";
import { readPng } from "../../control/image/read_png.ts";
import { shrunk } from "../../control/image/shrink.ts";
import { InputError, StateError } from "../../core/errors.ts";
import { VirtualDesktop } from "../../ffi/virtual/mod.ts";
import { controlApi } from "../support/control.ts";

const COMBINATIONS: [text: string, keys: string[]][] = [
  ["a", ["a"]],
  ["A", ["A"]],
  ["é", ["é"]],
  ["😀", ["😀"]],
  ["F5", ["f5"]],
  ["Return", ["enter"]],
  ["ctrl+shift+t", ["ctrl", "shift", "t"]],
  ["Ctrl+Shift+T", ["ctrl", "shift", "t"]],
  ["control+alt+Delete", ["ctrl", "alt", "delete"]],
  ["ctrl + c", ["ctrl", "c"]],
  ["+", ["+"]],
  ["plus", ["+"]],
  ["ctrl++", ["ctrl", "+"]],
  ["ctrl+plus", ["ctrl", "+"]],
  ["ctrl+minus", ["ctrl", "-"]],
  ["ctrl+-", ["ctrl", "-"]],
  ["super+Page_Up", ["super", "pageup"]],
];

Deno.test("combinations are read as people write them", () => {
  for (const [text, keys] of COMBINATIONS) assertEquals(parseCombination(text), keys, text);
});

const WRONG: [text: string, message: string][] = [
  ["", "empty part"],
  ["ctrl+", "empty part"],
  ["+a", "empty part"],
  ["ctrl++a", "empty part"],
  ["banana", 'unknown key, "banana"'],
  ["ctrl+bananas", 'unknown key, "bananas"'],
  ["\u0007", "unknown key"],
  ["ctrl+ctrl", 'contains "ctrl" twice'],
  ["ctrl+control", 'contains "ctrl" twice'],
];

Deno.test("an invalid combination is refused by name", () => {
  for (const [text, message] of WRONG) assertThrows(() => parseCombination(text), InputError, message, text);
});

Deno.test("function keys go from f1 to f24, in the order of X11 and Windows", () => {
  const functionKeys = KEYS.filter(({ name }) => /^f\d+$/.test(name));
  assertEquals(functionKeys.map(({ name }) => name), Array.from({ length: 24 }, (_, i) => `f${i + 1}`));
  // XK_F1 and XK_F24 (keysymdef.h), VK_F1 and VK_F24 (winuser.h)
  assertEquals([functionKeys[0].keysym, functionKeys[23].keysym], [0xffbe, 0xffd5]);
  assertEquals([functionKeys[0].vk, functionKeys[23].vk], [0x70, 0x87]);
});

Deno.test("no two keys share a name", () => {
  const names = KEYS.flatMap(({ name, aliases }) => [name, ...aliases]);
  assertEquals(names.filter((name, i) => names.indexOf(name) !== i), []);
  for (const { name } of KEYS) assertEquals(canonicalKey(name.toUpperCase()), name);
});

/** Names as xdotool, PyAutoGUI and nut.js write them. */
const FOREIGN: [name: string, key: string][] = [
  ["slash", "/"],
  ["Slash", "/"],
  ["bracketleft", "["],
  ["LeftBracket", "["],
  ["eacute", "é"],
  ["Eacute", "É"],
  ["EuroSign", "€"],
  ["U20AC", "€"],
  ["U+1F600", "😀"],
  ["grave", "`"],
  ["apostrophe", "'"],
  ["multiply", "×"],
  ["KP_Multiply", "kpmultiply"],
  ["KP_0", "kp0"],
  ["num0", "kp0"],
  ["Num0", "0"],
  ["NumPad0", "kp0"],
  ["ctrlleft", "ctrl"],
  ["LeftControl", "ctrl"],
  ["altright", "rightalt"],
  ["winleft", "super"],
  ["Meta_L", "super"],
  ["prtsc", "printscreen"],
  ["Sys_Req", "printscreen"],
  ["AudioMute", "volumemute"],
  ["Prior", "pageup"],
  ["Return", "enter"],
];
for (const [name, key] of FOREIGN) {
  Deno.test(`the key name ${name} means ${key}`, () => {
    assertEquals(canonicalKey(name), key);
  });
}

Deno.test("a name that differs only in case from another character's is used as written", () => {
  assertEquals(["agrave", "Agrave", "AGRAVE", "thorn", "THORN", "eth", "ETH"].map(canonicalKey), [
    "à",
    "À",
    undefined,
    "þ",
    "Þ",
    "ð",
    "Ð",
  ]);
  assertEquals(["U0007", "U110000", "U202E", "Udead"].map(canonicalKey), [
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  assertEquals(parseCombination("ctrl+slash"), ["ctrl", "/"]);
});

// Waiting for the screen, and screenshots in flight.

Deno.test("wait sees a pixel change and a region come to rest", async () => {
  const { request, desktop } = controlApi();
  const before = await (await request("GET", "/api/pixel?x=308&y=200")).json();
  assertEquals(before.hex, "#3f6276");
  const waiting = request("POST", "/api/wait", { pixel: { x: 308, y: 200, hex: "4FC3F7", tolerance: 3 } });
  await request("POST", "/api/click", { x: 300, y: 200, button: "left" });
  assertEquals((await (await waiting).json()).ok, true);
  assertEquals(await (await request("GET", "/api/pixel?x=308&y=200")).json(), {
    r: 0x4f,
    g: 0xc3,
    b: 0xf7,
    hex: "#4fc3f7",
  });
  // Off by 0x20 at most; one less is too strict.
  const near = { x: 308, y: 200, hex: "#2fe3d7" };
  assertEquals((await request("POST", "/api/wait", { pixel: { ...near, tolerance: 0x20 } })).status, 200);
  const tooFar = { pixel: { ...near, tolerance: 0x1f }, timeout_ms: 20 };
  assertEquals((await request("POST", "/api/wait", tooFar)).status, 408);
  const still = await request("POST", "/api/wait", { still: { ms: 50, x: 0, y: 0, width: 10, height: 10 } });
  const answer = await still.json();
  assert(answer.ms >= 50, `${answer.ms}`);
  // A region that keeps changing never comes to rest.
  const timer = setInterval(() => desktop.keyboard.type("x"), 5);
  const restless = await request("POST", "/api/wait", { still: { ms: 200 }, timeout_ms: 600 });
  clearInterval(timer);
  assertEquals(restless.status, 408);
});

Deno.test("waiting for the screen to come to rest survives a change of its size", async () => {
  const desktop = new VirtualDesktop(), screen = desktop.screen.layout();
  let height = screen.height;
  desktop.screen.layout = () => ({ ...screen, height });
  const take = desktop.screen.take.bind(desktop.screen);
  desktop.screen.take = (region, cursor) => {
    const frame = take(region, cursor);
    height = 600; // from the second look on
    return frame;
  };
  const { request } = controlApi({ desktop });
  assertEquals((await request("POST", "/api/wait", { still: { ms: 50 } })).status, 200);
  const outside = await request("POST", "/api/wait", { still: { ms: 50, y: 100, height: 501 } });
  assertEquals(outside.status, 400);
});

Deno.test("BMPs in flight are bounded, and an abandoned one frees its place", async () => {
  const api = controlApi();
  const ask = () => api.request("GET", "/api/screenshot?width=2&height=2");
  const answers: Response[] = [];
  let refused = await ask();
  // Answers that other tests left unread are in flight too.
  while (refused.status === 200 && answers.push(refused) <= 64) refused = await ask();
  assertEquals([refused.status, Object.keys(await refused.json())], [503, ["error"]]);
  assert(answers.length > 8, `${answers.length}`);
  await answers.pop()!.body!.cancel(); // its client has gone
  answers.push(await ask());
  for (const answer of answers) assertEquals((await answer.bytes()).length, 66 + 16);
  assertEquals((await (await ask()).bytes()).length, 66 + 16);
});

// Shrunk screenshots.

/** A byte limit that no screenshot of these tests reaches. */
const WITHIN = { width: 2000, height: 2000 };

/** A frame with `colors` as 0xRRGGBB, with bytes between its rows and noise in every fourth byte. */
function frameOf(width: number, colors: number[]): Frame {
  const height = colors.length / width, stride = width * 4 + 4;
  const pixels = new Uint8Array(height * stride).fill(0xee);
  colors.forEach((color, i) => {
    const at = Math.floor(i / width) * stride + i % width * 4;
    pixels.set([color & 255, color >> 8 & 255, color >> 16, i * 31 & 255], at);
  });
  return { width, height, stride, pixels };
}

function colorsOf({ width, height, stride, pixels }: Frame): number[] {
  return Array.from({ length: width * height }, (_, i) => {
    const at = Math.floor(i / width) * stride + i % width * 4;
    return pixels[at + 2] << 16 | pixels[at + 1] << 8 | pixels[at];
  });
}

Deno.test("each pixel of a shrunk screenshot is the average of the area that it covers", () => {
  const frame = frameOf(4, [0xff0000, 0x0000ff, 0, 0xffffff, 0x00ff00, 0, 0xffffff, 0]);
  assertEquals(colorsOf(shrunk(frame, { width: 2, height: 1 })), [0x404040, 0x808080]);
  const three = frameOf(3, [0, 0x606060, 0xc0c0c0]);
  assertEquals(colorsOf(shrunk(three, { width: 2, height: 1 })), [0x202020, 0xa0a0a0]);
});

Deno.test("one colour stays that colour at every size", () => {
  for (const [width, height] of [[1000, 3], [97, 89], [641, 480]]) {
    for (const color of [0xffffff, 0x123456, 0xfe01ff]) {
      const frame = frameOf(width, new Array(width * height).fill(color));
      for (const ratio of [1, 1.003, 1.32, 2, 3.7, 96]) {
        const size = { width: Math.ceil(width / ratio), height: Math.ceil(height / ratio) };
        assertEquals([...new Set(colorsOf(shrunk(frame, size)))], [color]);
      }
    }
  }
});

Deno.test("a screenshot with max_edge is shrunk to it in both formats, and never enlarged", async () => {
  const { request } = controlApi();
  const pictures = [];
  for (const format of ["bmp", "png"]) {
    const answer = await request("GET", `/api/screenshot?format=${format}&max_edge=640`);
    assertEquals([answer.status, answer.headers.get("content-type")], [200, `image/${format}`]);
    pictures.push(await readPicture(await answer.bytes(), WITHIN));
  }
  assertEquals(pictures.map(({ width, height }) => [width, height]), [[640, 360], [640, 360]]);
  assertEquals(pictures[0].pixels, pictures[1].pixels);
  assert(new Set(pictures[0].pixels).size > 1, "the grid is lost");
  for (const format of ["bmp", "png"]) {
    const answer = await request("GET", `/api/screenshot?format=${format}&width=30&height=20&max_edge=1568`);
    const { width, height } = await readPicture(await answer.bytes(), WITHIN);
    assertEquals([width, height], [30, 20]);
  }
  const wrong = await request("GET", "/api/screenshot?max_edge=3");
  assertEquals([wrong.status, await wrong.json()], [400, {
    error: "max_edge must be a whole number from 16 to 32768, not 3",
  }]);
});

// Clipboard images as PNG and BMP files.

const PIXELS = [0xff0000, 0x00ff00, 0x0000ff, 0x000000, 0xffffff, 0x123456];
const frame = (pixels: number[], width: number) => ({
  width,
  height: pixels.length / width,
  stride: width * 4,
  pixels: new Uint8Array(Uint32Array.from(pixels).buffer),
});

/** 2x1 with alpha: red, and an invisible green; made by ImageMagick. */
const TRANSPARENT = Uint8Array.fromBase64(
  "iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAYAAAD0In+KAAAABGdBTUEAALGPC/xhBQAAACBjSFJNAAB6JgAAgIQAAPoAAACA6AAAdTAAAOpgAAA6mAAAF3CculE8AAAABmJLR0QA/wD/AP+gvaeTAAAAB3RJTUUH6gsWAA8Q44anvQAAABBjYU52AAAAAQAAAAEAAAAAAAAAAJnb6moAAAARSURBVAjXY/jPwPCf4T8DAwAP+QL+aDZ16AAAACV0RVh0ZGF0ZTpjcmVhdGUAMjAyNi0xMS0yMlQwMDoxNToxNiswMDowMBepE+gAAAAldEVYdGRhdGU6bW9kaWZ5ADIwMjYtMTEtMjJUMDA6MTU6MTYrMDA6MDBm9KtUAAAAAElFTkSuQmCC",
);

Deno.test("a PNG becomes a BMP with the same pixels, and back", async () => {
  const png = await encodePng(frame(PIXELS, 3));
  const bmp = bmpOfPng(png);
  assertEquals([...readBmp(bmp).pixels], PIXELS);
  const again = readPng(pngOfBmp(bmp));
  assertEquals([again.width, again.height, ...again.pixels], [3, 2, ...PIXELS]);
});

Deno.test("transparent pixels become white", () => {
  assertEquals([...readBmp(bmpOfPng(TRANSPARENT)).pixels], [0xff0000, 0xffffff]);
});

Deno.test("damaged and very large images are refused before memory is allocated for them", async () => {
  const png = await encodePng(frame(PIXELS, 3));
  assertThrows(() => bmpOfPng(png.subarray(0, 50)), InputError, "cannot read the PNG");
  const bmp = bmpOfPng(png), view = new DataView(bmp.buffer);
  view.setInt32(18, 100_000, true);
  view.setInt32(22, 100_000, true);
  await assertRejects(
    () => Promise.try(() => pngOfBmp(bmp)),
    StateError,
    "cannot convert the picture on the clipboard: the picture (100000x100000) has more than " +
      "33554432 pixels",
  );
});
