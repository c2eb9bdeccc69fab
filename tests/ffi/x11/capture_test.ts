/** Pictures of a real X server, compared with those of ImageMagick and xwd. */

import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import type { Frame, Picture } from "../../../control/desktop/desktop.ts";
import { DesktopUnavailableError } from "../../../core/errors.ts";
import { openX11 } from "../../../ffi/x11/mod.ts";
import { isNative, type PixelLayout, toNative } from "../../../ffi/x11/capture.ts";
import { temporary } from "../../support/temporary.ts";
import { need } from "../../support/need.ts";
import { until } from "../../support/until.ts";
import { ownNumber, Xvfb } from "../../support/xvfb.ts";
import { keptFrame } from "../../support/kept_frame.ts";

function rgb({ width, height, stride, pixels }: Frame): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(width * height * 3);
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const from = y * stride + x * 4;
      out[at++] = pixels[from + 2];
      out[at++] = pixels[from + 1];
      out[at++] = pixels[from];
    }
  }
  return out;
}

async function imported(server: Xvfb, crop: string): Promise<Uint8Array> {
  const { stdout } = await new Deno.Command("import", {
    args: ["-window", "root", "-crop", crop, "-depth", "8", "rgb:-"],
    env: server.env,
  }).output();
  return stdout;
}

/** Covers the screen with dots, no two parts of which are alike. All are drawn when xsetroot ends. */
async function drawDots(server: Xvfb, width: number, height: number): Promise<void> {
  await temporary(async (folder) => {
    const file = `${folder}/dots.xbm`;
    await server.run("convert", "-size", `${width}x${height}`, "-seed", "1", "plasma:", file);
    await server.run("xsetroot", "-bitmap", file, "-fg", "#ff8020", "-bg", "#204060");
  });
}

for (
  const [name, depth, args] of [["24 bits", 24, []], ["16 bits", 16, []], ["24 bits without MIT-SHM", 24, [
    "-extension",
    "MIT-SHM",
  ]]] as const
) {
  Deno.test({
    name: `a capture of ${name} has the pixels that import sees`,
    ...need("Xvfb", "import", "convert", "xsetroot"),
  }, async () => {
    await using server = await Xvfb.start({ width: 640, height: 400, depth, args: [...args] });
    const desktop = openX11(server.display);
    await drawDots(server, 640, 400);
    for (const [x, y, width, height] of [[0, 0, 640, 400], [100, 100, 101, 57], [639, 399, 1, 1]]) {
      const seen = await imported(server, `${width}x${height}+${x}+${y}`);
      const ours = rgb(await keptFrame(desktop.screen, { x, y, width, height }, false));
      assertEquals(ours.length, seen.length);
      const worst = ours.reduce((most, byte, i) => Math.max(most, Math.abs(byte - seen[i])), 0);
      assert(worst <= (depth === 16 ? 1 : 0), `off by ${worst}`);
      if (width === 640) assert(new Set(ours).size > 3, "the picture is empty");
    }
    desktop.close();
  });
}

Deno.test(
  {
    name: "a picture stays as it is until it is released, while others are taken",
    ...need("Xvfb", "xsetroot"),
  },
  async () => {
    await using server = await Xvfb.start({ width: 64, height: 48, number: ownNumber() });
    const desktop = openX11(server.display);
    const paint = (color: string) => server.run("xsetroot", "-solid", color);
    const isAll = ({ parts }: Picture, color: number[]) => {
      const seen = [...parts];
      assertEquals(seen.reduce((rows, { height }) => rows + height, 0), 48);
      return seen.every(({ pixels }) => pixels.every((byte, i) => i % 4 === 3 || byte === color[i % 4]));
    };
    const segments = () => [...Deno.readTextFileSync("/proc/self/maps").matchAll(/SYSV/g)].length;
    const before = segments();
    const kept: { picture: Picture; color: number[] }[] = [];
    for (const color of [[0, 0, 255], [0, 255, 0], [255, 0, 0], [255, 255, 0]]) {
      await paint(`#${color.toReversed().map((part) => part.toString(16).padStart(2, "0")).join("")}`);
      kept.push({ picture: await desktop.screen.picture(desktop.screen.layout(), false), color });
    }
    await paint("#123456");
    const more = await Promise.all(
      Array.from({ length: 12 }, () => desktop.screen.picture(desktop.screen.layout(), false)),
    );
    assertEquals(segments() - before, 16);
    const next = await desktop.screen.picture(desktop.screen.layout(), false);
    assertEquals([...next.parts].length, 1, "sixteen are kept, and the next is a copy");
    next.release();
    for (const picture of more) {
      assert(isAll(picture, [0x56, 0x34, 0x12]));
      picture.release();
    }
    assertEquals(segments() - before, 9, "four that are kept, four to be used again, and that of frames");
    const frame = () => keptFrame(desktop.screen, desktop.screen.layout(), false);
    const last = (now: Frame) => [...now.pixels.subarray(-4, -1)];
    assertEquals(last(await frame()), [0x56, 0x34, 0x12]);
    assert(isAll(kept[0].picture, kept[0].color));
    kept.shift()!.picture.release();
    kept.shift()!.picture.release(); // before its parts were looked at
    assertEquals(last(await frame()), [0x56, 0x34, 0x12]);
    assert(isAll(kept[0].picture, kept[0].color));
    assertEquals(segments() - before, 7, "two that are kept, four to be used again, and that of frames");
    // Neither the end of the server nor that of the desktop takes away what is kept, or frees it twice.
    const [read, begun] = kept.map(({ picture }) => picture);
    const parts = begun.parts[Symbol.iterator]();
    const { pixels } = parts.next().value as Frame;
    const copy = pixels.slice();
    await server.stop("SIGKILL");
    await assertRejects(() => desktop.pointer.position(), DesktopUnavailableError);
    desktop.close();
    assertEquals(segments() - before, 2);
    assertEquals(pixels, copy);
    assertThrows(() => parts.next(), DesktopUnavailableError);
    for (const picture of [read, begun]) picture.release();
    assertEquals(segments(), before);
  },
);

