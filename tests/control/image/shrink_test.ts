/** Shrunk pictures. */

import { assert, assertEquals } from "@std/assert";
import type { Frame } from "../../../control/desktop/desktop.ts";
import { shrunk } from "../../../control/image/shrink.ts";
import { readPicture } from "../../../control/image/read_picture.ts";
import { controlApi } from "../../support/control.ts";

/** A limit of bytes that no picture of these tests reaches. */
const WITHIN = { width: 2000, height: 2000 };

/** A frame with `colors` as 0xRRGGBB, with bytes between its rows and noise in every fourth byte. */
function frameOf(width: number, colors: number[], gap = 4): Frame {
  const height = colors.length / width, stride = width * 4 + gap;
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

Deno.test("each pixel of a shrunk picture is the average of the area that it covers", () => {
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
