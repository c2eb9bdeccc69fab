/**
 * Small pictures: made of the right files, once, kept within limits, and replaced by the file where none can be made.
 */

import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { makeThumbnail, orientationOf, upright } from "../../cli/thumbnails/work.ts";
import { readPicture } from "../../control/image/read_picture.ts";
import { openJpegReader } from "../../ffi/jpeg.ts";
import { ThumbnailStore } from "../../files/thumbnails/thumbnails.ts";
import { served } from "../support/files.ts";
import { need } from "../support/need.ts";
import { mustRun } from "../support/shell.ts";
import { temporary } from "../support/temporary.ts";

const SMALL = new Uint8Array([0xff, 0xd8, 1, 2, 3]);

/** A picture of 1200x600, red on the left and blue on the right, written by ImageMagick. */
async function picture(folder: string, name: string, ...options: string[]): Promise<Uint8Array<ArrayBuffer>> {
  const halves = ["(", "-size", "600x600", "xc:red", "xc:blue", "+append", ")"];
  await mustRun("convert", [...halves, ...options, join(folder, name)]);
  return await Deno.readFile(join(folder, name));
}

/** The colour in the middle of the left and of the right half, roughly: its largest part. */
function halves(file: Uint8Array<ArrayBuffer>): string {
  const jpeg = file[0] === 0xff ? openJpegReader()!(file, 480, 1e6)! : undefined;
  const { width, height } = jpeg ?? readPicture(file, { width: 480, height: 480 });
  const pixels = jpeg
    ? new Uint32Array(jpeg.pixels.buffer)
    : readPicture(file, { width: 480, height: 480 }).pixels;
  const at = (x: number) => pixels[(height >> 1) * width + x];
  return [at(width >> 2), at(width - (width >> 2))]
    .map((pixel) => (pixel >> 16 & 255) > 128 ? "red" : (pixel & 255) > 128 ? "blue" : "other").join(" ") +
    ` ${width}x${height}`;
}

Deno.test({ ...need("convert"), name: "PNG, BMP and JPEG become small pictures, others none" }, async () => {
  await temporary(async (folder) => {
    for (const name of ["a.png", "a.bmp", ...openJpegReader() ? ["a.jpg"] : []]) {
      assertEquals(halves(makeThumbnail(await picture(folder, name))!), "red blue 480x240", name);
    }
    assertEquals(makeThumbnail(new TextEncoder().encode("no picture")), undefined);
    const cut = await picture(folder, "b.png");
    assertEquals(makeThumbnail(cut.slice(0, 100)), undefined);
    assertEquals(makeThumbnail(await picture(folder, "tiny.png", "-resize", "100x50")), undefined);
    const huge = await picture(folder, "huge.png", "-filter", "point", "-resize", "8000x4000!");
    assertEquals(makeThumbnail(huge), undefined); // 32 million pixels
  });
});

Deno.test("pixels are turned as a photograph says", () => {
  const rows = (width: number, pixels: number[]) => ({
    width,
    height: pixels.length / width,
    stride: width * 4,
    pixels: new Uint8Array(Uint32Array.from(pixels).buffer),
  });
  const shown = (orientation: number) => {
    const { width, pixels } = upright(rows(3, [1, 2, 3, 4, 5, 6]), orientation);
    return [width, ...new Uint32Array(pixels.buffer)].join(" ");
  };
  // The table of Exif 2.32: where the first row and the first column of what is stored are seen.
  const cases = [
    "3 1 2 3 4 5 6",
    "3 3 2 1 6 5 4",
    "3 6 5 4 3 2 1",
    "3 4 5 6 1 2 3",
    "2 1 4 2 5 3 6",
    "2 4 1 5 2 6 3",
    "2 6 3 5 2 4 1",
    "2 3 6 2 5 1 4",
  ];
  for (const [i, expected] of cases.entries()) assertEquals(shown(i + 1), expected, `orientation ${i + 1}`);
  // A segment of Exif with one entry, in both orders of bytes.
  const little = "4949 2a00 08000000 0100 1201 0300 01000000 0600 0000",
    big = "4d4d 002a 00000008 0001 0112 0003 00000001 0008 0000";
  for (const [exif, expected] of [[little, 6], [big, 8]] as const) {
    const body = Uint8Array.fromHex(`457869660000${exif.replaceAll(" ", "")}`);
    const file = new Uint8Array([0xff, 0xd8, 0xff, 0xe1, 0, body.length + 2, ...body]);
    assertEquals(orientationOf(file), expected);
    assertEquals(orientationOf(file.slice(0, 20)), 1); // cut short
  }
});

Deno.test("a small picture is made once, also over a new start, and never of what is not served", async () => {
  await temporary(async (folder) => {
    let made = 0;
    const options = {
      thumbnails: {
        takes: (name: string) => name.endsWith(".jpg"),
        make: () => (made++, Promise.resolve(SMALL)),
      },
      thumbnailFolder: () => `${folder}/small`,
    };
    await served(async (root, ask) => {
      Deno.writeTextFileSync(`${root}/a.jpg`, "x".repeat(100_000));
      Deno.writeTextFileSync(`${root}/b.txt`, "text");
      const all = await Promise.all([1, 2, 3].map(() => ask("/a.jpg?thumbnail=1a")));
      for (const answer of all) assertEquals(new Uint8Array(await answer.arrayBuffer()), SMALL);
      assertEquals(all[0].headers.get("content-type"), "image/jpeg");
      assertEquals(all[0].headers.get("cache-control"), "private, max-age=86400, immutable");
      assertEquals((await ask("/a.jpg?thumbnail")).headers.get("cache-control"), "no-cache");
      assertEquals(made, 1);
      assertEquals(await (await ask("/b.txt?thumbnail")).text(), "text");
      assertEquals((await ask("/gone.jpg?thumbnail")).status, 404);
      const gallery = await (await ask("/?view=gallery")).text();
      assert(/<img src="\.\/a\.jpg\?thumbnail=\w+"/.test(gallery), gallery);
      Deno.writeTextFileSync(`${root}/a.jpg`, "y".repeat(100_001));
      await (await ask("/a.jpg?thumbnail")).bytes();
      assertEquals(made, 2); // another version
      const { createFilesHandler } = await import("../../files/handler.ts");
      const again = createFilesHandler({ root, ...options });
      const peer = { remoteAddr: { hostname: "127.0.0.1", port: 1, transport: "tcp" as const } };
      const answer = await again(new Request("http://localhost/a.jpg?thumbnail"), peer as never);
      assertEquals(await answer.bytes(), SMALL);
      assertEquals(made, 2); // it was on the disk
    }, options);
    assertEquals((Deno.statSync(`${folder}/small`).mode! & 0o777).toString(8), "700");
  });
});

Deno.test("small pictures on disk stay within their bound", async () => {
  await temporary(async (folder) => {
    const store = new ThumbnailStore(() => `${folder}/small`, 1000, 500);
    for (let i = 0; i < 30; i++) await store.put(`k${i}`, new Uint8Array(100));
    const left = [...Deno.readDirSync(`${folder}/small`)].length;
    assert(left >= 5 && left <= 10, `${left} are left`);
    assertEquals((await store.get("k29"))?.length, 100);
    const none = new ThumbnailStore(() => undefined);
    await none.put("a", SMALL);
    assertEquals(await none.get("a"), undefined);
  });
});
