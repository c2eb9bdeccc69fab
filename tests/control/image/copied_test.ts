/** Pictures of the clipboard as PNG and BMP files. */

import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { bmpOfPng, pngOfBmp } from "../../../control/image/read_picture.ts";
import { encodePng } from "../../../control/image/png.ts";
import { readBmp } from "../../../control/image/read_bmp.ts";
import { readPng } from "../../../control/image/read_png.ts";
import { InputError, StateError } from "../../../core/errors.ts";

const PIXELS = [0xff0000, 0x00ff00, 0x0000ff, 0x000000, 0xffffff, 0x123456];
const frame = (pixels: number[], width: number) => ({
  width,
  height: pixels.length / width,
  stride: width * 4,
  pixels: new Uint8Array(Uint32Array.from(pixels).buffer),
});

/** 2x1 with alpha: red, and green that is not seen; made by ImageMagick. */
const TRANSPARENT = Uint8Array.fromBase64(
  "iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAYAAAD0In+KAAAABGdBTUEAALGPC/xhBQAAACBjSFJNAAB6JgAAgIQAAPoAAACA6AAAdTAAAOpgAAA6mAAAF3CculE8AAAABmJLR0QA/wD/AP+gvaeTAAAAB3RJTUUH6gsWAA8Q44anvQAAABBjYU52AAAAAQAAAAEAAAAAAAAAAJnb6moAAAARSURBVAjXY/jPwPCf4T8DAwAP+QL+aDZ16AAAACV0RVh0ZGF0ZTpjcmVhdGUAMjAyNi0xMS0yMlQwMDoxNToxNiswMDowMBepE+gAAAAldEVYdGRhdGU6bW9kaWZ5ADIwMjYtMTEtMjJUMDA6MTU6MTYrMDA6MDBm9KtUAAAAAElFTkSuQmCC",
);

Deno.test("a PNG becomes a BMP with the same pixels, and back", async () => {
  const png = await encodePng(frame(PIXELS, 3));
  const bmp = bmpOfPng(png);
  assertEquals([...readBmp(bmp).pixels], PIXELS);
  const again = readPng(await pngOfBmp(bmp));
  assertEquals([again.width, again.height, ...again.pixels], [3, 2, ...PIXELS]);
});

Deno.test("transparent pixels become white", () => {
  assertEquals([...readBmp(bmpOfPng(TRANSPARENT)).pixels], [0xff0000, 0xffffff]);
});

Deno.test("damaged and very large pictures are refused before memory is taken for them", async () => {
  const png = await encodePng(frame(PIXELS, 3));
  assertThrows(() => bmpOfPng(png.subarray(0, 50)), InputError, "the PNG cannot be read");
  const bmp = bmpOfPng(png), view = new DataView(bmp.buffer);
  view.setInt32(18, 100_000, true);
  view.setInt32(22, 100_000, true);
  await assertRejects(
    () => pngOfBmp(bmp),
    StateError,
    "the picture on the clipboard is none that can be converted: the picture (100000x100000) has more than " +
      "33554432 pixels",
  );
});