Deno.test(
  {
    name: "a picture's parts together are the captured frame, with the pointer and without",
    ...need("Xvfb", "convert", "xsetroot"),
  },
  async () => {
    await using server = await Xvfb.start({ width: 640, height: 403, args: ["-retro"] });
    const desktop = openX11(server.display);
    await drawDots(server, 640, 403);
    await desktop.pointer.move({ x: 200, y: 50 }); // over the edge of two parts
    for (
      const [x, y, width, height] of [[0, 0, 640, 403], [3, 5, 301, 97], [150, 40, 100, 1], [639, 402, 1, 1]]
    ) {
      for (const cursor of [false, true]) {
        const region = { x, y, width, height };
        const whole = rgb(await keptFrame(desktop.screen, region, cursor));
        const picture = await desktop.screen.picture(region, cursor);
        const parts = [...picture.parts].reverse().map(rgb);
        picture.release();
        const joined = await new Blob(parts).bytes();
        assert(
          joined.length === whole.length && joined.every((byte, i) => byte === whole[i]),
          `${Object.values(region)} ${cursor}`,
        );
      }
    }
    desktop.close();
  },
);

Deno.test(
  {
    name: "captures and the layout follow a screen that changes its size",
    ...need("Xvfb", "xdotool", "xrandr"),
  },
  async () => {
    await using server = await Xvfb.start({ width: 1280, height: 720 });
    const desktop = openX11(server.display);
    assertEquals((await keptFrame(desktop.screen, desktop.screen.layout(), false)).width, 1280);
    await server.run("xrandr", "--newmode", "small", "0", "640", "0", "0", "0", "480", "0", "0", "0");
    await server.run("xrandr", "--addmode", "screen", "small");
    await server.run("xrandr", "--output", "screen", "--mode", "small");
    await until(() => desktop.screen.layout().width, (width) => width === 640);
    const { width, height, displays } = desktop.screen.layout();
    assertEquals([width, height, displays.length], [640, 480, 1]);
    assertEquals(displays[0], { name: "screen", primary: true, x: 0, y: 0, width: 640, height: 480 });
    const frame = await keptFrame(desktop.screen, desktop.screen.layout(), false);
    assertEquals([frame.width, frame.height], [640, 480]);
    desktop.close();
  },
);

Deno.test("pixels of any layout are converted to blue, green, red", () => {
  const cases: [layout: PixelLayout, bytes: number[], expected: [number, number, number]][] = [
    [{ stride: 4, bitsPerPixel: 32, bigEndian: true, redMask: 0xff0000, greenMask: 0xff00, blueMask: 0xff }, [
      9,
      1,
      2,
      3,
    ], [3, 2, 1]],
    [
      { stride: 4, bitsPerPixel: 32, bigEndian: false, redMask: 0xff, greenMask: 0xff00, blueMask: 0xff0000 },
      [1, 2, 3, 9],
      [3, 2, 1],
    ],
    [
      { stride: 4, bitsPerPixel: 24, bigEndian: false, redMask: 0xff0000, greenMask: 0xff00, blueMask: 0xff },
      [3, 2, 1, 0],
      [3, 2, 1],
    ],
    [{ stride: 2, bitsPerPixel: 16, bigEndian: false, redMask: 0xf800, greenMask: 0x7e0, blueMask: 0x1f }, [
      0xff,
      0xff,
    ], [255, 255, 255]],
    [{ stride: 2, bitsPerPixel: 16, bigEndian: false, redMask: 0xf800, greenMask: 0x7e0, blueMask: 0x1f }, [
      0x1f,
      0x00,
    ], [255, 0, 0]],
    [{ stride: 2, bitsPerPixel: 16, bigEndian: true, redMask: 0xf800, greenMask: 0x7e0, blueMask: 0x1f }, [
      0xf8,
      0x00,
    ], [0, 0, 255]],
    [
      {
        stride: 4,
        bitsPerPixel: 32,
        bigEndian: false,
        redMask: 0x3ff00000,
        greenMask: 0xffc00,
        blueMask: 0x3ff,
      },
      [0xff, 0x03, 0xf0, 0x3f],
      [255, 0, 255],
    ],
  ];
  for (const [layout, bytes, expected] of cases) {
    const to = new Uint8Array(4);
    toNative(new Uint8Array(bytes), layout, 1, 1, to);
    assertEquals([...to.subarray(0, 3)], expected, JSON.stringify(layout));
    assertEquals(isNative(layout), false);
  }
});
