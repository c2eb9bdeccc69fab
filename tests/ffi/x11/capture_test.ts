/** Screenshots of a real X server, compared with those of ImageMagick and xwd. */

import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { delay } from "@std/async/delay";
import type { Frame, Picture } from "../../../control/desktop/desktop.ts";
import { DesktopUnavailableError, NoDesktopError } from "../../../core/errors.ts";
import {
  type Cursor,
  drawCursor,
  isNative,
  type PixelLayout,
  SharedMemory,
  toNative,
} from "../../../ffi/x11/capture.ts";
import { Connection } from "../../../ffi/x11/connection.ts";
import { DamageConnection, DamagedScreen } from "../../../ffi/x11/damaged_screen.ts";
import { openX11 } from "../../../ffi/x11/desktop.ts";
import { XcbConnection } from "../../../ffi/x11/xcb_connection.ts";
import { keptFrame } from "../../support/clipboard_tools.ts";
import { need } from "../../support/need.ts";
import { run } from "../../support/program.ts";
import { temporary, until } from "../../support/shell.ts";
import { ownNumber, Xvfb } from "../../support/xvfb.ts";

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

/** Covers the screen with dots, with no two parts alike. All are drawn when xsetroot ends. */
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
    name: `a capture of ${name} has the same pixels as import's`,
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
    name: "a picture does not change until it is released, while others are taken",
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
    kept.shift()!.picture.release(); // before its parts were read
    assertEquals(last(await frame()), [0x56, 0x34, 0x12]);
    assert(isAll(kept[0].picture, kept[0].color));
    assertEquals(segments() - before, 7, "two that are kept, four to be used again, and that of frames");
    // Neither the server's end nor the desktop's frees kept pictures, or frees them twice.
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
    name: "a picture's parts add up to the captured frame, with and without the pointer",
    ...need("Xvfb", "convert", "xsetroot"),
  },
  async () => {
    await using server = await Xvfb.start({ width: 640, height: 403, args: ["-retro"] });
    const desktop = openX11(server.display);
    await drawDots(server, 640, 403);
    await desktop.pointer.move({ x: 200, y: 50 }); // across the edge of two parts
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
    name: "captures and the layout follow a resized screen",
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

Deno.test("converts pixels of any layout to blue, green, red", () => {
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

// The cursor image in a frame, also across an edge.

const [WIDTH, HEIGHT, STRIDE] = [4, 3, 20];

/** A cursor of 2x2 pixels, one color each: opaque 1 to 3, and a half-transparent 4. */
function cursor(x: number, y: number): Cursor {
  const argb = new Uint8Array(4 * 8);
  for (let i = 0; i < 4; i++) argb.set([i + 1, i + 1, i + 1, i === 3 ? 127 : 255], i * 8);
  return { x, y, hot: { x: 0, y: 0 }, width: 2, height: 2, argb };
}

/** The pixels of a frame of 100s at 10,20 of the desktop, row by row, with the cursor drawn. */
function drawn(x: number, y: number): number[][] {
  const pixels = new Uint8Array(STRIDE * HEIGHT).fill(100);
  drawCursor(cursor(10 + x, 20 + y), { width: WIDTH, height: HEIGHT, stride: STRIDE, pixels }, {
    x: 10,
    y: 20,
  });
  return Array.from({ length: HEIGHT }, (_, row) => {
    const line = pixels.subarray(row * STRIDE, (row + 1) * STRIDE);
    assertEquals(line.subarray(WIDTH * 4).every((byte) => byte === 100), true, "beyond the row's end");
    return Array.from({ length: WIDTH }, (_, column) => {
      const [blue, green, red] = line.subarray(column * 4);
      assertEquals([green, red], [blue, blue]);
      return blue;
    });
  });
}

const SEEN_THROUGH = 4 + Math.round(100 * 128 / 255);
const BARE = [100, 100, 100, 100];
const CASES: [x: number, y: number, rows: number[][]][] = [
  [1, 1, [BARE, [100, 1, 2, 100], [100, 3, SEEN_THROUGH, 100]]],
  [-1, -1, [[SEEN_THROUGH, 100, 100, 100], BARE, BARE]],
  [3, 2, [BARE, BARE, [100, 100, 100, 1]]],
  [3, -1, [[100, 100, 100, 3], BARE, BARE]],
  [-1, 2, [BARE, BARE, [2, 100, 100, 100]]],
  [-2, 0, [BARE, BARE, BARE]],
  [4, 0, [BARE, BARE, BARE]],
  [0, 3, [BARE, BARE, BARE]],
  [0, -2, [BARE, BARE, BARE]],
];

for (const [x, y, rows] of CASES) {
  Deno.test(`draws the visible part of a pointer at ${x},${y} of a frame`, () => {
    assertEquals(drawn(x, y), rows);
  });
}

// The X server's damage reports, for the live view.

const SIZE = { width: 640, height: 400 };
/** Number of fetched pictures: now and then a scrolling terminal also reports empty areas. */
const PICTURES = 60;

Deno.test(
  {
    name: "fetches each damaged area once",
    ...need("Xvfb", "xterm"),
  },
  async () => {
    await using server = await Xvfb.start(SIZE);
    const lines = "while :; do echo line; sleep 0.01; done";
    await using _terminal = server.spawn("xterm", "-geometry", "80x20+0+0", "-e", "sh", "-c", lines);
    const connection = Connection.open(server.display)!;
    const damage = DamageConnection.open(server.display, connection.extension("DAMAGE")!.firstEvent)!;
    assert(damage.allocate(SIZE.width, SIZE.height));
    for (let fetched = 0; fetched < PICTURES;) {
      if (damage.drain()) {
        assert(damage.fetch(SIZE).box, "it says that something was drawn, and fetches nothing");
        fetched++;
      } else await delay(1);
    }
    damage.close();
    connection.close();
  },
);

Deno.test(
  {
    name: "a live view says that a resized screen has no shared memory",
    ...need("Xvfb", "xrandr"),
  },
  async () => {
    await using server = await Xvfb.start(SIZE);
    const screen = DamagedScreen.open(server.display, undefined)!, { make } = SharedMemory;
    await server.run("xrandr", "--newmode", "small", "0", "320", "0", "0", "0", "200", "0", "0", "0");
    await server.run("xrandr", "--addmode", "screen", "small");
    SharedMemory.make = () => undefined;
    try {
      await server.run("xrandr", "--output", "screen", "--mode", "small");
      const failure = await until(() => {
        try {
          screen.update();
        } catch (error) {
          return error as Error;
        }
      });
      assertEquals(failure!.constructor, DesktopUnavailableError);
      assertEquals(failure!.message, "no shared memory for a screen of 320x200 pixels");
    } finally {
      SharedMemory.make = make;
      screen.close();
    }
  },
);

// X11 displays that do not exist.

Deno.test("the error for a missing display names it and says what to do", () => {
  assertMatch(
    assertThrows(() => openX11(""), NoDesktopError).message,
    /DISPLAY is not set.*--desktop virtual/,
  );
  assertStringIncludes(
    assertThrows(() => openX11(":4711"), NoDesktopError).message,
    ":4711 cannot be opened",
  );
});

Deno.test("exits with 3 without a display", async () => {
  const { code, stderr } = await run(["--desktop", "x11"], "", { env: { DISPLAY: ":4711" } });
  assertEquals(code, 3);
  assertStringIncludes(stderr, ":4711 cannot be opened");
});

Deno.test({
  name: "a call on a closed connection fails, and does not read freed memory",
  ...need("Xvfb"),
}, async () => {
  await using server = await Xvfb.start();
  const connection = Connection.open(server.display)!, xcb = new XcbConnection(server.display);
  connection.close();
  xcb.close();
  assertThrows(() => connection.queryPointer(), DesktopUnavailableError);
  assertThrows(() => xcb.focus(), DesktopUnavailableError);
});
